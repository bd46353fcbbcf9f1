// Writes images from doc/FORMAT.md alone, legal ones and illegal ones with a valid check: what a reader must refuse for
// its content can only be shown with a check that fits. Of the library only HashKey is used (hash_test proves that it
// is XXH3 with a seed of its own).
#ifndef LINEFILTER_TESTS_TESTING_IMAGE_PARTS_H_
#define LINEFILTER_TESTS_TESTING_IMAGE_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "linefilter/hash.h"
#include "tests/testing/keys_of_hashes.h"

namespace linefilter::test {

inline constexpr size_t kFixedTrailer = 8, kSmallBody = 4096, kChunk = 65536;

inline void AppendLittleEndian(std::string* out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

// XXH3 of a seed: HashKey xors its own with kSeedOfKeys (FORMAT.md section 1).
inline uint64_t Xxh3(std::string_view bytes, uint64_t seed) { return HashKey(bytes, seed ^ kSeedOfKeys); }
inline constexpr uint64_t kSeedOfCheck = 0xd1310ba698dfb5ac;

inline uint32_t LowXxh3(std::string_view bytes) { return static_cast<uint32_t>(Xxh3(bytes, 0)); }

// The parts of an image; what is not set is not written.
struct ImageParts {
  std::string body;
  std::optional<bool> chunk_checks;       // unset: as the format demands, when the body is longer than 4096 bytes
  std::optional<std::string> extensions;  // the entries, without the closing length
  std::optional<uint64_t> num_keys;
  std::optional<uint64_t> seed;
  uint8_t layout = 1;
  uint8_t num_probes = 6;
  uint8_t hash_id = 1;
  uint8_t magic_version = 0xA1;
};

// One entry of the extension list.
inline std::string Extension(uint16_t id, std::string_view content) {
  std::string entry;
  AppendLittleEndian(&entry, id, 2);
  AppendLittleEndian(&entry, content.size(), 2);
  return entry.append(content);
}

// Makes the check of `image`, whose body has `body_bytes` bytes, right again (FORMAT.md section 4).
inline void Reseal(std::string* image, size_t body_bytes) {
  const size_t size = image->size(), start = body_bytes <= kSmallBody ? 0 : body_bytes;
  uint64_t rest = uint64_t{size} << 32 | uint64_t{size} >> 32;
  for (size_t i = 0; i < 4; ++i) rest ^= uint64_t{static_cast<uint8_t>((*image)[size - 4 + i])} << (8 * i);
  const uint64_t covered = Xxh3(std::string_view(*image).substr(start, size - kFixedTrailer - start), kSeedOfCheck);
  std::string check;
  AppendLittleEndian(&check, ((covered ^ rest) * 0x9e3779b97f4a7c15u) >> 32, 4);
  image->replace(size - kFixedTrailer, 4, check);
}

inline std::string Assemble(const ImageParts& parts) {
  std::string image = parts.body;
  unsigned flags = 0;
  if (parts.chunk_checks.value_or(parts.body.size() > kSmallBody)) {
    flags |= 4;
    for (size_t at = 0; at < parts.body.size(); at += kChunk) {
      AppendLittleEndian(&image, LowXxh3(std::string_view(parts.body).substr(at, kChunk)), 4);
    }
  }
  if (parts.extensions) {
    flags |= 8;
    image += *parts.extensions;
    AppendLittleEndian(&image, parts.extensions->size(), 4);
  }
  if (parts.num_keys) {
    flags |= 2;
    AppendLittleEndian(&image, *parts.num_keys, 8);
  }
  if (parts.seed) {
    flags |= 1;
    AppendLittleEndian(&image, *parts.seed, 8);
  }
  image.append(4, '\0');
  for (const unsigned byte : {unsigned{parts.layout}, unsigned{parts.num_probes}, flags << 4 | parts.hash_id,
                              unsigned{parts.magic_version}}) {
    image.push_back(static_cast<char>(byte));
  }
  Reseal(&image, parts.body.size());
  return image;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_IMAGE_PARTS_H_
