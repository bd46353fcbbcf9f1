// Bulk building makes an image from a stream of hashes: for more keys than memory holds, or for hashes in a file.
//
//   linefilter::HashSource source = {read_hashes, rewind_hashes, &file};  // functions of yours
//   options.memory_limit = uint64_t{1} << 30;
//   linefilter::Status status = linefilter::BuildFromSourceToFile(options, source, "users.filter");
//   if (!status.ok()) ...  // status.message() says what to do
//
// The source is read twice or more often. The first pass counts, because the size follows from the keys that really
// come, each counted once as a FilterBuilder does (builder.h). Where that pass shows many repeats, further ones count
// the distinct hashes. Each of those counts as many as half of the memory that is left can hold. Each further pass
// reads one group of ranges of blocks, whose hashes memory_limit lets in at once. A group is made in memory and written
// before the next, so neither the hashes nor the image are ever in memory as a whole. The bytes are those of a
// FilterBuilder that is given the same hashes. The calls are thread-safe but for the source and the sink, which the
// calling thread alone calls.
#ifndef LINEFILTER_BULK_H_
#define LINEFILTER_BULK_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter {

// HashSource::read returns this when it could not read.
inline constexpr size_t kSourceFailed = ~size_t{0};

// A source gives hashes, in the same order each time. The hash of a key is HashKey(key, options.seed) or KeyedHash(key,
// options.secret), as options.hash_id says.
struct HashSource {
  // Writes up to `capacity` hashes and returns how many, at least 1; 0 at the end; or kSourceFailed.
  size_t (*read)(void* context, uint64_t* hashes, size_t capacity) noexcept = nullptr;
  // Goes back to the first hash; it is called before each pass but the first. It returns false if it cannot.
  bool (*rewind)(void* context) noexcept = nullptr;
  void* context = nullptr;  // handed to both
};

// All memory stays within options.memory_limit. Set it: without one, 8 bytes per key and the image are taken. The less
// memory, the more passes, down to groups of one range. Such a group takes the range (256 KiB of `blocked`, 64 KiB of
// `retrieval`; up to 1/4096 of an image that has more than 8192 such ranges). It takes 8 bytes for each of its hashes
// and for up to 1/2048 of all (they are counted by their first 12 bits), 1/16384 of the image (its checks) and about
// 110 KiB. Where repeats are removed, another 32 KiB; more memory then saves passes. `retrieval` adds the
// 0.7 MiB and 4 bytes per hash of one thread (builder.h). `classic`, and `blocked` where its image fits and the hashes
// do not, holds the image as a whole and takes the hashes as they come.
//
// kOverLimit tells how many bytes are needed. kIoError means that the source or the sink failed. It also means that the
// source gave other hashes in a later pass (found but for a chance of about 2^-64; not against an adversary). Then the
// sink may have received a part of an image; a file keeps its old content. *sizing (may be null) is what was made.
LINEFILTER_EXPORT Status BuildFromSource(const FilterOptions& options, const HashSource& source, const Sink& sink,
                                         Sizing* sizing = nullptr) noexcept;
// Makes a file. It is complete and synced before it gets its name; an old file of that name stays until then.
LINEFILTER_EXPORT Status BuildFromSourceToFile(const FilterOptions& options, const HashSource& source, const char* path,
                                               Sizing* sizing = nullptr) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_BULK_H_
