// Two numbers decide when to look. Between two looks the stage may fill by half of what is left, counted with those
// keys that others insert meanwhile: the last look tells how many there are for each of ours. And the next stage is
// opened when a sixteenth is left, so that those who do not know it yet fill what is left.
#include "lib/adapters/redis/calls/grower.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sample.h"
#include "lib/adapters/redis/calls/shard_steps.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/remote_body.h"

namespace linefilter::redis_internal {
namespace {

// 1,024 blocks: their number of keys has an error of 0.5 %. A server reads them in 20 us.
constexpr uint64_t kSampleBytes = uint64_t{1} << 16;
constexpr double kLeft = 1.0 / 16;           // of the stage, when the next is opened
constexpr double kWritersAtFirst = 256;      // nobody knows how many there are
constexpr uint64_t kLooks = 1024;            // a stage is never looked at more often by one writer
constexpr uint64_t kBytesAtOnce = 1u << 26;  // made within one insertion: 20 ms of a server
constexpr char kClaimMs[] = "10000";

// The generation of these shards, as if it had the one stage alone.
Generation AloneOf(const Generation& generation, const Stage& stage) {
  Generation alone = generation;
  alone.stages = {stage};
  alone.body_bytes = stage.num_blocks * generation.block_bytes();
  return alone;
}

// Whether the record has a stage of this id: perhaps by a command whose reply was lost.
bool Names(const Header& header, uint64_t id) {
  for (const Generation* generation : header.Written()) {
    for (const Stage& stage : generation->stages) {
      if (stage.id == id) return true;
    }
  }
  return false;
}

// The newest stage has so many keys. Images that others made may tell numbers that do not fit.
void CountKeys(double keys, bool tells_all, Generation* generation) {
  Stage& full = generation->stages.back();
  const uint64_t bits = 8 * generation->block_bytes() * full.num_blocks;
  const uint64_t others = generation->num_keys - std::min(generation->num_keys, full.num_keys);
  full.num_keys = static_cast<uint64_t>(std::min(std::max(keys, 0.0), static_cast<double>(bits)));
  if (tells_all) generation->num_keys = std::min(others + full.num_keys, 8 * generation->body_bytes);
}

uint64_t AtLeastOne(double keys) { return keys < 1 ? 1 : static_cast<uint64_t>(keys); }

}  // namespace

size_t Grower::RoomFor(uint64_t only, size_t wanted) {
  for (size_t i = 0; i < 2; ++i) {
    // The record, and with it these, may become others with each look.
    const auto shards = [&]() -> const Shards& { return i == 0 ? record_->current() : record_->next(); };
    Watch& watch = watches_[i];
    if (!shards().generation.exists() || (only != 0 && shards().generation.id != only) || !Grows(shards())) continue;
    Follow(&watch, shards().generation);
    if (watch.room == 0) {
      const Router::Once once(&record_->router());
      Look(&watch, Shards(shards()));
    }
    wanted = static_cast<size_t>(std::min<uint64_t>(wanted, watch.room));
  }
  return wanted;
}

// Another stage is filled from now on, if others opened it.
void Grower::Follow(Watch* watch, const Generation& generation) {
  const uint64_t filled = generation.filled_id();
  if (watch->stage == filled) return;
  const Opening& opening = watch->opening;
  if (opening.num_made != 0 && !Names(record_->header(), opening.alone.filled_id())) {
    (void)DropShards(record_, opening.alone).ok();
  }
  // Who opened it may have died before its shards got the time of the filter.
  if (watch->stage != 0) (void)KeepNamed(record_, record_->header(), record_->time_to_live()).ok();
  *watch = Watch();
  watch->stage = filled;
}

void Grower::Count(size_t keys) {
  for (Watch& watch : watches_) {
    watch.inserted += keys;
    watch.room -= std::min<uint64_t>(watch.room, keys);
  }
}

void Grower::Look(Watch* watch, const Shards& shards) {
  const auto last = static_cast<uint32_t>(shards.generation.stages.size() - 1);
  const auto capacity = static_cast<double>(CapacityOfStage(shards.facts, last));
  const double least = std::ceil(capacity / kLooks);
  watch->room = AtLeastOne(least);
  SizeEstimate size;
  if (!Measure(shards, &size)) return;  // the insertion that follows tells why
  const double left = capacity - size.keys - 2 * size.error - kLeft * capacity;
  const bool is_last = watch->status.code() == StatusCode::kOverLimit;
  if (left <= 0 && !is_last && Open(watch, shards, size.keys)) return;
  double writers = kWritersAtFirst;
  if (watch->keys >= 0 && watch->inserted != 0) {
    writers = std::max(1.0, (size.keys - watch->keys + 2 * size.error) / static_cast<double>(watch->inserted));
  }
  watch->room = AtLeastOne(is_last ? capacity : std::max(least, left / (2 * writers)));
  watch->keys = size.keys;
  watch->inserted = 0;
}

bool Grower::Measure(const Shards& shards, SizeEstimate* size) {
  const Part part = PartsOf(shards.generation).back();
  Sample sample(shards, record_->header().version);
  record_->batch().Clear();
  sample.AddTo(&record_->batch(), part, kSampleBytes);
  if (!record_->router().Run(record_->batch(), &sample).ok()) return false;
  const std::string bytes = sample.Bytes();
  Judgement judgement;
  if (bytes.empty() || sample.AnyNewer() || !Judge(bytes, part, &judgement).ok()) return false;
  *size = judgement.size;
  return std::isfinite(size->keys);
}

bool Grower::Open(Watch* watch, const Shards& shards, double keys) {
  Opening& opening = watch->opening;
  if (!opening.alone.exists() && !Plan(watch, shards)) return false;
  if (!MayOpen(&opening)) return false;
  const Generation alone = opening.alone;
  const Shards made = ShardsOf(record_->name(), record_->header(), alone);
  if (!MakeSome(&opening, made)) return false;
  if (opening.num_made < made.keys.size()) return false;  // the next insertion goes on
  Name(&opening, made, watch->stage, keys);
  const bool is_named = Names(record_->header(), alone.filled_id());
  if (is_named) {
    (void)KeepShards(record_, alone, record_->header().version).ok();
    *watch = Watch();
    watch->stage = alone.filled_id();
    watch->room = 1;
  }
  Answer ignored;
  const RedisKey claim = KeyOf(ClaimName(record_->name()));
  (void)record_->router().Do(claim, Kind::kWrite, {"UNLINK", claim.name}, &ignored).ok();
  return is_named;
}

// Decides what the next stage is.
bool Grower::Plan(Watch* watch, const Shards& shards) {
  BodyFacts facts = shards.facts;
  Stage stage;
  Status status = AddStage(&facts);
  if (status.ok()) {
    TakeLastStage(facts, &stage);
    RedisLayout layout;
    layout.shard_bytes = shards.generation.shard_bytes;
    status = PlanStage(*record_, layout, &stage);
  }
  if (status.ok()) {
    watch->opening.alone = AloneOf(shards.generation, stage);
    return true;
  }
  watch->status = Status::Error(status.code(), "no stage could be added, so more keys raise the rate above fpr: %s",
                                status.message());
  return false;
}

// One writer makes a large stage, not all of them. This only saves memory: if two do so, the record takes one. Who has
// begun goes on, be the claim over or not.
bool Grower::MayOpen(Opening* opening) {
  if (opening->has_claim) return true;
  const RedisKey claim = KeyOf(ClaimName(record_->name()));
  Answer taken;
  const Status status =
      record_->router().Do(claim, Kind::kWrite, {"SET", claim.name, "1", "NX", "PX", kClaimMs}, &taken);
  opening->has_claim = status.ok() && !taken.is_nil;
  return opening->has_claim;
}

// Makes as many shards as an insertion can wait for.
bool Grower::MakeSome(Opening* opening, const Shards& made) {
  const size_t begin = opening->num_made, n = made.keys.size();
  size_t end = begin + 1;
  while (end < n && made.BeginOfShard(end + 1) - made.BeginOfShard(begin) <= kBytesAtOnce) ++end;
  Shards some = made;
  const auto from = static_cast<ptrdiff_t>(begin), to = static_cast<ptrdiff_t>(std::min(end, n));
  if (begin < n) {
    some.keys.assign(made.keys.begin() + from, made.keys.begin() + to);
    some.begins.assign(made.begins.begin() + from, made.begins.begin() + to + 1);
    if (!AllocateShards(record_, some).ok()) return false;
    opening->num_made = static_cast<size_t>(to);
  }
  return true;
}

// Brings the stage into the record, behind the one of id `after`. If somebody else changed that, it may still be the
// next one.
void Grower::Name(Opening* opening, const Shards& made, uint64_t after, double keys) {
  if (!AdvanceMarks(record_, made, record_->header().version + 1, kMadeHere).ok()) {
    *opening = Opening();  // one was lost, or nobody knows: nothing names them
    return;
  }
  const Stage& stage = made.generation.stages[0];
  Header header = record_->header();
  Generation& grown = header.current.filled_id() == after ? header.current : header.next;
  CountKeys(keys, FactsOf(header, grown).has_num_keys, &grown);
  grown.newest_ones = 0;
  grown.stages.push_back(stage);
  grown.body_bytes += stage.num_blocks * grown.block_bytes();
  const Status changed = record_->ChangeHeader(header);
  if (changed.code() == StatusCode::kIncompatible && record_->ReadHeader().ok() &&
      !Names(record_->header(), stage.id)) {
    for (const Generation* named : record_->header().Written()) {
      if (named->filled_id() == after) return;  // others changed something else: once more
    }
    (void)DropShards(record_, made.generation).ok();
  }
  *opening = Opening();  // where nobody knows whether the record names it, the shards stay for their day
}

}  // namespace linefilter::redis_internal
