#include "linefilter/filter_base.h"

#include <algorithm>
#include <cmath>

#include "lib/filters/hash_keys.h"
#include "lib/filters/serving.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/stages.h"

namespace linefilter {

using internal::HashAndAsk;
using internal::HashAndAskToBits;
using internal::Serving;
using internal::WithServing;

namespace {

SizeEstimate SizeOf(const Serving& now) {
  return now.state.num_units == 0 ? SizeEstimate() : internal::FindLayout(now.layout)->approximate_size(now.state);
}

// Whether every place may be taken by as many keys as it was made for. Where those leave ten free on average, one
// filter of 22,000 has none.
bool MayBeFull(const Serving& now) {
  const internal::LayoutRecord& record = *internal::FindLayout(now.layout);
  if (record.size_at_fill == nullptr) return false;
  const double fill = 1 - 10 / record.PlacesIn(now.state.num_units << now.state.unit_shift);
  return record.size_at_fill(fill, now.state.num_probes, now.state.num_units).keys <= static_cast<double>(now.capacity);
}

// Stages are made for keys that are new to them, and the estimate counts those, too, that they took for members: n new
// ones of n / (1 - rate). A rate above a half shows too many keys itself.
bool IsOverfull(const Serving& now) {
  const SizeEstimate size = SizeOf(now);
  if (!size.IsAbove(now.capacity)) return false;
  if (!(size.keys < HUGE_VAL)) return !MayBeFull(now);
  const internal::LayoutRecord& record = *internal::FindLayout(now.layout);
  if (!record.facts.has_stages) return true;
  const double capacity = static_cast<double>(now.capacity);
  return size.keys - 4 * size.error > capacity / (1 - std::min(0.5, record.expected_fpr(now.state)));
}

}  // namespace

FilterBase::FilterBase(const FilterBase&) noexcept = default;
FilterBase& FilterBase::operator=(const FilterBase&) noexcept = default;

FilterBase::FilterBase() noexcept { internal::BindConstant(internal::AlwaysMaybeKernels(), &state_); }

void FilterBase::MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) const noexcept {
  state_.kernels->may_contain_to_bytes(state_, hashes, n, answers);
}

void FilterBase::MayContainHashesToBits(const uint64_t* hashes, size_t n, uint8_t* bits) const noexcept {
  state_.kernels->may_contain_to_bits(state_, hashes, n, bits);
}

uint64_t FilterBase::CountMaybes(const uint64_t* hashes, size_t n) const noexcept {
  return state_.kernels->count_maybes(state_, hashes, n);
}

// This is for hashes of the caller, and for a filter whose hash is that of what answers.
bool FilterBase::MayContainKeyNow(Key key) const noexcept {
  bool maybe = true;
  WithServing(*this, [&](const Serving& now) {
    uint64_t hash = 0;
    if (now.key_hash.Of(key, &hash)) maybe = now.state.may_contain(now.state, hash);
  });
  return maybe;
}

void FilterBase::MayContainKeys(const std::string_view* keys, size_t n, uint8_t* answers) const noexcept {
  WithServing(*this, [&](const Serving& now) { HashAndAsk(now, keys, n, answers); });
}

void FilterBase::MayContainKeys(const uint64_t* keys, size_t n, uint8_t* answers) const noexcept {
  WithServing(*this, [&](const Serving& now) { HashAndAsk(now, keys, n, answers); });
}

void FilterBase::MayContainKeysToBits(const std::string_view* keys, size_t n, uint8_t* bits) const noexcept {
  WithServing(*this, [&](const Serving& now) { HashAndAskToBits(now, keys, n, bits); });
}

void FilterBase::MayContainKeysToBits(const uint64_t* keys, size_t n, uint8_t* bits) const noexcept {
  WithServing(*this, [&](const Serving& now) { HashAndAskToBits(now, keys, n, bits); });
}

Status FilterBase::KeyStatus() const noexcept {
  Layout layout = Layout::kAuto;
  bool hashes_keys = false;
  WithServing(*this, [&](const Serving& now) {
    layout = now.layout;
    hashes_keys = now.key_hash.hashes_keys();
  });
  if (layout == Layout::kAuto) {
    return Status::Error(StatusCode::kCorrupt,
                         "the filter is broken, was never made, or was sealed or moved: every answer is \"maybe\"");
  }
  if (hashes_keys) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "the filter was made of the caller's own hashes: ask by hash; questions by key are answered "
                       "\"maybe\"");
}

const char* FilterBase::target() const noexcept {
  const char* name = nullptr;
  WithServing(*this, [&](const Serving& now) { name = now.state.kernels->target(); });
  return name;
}

FilterBase::Blocks FilterBase::AllStages() const noexcept {
  Blocks all = {nullptr, 0};
  internal::ForEachStage(state_, [&](uint32_t i, const internal::Stage& stage) {
    if (i == 0 && state_.in_image) all.body = stage.body;
    all.num_blocks += stage.num_blocks;
  });
  return all;
}

double FilterBase::FillRatio() const noexcept {
  double share = 0;
  WithServing(*this, [&](const Serving& now) {
    if (now.state.num_units != 0) share = internal::FindLayout(now.layout)->fill_ratio(now.state);
  });
  return share;
}

uint64_t FilterBase::capacity() const noexcept {
  uint64_t capacity = 0;
  WithServing(*this, [&](const Serving& now) { capacity = now.capacity; });
  return capacity;
}

SizeEstimate FilterBase::ApproximateSize() const noexcept {
  SizeEstimate size;
  WithServing(*this, [&](const Serving& now) { size = SizeOf(now); });
  return size;
}

bool FilterBase::OverCapacity() const noexcept {
  bool is_over = false;
  WithServing(*this, [&](const Serving& now) { is_over = now.capacity != 0 && IsOverfull(now); });
  return is_over;
}

size_t FilterBase::CountLevels(uint64_t* counts) const noexcept {
  size_t num_levels = 0;
  WithServing(*this, [&](const Serving& now) {
    if (now.state.num_units == 0) return;
    const internal::LayoutRecord* const record = internal::FindLayout(now.layout);
    if (record->count_levels != nullptr) num_levels = record->count_levels(now.state, counts);
  });
  return num_levels;
}

double FilterBase::ExpectedFpr() const noexcept {
  double fpr = 1;
  WithServing(*this, [&](const Serving& now) {
    if (now.layout == Layout::kAuto) return;
    fpr = now.state.num_units == 0 ? 0 : internal::FindLayout(now.layout)->expected_fpr(now.state);
  });
  return fpr;
}

}  // namespace linefilter
