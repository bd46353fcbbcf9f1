// This is a ScalableFilter while it grows: keys go into the newest of its stages, and when it is full the next is
// opened. scalable_image.cc writes it and makes it of an image.
#include "linefilter/scalable.h"

#include <cstring>
#include <new>
#include <utility>

#include "lib/base/memory.h"
#include "lib/filters/growth.h"
#include "lib/filters/room.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/sizing.h"

namespace linefilter {

using internal::Growth;
using internal::GrowthPlan;
using internal::Stage;

namespace {

// Hashes are asked of all stages in groups that stay in the L1 and are long enough for the look-ahead.
constexpr size_t kGroup = 512;

// These two replace those of lib/base/memory.h, whose advice is for a filter of some bits per key.
Status OutOfMemory(uint64_t bytes) {
  return Status::Error(StatusCode::kOutOfMemory,
                       "no memory for %llu bytes: set a higher fpr or a max_growth, or shard the keys",
                       static_cast<unsigned long long>(bytes));
}

Status OverLimit(uint64_t bytes, uint64_t limit) {
  return Status::Error(StatusCode::kOverLimit,
                       "%llu bytes are needed and memory_limit allows %llu: raise it, set a higher fpr or a "
                       "max_growth, or shard the keys",
                       static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(limit));
}

// Counts keys of the newest stage, which tells of no more keys than it has bits: each set one. (The image that it was
// made of may have told of keys that set none.)
void CountKeys(uint64_t added, Growth* growth) {
  uint64_t& keys = growth->keys_of[growth->num_stages - 1];
  const uint64_t room = internal::kMostKeysOfBlock * growth->newest.num_units - keys;
  if (added > room) {
    growth->uncounted += added - room;
    added = room;
  }
  keys += added;
  growth->num_keys += added;
}

// How many keys the newest stage takes before the next is opened. While none was refused these are no more than it has
// bits, because CountKeys stops there: a stage that an image claims to be so full would never reach a larger capacity.
uint64_t RoomOf(const Growth& growth) {
  const uint64_t keys = growth.keys_of[growth.num_stages - 1] + growth.uncounted;
  const uint64_t bits = internal::kMostKeysOfBlock * growth.newest.num_units;
  const uint64_t end = growth.status.ok() && bits < growth.full_at ? bits : growth.full_at;
  return keys < end ? end - keys : 0;
}

}  // namespace

ScalableFilter::ScalableFilter(ScalableFilter&& other) noexcept : ScalableFilter() {
  *this = static_cast<ScalableFilter&&>(other);
}

ScalableFilter& ScalableFilter::operator=(ScalableFilter&& other) noexcept {
  if (this == &other) return *this;
  Release();
  MoveState(other);
  growth_ = std::exchange(other.growth_, nullptr);
  if (growth_ != nullptr) state_.owner = this;
  return *this;
}

ScalableFilter::~ScalableFilter() { Release(); }

void ScalableFilter::Release() noexcept {
  if (growth_ != nullptr) {
    DropStages(0);
    const Allocator allocator = growth_->allocator;
    growth_->~Growth();
    internal::Deallocate(allocator, growth_, sizeof(Growth));
  }
  growth_ = nullptr;
  BindNothing();
}

// Begins both ways to make one, for a filter that has nothing yet: it has no stages, so it still answers "maybe".
Status ScalableFilter::Start(const FilterOptions& options) noexcept {
  const Status allocator = internal::CheckAllocator(options.allocator);
  if (!allocator.ok()) return allocator;
  const uint64_t needed = sizeof(*this) + around_ + sizeof(Growth);
  if (needed > options.memory_limit) return OverLimit(needed, options.memory_limit);
  void* const memory = internal::Allocate(options.allocator, sizeof(Growth));
  if (memory == nullptr) return OutOfMemory(sizeof(Growth));
  growth_ = new (memory) Growth;
  growth_->allocator = options.allocator;
  growth_->memory_limit = options.memory_limit;
  return Status();
}

Status ScalableFilter::Create(uint64_t first_capacity, const FilterOptions& options,
                              const GrowthOptions& growth) noexcept {
  GrowthPlan plan;
  plan.fpr = options.fpr;
  plan.first_capacity = first_capacity == 0 ? 1 : first_capacity;
  plan.max_growth = growth.max_growth;
  Status status = internal::CheckGrowth(plan, options);
  ScalableFilter made;
  made.around_ = around_;
  if (status.ok()) status = made.Start(options);
  if (!status.ok()) return status;
  made.growth_->plan = plan;
  status = made.OpenStage();
  if (!status.ok()) return status;
  made.key_hash_ = options.key_hash();
  made.key_kinds_ = internal::KeyKinds(options.key_kind);
  *this = static_cast<ScalableFilter&&>(made);
  return Status();
}

// Adds an empty stage, the newest from now on.
Status ScalableFilter::AddStage(uint64_t body_bytes, uint32_t num_probes) noexcept {
  Growth& growth = *growth_;
  const uint64_t held = sizeof(*this) + around_ + sizeof(Growth) + growth.body_bytes;
  if (body_bytes > growth.memory_limit - (held < growth.memory_limit ? held : growth.memory_limit)) {
    return OverLimit(held + body_bytes, growth.memory_limit);
  }
  uint8_t* const body = static_cast<uint8_t*>(internal::AllocateZeroed(growth.allocator, body_bytes));
  if (body == nullptr) return OutOfMemory(body_bytes);
  internal::BindBody(internal::StageLayout(), {body, body_bytes, num_probes}, &growth.newest);
  growth.changes_of_newest = &internal::ChangesOf(internal::StageLayout().layout, growth.newest);
  Stage& stage = growth.stages[growth.num_stages];
  stage.body = body;
  stage.num_blocks = growth.newest.num_units;
  stage.lane_ones = growth.newest.lane_ones;
  stage.num_probes = num_probes;
  growth.keys_of[growth.num_stages] = 0;
  growth.uncounted = 0;
  growth.full_at = internal::CapacityOfStage(growth.plan, growth.num_stages);
  growth.body_bytes += body_bytes;
  ++growth.num_stages;
  Bind();
  return Status();
}

// Opens the next stage of the plan.
Status ScalableFilter::OpenStage() noexcept {
  Sizing sizing;
  const Status status = internal::SizeOfStage(growth_->plan, growth_->num_stages, &sizing);
  return status.ok() ? AddStage(sizing.body_bytes, sizing.num_probes) : status;
}

// Tells how many keys the newest stage takes before the next question; at least 1. It is called when a certainly new
// key has come: an image has no stage that nothing went into, but for the first.
uint64_t ScalableFilter::MakeRoom() noexcept {
  Growth& growth = *growth_;
  const uint64_t room = RoomOf(growth);
  if (room != 0) return room;
  const Status status = OpenStage();
  if (status.ok()) {
    growth.status = status;
    return RoomOf(growth);
  }
  growth.status = Status::Error(status.code(), "no stage could be added, so more keys raise the rate above fpr: %s",
                                status.message());
  // An allocation may succeed later; the other reasons stay. (A stage has at most 2^41 keys, one for each of its bits.)
  const uint64_t again = internal::CapacityOfStage(growth.plan, growth.num_stages - 1) / 16 + 1;
  const uint64_t keys = growth.keys_of[growth.num_stages - 1] + growth.uncounted;
  growth.full_at = status.code() == StatusCode::kOutOfMemory ? keys + again : UINT64_MAX;
  return RoomOf(growth);
}

// Drops all but the oldest `keep`, which are as they were but for Bind.
void ScalableFilter::DropStages(uint32_t keep) noexcept {
  while (growth_->num_stages > keep) {
    const uint32_t last = --growth_->num_stages;
    const uint64_t body_bytes = 64 * growth_->stages[last].num_blocks;
    internal::Deallocate(growth_->allocator, growth_->stages[last].body, body_bytes);
    growth_->stages[last] = Stage();
    growth_->body_bytes -= body_bytes;
    growth_->num_keys -= growth_->keys_of[last];
    growth_->keys_of[last] = 0;
  }
}

// Insertions, and what they leave room for; they know the filter by its state.
struct ScalableFilter::Growing {
  static bool Insert(const internal::ProbeState& state, uint64_t hash) {
    ScalableFilter& filter = *static_cast<ScalableFilter*>(state.owner);
    if (filter.MayContainHash(hash)) return false;
    (void)filter.MakeRoom();
    Growth& growth = *filter.growth_;
    growth.changes_of_newest->insert(growth.newest, hash);
    CountKeys(1, &growth);
    return true;
  }
  static uint64_t InsertBatch(const internal::ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new) {
    return static_cast<ScalableFilter*>(state.owner)->InsertGroups(hashes, n, were_new);
  }
  static uint64_t RoomFor(const internal::ProbeState& state, double fpr) {
    const ScalableFilter& filter = *static_cast<const ScalableFilter*>(state.owner);
    const Growth& growth = *filter.growth_;
    const uint64_t held = sizeof(filter) + filter.around_ + sizeof(Growth) + growth.body_bytes;
    return internal::RoomOfGrowth(state, growth, held, fpr);
  }
  static constexpr internal::Changes kChanges = {Insert, InsertBatch};
};

// A "maybe" stays one, whatever is inserted after it was given. Absent keys go into the newest stage, whose own answers
// know the keys of the same group. When a stage opens meanwhile, the rest is asked anew.
uint64_t ScalableFilter::InsertGroups(const uint64_t* hashes, size_t n, uint8_t* were_new) noexcept {
  uint64_t num_new = 0;
  uint64_t absent[kGroup];
  size_t index_of[kGroup];
  uint8_t answers[kGroup];
  for (size_t done = 0; done < n;) {
    size_t size = n - done < kGroup ? n - done : kGroup, num_absent = 0;
    MayContainHashes(hashes + done, size, answers);
    for (size_t i = 0; i < size; ++i) {
      absent[num_absent] = hashes[done + i];
      index_of[num_absent] = i;
      num_absent += answers[i] ^ 1;
    }
    if (were_new != nullptr) memset(were_new + done, 0, size);
    if (num_absent != 0) {
      const uint64_t room = MakeRoom();
      if (room < num_absent) {
        num_absent = static_cast<size_t>(room);
        size = index_of[num_absent];
      }
      Growth& growth = *growth_;
      const uint64_t added = growth.changes_of_newest->insert_batch(growth.newest, absent, num_absent, answers);
      for (size_t i = 0; were_new != nullptr && i < num_absent; ++i) were_new[done + index_of[i]] = answers[i];
      CountKeys(added, &growth);
      num_new += added;
    }
    done += size;
  }
  return num_new;
}

void ScalableFilter::Bind() noexcept {
  internal::BindStages(growth_->stages, growth_->num_stages, false, &state_);
  growth_->kernels = *state_.kernels;
  growth_->kernels.room_for = Growing::RoomFor;
  state_.kernels = &growth_->kernels;
  state_.changes = true;
  state_.owner = this;
  layout_ = Layout::kContainer;
  capacity_ = internal::CapacityOfStages(growth_->plan, growth_->num_stages);
  UseChanges(Growing::kChanges);
}

// It tells of a stage that took too many, also when it could grow later, or when it is an image's.
Status ScalableFilter::growth_status() const noexcept {
  if (growth_ == nullptr)
    return Status::Error(StatusCode::kInvalidArgument, "the filter was never created, or was moved: it takes nothing");
  if (!growth_->status.ok()) return growth_->status;
  for (uint32_t i = 0; i < growth_->num_stages; ++i) {
    const uint64_t keys = growth_->keys_of[i], capacity = internal::CapacityOfStage(growth_->plan, i);
    if (keys <= capacity) continue;
    return Status::Error(StatusCode::kOverLimit,
                         "stage %u of %u took %llu keys and was made for %llu, as it could not grow then: the rate may "
                         "be above fpr for good; make a new filter and insert the keys again",
                         i + 1, growth_->num_stages, static_cast<unsigned long long>(keys),
                         static_cast<unsigned long long>(capacity));
  }
  return Status();
}

uint32_t ScalableFilter::num_stages() const noexcept { return growth_ == nullptr ? 0 : growth_->num_stages; }

StageFacts ScalableFilter::stage(uint32_t index) const noexcept {
  StageFacts facts;
  if (index >= num_stages()) return facts;
  facts.capacity = internal::CapacityOfStage(growth_->plan, index);
  facts.num_keys = growth_->keys_of[index];
  facts.num_blocks = growth_->stages[index].num_blocks;
  facts.num_probes = growth_->stages[index].num_probes;
  facts.fpr = internal::FprOfStage(growth_->plan, index);
  return facts;
}

double ScalableFilter::fpr() const noexcept { return growth_ == nullptr ? 0 : growth_->plan.fpr; }

uint64_t ScalableFilter::memory_limit() const noexcept {
  return growth_ == nullptr ? kNoMemoryLimit : growth_->memory_limit;
}

GrowthOptions ScalableFilter::growth() const noexcept {
  GrowthOptions growth;
  if (growth_ != nullptr) growth.max_growth = growth_->plan.max_growth;
  return growth;
}

uint64_t ScalableFilter::num_keys() const noexcept { return growth_ == nullptr ? 0 : growth_->num_keys; }

void ScalableFilter::Clear() noexcept {
  if (growth_ == nullptr) return;
  Growth& growth = *growth_;
  DropStages(1);
  const Stage& first = growth.stages[0];
  memset(first.body, 0, static_cast<size_t>(64 * first.num_blocks));
  internal::BindBody(internal::StageLayout(), {first.body, 64 * first.num_blocks, first.num_probes}, &growth.newest);
  growth.changes_of_newest = &internal::ChangesOf(internal::StageLayout().layout, growth.newest);
  growth.keys_of[0] = growth.num_keys = growth.uncounted = 0;
  growth.full_at = internal::CapacityOfStage(growth.plan, 0);
  growth.status = Status();
  key_kinds_ = internal::KeyKinds();
  Bind();
}

}  // namespace linefilter
