#include "tools/program/wrong_drops.h"

#include <cmath>

#include "linefilter/sizing.h"

namespace linefilter::tools {
namespace {

constexpr double kStep = 1.0 / 32;

// The rate of the stages together; each knows how many keys it has.
double RateOfStages(const ScalableFilter& filter) {
  double absent = 1;
  for (uint32_t i = 0; i < filter.num_stages(); ++i) {
    const StageFacts stage = filter.stage(i);
    absent *= 1 - ExpectedFpr(Layout::kBlocked, stage.num_keys, 64 * stage.num_blocks, stage.num_probes);
  }
  return 1 - absent;
}

}  // namespace

WrongDrops::WrongDrops(const OwnedFilter& filter) {
  keys_at_first_ = filter->ApproximateSize().keys;
  if (filter.growing() != nullptr) {
    rate_ = [growing = filter.growing()](uint64_t) { return RateOfStages(*growing); };
  } else if (filter.plain() == nullptr || !std::isfinite(keys_at_first_)) {
    rate_ = [asked = &*filter](uint64_t) { return asked->ExpectedFpr(); };
  } else {
    rate_ = [plain = filter.plain(), first = keys_at_first_](uint64_t kept) {
      const uint64_t keys = static_cast<uint64_t>(std::llround(first)) + kept;
      return ExpectedFpr(plain->layout(), keys, plain->body_bytes(), plain->num_probes());
    };
  }
  Advance();
}

void WrongDrops::Kept(uint64_t num_lines) {
  kept_ += num_lines;
  if (kept_ >= next_) Advance();
}

void WrongDrops::Advance() {
  const double rate = rate_(kept_), odds = rate / (1 - rate);
  if (kept_ != kept_before_) expected_ += static_cast<double>(kept_ - kept_before_) * (odds_before_ + odds) / 2;
  kept_before_ = kept_;
  odds_before_ = odds;
  const double keys = std::isfinite(keys_at_first_) ? keys_at_first_ + static_cast<double>(kept_) : 0;
  next_ = kept_ + 1 + static_cast<uint64_t>(kStep * keys);
}

double WrongDrops::Expected() {
  Advance();
  return std::isfinite(odds_before_) ? expected_ : INFINITY;
}

}  // namespace linefilter::tools
