#include "lib/base/fpr_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/beta.h"

namespace linefilter::internal {
namespace {

// Each false positive of either count is one of the new count with this probability, if the new rate is `ratio` times
// that of the baseline.
double ShareOfNew(double ratio, double num_queries, double of_baseline) {
  return ratio * num_queries / (ratio * num_queries + of_baseline);
}

// Whether the upper end is at most `resolution` times the limit: so few, or fewer, would be rare there.
bool IsWithin(uint64_t hits, uint64_t num_queries, const FprLimit& limit) {
  const double tail = (1 - limit.confidence) / 2;
  if (limit.baseline == nullptr) {
    const double rate = limit.resolution * limit.at_most;
    return rate >= 1 || BinomialAtMost(hits, num_queries, rate) <= tail;
  }
  const double share =
      ShareOfNew(limit.resolution, static_cast<double>(num_queries), static_cast<double>(limit.baseline->num_queries));
  return BinomialAtMost(hits, hits + limit.baseline->false_positives, share) <= tail;
}

// Whether the lower end is above the limit: so many, or more, would be rare there.
bool IsAbove(uint64_t hits, uint64_t num_queries, const FprLimit& limit) {
  const double tail = (1 - limit.confidence) / 2;
  if (limit.baseline == nullptr) return BinomialAtLeast(hits, num_queries, limit.at_most) < tail;
  const double share =
      ShareOfNew(1, static_cast<double>(num_queries), static_cast<double>(limit.baseline->num_queries));
  return BinomialAtLeast(hits, hits + limit.baseline->false_positives, share) < tail;
}

// The least number in [low, high] for which `holds`, which goes from false to true once; high + 1 if there is none.
template <class Holds>
uint64_t LeastThat(uint64_t low, uint64_t high, const Holds& holds) {
  ++high;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The probability that so many queries decide at that rate. It is a saw over their number, because hits are whole: the
// last hit within the limit counts as too many, so it holds for more queries, too.
double PowerOf(uint64_t num_queries, double rate, bool may_be_above, const FprLimit& limit) {
  const uint64_t within = LeastThat(0, num_queries, [&](uint64_t hits) { return !IsWithin(hits, num_queries, limit); });
  const uint64_t above = LeastThat(0, num_queries, [&](uint64_t hits) { return IsAbove(hits, num_queries, limit); });
  if (above < within && may_be_above) return 1;
  const uint64_t good = std::min(above, within);  // so many hits, from 0 on
  return (good < 2 ? 0 : BinomialAtMost(good - 2, num_queries, rate)) +
         (may_be_above ? BinomialAtLeast(above + 1, num_queries, rate) : 0);
}

}  // namespace

double RateOf(const FprLimit& limit) noexcept {
  if (limit.baseline == nullptr) return limit.at_most;
  return static_cast<double>(limit.baseline->false_positives) / static_cast<double>(limit.baseline->num_queries);
}

Interval RatioToLimit(uint64_t false_positives, uint64_t num_queries, const FprLimit& limit) noexcept {
  if (limit.baseline == nullptr) {
    const Interval fpr = ClopperPearson(false_positives, num_queries, limit.confidence);
    return {fpr.low / limit.at_most, fpr.high / limit.at_most};
  }
  if (num_queries == 0) return {0, std::numeric_limits<double>::infinity()};
  const Interval share =
      ClopperPearson(false_positives, false_positives + limit.baseline->false_positives, limit.confidence);
  const double effort = static_cast<double>(limit.baseline->num_queries) / static_cast<double>(num_queries);
  const auto ratio = [effort](double s) {
    return s >= 1 ? std::numeric_limits<double>::infinity() : s / (1 - s) * effort;
  };
  return {ratio(share.low), ratio(share.high)};
}

uint64_t QueriesToDecide(double rate, bool may_be_above, const FprLimit& limit) noexcept {
  constexpr uint64_t kMost = uint64_t{1} << 50;
  const auto decides = [&](uint64_t n) { return PowerOf(n, rate, may_be_above, limit) >= kDecides; };
  // With more queries than this nothing of a baseline changes: its own count is what is uncertain.
  const uint64_t most = limit.baseline == nullptr ? kMost : 1024 * std::min(kMost / 1024, limit.baseline->num_queries);
  for (uint64_t high = 1; high <= most; high *= 2) {
    if (static_cast<double>(high) * rate > 1e9) return 0;  // it would take seconds to find
    if (decides(high)) return LeastThat(high / 2 + 1, high - 1, decides);
  }
  return 0;
}

}  // namespace linefilter::internal
