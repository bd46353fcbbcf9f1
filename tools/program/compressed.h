// Compressed files are recognized by their first bytes, so that nobody takes them for keys or images.
#ifndef LINEFILTER_TOOLS_PROGRAM_COMPRESSED_H_
#define LINEFILTER_TOOLS_PROGRAM_COMPRESSED_H_

#include <cstddef>
#include <string>

namespace linefilter::tools {

// So many first bytes tell; fewer tell nothing, unless the file ends there.
inline constexpr size_t kCompressedBytes = 10;

// The program that unpacks what begins so (gzip, zstd, xz or bzip2), or null.
const char* CompressorOf(const char* first, size_t size);
// Whether more bytes may show that it is compressed. A line that somebody types never waits for more.
bool MayBeCompressed(const char* first, size_t size);

// Says what such a file is, and which pipe to type. `path` "-" is standard input.
std::string CompressedSentence(const char* compressor, const std::string& path, const char* rest_of_command);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_COMPRESSED_H_
