#include "tools/program/compressed.h"

#include <algorithm>
#include <cstring>

namespace linefilter::tools {
namespace {

struct Magic {
  const char* program;
  char bytes[kCompressedBytes + 1];
  size_t size;
};

// RFC 1952 (with the one method there is), RFC 8878, the formats of xz (2.1.1.1) and bzip2 (a block, or the end at
// once). BZh alone may begin a word.
constexpr Magic kMagics[] = {{"gzip", "\x1f\x8b\x08", 3},
                             {"zstd", "\x28\xb5\x2f\xfd", 4},
                             {"xz", "\xfd\x37\x7a\x58\x5a\x00", 6},
                             {"bzip2", "BZh9\x31\x41\x59\x26\x53\x59", 10},
                             {"bzip2", "BZh9\x17\x72\x45\x38\x50\x90", 10}};

// Whether the bytes agree with the magic as far as both go. The digit of bzip2 is the size of its blocks.
bool Agrees(const Magic& magic, const char* first, size_t size) {
  for (size_t i = 0; i < std::min(size, magic.size); ++i) {
    const bool is_level = magic.bytes[i] == '9' && first[i] >= '1' && first[i] <= '9';
    if (first[i] != magic.bytes[i] && !is_level) return false;
  }
  return true;
}

// The rest of gzip's header: flags with three that are reserved, a time of four bytes, a hint, a system. An integer
// key that begins like gzip has them by chance once in 1e11.
bool IsHeaderOfGzip(const char* first, size_t size) {
  if (size < kCompressedBytes) return false;
  const unsigned char flags = static_cast<unsigned char>(first[3]), hint = static_cast<unsigned char>(first[8]);
  const unsigned char system = static_cast<unsigned char>(first[9]);
  return flags < 0x20 && (hint == 0 || hint == 2 || hint == 4) && (system <= 13 || system == 255);
}

std::string Quoted(const std::string& path) {
  if (path.find_first_of(" \t\n'\"\\$`&;|<>()*?[]#~!{}") == std::string::npos) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

const char* CompressorOf(const char* first, size_t size) {
  for (const Magic& magic : kMagics) {
    if (size < magic.size || !Agrees(magic, first, size)) continue;
    if (magic.program != kMagics[0].program || IsHeaderOfGzip(first, size)) return magic.program;
  }
  return nullptr;
}

bool MayBeCompressed(const char* first, size_t size) {
  for (const Magic& magic : kMagics) {
    if (size < kCompressedBytes && Agrees(magic, first, size)) return true;
  }
  return false;
}

std::string CompressedSentence(const char* compressor, const std::string& path, const char* rest_of_command) {
  const std::string file = path == "-" ? "FILE" : Quoted(path);
  return std::string(path == "-" ? "standard input" : "the file") + " is compressed: unpack it by `" + compressor +
         " -dc " + file + " | linefilter " + rest_of_command + "`";
}

}  // namespace linefilter::tools
