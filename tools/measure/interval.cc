#include "tools/measure/interval.h"

#include <algorithm>
#include <cmath>

// This forbids fused multiply-add, which compilers choose by the CPU. Sums that cancel would keep 9 digits of 12, and
// the fraction below would take up to 1000 times as many steps, its last digits never settling.
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

namespace linefilter::tools {
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

// Stirling's formula leaves this out: ln Gamma(z) - ((z - 1/2) ln z - z + ln(2 pi)/2).
double StirlingError(double z) {
  if (z < 16) return std::lgamma(z) - ((z - 0.5) * std::log(z) - z + 0.91893853320467274178);
  const double w = 1 / (z * z);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w / 1680))) / z;  // rest below 1e-14
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

// Finds the x whose tail is `tail`, by Newton on ln tail over ln x, which is concave, so that small rates keep their
// relative precision. It bisects where a step leaves what is known.
double BetaQuantile(double a, double b, double tail, bool upper) {
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

}  // namespace

Interval ClopperPearson(uint64_t hits, uint64_t trials, double confidence) {
  hits = std::min(hits, trials);
  if (hits > trials / 2) {  // rates near 1 by their distance from it
    const Interval misses = ClopperPearson(trials - hits, trials, confidence);
    return {1 - misses.high, 1 - misses.low};
  }
  const double tail = (1 - confidence) / 2;
  const double h = static_cast<double>(hits), n = static_cast<double>(trials);
  return {hits == 0 ? 0 : BetaQuantile(h, n - h + 1, tail, false),
          hits == trials ? 1 : BetaQuantile(h + 1, n - h, tail, true)};
}

double RelativePrecision(uint64_t hits, uint64_t trials, double confidence) {
  const Interval interval = ClopperPearson(hits, trials, confidence);
  return (interval.high - interval.low) / 2 / (static_cast<double>(hits) / static_cast<double>(trials));
}

// Half the width of the interval tends to A / sqrt(hits) + 1 / (2 hits), as a share of the rate; from 10 hits on that
// is at most 3 % too narrow. A comes from so many hits that it is exact, and so few that the fraction above ends.
uint64_t TrialsForPrecision(double rate, double precision, double confidence) {
  constexpr uint64_t kHits = 1000000;
  constexpr double kMost = 9223372036854775808.0;
  const double hits = static_cast<double>(kHits);
  const double known = RelativePrecision(kHits, static_cast<uint64_t>(std::min(hits / rate, kMost)), confidence);
  const double a = (known - 0.5 / hits) * std::sqrt(hits);
  const double root = (a + std::sqrt(a * a + 2 * precision)) / (2 * precision);  // that of the hits that are needed
  return static_cast<uint64_t>(std::min(root * root / rate, kMost));
}

}  // namespace linefilter::tools
