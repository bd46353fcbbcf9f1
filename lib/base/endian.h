// An image has only little-endian integers, at any address.
#ifndef LINEFILTER_LIB_BASE_ENDIAN_H_
#define LINEFILTER_LIB_BASE_ENDIAN_H_

#include <cstdint>

namespace linefilter::internal {

// Compilers make one load or store of each. There is no loop, because g++ -O2 would keep one of eight stores.
inline uint32_t LoadLE32(const uint8_t* p) {
  return uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
}
inline uint64_t LoadLE64(const uint8_t* p) { return LoadLE32(p) | uint64_t{LoadLE32(p + 4)} << 32; }

inline void StoreLE32(uint32_t v, uint8_t* p) {
  p[0] = static_cast<uint8_t>(v);
  p[1] = static_cast<uint8_t>(v >> 8);
  p[2] = static_cast<uint8_t>(v >> 16);
  p[3] = static_cast<uint8_t>(v >> 24);
}
inline void StoreLE64(uint64_t v, uint8_t* p) {
  StoreLE32(static_cast<uint32_t>(v), p);
  StoreLE32(static_cast<uint32_t>(v >> 32), p + 4);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_ENDIAN_H_
