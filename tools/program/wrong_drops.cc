#include "tools/program/wrong_drops.h"

#include <algorithm>
#include <cmath>

#include "linefilter/sizing.h"

namespace linefilter::tools {
namespace {

constexpr double kStep = 1.0 / 32;

double Odds(double rate) { return rate / (1 - rate); }

uint64_t StepFrom(double lines) { return 1 + static_cast<uint64_t>(kStep * lines); }

}  // namespace

double WrongDrops::Filling::RateWith(double lines) const {
  return ExpectedFpr(layout, static_cast<uint64_t>(std::llround(lines)), body_bytes, num_probes);
}

void WrongDrops::Filling::Keep(uint64_t all) {
  while (kept < all) {
    const uint64_t step = std::min(all - kept, StepFrom(came));
    const double more = static_cast<double>(step), odds = Odds(rate);
    rate = RateWith(came + more * (1 + odds));
    if (rate >= 1) break;
    came += more * (1 + (odds + Odds(rate)) / 2);
    kept += step;
  }
}

WrongDrops::WrongDrops(const OwnedFilter& filter) : filter_(filter) {
  keys_at_first_ = filter->ApproximateSize().keys;
  const Filter* const plain = filter.plain();
  if (plain != nullptr && std::isfinite(keys_at_first_)) {
    fillings_.push_back({plain->layout(), plain->body_bytes(), plain->num_probes(), keys_at_first_});
    fillings_[0].rate = fillings_[0].RateWith(keys_at_first_);
  }
  Advance();
}

void WrongDrops::Kept(uint64_t num_lines) {
  kept_ += num_lines;
  if (kept_ >= next_) Advance();
}

// The rate now. Each stage of a growing filter knows how many keys it kept.
double WrongDrops::Rate() {
  const ScalableFilter* const growing = filter_.growing();
  for (uint32_t i = 0; growing != nullptr && i < growing->num_stages(); ++i) {
    const StageFacts stage = growing->stage(i);
    if (i == fillings_.size()) fillings_.push_back({Layout::kBlocked, 64 * stage.num_blocks, stage.num_probes, 0});
    fillings_[i].Keep(stage.num_keys);
  }
  if (growing == nullptr && !fillings_.empty()) fillings_[0].Keep(kept_);
  if (fillings_.empty()) return filter_->ExpectedFpr();
  double absent = 1;
  for (const Filling& filling : fillings_) absent *= 1 - filling.rate;
  return 1 - absent;
}

void WrongDrops::Advance() {
  const double odds = Odds(Rate());
  if (kept_ != kept_before_) expected_ += static_cast<double>(kept_ - kept_before_) * (odds_before_ + odds) / 2;
  kept_before_ = kept_;
  odds_before_ = odds;
  next_ = kept_ + StepFrom(std::isfinite(keys_at_first_) ? keys_at_first_ + static_cast<double>(kept_) : 0);
}

double WrongDrops::Expected() {
  Advance();
  return std::isfinite(odds_before_) ? expected_ : INFINITY;
}

}  // namespace linefilter::tools
