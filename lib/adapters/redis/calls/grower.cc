// Two numbers decide when to look. Between two looks the stage may fill by a sixteenth of what is left, and by less if
// others insert meanwhile: the last look tells how many keys came for each of ours. And the next stage is opened when a
// sixteenth is left, so that those who do not know it yet fill what is left.
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
constexpr double kLeft = 1.0 / 16;       // of the stage, when the next is opened
constexpr double kWriters = 8;           // others may begin at any moment
constexpr double kWritersAtFirst = 256;  // nobody knows how many there are
constexpr uint64_t kLooks = 512;         // a stage is hardly looked at more often by one writer: 32 fill a sixteenth
constexpr auto kOld = std::chrono::seconds(1);  // so long a look tells how many others insert
// What is made at once, and the time for that within one insertion. 16 MiB take a server 4 ms, or 60 on a slow machine.
constexpr uint64_t kBytesAtOnce = uint64_t{1} << 24;
constexpr size_t kShardsAtOnce = 256;
constexpr auto kStep = std::chrono::milliseconds(20);
// Whoever is about to make more than this claims it, so that only one takes the memory.
constexpr uint64_t kUnclaimedBytes = uint64_t{1} << 20;
constexpr char kClaimMs[] = "10000";
constexpr auto kPause = std::chrono::seconds(10);

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

// Adds the stage, behind one that has so many keys.
void AddStageTo(const Header& header, const Stage& stage, double keys, Generation* generation) {
  CountKeys(keys, FactsOf(header, *generation).has_num_keys, generation);
  generation->newest_ones = 0;
  generation->stages.push_back(stage);
  generation->body_bytes += stage.num_blocks * generation->block_bytes();
}

uint64_t AtLeastOne(double keys) { return keys < 1 ? 1 : static_cast<uint64_t>(keys); }

}  // namespace

