// The expected false-positive rate of the layout `classic` is E[fill^k], from the textbook's mean fill 1 - (1 - 1/m)^(n
// k) and the spread of the fill around it, which matters for small filters. The spread is its second, third and fourth
// central moments, exactly (the unset bits of balls thrown into bins have factorial moments (m)_i (1 - i/m)^(n k)).
//
// n / 2^64 is added for keys that agree with one of the n in the whole hash: more than all else from about 3e6 keys on
// at 64 bits per key.
#include "lib/base/equal_hashes.h"
#include "lib/base/real.h"
#include "lib/layouts/classic/body.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {
namespace {

// Computes (1 - x)^n for a small x and an n of any size, without rounding 1 - x.
double PowerOfOneMinus(double x, double n) {
  // ln(1 - x) = -(x + x^2/2 + x^3/3 + ...); x is at most 1/16 here (4 / the 64 bits of the smallest filter).
  double sum = 0;
  for (int i = 12; i >= 1; --i) sum = sum * x + 1.0 / i;
  return ExpOfNegative(-n * x * sum);
}

// Above this many bits only the second moment is felt, and the differences that make the others would cancel.
constexpr double kSmallBits = 8192;

// E[fill^k] / mean^k - 1, for `throws` bits thrown into m.
double Spread(double m, double throws, double unset, double fill, double k) {
  const double u1 = unset, u2 = PowerOfOneMinus(2 / m, throws);
  const double variance = u1 / m + (1 - 1 / m) * u2 - u1 * u1;
  const double pairs = k * (k - 1) / 2;
  double spread = pairs * variance / (fill * fill);
  if (spread < 0) spread = 0;  // rounding, for large m
  if (m > kSmallBits) return spread;
  // Factorial moments of the number of unset bits give its raw ones, then central ones of the fill.
  const double f1 = m * u1, f2 = m * (m - 1) * u2;
  const double f3 = m * (m - 1) * (m - 2) * PowerOfOneMinus(3 / m, throws);
  const double f4 = m * (m - 1) * (m - 2) * (m - 3) * PowerOfOneMinus(4 / m, throws);
  const double r2 = f2 + f1, r3 = f3 + 3 * f2 + f1, r4 = f4 + 6 * f3 + 7 * f2 + f1;
  const double third = -(r3 - 3 * r2 * f1 + 2 * f1 * f1 * f1);
  const double fourth = r4 - 4 * r3 * f1 + 6 * r2 * f1 * f1 - 3 * f1 * f1 * f1 * f1;
  const double ones = m * fill, triples = pairs * (k - 2) / 3, quadruples = triples * (k - 3) / 4;
  return spread + triples * third / IntPow(ones, 3) + quadruples * fourth / IntPow(ones, 4);
}

// E[fill^k].
double FprOfBits(uint64_t num_keys, double m, uint32_t k) {
  if (m < 64) {  // smaller than this library makes them; an image may still be
    const double fill = 1 - IntPow(IntPow(1 - 1 / m, num_keys), k);
    return IntPow(fill, k);
  }
  const double throws = static_cast<double>(num_keys) * k;
  const double unset = PowerOfOneMinus(1 / m, throws);
  const double fill = 1 - unset;
  if (fill <= 0) return 0;
  const double fpr = IntPow(fill, k) * (1 + Spread(m, throws, unset, fill, k));
  return fpr < 0 ? 0 : fpr < 1 ? fpr : 1;
}

double ExpectedFprOfBits(uint64_t num_keys, uint64_t body_bytes, uint32_t k) {
  return EitherOf(EqualHashFpr(static_cast<double>(num_keys)),
                  FprOfBits(num_keys, 8 * static_cast<double>(body_bytes), k));
}

double LimitFpr(double bits_per_key, uint32_t k) { return IntPow(1 - ExpOfNegative(-(k / bits_per_key)), k); }

// k = m/n ln 2: the whole numbers on both sides of it are tried.
uint32_t NumProbes(double bits_per_key) { return static_cast<uint32_t>(bits_per_key * kLn2); }

}  // namespace

// A body has 8 bytes at least: fewer would make the rate of one or two keys worse than asked for no gain. The model is
// exact for large sets; the error found at 60 keys and fewer is 0.7 % (tests/layouts/expected_fpr_test.cc).
extern const LayoutMaker kClassicMaker;
constexpr LayoutMaker kClassicMaker = [] {
  LayoutMaker maker = {{Layout::kClassic, kMostProbesOfClassic, 1, 8, uint64_t{1} << 48, ExpectedFprOfBits, LimitFpr,
                        NumProbes, true, true, 1e-6, 0, 0.01}};
  maker.build_range = ClassicBuildRange;
  maker.folded_fpr = ClassicUnitedFpr;
  return maker;
}();

}  // namespace linefilter::internal
