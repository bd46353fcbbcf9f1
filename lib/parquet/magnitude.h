// Arithmetic of numbers of 256 bits, by which a value is rescaled exactly: a sign and a magnitude.
#ifndef LINEFILTER_LIB_PARQUET_MAGNITUDE_H_
#define LINEFILTER_LIB_PARQUET_MAGNITUDE_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/parquet_types.h"

namespace linefilter::internal {

struct Magnitude {
  uint64_t words[4] = {};  // the lowest first
  bool is_negative = false;

  Magnitude() = default;
  explicit Magnitude(const ParquetInteger& integer);

  bool IsZero() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  // How many bits it has, without leading zeros.
  uint32_t Bits() const;
  // False, and the number is lost, if it would have more than 256 bits.
  bool MultiplyBy(uint32_t factor);
  // False, and the number is lost, if there is a remainder.
  bool DivideBy(uint32_t divisor);
  // Divides by the largest power of two, and returns its exponent; the number is not 0.
  uint32_t TakeTwos();
  // False if it is no integer of 255 bits and a sign.
  bool To(ParquetInteger* integer) const;
};

// Whether an integer has at most so many bits, 1 to 256, the sign included; or none, where it may not be negative.
bool FitsSigned(const ParquetInteger& integer, uint32_t bits);
bool FitsUnsigned(const ParquetInteger& integer, uint32_t bits);

// Writes two's complement, the highest byte first; the size is at most 32.
void StoreBigEndian(const ParquetInteger& integer, size_t size, uint8_t* out);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_PARQUET_MAGNITUDE_H_
