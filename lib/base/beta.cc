// Compile with -ffp-contract=off, as all of the library. With fused multiply-add, sums that cancel keep 9 digits of 12,
// and the fraction below takes up to 1000 times as many steps, its last digits never settling.
#include "lib/base/beta.h"

#include <cmath>

namespace linefilter::internal {
namespace {

// The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method. It converges in a few times
// sqrt(min(a, b)) steps where x is below the mean.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (double m = 1; m < 1e8; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::fabs(d * c - 1) < 1e-14) break;
  }
  return value;
}

// Stirling's formula leaves this out: ln Gamma(z) - ((z - 1/2) ln z - z + ln(2 pi)/2). A small z climbs to where the
// series holds. (lgamma would write to a global variable, so two threads could not call it.)
double StirlingError(double z) {
  double below = 0;
  for (; z < 16; ++z) below += (z + 0.5) * std::log1p(1 / z) - 1;
  const double w = 1 / (z * z);
  return below + (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w / 1680))) / z;  // rest below 1e-14
}

// This is ln(x^a (1 - x)^b / B(a, b)), as a distance from the mean. The difference of ln Gamma alone would leave 2
// digits of 16 at 1e12 trials.
double LogFront(double a, double b, double x) {
  const double mean = a / (a + b), rest = b / (a + b), off = x - mean;
  return a * std::log1p(off / mean) + b * std::log1p(-off / rest) +
         0.5 * std::log(a * rest / (2 * 3.14159265358979323846)) + StirlingError(a + b) - StirlingError(a) -
         StirlingError(b);
}

// This is P(Beta(a, b) <= x), or >= x for the upper tail; *slope is its derivative in ln x, but for the sign.
double BetaTail(double a, double b, double x, bool upper, double* slope) {
  const double front = std::exp(LogFront(a, b, x));
  *slope = front / (1 - x);
  const bool below_mean = x < (a + 1) / (a + b + 2);
  const double tail = below_mean ? front * BetaFraction(a, b, x) / a : front * BetaFraction(b, a, 1 - x) / b;
  return upper == below_mean ? 1 - tail : tail;
}

}  // namespace

// Newton on ln tail over ln x, which is concave, so that small rates keep their relative precision. It bisects where a
// step leaves what is known.
double BetaQuantile(double a, double b, double tail, bool upper) noexcept {
  double low = -745, high = 0, t = std::log(a / (a + b));
  for (int step = 0; step < 200 && high - low > 1e-13; ++step) {
    double slope = 0;
    const double here = BetaTail(a, b, std::exp(t), upper, &slope), off = std::log(tail / here);
    ((here < tail) != upper ? low : high) = t;
    double next = t + (upper ? -off : off) * here / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;  // also where the tail underflows
    if (std::fabs(off) < 1e-6 && std::fabs(next - t) < 1e-13) break;
    t = next;
  }
  return std::exp(t);
}

double BinomialAtMost(uint64_t hits, uint64_t trials, double rate) noexcept {
  if (hits >= trials || rate <= 0) return 1;
  if (rate >= 1) return 0;
  double slope = 0;
  return BetaTail(static_cast<double>(hits) + 1, static_cast<double>(trials - hits), rate, true, &slope);
}

double BinomialAtLeast(uint64_t hits, uint64_t trials, double rate) noexcept {
  if (hits == 0) return 1;
  if (hits > trials || rate <= 0) return 0;
  if (rate >= 1) return 1;
  double slope = 0;
  return BetaTail(static_cast<double>(hits), static_cast<double>(trials - hits) + 1, rate, false, &slope);
}

}  // namespace linefilter::internal
