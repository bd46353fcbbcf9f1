// Marks tell which shards a batch touched, and what their marks say after it.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_MARKS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_MARKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/adapters/redis/record/shards.h"
#include "lib/adapters/redis/wire/batch.h"

namespace linefilter::redis_internal {

// They are for one generation, within one batch: Touch for each key, AddChecks behind all else, OnReply for each of
// their replies.
class Marks {
 public:
  // `version` is that of the header record which is believed.
  Marks(const Shards& shards, uint64_t version)
      : shards_(&shards), version_(version), states_(shards.keys.size(), kUntouched) {}

  void Touch(uint64_t shard) {
    uint8_t& state = states_[static_cast<size_t>(shard)];
    if (state != kUntouched) return;
    state = kUnknown;
    touched_.push_back(static_cast<uint32_t>(shard));
  }
  void AddChecks(Batch* batch) {
    first_ = batch->size();
    for (const uint32_t shard : touched_) {
      batch->AddGetRange(shards_->keys[shard], Kind::kCheck, shards_->MarkOffset(shard), kMarkBytes);
    }
  }

  // Whether that command is one of the checks.
  bool Has(size_t command) const { return command >= first_ && command - first_ < touched_.size(); }
  void OnReply(size_t command, const Reply& reply) {
    uint8_t& state = states_[touched_[command - first_]];
    uint64_t found;
    if (state == kLost) return;
    state = !ParseMark(reply.text(), &found) ? kLost : found > version_ ? kNewer : kGood;
  }
  // This holds whatever was said before.
  void OnError(size_t command) {
    uint8_t& state = states_[touched_[command - first_]];
    if (state != kLost) state = kUnknown;
  }
  // A block was shorter than it must be.
  void OnShort(uint64_t shard) { states_[static_cast<size_t>(shard)] = kLost; }

  // Whether what is read or written in that shard counts.
  bool IsGood(uint64_t shard) const { return states_[static_cast<size_t>(shard)] == kGood; }
  // Whether it is there, be the record still the same or not.
  bool IsWhole(uint64_t shard) const { return IsGood(shard) || states_[static_cast<size_t>(shard)] == kNewer; }
  bool IsLost(uint64_t shard) const { return states_[static_cast<size_t>(shard)] == kLost; }
  // Whether it was looked at, and nobody said anything.
  bool IsUnanswered(uint64_t shard) const { return states_[static_cast<size_t>(shard)] == kUnknown; }
  // Whether the header record has to be read again.
  bool AnyNewer() const { return Any(kNewer) != nullptr; }
  // A shard that is lost; null if there is none.
  const uint32_t* AnyLost() const { return Any(kLost); }
  const std::vector<uint32_t>& touched() const { return touched_; }

 private:
  enum State : uint8_t { kUntouched, kUnknown, kGood, kLost, kNewer };

  const uint32_t* Any(State state) const {
    for (const uint32_t& shard : touched_) {
      if (states_[shard] == state) return &shard;
    }
    return nullptr;
  }

  const Shards* shards_;
  uint64_t version_;
  size_t first_ = ~size_t{0};  // command
  std::vector<uint32_t> touched_;
  std::vector<uint8_t> states_;
};

// Bit p of the body, as PositionsOfHash numbers it, is there in Redis, from the shard's first bit.
inline uint64_t RedisBit(uint64_t position) { return (position & ~uint64_t{7}) | (7 - (position & 7)); }

// So many keys are asked or inserted at once: enough for the pipeline, and for one look at each mark to cost little.
inline size_t KeysAtOnce(uint64_t num_shards) {
  constexpr uint64_t kLeast = 4096, kMost = 65536, kPerShard = 16;
  const uint64_t wanted = kPerShard * num_shards;
  return static_cast<size_t>(wanted < kLeast ? kLeast : wanted > kMost ? kMost : wanted);
}

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_MARKS_H_
