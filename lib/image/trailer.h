// The trailer is all of an image that is not its body (doc/FORMAT.md sections 2 to 4).
#ifndef LINEFILTER_LIB_IMAGE_TRAILER_H_
#define LINEFILTER_LIB_IMAGE_TRAILER_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/hash.h"
#include "linefilter/status.h"

namespace linefilter::internal {

inline constexpr uint8_t kMagic = 0xA0;  // outside the range of the last byte of LevelDB's Bloom filter (1..30)
inline constexpr uint32_t kFormatVersion = 1;
inline constexpr size_t kFixedTrailerBytes = 8;
// The check of the trailer covers bodies up to this size, chunk checks cover larger ones.
inline constexpr uint64_t kSmallBodyBytes = 4096;
inline constexpr uint64_t kChunkBytes = 65536;
// The longest extension fields that are written; a longer one is read.
inline constexpr uint64_t kMaxStageTableBytes = 64 * 24, kMaxWrittenGrowthBytes = 1024, kKeyKindBytes = 1;
inline constexpr uint64_t kMaxKeyFormsBytes = 8;

// Words come first: behind bytes g++ clears them by vectors that lie across two of them, and who reads them next waits.
struct Trailer {
  uint64_t seed = 0;
  uint64_t num_keys = 0;
  uint64_t body_bytes = 0;
  uint64_t key_forms = 0;  // the field of the forms of columns, its first byte lowest; 0 if it tells none
  // These are fields of the extension list, within the image or from the writer; null if there is none. What they say
  // is not known here.
  const uint8_t* stage_table = nullptr;
  const uint8_t* growth = nullptr;
  const uint8_t* key_kind = nullptr;
  uint16_t stage_table_bytes = 0, growth_bytes = 0, key_kind_bytes = 0;
  uint16_t key_forms_bytes = 0;  // 0: there is no such field; 1 to 8
  bool has_seed = false;
  bool has_num_keys = false;
  uint8_t layout = 0;
  uint8_t num_probes = 0;
  uint8_t hash_id = 0;
  uint8_t version = kFormatVersion;
};

// How many chunk checks a body has.
inline uint64_t NumChunks(uint64_t body_bytes) {
  return body_bytes <= kSmallBodyBytes ? 0 : (body_bytes + kChunkBytes - 1) / kChunkBytes;
}

// Reads and verifies what follows the body: structure, magic, version, check. Which layouts and hash ids exist is not
// known here. kCorrupt or kUnsupported with a sentence; *trailer is then not to be used.
Status ParseTrailer(const uint8_t* image, size_t size, Trailer* trailer);

// This is the check of an image of that many bytes (section 4 of doc/FORMAT.md), from XXH3_64 with kCheckSeed of what
// it covers and the four bytes that end the image. It is one hash of one piece: hashing the rest too, behind a copy of
// that piece, doubled the time of a lookup in a filter of 60 bytes.
inline uint32_t CheckOf(uint64_t covered_hash, uint32_t last, uint64_t image_bytes) {
  const uint64_t rest = last ^ (image_bytes << 32 | image_bytes >> 32);
  return static_cast<uint32_t>(((covered_hash ^ rest) * 0x9e3779b97f4a7c15u) >> 32);
}

// Engines ask this at every lookup: a body of at most kSmallBodyBytes, so that the check covers it, keys hashed by
// kXxh3, and no optional field. It is false for every other image.
inline bool IsPlainImage(const uint8_t* image, size_t size) {
  if (image == nullptr || size < kFixedTrailerBytes || size > kFixedTrailerBytes + kSmallBodyBytes) return false;
  return image[size - 1] == (kMagic | kFormatVersion) && image[size - 2] == static_cast<uint8_t>(HashId::kXxh3);
}

// The bytes of all that follows the body: chunk checks and fields.
uint64_t TrailerBytes(const Trailer& trailer);

// Writes everything behind the body but the chunk checks, which stand at `out` already (lib/image/image_writer.h
// makes them, by several threads or piece by piece). `body` is read if it has at most kSmallBodyBytes.
void WriteFields(const Trailer& trailer, const uint8_t* body, uint8_t* out);

// Compares chunks [first, first + count) of a body of more than kSmallBodyBytes with the checks that follow it.
// kCorrupt names the first damaged range.
Status VerifyChunks(const uint8_t* body, uint64_t body_bytes, const uint8_t* checks, uint64_t first, uint64_t count);

// What VerifyChunks says of a damaged chunk.
Status DamagedChunk(uint64_t body_bytes, uint64_t index);

// The check of chunk `index` of a body.
uint32_t ChunkCheck(const uint8_t* body, uint64_t body_bytes, uint64_t index);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_IMAGE_TRAILER_H_
