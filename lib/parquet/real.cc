#include "lib/parquet/real.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace linefilter::internal {
namespace {

constexpr uint32_t kMantissaBits = 52;  // of a double, without the leading one
constexpr uint64_t kMantissa = (uint64_t{1} << kMantissaBits) - 1;

uint64_t BitsOf(double real) {
  uint64_t bits;
  memcpy(&bits, &real, sizeof(bits));
  return bits;
}

// The exponent of the leading one; -1023 for zero and what is near it, 1024 for infinity and NaN.
int ExponentOf(uint64_t bits) { return static_cast<int>(bits >> kMantissaBits & 0x7ff) - 1023; }

}  // namespace

bool ToDouble(const ParquetInteger& unscaled, int64_t scale, double* real) {
  Magnitude number(unscaled);
  *real = 0;
  if (number.IsZero()) return true;
  // 10^-scale is 5^-scale times a power of two. A number that is not 0 takes few steps until one fails.
  for (int64_t i = 0; i < scale; ++i) {
    if (!number.DivideBy(5)) return false;
  }
  for (int64_t i = scale; i < 0; ++i) {
    if (!number.MultiplyBy(5)) return false;
  }
  const int64_t exponent = static_cast<int64_t>(number.TakeTwos()) - scale;
  if (number.Bits() > kMantissaBits + 1) return false;  // the exponent is below 400, because the number had 256 bits
  *real = std::ldexp(static_cast<double>(number.words[0]), static_cast<int>(exponent));
  if (number.is_negative) *real = -*real;
  return true;
}

bool FromDouble(double real, int64_t scale, ParquetInteger* unscaled) {
  const uint64_t bits = BitsOf(real);
  const int exponent = ExponentOf(bits);
  *unscaled = ParquetInteger();
  if (real == 0) return true;
  if (exponent <= -1023 || exponent > 200 || scale > 200 || scale < 0) return false;
  // The number is mantissa * 2^twos; times 10^scale it is mantissa * 5^scale * 2^(twos + scale).
  Magnitude number((bits & kMantissa) | (kMantissa + 1));
  number.is_negative = real < 0;
  int64_t twos = exponent - static_cast<int64_t>(kMantissaBits) + scale;
  for (int64_t i = 0; i < scale; ++i) {
    if (!number.MultiplyBy(5)) return false;
  }
  for (; twos < 0; ++twos) {
    if (!number.DivideBy(2)) return false;
  }
  for (; twos > 0; --twos) {
    if (!number.MultiplyBy(2)) return false;
  }
  return number.To(unscaled);
}

bool ToFloatBits(double real, uint32_t* bits) {
  // A cast of what lies outside of float is undefined.
  if (std::isnan(real) || (std::isfinite(real) && std::fabs(real) > double{std::numeric_limits<float>::max()})) {
    return false;
  }
  const float narrow = static_cast<float>(real);
  memcpy(bits, &narrow, sizeof(*bits));
  return double{narrow} == real;
}

bool ToHalfBits(double real, uint16_t* bits) {
  constexpr int kLeastNormal = -14, kLeast = -24, kMost = 15;  // exponents of a half; it has 10 bits of mantissa
  const uint64_t of_double = BitsOf(real);
  const uint16_t sign = static_cast<uint16_t>(of_double >> 63 << 15);
  const int exponent = ExponentOf(of_double);
  uint64_t mantissa = of_double & kMantissa;
  if (real == 0 || std::isinf(real)) {
    *bits = static_cast<uint16_t>(sign | (real == 0 ? 0 : 0x7c00));
    return true;
  }
  if (std::isnan(real) || exponent < kLeast || exponent > kMost) return false;
  if (exponent < kLeastNormal) mantissa |= kMantissa + 1;  // there the leading one is stored, too
  const uint32_t dropped =
      kMantissaBits - 10 + (exponent < kLeastNormal ? static_cast<uint32_t>(kLeastNormal - exponent) : 0);
  if ((mantissa & ((uint64_t{1} << dropped) - 1)) != 0) return false;
  const int biased = exponent < kLeastNormal ? 0 : exponent - kLeastNormal + 1;
  *bits = static_cast<uint16_t>(sign | (biased << 10) | static_cast<int>(mantissa >> dropped));
  return true;
}

}  // namespace linefilter::internal
