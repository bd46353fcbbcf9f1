// Before insertions write, this asks whether the shards are there. BITFIELD makes a missing string anew, of zeros and
// as large as the shard. So a client that comes to a shard for the first time, found it lost, or comes back after a
// while, looks first: one round trip more.
#include <algorithm>

#include "lib/adapters/redis/calls/insert_batch.h"

namespace linefilter::redis_internal {
namespace {

// A generation that was left has a minute (kLeaveMs): a client that saw a shard of it within this time finds all
// others.
constexpr std::chrono::seconds kBelievedWhole{30};

// A PresenceProbe asks for marks and record alone.
class PresenceProbe final : public ReplyHandler {
 public:
  explicit PresenceProbe(const RecordLook& record) : look(record) {}
  void OnReply(size_t command, const Reply& reply) override {
    if (look.Has(command)) look.OnReply(reply);
    for (Marks& each : marks) {
      if (each.Has(command)) each.OnReply(command, reply);
    }
  }
  void OnError(size_t command, const Status&) override {  // Run tells why
    if (look.Has(command)) look.OnError();
    for (Marks& each : marks) {
      if (each.Has(command)) each.OnError(command);
    }
  }

  RecordLook look;
  std::vector<Marks> marks;  // one for each target
};

bool IsRecent(const Learned& learned, std::chrono::steady_clock::time_point now) {
  return learned.num_whole != 0 && now - learned.last_whole <= kBelievedWhole;
}

bool AllBelieved(const Shards& shards, std::chrono::steady_clock::time_point now) {
  return shards.learned.num_whole == shards.keys.size() && IsRecent(shards.learned, now);
}

}  // namespace

uint32_t InsertBatch::ShardOf(const Shards& shards, size_t i) const {
  uint64_t blocks[kMaxBodyStages];
  const size_t n = BlocksOfHash(shards.facts, hashes_[i], blocks);
  if (n == 0) return 0;  // without blocks there is one shard
  return static_cast<uint32_t>(shards.ShardOfByte(blocks[n - 1] * shards.generation.block_bytes()));
}

bool InsertBatch::MustLookFirst(const Target& target, uint32_t shard) const {
  const Learned& learned = target.shards->learned;
  return !IsRecent(learned, now_) || !learned.seen_whole[shard];
}

bool InsertBatch::LookFirst(Router* router, Batch* batch, Status* status) {
  PresenceProbe first(look_);
  batch->Clear();
  for (Target& target : targets_) {
    first.marks.emplace_back(*target.shards, 0);
    // What changes whole blocks makes nothing anew: no missing block is like one that was read.
    if (target.changes_blocks || AllBelieved(*target.shards, now_)) continue;
    for (size_t i = 0; i < n_; ++i) {
      const uint32_t shard = ShardOf(*target.shards, i);
      if (MustLookFirst(target, shard)) first.marks.back().Touch(shard);
    }
    first.marks.back().AddChecks(batch);
  }
  if (batch->size() == 0) return true;
  first.look.AddTo(batch);
  *status = router->Run(*batch, &first);
  if (!first.look.IsSame()) {
    look_ = first.look;
    return false;
  }
  size_t num_stopped = 0;
  for (size_t t = 0; t < targets_.size(); ++t) {
    const Marks& marks = first.marks[t];
    bool all_answered = true;
    for (const uint32_t shard : marks.touched()) {
      if (marks.IsLost(shard)) targets_[t].lost.push_back(shard);
      all_answered = all_answered && !marks.IsUnanswered(shard);
    }
    std::sort(targets_[t].lost.begin(), targets_[t].lost.end());
    if (!all_answered) num_stopped += Stop(*targets_[t].shards, marks);
  }
  if (num_stopped == n_) look_ = first.look;  // this batch's, too
  return num_stopped != n_;
}

// A key that would not be acknowledged is written nowhere: the next to insert it may still be told that it is new.
size_t InsertBatch::Stop(const Shards& shards, const Marks& marks) {
  stopped_.resize(n_);
  size_t num_stopped = 0;
  for (size_t i = 0; i < n_; ++i) {
    if (stopped_[i] || !marks.IsUnanswered(ShardOf(shards, i))) continue;
    stopped_[i] = true;
    ++num_stopped;
  }
  return num_stopped;
}

}  // namespace linefilter::redis_internal
