#include "linefilter/internal/excess_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linefilter::internal {
namespace {

// The higher rates that are bet on, as multiples of the allowed one. 1.25 finds small excesses, 16 great ones at once;
// each more would cost all others a little.
constexpr double kRatios[] = {1.25, 1.5, 2, 4, 16};

// Evidence above what is needed would have to be lost again before a mended filter is as expected: e^3 = 20 times is
// enough that an excess at the edge does not flicker.
constexpr double kMostAbove = 3;

// The allowed rate times the ratio while that is small; near 1 it is the rest that is divided, so it is below 1.
double HigherRate(double allowed, double ratio) { return std::min(allowed * ratio, 1 - (1 - allowed) / ratio); }

double LogOfSum(double log_a, double log_b) {
  const double high = std::max(log_a, log_b), low = std::min(log_a, log_b);
  return low == -std::numeric_limits<double>::infinity() ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace

void ExcessEvidence::Reset() noexcept {
  std::fill_n(log_stakes_, kNumRates, -std::numeric_limits<double>::infinity());
  num_updates_ = 0;
  is_above_ = false;
}

void ExcessEvidence::Update(uint64_t hits, uint64_t trials, double allowed, double confidence) noexcept {
  static_assert(sizeof(kRatios) / sizeof(*kRatios) == kNumRates, "a stake for each");
  if (!(allowed > 0 && allowed < 1)) return;  // nothing is more than 1
  const double log_new = -std::log((num_updates_ + 1) * (num_updates_ + 2)), log_needed = -std::log1p(-confidence);
  num_updates_ += 1;
  const double log_share = -std::log(static_cast<double>(kNumRates));
  const double won = static_cast<double>(hits), lost = static_cast<double>(trials - std::min(hits, trials));
  double log_sum = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < kNumRates; ++i) {
    const double rate = HigherRate(allowed, kRatios[i]);
    const double log_ratio = won * std::log(rate / allowed) + lost * (std::log1p(-rate) - std::log1p(-allowed));
    const double log_stake = LogOfSum(log_stakes_[i], log_new + log_share) + log_ratio;
    log_stakes_[i] = std::min(log_stake, log_needed + kMostAbove);
    log_sum = LogOfSum(log_sum, log_stakes_[i]);
  }
  is_above_ = log_sum >= (is_above_ ? 0 : log_needed);
}

}  // namespace linefilter::internal
