// Arrays of columns need no alignment: their values are read here.
#ifndef LINEFILTER_LIB_COLUMNS_VALUE_AT_H_
#define LINEFILTER_LIB_COLUMNS_VALUE_AT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linefilter::internal {

template <class T>
T At(const void* values, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t*>(values) + i * sizeof(T), sizeof(T));
  return value;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_COLUMNS_VALUE_AT_H_
