// Expected false-positive rate of the layout `classic`: the textbook's (1 - (1 - 1/m)^(n k))^k, and for the spread of
// the fill of small filters its second-order term, k (k - 1) / 2 times the relative variance of the fill.
#include "lib/bits/real.h"
#include "lib/sizing/model.h"

namespace linefilter::internal {
namespace {

// (1 - x)^n for a small x and an n of any size, without rounding 1 - x.
double PowerOfOneMinus(double x, double n) {
  // ln(1 - x) = -(x + x^2/2 + x^3/3 + ...); x is at most 1/32 here (2 / the 64 bits of the smallest filter).
  double sum = 0;
  for (int i = 12; i >= 1; --i) sum = sum * x + 1.0 / i;
  return ExpOfNegative(-n * x * sum);
}

double ExpectedFprOfBits(uint64_t num_keys, uint64_t body_bytes, uint32_t k) {
  const double m = 8 * static_cast<double>(body_bytes);
  if (m < 64) {  // smaller than this library makes them; an image may still be
    const double fill = 1 - IntPow(IntPow(1 - 1 / m, num_keys), k);
    return IntPow(fill, k);
  }
  const double throws = static_cast<double>(num_keys) * k;
  const double unset = PowerOfOneMinus(1 / m, throws);
  const double both_unset = PowerOfOneMinus(2 / m, throws);
  const double fill = 1 - unset;
  if (fill <= 0) return 0;
  const double variance = unset / m + (1 - 1 / m) * both_unset - unset * unset;
  double spread = 0.5 * k * (k - 1.0) * variance / (fill * fill);
  if (spread < 0) spread = 0;  // rounding, for large m
  const double fpr = IntPow(fill, k) * (1 + spread);
  return fpr < 1 ? fpr : 1;
}

double LimitFpr(double bits_per_key, uint32_t k) { return IntPow(1 - ExpOfNegative(-(k / bits_per_key)), k); }

uint32_t Guess(double bits_per_key) { return static_cast<uint32_t>(bits_per_key * kLn2 + 0.5); }

}  // namespace

// 8 bytes at least: fewer would make the rate of one or two keys worse than asked for no gain.
const Model kClassicModel = {Layout::kClassic, 30, 1, 8, uint64_t{1} << 48, ExpectedFprOfBits, LimitFpr, Guess};

}  // namespace linefilter::internal
