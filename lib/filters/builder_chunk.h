// The memory of a FilterBuilder's hashes: a list of chunks, none of which is ever copied.
#ifndef LINEFILTER_LIB_FILTERS_BUILDER_CHUNK_H_
#define LINEFILTER_LIB_FILTERS_BUILDER_CHUNK_H_

#include <cstdint>

#include "lib/filters/image_writer.h"
#include "linefilter/builder.h"

namespace linefilter {

// The header is a line, so that the hashes are lines too (lib/filters/partition.h).
struct alignas(64) FilterBuilder::Chunk {
  Chunk* next;
  uint64_t bytes;  // with this header
  uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
  uint64_t capacity() const { return (bytes - sizeof(Chunk)) / sizeof(uint64_t); }
};

namespace internal {

// The trailer of what a builder makes.
inline Trailer TrailerFor(const FilterOptions& options, const Sizing& sizing) {
  return MakeTrailer(sizing.layout, sizing.body_bytes, sizing.num_probes, options.hash_id, options.seed,
                     &sizing.num_keys);
}

inline uint64_t ImageBytesFor(const FilterOptions& options, const Sizing& sizing) {
  return sizing.body_bytes + TrailerBytes(TrailerFor(options, sizing));
}

}  // namespace internal
}  // namespace linefilter

#endif  // LINEFILTER_LIB_FILTERS_BUILDER_CHUNK_H_
