#include "linefilter/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/beta.h"

namespace linefilter {

Interval ClopperPearson(uint64_t hits, uint64_t trials, double confidence) noexcept {
  if (trials == 0 || !(confidence > 0 && confidence < 1)) return {0, 1};
  hits = std::min(hits, trials);
  if (hits > trials / 2) {  // rates near 1 by their distance from it
    const Interval misses = ClopperPearson(trials - hits, trials, confidence);
    return {1 - misses.high, 1 - misses.low};
  }
  const double tail = (1 - confidence) / 2;
  const double h = static_cast<double>(hits), n = static_cast<double>(trials);
  return {hits == 0 ? 0 : internal::BetaQuantile(h, n - h + 1, tail, false),
          hits == trials ? 1 : internal::BetaQuantile(h + 1, n - h, tail, true)};
}

double RelativePrecision(uint64_t hits, uint64_t trials, double confidence) noexcept {
  if (hits == 0 || trials == 0) return std::numeric_limits<double>::infinity();
  const Interval interval = ClopperPearson(hits, trials, confidence);
  return (interval.high - interval.low) / 2 / (static_cast<double>(hits) / static_cast<double>(trials));
}

// Half the width of the interval tends to A / sqrt(hits) + 1 / (2 hits), as a share of the rate; from 10 hits on that
// is at most 3 % too narrow. A comes from so many hits that it is exact, and so few that the fraction ends.
uint64_t TrialsForPrecision(double rate, double precision, double confidence) noexcept {
  constexpr uint64_t kHits = 1000000;
  constexpr double kMost = 9223372036854775808.0;
  const auto is_share = [](double x) { return x > 0 && x < 1; };
  if (!is_share(rate) || !is_share(precision) || !is_share(confidence)) return static_cast<uint64_t>(kMost);
  const double hits = static_cast<double>(kHits);
  const double known = RelativePrecision(kHits, static_cast<uint64_t>(std::min(hits / rate, kMost)), confidence);
  const double a = (known - 0.5 / hits) * std::sqrt(hits);
  const double root = (a + std::sqrt(a * a + 2 * precision)) / (2 * precision);  // that of the hits that are needed
  return static_cast<uint64_t>(std::min(root * root / rate, kMost));
}

}  // namespace linefilter
