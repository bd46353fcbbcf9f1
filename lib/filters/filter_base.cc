#include "linefilter/filter_base.h"

#include "lib/filters/hash_keys.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/stages.h"

namespace linefilter {

using internal::HashAndAsk;

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

void FilterBase::MayContainKeys(const std::string_view* keys, size_t n, uint8_t* answers) const noexcept {
  HashAndAsk(*this, keys, n, answers);
}

void FilterBase::MayContainKeys(const uint64_t* keys, size_t n, uint8_t* answers) const noexcept {
  HashAndAsk(*this, keys, n, answers);
}

Status FilterBase::KeyStatus() const noexcept {
  if (layout_ == Layout::kAuto) {
    return Status::Error(StatusCode::kCorrupt,
                         "the filter is broken, was never made, or was sealed or moved: every answer is \"maybe\"");
  }
  if (key_hash_.hashes_keys()) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "the filter was made of the caller's own hashes: ask by hash; questions by key are answered "
                       "\"maybe\"");
}

const char* FilterBase::target() const noexcept { return state_.kernels->target(); }

FilterBase::Blocks FilterBase::AllStages() const noexcept {
  Blocks all = {nullptr, 0};
  internal::ForEachStage(state_, [&](uint32_t i, const internal::Stage& stage) {
    if (i == 0 && state_.stages == nullptr) all.body = stage.body;
    all.num_blocks += stage.num_blocks;
  });
  return all;
}

double FilterBase::FillRatio() const noexcept {
  return state_.num_units == 0 ? 0 : internal::FindLayout(layout_)->fill_ratio(state_);
}

double FilterBase::EstimatedKeys() const noexcept {
  return state_.num_units == 0 ? 0 : internal::FindLayout(layout_)->estimated_keys(state_);
}

size_t FilterBase::CountLevels(uint64_t* counts) const noexcept {
  if (state_.num_units == 0) return 0;
  const internal::LayoutRecord* const record = internal::FindLayout(layout_);
  return record->count_levels == nullptr ? 0 : record->count_levels(state_, counts);
}

double FilterBase::ExpectedFpr() const noexcept {
  if (layout_ == Layout::kAuto) return 1;
  return state_.num_units == 0 ? 0 : internal::FindLayout(layout_)->expected_fpr(state_);
}

size_t MayContainHash(const FilterBase* const filters[], size_t num_filters, uint64_t hash, uint8_t* answers) noexcept {
  for (size_t i = 0; i < num_filters; ++i) (void)filters[i]->Prepare(hash);
  size_t maybes = 0;
  for (size_t i = 0; i < num_filters; ++i) {
    answers[i] = filters[i]->MayContainHash(hash);
    maybes += answers[i];
  }
  return maybes;
}

}  // namespace linefilter
