#include "tools/interval.h"

#include <algorithm>
#include <cmath>

namespace linefilter::tools {
namespace {

// Continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method; converges in about sqrt(max(a,
// b)) steps where x is below the mean.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < 10000000; ++m) {
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

// The regularized incomplete beta function: P(Beta(a, b) <= x).
double BetaCdf(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return x < (a + 1) / (a + b + 2) ? std::exp(log_front) * BetaFraction(a, b, x) / a
                                   : 1 - std::exp(log_front) * BetaFraction(b, a, 1 - x) / b;
}

// The x with BetaCdf(a, b, x) == p, by bisection in log x: rates near 0 keep their relative precision.
double BetaQuantile(double a, double b, double p) {
  double low = -745, high = 0;
  while (high - low > 1e-10) {
    const double middle = (low + high) / 2;
    (BetaCdf(a, b, std::exp(middle)) < p ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

Interval ClopperPearson(uint64_t hits, uint64_t trials, double confidence) {
  const double tail = (1 - confidence) / 2;
  const double h = static_cast<double>(std::min(hits, trials)), n = static_cast<double>(trials);
  return {hits == 0 ? 0 : BetaQuantile(h, n - h + 1, tail), hits >= trials ? 1 : BetaQuantile(h + 1, n - h, 1 - tail)};
}

}  // namespace linefilter::tools
