// Conversions to and from binary floating point that are exact, or say that they are not.
#ifndef LINEFILTER_LIB_PARQUET_REAL_H_
#define LINEFILTER_LIB_PARQUET_REAL_H_

#include <cstdint>

#include "lib/parquet/magnitude.h"

namespace linefilter::internal {

// unscaled * 10^-scale as a double.
bool ToDouble(const ParquetInteger& unscaled, int64_t scale, double* real);
// A finite double as unscaled * 10^-scale. It is false, too, if that has more than 256 bits.
bool FromDouble(double real, int64_t scale, ParquetInteger* unscaled);

// These tell the bits of the same number in a narrower format; NaN has none.
bool ToFloatBits(double real, uint32_t* bits);
bool ToHalfBits(double real, uint16_t* bits);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_PARQUET_REAL_H_
