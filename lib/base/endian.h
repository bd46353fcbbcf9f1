// An image has only little-endian integers, at any address.
#ifndef LINEFILTER_LIB_BASE_ENDIAN_H_
#define LINEFILTER_LIB_BASE_ENDIAN_H_

#include <cstdint>

namespace linefilter::internal {

// Compilers make one load or store of each.
inline uint32_t LoadLE32(const uint8_t* p) {
  return uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
}
inline uint64_t LoadLE64(const uint8_t* p) { return LoadLE32(p) | uint64_t{LoadLE32(p + 4)} << 32; }

inline void StoreLE32(uint32_t v, uint8_t* p) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<uint8_t>(v >> (8 * i));
}
inline void StoreLE64(uint64_t v, uint8_t* p) {
  for (int i = 0; i < 8; ++i) p[i] = static_cast<uint8_t>(v >> (8 * i));
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_ENDIAN_H_
