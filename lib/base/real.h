// Logarithm, exponential and powers are made of +, -, *, / alone, which IEEE 754 rounds alike everywhere. So sizes that
// follow from them are the same on every CPU and C library (libm is not). Compile with -ffp-contract=off.
#ifndef LINEFILTER_LIB_BASE_REAL_H_
#define LINEFILTER_LIB_BASE_REAL_H_

#include <cfloat>
#include <cstdint>
#include <limits>

namespace linefilter::internal {

static_assert(FLT_EVAL_METHOD != 2, "doubles are kept with 80 bits: compile with -msse2 -mfpmath=sse");

inline constexpr double kLn2 = 0.693147180559945309417;

// This is x^n by squaring.
inline double IntPow(double x, uint64_t n) {
  double result = 1;
  for (; n != 0; n >>= 1, x *= x) {
    if (n & 1) result *= x;
  }
  return result;
}

// The natural logarithm of a positive, finite x, with a relative error below 1e-14.
inline double Ln(double x) {
  int exponent = 0;
  while (x > 1.5) x *= 0.5, ++exponent;
  while (x < 0.75) x *= 2, --exponent;
  // This uses ln x = 2 artanh((x - 1) / (x + 1)), whose argument is at most 0.2 here.
  const double t = (x - 1) / (x + 1), square = t * t;
  double sum = 0;
  for (int i = 25; i >= 1; i -= 2) sum = sum * square + 1.0 / i;
  return exponent * kLn2 + 2 * t * sum;
}

// This is ln(1 - x), 0 <= x <= 1. What a small x adds is not lost; for 1 it is minus infinity.
inline double LnOfRest(double x) {
  if (x >= 1) return -std::numeric_limits<double>::infinity();
  if (x > 0.01) return Ln(1 - x);
  double sum = 0;
  for (int i = 8; i >= 1; --i) sum = sum * x + 1.0 / i;
  return -x * sum;
}

// This is e^x for x <= 0; it is 0 below -700.
inline double ExpOfNegative(double x) {
  if (!(x > -700)) return 0;
  int halvings = 0;
  while (x < -0.25) x *= 0.5, ++halvings;
  double sum = 1;
  for (int i = 14; i >= 1; --i) sum = 1 + sum * x / i;
  for (; halvings > 0; --halvings) sum *= sum;
  return sum;
}

// This is e^x - 1 for x <= 0. Of a small x nothing is lost.
inline double ExpOfNegativeLess1(double x) {
  if (x < -0.25) return ExpOfNegative(x) - 1;
  double sum = 1;
  for (int i = 14; i >= 2; --i) sum = 1 + sum * x / i;
  return sum * x;
}

// This is e^x - 1 - x for x >= 0. Of a small x nothing is lost.
inline double ExpMinusLine(double x) {
  if (x >= 0.5) return x > 700 ? std::numeric_limits<double>::infinity() : 1 / ExpOfNegative(-x) - 1 - x;
  double sum = 0;
  for (int i = 14; i >= 2; --i) sum = (1 + sum) * x / i;
  return sum * x;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_REAL_H_
