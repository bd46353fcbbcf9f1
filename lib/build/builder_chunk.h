// The memory of a FilterBuilder's hashes is a list of chunks, none of which is ever copied, unless they are borrowed.
#ifndef LINEFILTER_LIB_BUILD_BUILDER_CHUNK_H_
#define LINEFILTER_LIB_BUILD_BUILDER_CHUNK_H_

#include <cstdint>

#include "lib/build/hash_chunk.h"
#include "lib/build/partition.h"
#include "linefilter/builder.h"
#include "linefilter/status.h"

namespace linefilter {

// Chunks double from 1 KiB to 2 MiB, a huge page. The first one is a part of the builder, so the keys of a filter block
// of an SST, up to 120, need no allocation (85 ns). A billion keys waste at most 2 MiB. (With 1 MiB, in pages of 4 KiB,
// it takes 4.6 instead of 2.7 ns to add a key, 5.4 instead of 4.9 to build in bulk.)
inline constexpr uint64_t kFirstChunkBytes = 1024, kLargestChunkBytes = uint64_t{2} << 20;
inline constexpr uint64_t kNumSmallChunks = 11;
static_assert(kFirstChunkBytes << kNumSmallChunks == kLargestChunkBytes, "so many are smaller than the largest");
// So many bytes of chunks are kept for the next keys: those of kCountedExactly keys, and of some more.
inline constexpr uint64_t kSpareBytes = uint64_t{63} << 10;
// A work area of at most so many is kept: that of `retrieval` for some thousands of keys.
inline constexpr uint64_t kKeptWorkBytes = uint64_t{1} << 20;

static_assert(internal::HashesIn(kLargestChunkBytes) / internal::kPageHashes <= internal::Partition::kLargestChunkPages,
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

// Calls visit(hashes, n) with all hashes, piece by piece.
template <class Visit>
void FilterBuilder::ForEachSpan(const Visit& visit) const noexcept {
  if (num_borrowed_ != 0) return visit(borrowed_, uint64_t{num_borrowed_});
  for (Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) visit(chunk->hashes(), SizeOf(*chunk));
}

// Does the same with one of num_parts equal parts of them.
template <class Visit>
void FilterBuilder::ForEachSpanOf(uint64_t part, uint64_t num_parts, const Visit& visit) const noexcept {
  const uint64_t n = NumHashes(), begin = n * part / num_parts, end = n * (part + 1) / num_parts;
  uint64_t at = 0;
  ForEachSpan([&](const uint64_t* hashes, uint64_t size) {
    const uint64_t first = begin > at ? begin : at, last = end < at + size ? end : at + size;
    if (first < last) visit(hashes + (first - at), last - first);
    at += size;
  });
}

}  // namespace linefilter

#endif  // LINEFILTER_LIB_BUILD_BUILDER_CHUNK_H_
