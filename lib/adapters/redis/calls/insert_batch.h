// An InsertBatch is one batch of keys on its way into all generations that the header record names: what is sent, and
// what became of each.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_INSERT_BATCH_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_INSERT_BATCH_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "lib/adapters/redis/calls/block_changes.h"
#include "lib/adapters/redis/record/marks.h"
#include "lib/adapters/redis/record/record_look.h"
#include "lib/adapters/redis/record/shards.h"
#include "lib/adapters/redis/record/stream.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// It is used once: Run, then what it found.
class InsertBatch final : public ReplyHandler {
 public:
  // Which keys of each target are written, and count twice there if they are written twice.
  using Counted = std::vector<std::vector<bool>>;

  // Each of `targets` takes all n keys. They and the hashes must stay. writes_all means that bits that are set already
  // are written, too: replicas may not have them yet. If a batch is repeated under the same record, `before` is what
  // counts of it. Then all else is written. It is empty for a first batch. `append` brings the hashes to those who
  // follow the filter. Stages of these ids have the keys from an earlier record: what they say is no news. Where nobody
  // asks whether keys are new, few are asked for in older stages, unless many are there.
  InsertBatch(const std::vector<Shards*>& targets, uint64_t version, const RecordLook& look, const StreamAppend& append,
              const uint64_t* hashes, size_t n, bool writes_all, const Counted& before,
              const std::vector<uint64_t>& written_before, bool tells_new);

  // It is ok if every command was answered; the marks tell what the answers are worth. Else the rest may count.
  Status Run(Router* router, Batch* batch);

  const Marks& marks(size_t target) const { return targets_[target].marks; }
  const RecordLook& look() const { return look_; }
  // Whether bits may be missing that were read to be set, and left out: another server may have taken the others. What
  // was written is there.
  bool may_miss_bits() const { return may_miss_bits_; }
  Counted WhatCounts() const;
  // Whether bits of this key were left out.
  bool LeftOut(size_t target, size_t i) const { return targets_[target].keys[i].is_left_out(); }
  // Whether blocks are still to be changed, because other writers were faster in each round.
  bool OthersWereFaster() const { return others_were_faster_; }
  // Whether what was written in all rounds is on as many replicas as are waited for.
  bool is_replicated() const { return is_replicated_; }
  // Whether it came to writing.
  bool any_sent() const { return any_sent_; }
  // Whether those who follow the filter will hear of the keys; without that none is acknowledged.
  bool is_told() const { return append_.is_done(); }
  // Whether all bits of the key are set there, by this or before, if the marks are good.
  bool Written(size_t target, size_t i) const { return targets_[target].keys[i].written; }
  // Whether one of them was not set before, in a shard that was not lost.
  bool WasNew(size_t target, size_t i) const;
  // Whether it is written, all that was asked has been answered, and the mark is good. Where it is not vital, a lost
  // shard is as good.
  bool Acknowledged(size_t target, size_t i, bool vital) const;
  // Whether all keys are written, in shards that are whole, be their marks newer or not.
  bool AllWritten(size_t target) const;

  // Unlinks what insertions made of shards that are lost. Whatever becomes of it is nobody's concern.
  void UnlinkJunk(Router* router, Batch* batch);

  void OnReply(size_t command, const Reply& reply) override;
  void OnError(size_t command, const Status& status) override;

 private:
  struct KeyState {
    uint32_t shard = 0;    // the one that is written to
    uint32_t present = 0;  // which of its positions are set already, if was_read
    bool was_read = false;
    bool written = false;          // see Written
    bool counted = false;          // a batch before this one wrote it, and counts
    bool was_new = false;          // a bit was not set
    bool maybe_in_stages = false;  // an older stage of a container says so
    bool stages_good = true;       // all that were asked have answered, and none was too short
    bool unanswered = false;       // one was not
    bool is_in_stages = false;     // so it is not written into the newest

