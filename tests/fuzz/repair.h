// Makes the checks of an image fit again, whatever its fields say: random bytes seldom pass the check, so what a reader
// must refuse, or bear, in its content would never be reached. Written from doc/FORMAT.md, sections 2 to 4.
#ifndef LINEFILTER_TESTS_FUZZ_REPAIR_H_
#define LINEFILTER_TESTS_FUZZ_REPAIR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/image/trailer.h"
#include "tests/reference/reference.h"

namespace linefilter::fuzz {

inline constexpr uint8_t kCurrentVersion = internal::kMagic | internal::kFormatVersion;

// How long the body is if the fields are what the flags say. 0 if there is no room for them.
inline size_t BodyBytesOf(const uint8_t* image, size_t size) {
  if (size < 8) return 0;
  const int flags = image[size - 2] >> 4;
  size_t rest = size - 8;
  const auto cut = [&rest](uint64_t bytes) {
    if (rest < bytes) return false;
    rest -= static_cast<size_t>(bytes);
    return true;
  };
  if ((flags & reference::kFlagSeed) != 0 && !cut(8)) return 0;
  if ((flags & reference::kFlagNumKeys) != 0 && !cut(8)) return 0;
  if ((flags & reference::kFlagExtensions) != 0) {
    if (!cut(4) || !cut(reference::GetLittleEndian(image + rest, 4))) return 0;
  }
  if ((flags & reference::kFlagChunks) != 0 && !cut(4 * ((rest + 65539) / 65540))) return 0;
  return rest;
}

// Also the last byte, so that a committed corpus outlives a new version of the format.
inline void RepairImage(uint8_t* image, size_t size) {
  if (size < 8) return;
  image[size - 1] = kCurrentVersion;
  const size_t body = BodyBytesOf(image, size);
  if ((image[size - 2] >> 4 & reference::kFlagChunks) != 0) {
    size_t check_at = body;
    for (size_t begin = 0; begin < body && check_at + 4 <= size - 8; begin += 65536, check_at += 4) {
      const uint64_t check = reference::Xxh3(image + begin, std::min<size_t>(65536, body - begin), 0);
      reference::PutLittleEndian(check & 0xffffffff, 4, image + check_at);
    }
  }
  reference::PutLittleEndian(reference::CheckOfImage(image, size, body), 4, image + size - 8);
}

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_REPAIR_H_