size_t Grower::RoomFor(uint64_t only, size_t wanted) {
  // What was `next` serves now.
  if (watches_[1].stage != 0 && watches_[1].stage == record_->current().generation.filled_id()) {
    std::swap(watches_[0], watches_[1]);
  }
  for (size_t i = 0; i < 2; ++i) {
    // The record, and with it these, may become others with each look.
    const auto shards = [&]() -> const Shards& { return i == 0 ? record_->current() : record_->next(); };
    Watch& watch = watches_[i];
    if (!shards().generation.exists() || (only != 0 && shards().generation.id != only) || !Grows(shards())) continue;
    Follow(&watch, shards().generation);
    if (watch.room == 0 || Clock::now() - watch.looked > kOld) Look(&watch, Shards(shards()));
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
  *watch = Watch();
  watch->stage = filled;
  watch->must_keep = true;  // who opened it may have died before its shards got the time of the filter
}

void Grower::Count(uint64_t only, size_t keys) {
  for (Watch& watch : watches_) {
    if (only != 0 && &watch == watches_) continue;  // they went into `next` alone
    watch.inserted += keys;
    watch.room -= std::min<uint64_t>(watch.room, keys);
  }
}

void Grower::Look(Watch* watch, const Shards& shards) {
  if (watch->must_keep) watch->must_keep = !KeepNamed(record_, record_->header(), record_->time_to_live()).ok();
  const auto last = static_cast<uint32_t>(shards.generation.stages.size() - 1);
  const auto capacity = static_cast<double>(CapacityOfStage(shards.facts, last));
  const double least = std::ceil(capacity / kLooks);
  watch->room = AtLeastOne(least);
  watch->looked = Clock::now();
  SizeEstimate size;
  if (!Measure(shards, capacity, &size)) return;  // the insertion that follows tells why
  const double left = capacity - size.keys - 2 * size.error - kLeft * capacity;
  if (left <= 0 && !watch->is_last && Open(watch, shards, size.keys)) return;
  double writers = kWritersAtFirst;
  if (watch->keys >= 0 && watch->inserted != 0) {
    writers = std::max(kWriters, (size.keys - watch->keys + 2 * size.error) / static_cast<double>(watch->inserted));
  }
  watch->keys = size.keys;
  watch->inserted = 0;
  if (watch->is_last) {
    watch->room = AtLeastOne(capacity);
  } else if (left > 0) {
    watch->room = AtLeastOne(std::max(least, left / (2 * writers)));
  } else if (watch->opening.alone.exists()) {  // the more steps there are, the sooner comes the next
    const uint64_t steps = watch->opening.alone.body_bytes / kBytesAtOnce + 1;
    watch->room = AtLeastOne(least / static_cast<double>(steps));
  }
}

// A stage whose bits are all ones has any number of keys: it is full.
bool Grower::Measure(const Shards& shards, double capacity, SizeEstimate* size) {
  const Part part = PartsOf(shards.generation).back();
  Sample sample(shards, record_->header().version);
  record_->batch().Clear();
  sample.AddTo(&record_->batch(), part, kSampleBytes);
  if (!record_->router().Run(record_->batch(), &sample).ok()) return false;
  const std::string bytes = sample.Bytes();
  Judgement judgement;
  if (bytes.empty() || sample.AnyNewer() || !Judge(bytes, part, &judgement).ok()) return false;
  *size = judgement.size;
  if (!std::isfinite(size->keys) || !std::isfinite(size->error)) *size = {2 * capacity, 0};
  return true;
}

bool Grower::Open(Watch* watch, const Shards& shards, double keys) {
  Opening& opening = watch->opening;
  Status status = opening.alone.exists() ? Status() : Plan(&opening, shards);
  watch->is_last = !status.ok() && status.code() != StatusCode::kIoError;  // which is for want of a random number
  bool claimed = false;
  if (status.ok()) status = Claim(&opening, watch->stage, &claimed);
  const Generation alone = opening.alone;
  Shards made;
  if (status.ok() && claimed) {
    made = ShardsOf(record_->name(), record_->header(), alone);
    status = MakeSome(&opening, made);
  }
  const bool is_made = status.ok() && claimed && opening.num_made == made.keys.size();
  if (is_made) status = Name(&opening, made, watch->stage, keys);
  const bool is_named = is_made && Names(record_->header(), alone.filled_id());
  if (is_named) {
    *watch = Watch();
    watch->stage = alone.filled_id();
    watch->room = 1;
    watch->looked = Clock::now();
    watch->must_keep = !KeepShards(record_, alone, record_->header().version).ok();
    return true;
  }
  // Whoever cannot go on lets others, and tries again when a claim of theirs would be over.
  if (!status.ok() && opening.has_claim) {
    Answer ignored;
    const RedisKey claim = KeyOf(ClaimName(record_->name(), watch->stage));
    (void)record_->router().Do(claim, Kind::kWrite, {"UNLINK", claim.name}, &ignored).ok();
    opening.has_claim = false;
    opening.not_before = Clock::now() + kPause;
  }
  if (status.code() == StatusCode::kUnavailable) return false;  // the next step goes on
  watch->status = Status();
  if (!status.ok()) {
    watch->status = Status::Error(status.code(), "no stage could be added, so more keys raise the rate above fpr: %s",
                                  status.message());
  }
  return false;
}

// Decides what the next stage is. A record that nobody could read must not come of it.
Status Grower::Plan(Opening* opening, const Shards& shards) {
  BodyFacts facts = shards.facts;
  Stage stage;
  Status status = AddStage(&facts);
  if (!status.ok()) return status;
  TakeLastStage(facts, &stage);
  RedisLayout layout;
  layout.shard_bytes = shards.generation.shard_bytes;
  status = PlanStage(*record_, layout, &stage);
  if (!status.ok()) return status;
  Generation grown = shards.generation;
  AddStageTo(record_->header(), stage, 0, &grown);
  if (!CheckGeneration(record_->name(), grown).ok()) {
    return Status::Error(StatusCode::kOverLimit,
                         "it has as many shards as a filter in Redis can have: choose larger ones");
  }
  opening->alone = AloneOf(shards.generation, stage);
  return status;
}

// This only saves memory: if two make a stage, the record takes one. Who has begun goes on, and keeps the others off.
Status Grower::Claim(Opening* opening, uint64_t after, bool* claimed) {
  *claimed = opening->alone.body_bytes <= kUnclaimedBytes;
  if (*claimed || Clock::now() < opening->not_before) return Status();
  const RedisKey claim = KeyOf(ClaimName(record_->name(), after));
  Answer taken;
  const Status status =
      opening->has_claim
          ? record_->router().Do(claim, Kind::kWrite, {"SET", claim.name, "1", "PX", kClaimMs}, &taken)
          : record_->router().Do(claim, Kind::kWrite, {"SET", claim.name, "1", "NX", "PX", kClaimMs}, &taken);
  *claimed = status.ok() && !taken.is_nil;
  opening->has_claim = opening->has_claim || *claimed;
  return status;
}

// Makes as many shards as an insertion can wait for.
Status Grower::MakeSome(Opening* opening, const Shards& made) {
  const auto fifth = std::chrono::milliseconds(record_->router().servers().deadlines.request_ms) / 5;
  const auto end_of_step = Clock::now() + std::min<Clock::duration>(kStep, fifth);
  const size_t n = made.keys.size();
  while (opening->num_made < n) {
    const size_t begin = opening->num_made;
    size_t end = begin + 1;
    while (end < n && end - begin < kShardsAtOnce &&
           made.BeginOfShard(end + 1) - made.BeginOfShard(begin) <= kBytesAtOnce) {
      ++end;
    }
    Shards some = made;
    const auto from = static_cast<ptrdiff_t>(begin), to = static_cast<ptrdiff_t>(end);
    some.keys.assign(made.keys.begin() + from, made.keys.begin() + to);
    some.begins.assign(made.begins.begin() + from, made.begins.begin() + to + 1);
    const Status status = AllocateShards(record_, some);
    if (!status.ok()) return status;
    opening->num_made = end;
    if (Clock::now() >= end_of_step) break;
  }
  return Status();
}

// Brings the stage into the record, behind the one of id `after`. If somebody else changed that, it may still be the
// next one.
Status Grower::Name(Opening* opening, const Shards& made, uint64_t after, double keys) {
  Status status = AdvanceMarks(record_, made, record_->header().version + 1, kMadeHere);
  if (status.code() == StatusCode::kUnavailable) return status;  // once more
  if (!status.ok()) {                                            // one was lost
    (void)DropShards(record_, made.generation).ok();
    opening->alone = Generation();
    opening->num_made = 0;
    return status;
  }
  const Stage& stage = made.generation.stages[0];
  Header header = record_->header();
  AddStageTo(header, stage, keys, header.current.filled_id() == after ? &header.current : &header.next);
  status = record_->ChangeHeader(header);
  if (status.code() == StatusCode::kIncompatible && record_->ReadHeader().ok()) {
    status = Status();
    if (!Names(record_->header(), stage.id)) {
      for (const Generation* named : record_->header().Written()) {
        if (named->filled_id() == after) return status;  // others changed something else: once more
      }
      (void)DropShards(record_, made.generation).ok();
    }
  }
  *opening = Opening();  // where nobody knows whether the record names it, the shards stay for their day
  return status;
}

}  // namespace linefilter::redis_internal
