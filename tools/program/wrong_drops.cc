#include "tools/program/wrong_drops.h"

#include <algorithm>
#include <cmath>

#include "linefilter/sizing.h"

namespace linefilter::tools {
namespace {

constexpr double kStep = 1.0 / 32;

double Odds(double rate) { return rate / (1 - rate); }

uint64_t StepFrom(double lines) { return 1 + static_cast<uint64_t>(kStep * lines); }

// The rate when so many distinct lines came; below 1, which only a model's rounding could reach.
template <class Filling>
double RateWith(double lines, const Filling& filling) {
  const double rate =
      ExpectedFpr(filling.layout, static_cast<uint64_t>(std::llround(lines)), filling.body_bytes, filling.num_probes);
  return std::min(rate, 1 - 1e-9);
}

}  // namespace

WrongDrops::WrongDrops(const OwnedFilter& filter) : filter_(filter) {
  keys_at_first_ = filter->ApproximateSize().keys;
  const Filter* const plain = filter.plain();
  if (plain != nullptr && std::isfinite(keys_at_first_)) {
    fillings_.push_back({plain->layout(), plain->body_bytes(), plain->num_probes(), keys_at_first_});
    fillings_[0].rate = RateWith(keys_at_first_, fillings_[0]);
  }
  Advance();
  odds_before_ = Odds(Rate());
  expected_ = 0;  // what lies before the first line
}

void WrongDrops::Kept(uint64_t num_lines) {
  kept_ += num_lines;
  if (kept_ >= next_) Advance();
}

// Each stage of a growing filter knows how many keys it kept, and they were filled one after the other.
void WrongDrops::Advance() {
  const ScalableFilter* const growing = filter_.growing();
  for (uint32_t i = 0; growing != nullptr && i < growing->num_stages(); ++i) {
    const StageFacts stage = growing->stage(i);
    if (i == fillings_.size()) fillings_.push_back({Layout::kBlocked, 64 * stage.num_blocks, stage.num_probes, 0});
    Keep(stage.num_keys, &fillings_[i]);
  }
  if (fillings_.empty()) {
    Add(static_cast<double>(kept_ - kept_before_), Odds(Rate()));
  } else if (growing == nullptr) {
    Keep(kept_, &fillings_[0]);
  }
  kept_before_ = kept_;
  next_ = kept_ + StepFrom(std::isfinite(keys_at_first_) ? keys_at_first_ + static_cast<double>(kept_) : 0);
}

void WrongDrops::Keep(uint64_t all, Filling* filling) {
  while (filling->kept < all) {
    const uint64_t step = std::min(all - filling->kept, StepFrom(filling->came));
    const double more = static_cast<double>(step), odds = Odds(filling->rate);
    filling->rate = RateWith(filling->came + more * (1 + odds), *filling);
    filling->came += more * (1 + (odds + Odds(filling->rate)) / 2);
    filling->kept += step;
    Add(more, Odds(Rate()));
  }
}

void WrongDrops::Add(double lines, double odds) {
  if (lines > 0) expected_ += lines * (odds_before_ + odds) / 2;
  odds_before_ = odds;
}

double WrongDrops::Rate() const {
  if (fillings_.empty()) return filter_->ExpectedFpr();
  double absent = 1;
  for (const Filling& filling : fillings_) absent *= 1 - filling.rate;
  return 1 - absent;
}

double WrongDrops::Expected() {
  Advance();
  return std::isfinite(odds_before_) ? expected_ : INFINITY;
}

}  // namespace linefilter::tools