    bool is_left_out() const { return present != 0 || is_in_stages; }
  };
  // A write is the bits of one key in a command, which has those of several.
  struct Write {
    uint32_t key;
    uint32_t num_positions;
  };
  // Pending is what is to be written into one shard and not yet in a command.
  struct Pending {
    std::vector<Write> writes;
    std::vector<uint64_t> positions;  // in the shard, as Redis numbers them
  };
  struct Target {
    Target(Shards* where, uint64_t version, size_t n) : shards(where), marks(*where, version), keys(n) {}
    Shards* shards;
    Marks marks;
    std::vector<KeyState> keys;
    std::unique_ptr<BlockChanges> changes;          // where keys have no positions: null elsewhere
    bool changes_blocks = false;                    // whether it will be made
    std::unordered_map<uint32_t, Pending> pending;  // for shards that are written to
    std::vector<uint32_t> lost;                     // shards that were seen lost before anything was written, sorted
    bool reads_first = false;
    bool asks_stages_first = false, asks_few = false;
    uint64_t num_asked = 0, num_in_stages = 0;  // keys that older stages were asked for, and that they may have
    uint64_t num_keys = 0, num_set = 0;         // keys that were looked at; bits of them that were set already
  };
  struct Command {
    uint32_t first;       // a key, or of writes the first of writes_
    uint32_t num_writes;  // 0: a read
    uint32_t stage;
    uint32_t target;
  };

  bool MustLookFirst(const Target& target, uint32_t shard) const;
  // Looks before anything is written where that might make a missing shard anew, large and of zeros. False means that
  // nothing may be written. Keys whose shards did not answer are stopped_.
  bool LookFirst(Router* router, Batch* batch, Status* status);
  bool IsStopped(size_t i) const { return !stopped_.empty() && stopped_[i]; }
  // Stops keys of shards that did not answer; returns how many these are more.
  size_t Stop(const Shards& shards, const Marks& marks);
  uint32_t ShardOf(const Shards& shards, size_t i) const;
  void AddRead(size_t target, size_t i, size_t stage, uint64_t block, Batch* batch);
  void AddReads(size_t target, size_t i, bool newest, Batch* batch);
  void AddWrite(size_t target, size_t i, Batch* batch);
  void Flush(size_t target, uint32_t shard, Pending* pending, Batch* batch);
  bool EveryStage(size_t target, size_t i, bool (Marks::*is_so)(uint64_t) const) const;
  bool WasWrittenBefore(const Shards& shards, size_t stage) const;
  bool AsksStages(const Target& target, size_t i) const;
  void LookLast(Router* router, Batch* batch);
  void MakeChanges();
  // Reads what is needed first. False means that nothing may be written, because the record is not known to be the
  // same.
  bool ReadFirst(Router* router, Batch* batch, Status* status);
  // Writes the blocks that others changed meanwhile, again and again.
  Status WriteWhatDiffers(Router* router, Batch* batch);
  bool AnyDiffers() const;
  size_t AddChangedBlocks(Batch* batch);
  void AddAllChecks(Batch* batch);
  void TakeChanges();
  Status Append(Router* router, Batch* batch);
  bool AnyLeftOut() const;
  void LeaveOut(const Counted& before);
  void OnBlock(const Command& command, const Reply& reply);
  void OnBits(const Command& command, const Reply& reply);
  void Learn();

  std::vector<Target> targets_;
  RecordLook look_;
  StreamAppend append_;
  const std::vector<uint64_t> written_before_;
  const uint64_t* hashes_;
  size_t n_;
  std::chrono::steady_clock::time_point now_;
  std::vector<Command> commands_;  // those of the batch that runs
  std::vector<Write> writes_;
  std::vector<bool> stopped_;  // keys that nothing is asked or written for, in any target; empty: none
  bool may_leave_out_;
  bool has_changes_ = false;  // some target changes blocks
  bool any_sent_ = false;
  bool may_miss_bits_ = false;
  bool others_were_faster_ = false;
  bool is_replicated_ = true;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_INSERT_BATCH_H_
