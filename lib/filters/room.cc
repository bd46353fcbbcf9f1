#include "lib/filters/room.h"

#include "lib/base/equal_hashes.h"
#include "lib/filters/serving.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/stages.h"
#include "linefilter/filter_base.h"
#include "linefilter/sizing.h"

namespace linefilter {
namespace internal {
namespace {

// The rate that is left for one of several if all together may have `fpr` and the others have `others`; 0: none.
double RestOfFpr(double fpr, double others) { return fpr > others ? (fpr - others) / (1 - others) : 0; }

// The rate of all stages but the newest, from their bits.
double FprOfOlderStages(const ProbeState& state) {
  double fpr = 0;
  ForEachStage(state, [&](uint32_t i, const Stage& stage) {
    if (i + 1u < state.num_stages) fpr = EitherOf(fpr, StageLayout().expected_fpr(StateOfStage(state, stage)));
  });
  return fpr;
}

// What is left of `most` keys when so many are there.
uint64_t Rest(uint64_t most, double keys) {
  return keys < static_cast<double>(most) ? most - static_cast<uint64_t>(keys) : 0;
}

// The room of one body is 0 if its rate is above already, in a layout that takes no keys, and in a body that is too
// large for a filter, as one in a Parquet file may be.
uint64_t RoomOfBody(const LayoutRecord& record, const ProbeState& state, double fpr) {
  if (!record.facts.takes_keys) return 0;
  const uint64_t most = MaxKeysForFpr(record.layout, state.num_units << state.unit_shift, fpr, state.num_probes);
  if (most == 0 || most == UINT64_MAX) return most;  // no number of keys has a rate above 1
  return record.expected_fpr(state) < fpr ? Rest(most, record.approximate_size(state).keys) : 0;
}

// New keys go into the newest stage, which has what the older ones leave of the rate.
uint64_t RoomOfNewestStage(const ProbeState& state, double fpr) {
  const double rest = RestOfFpr(fpr, FprOfOlderStages(state));
  uint64_t room = 0;
  ForEachStage(state, [&](uint32_t i, const Stage& stage) {
    if (i + 1u == state.num_stages) room = RoomOfBody(StageLayout(), StateOfStage(state, stage), rest);
  });
  return room;
}

// Sizes stage `index` of a filter that holds so many bytes; false if it would not be opened.
bool CanOpen(const Growth& growth, uint32_t index, uint64_t held, Sizing* sizing) {
  return index < NumPlannedStages(growth.plan) && SizeOfStage(growth.plan, index, sizing).ok() &&
         held < growth.memory_limit && sizing->body_bytes <= growth.memory_limit - held;
}

uint64_t Sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace

// Stage by stage: each is filled up to its capacity while a further one can be opened, and the last one up to the rate.
uint64_t RoomOfGrowth(const ProbeState& all, const Growth& growth, uint64_t held, double fpr) {
  double older = FprOfOlderStages(all), keys = StageLayout().approximate_size(growth.newest).keys;
  if (!(StageLayout().expected_fpr(growth.newest) < RestOfFpr(fpr, older))) return 0;
  uint64_t room = 0;
  uint64_t body_bytes = growth.newest.num_units << growth.newest.unit_shift;
  uint32_t num_probes = growth.newest.num_probes;
  for (uint32_t index = growth.num_stages - 1;; ++index) {
    Sizing next;
    const uint64_t capacity = CapacityOfStage(growth.plan, index);
    const uint64_t most = MaxKeysForFpr(StageLayout().layout, body_bytes, RestOfFpr(fpr, older), num_probes);
    const bool grows = CanOpen(growth, index + 1, held, &next);
    if (!grows || most < capacity) return Sum(room, Rest(most, keys));
    room = Sum(room, Rest(capacity, keys));
    older = EitherOf(older, ExpectedFpr(StageLayout().layout, capacity, body_bytes, num_probes));
    held += next.body_bytes;
    body_bytes = next.body_bytes;
    num_probes = next.num_probes;
    keys = 0;
  }
}

}  // namespace internal

uint64_t FilterBase::RoomFor(double fpr) const noexcept {
  uint64_t room = 0;
  internal::WithServing(*this, [&](const internal::Serving& now) {
    if (now.state.num_units == 0 || now.layout == Layout::kAuto) return;
    const bool has_stages = now.state.num_stages != 0;
    if (has_stages && fpr >= 1) {
      room = UINT64_MAX;
    } else if (now.state.kernels->room_for != nullptr) {
      room = now.state.kernels->room_for(now.state, fpr);
    } else if (has_stages) {
      room = internal::RoomOfNewestStage(now.state, fpr);
    } else {
      room = internal::RoomOfBody(*internal::FindLayout(now.layout), now.state, fpr);
    }
  });
  return room;
}

}  // namespace linefilter
