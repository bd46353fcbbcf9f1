// Numbers of 64 bits as bytes of a string, the lowest first.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_U64_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_U64_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linefilter::redis_internal {

inline void AppendU64(uint64_t value, std::string* bytes) {
  for (int i = 0; i < 64; i += 8) *bytes += static_cast<char>(value >> i & 255);
}
// The eight bytes from `at` on, which are there.
inline uint64_t U64At(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_U64_H_
