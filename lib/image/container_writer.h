// This writes the image of several stages (doc/FORMAT.md, layout `container`).
#ifndef LINEFILTER_LIB_IMAGE_CONTAINER_WRITER_H_
#define LINEFILTER_LIB_IMAGE_CONTAINER_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "lib/image/trailer.h"
#include "lib/layouts/stages.h"
#include "linefilter/hash.h"
#include "linefilter/internal/key_kinds.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// The most bytes of the growth field that are written.
inline constexpr size_t kMaxGrowthBytes = kMaxWrittenGrowthBytes;

struct ContainerStage {
  const uint8_t* body;
  uint64_t num_blocks;
  uint64_t num_keys;  // counted in it; 0 = unknown
  uint32_t num_probes;
};

// A container is what an image is made of.
struct Container {
  const ContainerStage* stages = nullptr;  // the oldest first
  uint32_t num_stages = 0;                 // 0..kMaxStages; 0 = the empty set
  HashId hash_id = HashId::kXxh3;
  uint64_t seed = 0;                   // for a keyed hash the check of the secret
  const uint64_t* num_keys = nullptr;  // in all; null = nobody counted
  const uint8_t* growth = nullptr;     // how to go on: its first byte says whose
  size_t growth_bytes = 0;             // 0 = no such field; at most kMaxGrowthBytes
  KeyKinds key_kinds;
  bool is_shared = false;  // others insert meanwhile: words are loaded atomically
  Allocator allocator;     // for the way through a sink
};

// A reader takes of stage i 1 to 2^32 blocks, 1 to 16 probes, 512 keys for each block at most. Else it is
// kInvalidArgument.
Status CheckStage(uint32_t i, uint64_t num_blocks, uint32_t num_probes, uint64_t num_keys);

// All three refuse what no reader would take, with kInvalidArgument. That is more stages or growth bytes than that, a
// stage of no block or probe, or of more than `blocked` can have, or of more keys than bits.
//
// The exact size of the image; 0 for one that is refused.
uint64_t ContainerBytes(const Container& container);
// Writes pieces of at most 1 MiB.
Status WriteContainer(const Container& container, const Sink& sink);
// Writes ContainerBytes() bytes to `out` (size may be more; less is kInvalidArgument).
Status WriteContainerTo(const Container& container, void* out, size_t size);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_IMAGE_CONTAINER_WRITER_H_
