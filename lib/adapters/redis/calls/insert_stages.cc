// What the stages of a container add to a batch of insertions. A key that an older stage may have is not written into
// the newest: that would only fill it. So the older ones are asked first. They lose no bits, and what is read of them
// stays.
//
// A stage may be added meanwhile. Two writers of a key, of which one knows the new stage and one does not, must not
// both be told that it is new. The one that does not know it looks at the record behind its writes. If the record is
// the same then, the other one reads the older stage later, and finds the bits. Else it writes the key into the new
// stage, too.
#include <algorithm>

#include "lib/adapters/redis/calls/insert_batch.h"

namespace linefilter::redis_internal {
namespace {

class LookAlone final : public ReplyHandler {
 public:
  explicit LookAlone(const RecordLook& record) : look(record) {}
  void OnReply(size_t, const Reply& reply) override { look.OnReply(reply); }
  void OnError(size_t, const Status&) override { look.OnError(); }

  RecordLook look;
};

}  // namespace

// With `newest` this reads the block that is to be written to, too.
void InsertBatch::AddReads(size_t target, size_t i, bool newest, Batch* batch) {
  Target& to = targets_[target];
  const Shards& shards = *to.shards;
  if ((!newest && shards.facts.num_stages < 2) || IsStopped(i)) return;
  uint64_t blocks[kMaxBodyStages];
  const size_t n = BlocksOfHash(shards.facts, hashes_[i], blocks);
  const bool asks = n > 1 && AsksStages(to, i);
  to.num_asked += asks;
  for (size_t stage = 0; stage < n; ++stage) {
    if (stage + 1 == n ? newest : asks && !WasWrittenBefore(shards, stage)) {
      AddRead(target, i, stage, blocks[stage], batch);
    } else if (stage + 1 != n) {
      to.marks.Touch(shards.ShardOfByte(blocks[stage] * shards.generation.block_bytes()));
    }
  }
}

// A sample of the keys tells whether all are to be asked for; by other bits of the hash than those that choose a block.
bool InsertBatch::AsksStages(const Target& target, size_t i) const {
  constexpr uint64_t kOneOf = 16;
  return !target.asks_few || HashKey(hashes_[i]) % kOneOf == 0;
}

bool InsertBatch::WasWrittenBefore(const Shards& shards, size_t stage) const {
  const auto begin = written_before_.begin(), end = written_before_.end();
  return std::find(begin, end, shards.generation.stages[stage].id) != end;
}

// Asks for the shards that have a block of the key.
bool InsertBatch::EveryStage(size_t target, size_t i, bool (Marks::*is_so)(uint64_t) const) const {
  const Shards& shards = *targets_[target].shards;
  const Marks& marks = targets_[target].marks;
  if (shards.facts.num_stages < 2) return (marks.*is_so)(targets_[target].keys[i].shard);
  uint64_t blocks[kMaxBodyStages];
  const size_t n = BlocksOfHash(shards.facts, hashes_[i], blocks);
  return std::all_of(blocks, blocks + n, [&](uint64_t block) {
    return (marks.*is_so)(shards.ShardOfByte(block * shards.generation.block_bytes()));
  });
}

// On one connection the look comes behind the writes anyway, unless these are tried again. Nodes of a cluster do not
// wait for each other.
void InsertBatch::LookLast(Router* router, Batch* batch) {
  const auto grows = [](const Target& target) { return Grows(*target.shards); };
  if (!look_.IsSame() || std::none_of(targets_.begin(), targets_.end(), grows)) return;
  LookAlone last(look_);
  batch->Clear();
  last.look.AddTo(batch);
  (void)router->Run(*batch, &last).ok();  // without an answer nothing of the batch counts
  look_ = last.look;
}

}  // namespace linefilter::redis_internal
