// Large bodies have one check per 64 KiB, so that damage is located and verification can go little by little.
#include "lib/base/endian.h"
#include "lib/base/xxh3.h"
#include "lib/image/trailer.h"

namespace linefilter::internal {

uint32_t ChunkCheck(const uint8_t* body, uint64_t body_bytes, uint64_t index) {
  const uint64_t begin = index * kChunkBytes;
  const uint64_t size = body_bytes - begin < kChunkBytes ? body_bytes - begin : kChunkBytes;
  return static_cast<uint32_t>(Xxh3(body + begin, size));
}

Status DamagedChunk(uint64_t body_bytes, uint64_t index) {
  const uint64_t begin = index * kChunkBytes;
  const uint64_t end = body_bytes - begin < kChunkBytes ? body_bytes : begin + kChunkBytes;
  return Status::Error(
      StatusCode::kCorrupt,
      "body bytes %llu to %llu do not match their check: the image is damaged, rebuild it or copy it again",
      static_cast<unsigned long long>(begin), static_cast<unsigned long long>(end - 1));
}

Status VerifyChunks(const uint8_t* body, uint64_t body_bytes, const uint8_t* checks, uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; ++i) {
    if (ChunkCheck(body, body_bytes, i) != LoadLE32(checks + 4 * i)) return DamagedChunk(body_bytes, i);
  }
  return Status();
}

}  // namespace linefilter::internal
