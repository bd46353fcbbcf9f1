// The memory of a FilterBuilder's hashes is a list of chunks, none of which is ever copied.
#ifndef LINEFILTER_LIB_BUILD_BUILDER_CHUNK_H_
#define LINEFILTER_LIB_BUILD_BUILDER_CHUNK_H_

#include <cstdint>

#include "lib/build/hash_chunk.h"
#include "lib/build/partition.h"
#include "linefilter/builder.h"
#include "linefilter/status.h"

namespace linefilter {

// Chunks double from 1 KiB to 1 MiB, so a filter block of an SST costs one small allocation. From 32 MiB in all on they
// have 2 MiB, a huge page, and a billion keys waste at most that. (With 1 MiB, in pages of 4 KiB, it takes 4.6 instead
// of 2.7 ns to add a key, 5.4 instead of 4.9 to build in bulk.)
inline constexpr uint64_t kFirstChunkBytes = 1024, kLargeChunkBytes = uint64_t{1} << 20;
inline constexpr uint64_t kHugeChunkBytes = uint64_t{2} << 20, kHugeChunksFrom = uint64_t{32} << 20;
inline constexpr uint64_t kNumSmallChunks = 10;
// So many bytes of chunks are kept for the next keys: those of kCountedExactly keys, and of some more.
inline constexpr uint64_t kSpareBytes = uint64_t{63} << 10;
// A work area of at most so many is kept: that of `retrieval` for some thousands of keys.
inline constexpr uint64_t kKeptWorkBytes = uint64_t{1} << 20;
static_assert(kFirstChunkBytes << kNumSmallChunks == kLargeChunkBytes, "so many are smaller than a large one");

static_assert(internal::HashesIn(kHugeChunkBytes) / internal::kPageHashes <= internal::Partition::kLargestChunkPages,
              "a partition numbers the pages of each chunk");

namespace internal {

// This is a builder's status while a callback may run and its hashes are not in their places. It stays if the callback
// leaves by an exception or a jump, which none may.
inline Status Unfinished() {
  return Status::Error(StatusCode::kIoError,
                       "a callback did not return (an exception, a jump?), so keys may be missing: reset the builder, "
                       "and add them again");
}

}  // namespace internal

}  // namespace linefilter

#endif  // LINEFILTER_LIB_BUILD_BUILDER_CHUNK_H_
