// A RotatingFilter is a ring of generations (ring.h), asked by the kernels of a window that moves.
#include "linefilter/rotating.h"

#include "lib/base/fill.h"
#include "lib/filters/growth.h"
#include "lib/filters/ring.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/options.h"
#include "linefilter/sizing.h"

namespace linefilter {

using internal::ProbeState;
using internal::Ring;

namespace {

Status CheckRequest(const FilterOptions& options) {
  const Status layout = internal::CheckLayoutIsBlocked(options, "the generations of a rotating filter have");
  if (!layout.ok()) return layout;
  if (options.foldable || options.rounded) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a rotating filter cannot be folded: leave out foldable and rounded");
  }
  if (options.body_bytes != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a rotating filter sizes its generations: leave body_bytes 0, and set bits_per_key or fpr");
  }
  return internal::CheckOptions(Layout::kBlocked, options);
}

const ProbeState& NowOf(const ProbeState& state) { return internal::WindowsOf(state).Now().all; }
Ring& RingOf(const ProbeState& state) { return static_cast<Ring&>(internal::WindowsOf(state)); }

// They find the window that is there now, and call its kernels. Single lookups have kernels of their own (BindWindows).
constexpr internal::Kernels kKernels = [] {
  internal::Kernels kernels = {};
  kernels.may_contain_to_bytes = [](const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* answers) {
    const ProbeState& now = NowOf(state);
    now.kernels->may_contain_to_bytes(now, hashes, n, answers);
  };
  kernels.may_contain_to_bits = [](const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* bits) {
    const ProbeState& now = NowOf(state);
    now.kernels->may_contain_to_bits(now, hashes, n, bits);
  };
  kernels.count_maybes = [](const ProbeState& state, const uint64_t* hashes, size_t n) {
    const ProbeState& now = NowOf(state);
    return now.kernels->count_maybes(now, hashes, n);
  };
  kernels.serve = [](const ProbeState& state, internal::UseServing use, void* context) {
    Ring& ring = RingOf(state);
    use(context, {NowOf(state), ring.key_hash, Layout::kContainer,
                  internal::CapacityOfGenerations(ring.keys_per_generation, ring.num_generations)});
  };
  return kernels;
}();

constexpr internal::Changes kChanges = {
    [](const ProbeState& state, uint64_t hash) { return RingOf(state).Insert(hash); },
    [](const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new) {
      return RingOf(state).InsertBatch(hashes, n, were_new);
    }};

}  // namespace

RotatingFilter::~RotatingFilter() { Ring::Free(ring_); }

// Ends Create and CreateFromImage.
void RotatingFilter::Bind(Ring* ring, const KeyHash& key_hash) noexcept {
  Ring::Free(ring_);
  ring_ = ring;
  internal::BindWindows(ring, ring->stages(), ring->num_generations, &state_);
  state_.kernels = &kKernels;
  UseChanges(kChanges);
  layout_ = Layout::kContainer;
  capacity_ = internal::CapacityOfGenerations(ring->keys_per_generation, ring->num_generations);
  key_hash_ = ring->key_hash = key_hash;
}

Status RotatingFilter::Create(uint64_t window_keys, uint32_t num_generations, const FilterOptions& options,
                              Rotation rotation) noexcept {
  Status status = CheckRequest(options);
  if (status.ok() && (num_generations < kMinGenerations || num_generations > kMaxGenerations)) {
    status = Status::Error(StatusCode::kInvalidArgument,
                           "%u generations were asked for: choose 2 to 64; 4 forget in steps of a third of the window",
                           num_generations);
  }
  if (status.ok() && rotation != Rotation::kByCaller && rotation != Rotation::kByCount) {
    status = Status::Error(StatusCode::kInvalidArgument, "the rotation is neither kByCaller nor kByCount");
  }
  Sizing sizing;
  if (status.ok()) {
    const uint64_t steps = num_generations - 1;
    FilterOptions of_each = options;
    of_each.fpr /= num_generations;  // 0 stays 0: bits_per_key goes for each
    const uint64_t keys = window_keys / steps + (window_keys % steps != 0);
    status = internal::SizeForOptions(Layout::kBlocked, keys == 0 ? 1 : keys, of_each, &sizing);
    if (!status.ok() && options.fpr != 0) {
      status = Status::Error(status.code(), "fpr %g in %u generations, a share for each: %s", options.fpr,
                             num_generations, Status(status).message());
    }
  }
  Ring* made = nullptr;
  if (status.ok()) {
    status = Ring::Make(num_generations, sizing.body_bytes, sizing.num_probes, sizeof(*this) + around_, options, &made);
  }
  if (!status.ok()) return status;
  made->keys_per_generation = sizing.num_keys;
  made->rotation = rotation;
  Bind(made, options.key_hash());
  key_kinds_ = internal::KeyKinds(options.key_kind);
  return Status();
}

uint64_t RotatingFilter::Rotate() noexcept {
  if (ring_ == nullptr) return 0;
  const std::lock_guard<std::mutex> lock(ring_->mutex);
  return ring_->Rotate();
}

uint64_t RotatingFilter::generation() const noexcept { return ring_ == nullptr ? 0 : ring_->generation(); }

uint32_t RotatingFilter::num_generations() const noexcept { return ring_ == nullptr ? 0 : ring_->num_generations; }

uint64_t RotatingFilter::keys_per_generation() const noexcept {
  return ring_ == nullptr ? 0 : ring_->keys_per_generation;
}

Rotation RotatingFilter::rotation() const noexcept { return ring_ == nullptr ? Rotation::kByCaller : ring_->rotation; }

double RotatingFilter::FillRatioOfAge(uint32_t age) const noexcept {
  if (age >= num_generations()) return 0;
  return internal::SharedFillRatioOf(ring_->BodyOfAge(age), ring_->generation_bytes);
}

SizeEstimate RotatingFilter::ApproximateSizeOfAge(uint32_t age) const noexcept {
  if (age >= num_generations()) return {};
  return internal::StageLayout().size_at_fill(FillRatioOfAge(age), num_probes(), ring_->generation_bytes / 64);
}

}  // namespace linefilter
