// A removal that ran twice would take the entry of another key. So the scripts that write are sent once (Kind::kOnce).
// Where nobody knows whether one ran, the key may stay: that is a false positive more, and nothing is lost.
//
// Only one generation may be there, and it stays the same from the first look to the last write. In another one a key
// may be a mere false positive, and the entry another key's.
#include "lib/adapters/redis/calls/remover.h"

#include <algorithm>
#include <vector>

#include "lib/adapters/redis/calls/block_changes.h"
#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/record/marks.h"
#include "lib/adapters/redis/record/names.h"
#include "lib/adapters/redis/record/record_look.h"

namespace linefilter::redis_internal {
namespace {

// RemoveBatch is one batch of keys on its way out. It is used once.
class RemoveBatch final : public ReplyHandler {
 public:
  RemoveBatch(const Shards& shards, uint64_t version, const RecordLook& look, const uint64_t* hashes, size_t n)
      : marks_(shards, version), look_(look), changes_(shards, hashes, n, BlockChanges::Change::kRemove, nullptr) {}

  Status Run(Router* router, Batch* batch) {
    batch->Clear();
    changes_.AddReads(&marks_, batch);
    Status first = RunWithChecks(router, batch);
    for (BlockRounds rounds; look_.IsSame() && !marks_.AnyNewer();) {
      others_were_faster_ = changes_.AnyDiffers() && !rounds.Next();
      if (others_were_faster_) break;
      batch->Clear();
      if (changes_.AddWrites(false, batch) == 0) break;
      any_sent_ = true;
      const Status status = RunWithChecks(router, batch);
      if (first.ok()) first = status;
    }
    return first;
  }

  // What became of a key, if the record is still the one that the batch goes by.
  RedisRemove OutcomeOf(size_t i) const {
    const BlockChanges::Found found = changes_.FoundOf(i);
    if (found == BlockChanges::Found::kNothing) return RedisRemove::kFailed;
    const bool is_known = found != BlockChanges::Found::kUnknown && marks_.IsWhole(changes_.ShardOf(i));
    if (!is_known) return RedisRemove::kUnknown;
    return changes_.Changed(i) ? RedisRemove::kRemoved : RedisRemove::kAbsent;
  }
  const Marks& marks() const { return marks_; }
  const RecordLook& look() const { return look_; }
  bool any_sent() const { return any_sent_; }
  bool OthersWereFaster() const { return others_were_faster_; }

  void OnReply(size_t command, const Reply& reply) override {
    if (marks_.Has(command)) {
      marks_.OnReply(command, reply);
    } else if (look_.Has(command)) {
      look_.OnReply(reply);
    } else {
      changes_.OnReply(command, reply);
    }
  }
  void OnError(size_t command, const Status&) override {
    if (marks_.Has(command)) {
      marks_.OnError(command);
    } else if (look_.Has(command)) {
      look_.OnError();
    } else {
      changes_.OnError(command);
    }
  }
  void OnRefused(size_t command, const Status&) override { changes_.OnRefused(command); }  // a script

 private:
  Status RunWithChecks(Router* router, Batch* batch) {
    marks_.AddChecks(batch);
    look_.AddTo(batch);
    return router->Run(*batch, this);
  }

  Marks marks_;
  RecordLook look_;
  BlockChanges changes_;
  bool any_sent_ = false;
  bool others_were_faster_ = false;
};

Status CheckGivesBack(const FilterRecord& record) {
  const Header& header = record.header();
  const Generation& current = header.current;
  const Printable name(record.name());
  const LayoutFacts facts = FactsOf(current.layout, current.num_probes);
  if (facts.has_stages) {
    return Status::Error(
        StatusCode::kIncompatible,
        "filter %s in Redis has stages, so no key can be removed: one in which the key is only a false "
        "positive would give up another key; build the filter anew without it",
        name.c_str());
  }
  if (!facts.gives_back) {
    return Status::Error(StatusCode::kIncompatible,
                         "filter %s in Redis is %s%s, which gives no key back: build it anew without the key, or "
                         "create a removable one",
                         name.c_str(), LayoutName(current.layout), facts.chooses_removal ? " (a set)" : "");
  }
  return Status();
}

bool IsBetween(const FilterRecord& record) {
  return record.header().next.exists() || record.header().previous.exists();
}

Status BetweenGenerations(const std::string& name) {
  return Status::Error(StatusCode::kIncompatible,
                       "filter %s in Redis is between two generations, so no key can be removed: leave it in, for the "
                       "next one may not have it, and would give up another key",
                       Printable(name).c_str());
}

Status ServesNoMore(const std::string& name) {
  return Status::Error(StatusCode::kIncompatible,
                       "another generation of filter %s in Redis serves than the one that the keys are to be removed "
                       "from: nobody knows whether it has them, so do not remove them again",
                       Printable(name).c_str());
}

Status SomeStay(const std::string& name) {
  return Status::Error(StatusCode::kUnavailable,
                       "filter %s in Redis changed while keys were removed: remove again what failed",
                       Printable(name).c_str());
}

bool IsUndecided(RedisRemove outcome) { return outcome == RedisRemove::kFailed || outcome == RedisRemove::kUnknown; }

// What was sent is not known any more.
void Forget(RedisRemove* outcomes, size_t n) {
  std::replace_if(
      outcomes, outcomes + n, [](RedisRemove outcome) { return outcome != RedisRemove::kFailed; },
      RedisRemove::kUnknown);
}

// *goes_on means that an error is not that of all keys.
Status RemoveOneBatch(FilterRecord* record, uint64_t id, const uint64_t* hashes, size_t n, RedisRemove* outcomes,
                      bool* goes_on) {
  Router& router = record->router();
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    if (IsBetween(*record)) {  // perhaps no more
      const Status read = record->ReadHeader();
      if (!read.ok()) return read;
    }
    Status status = CheckGivesBack(*record);
    if (!status.ok()) return status;
    const bool serves = record->current().generation.id == id;
    if (!serves || IsBetween(*record)) {
      std::fill(outcomes, outcomes + n, RedisRemove::kUnknown);
      return serves ? BetweenGenerations(record->name()) : ServesNoMore(record->name());
    }
    RemoveBatch removals(record->current(), record->header().version, record->look(), hashes, n);
    status = removals.Run(&router, &record->batch());
    for (size_t i = 0; i < n; ++i) outcomes[i] = removals.OutcomeOf(i);
    const bool newer = removals.marks().AnyNewer(), other = removals.look().IsOther();
    const uint32_t* const lost = removals.marks().AnyLost();
    if (status.ok() && removals.OthersWereFaster()) status = OthersAreFaster(record->name());
    if (newer || other || lost != nullptr || (removals.look().IsSame() && record->MustReadAgain(status))) {
      const Status lost_shard = lost != nullptr ? LostShard(record->name(), record->current(), *lost) : Status();
      bool changed;
      const Status read = record->ReadHeaderAgain(newer, &changed);
      if (!removals.any_sent() && (changed || (other && read.ok()))) continue;
      if (!read.ok() || record->current().generation.id != id) {
        Forget(outcomes, n);
        return !read.ok() ? read : ServesNoMore(record->name());
      }
      if (status.ok()) status = lost_shard;
    } else if (!removals.look().IsSame()) {  // status tells why
      Forget(outcomes, n);
      return status;
    }
    *goes_on = OthersMayAnswer(router, status);
    if (status.ok() && std::any_of(outcomes, outcomes + n, IsUndecided)) return SomeStay(record->name());
    return status;
  }
  return TooManyGenerations(record->name());
}

}  // namespace

Status Remove(FilterRecord* record, uint64_t generation, const uint64_t* hashes, size_t n, RedisRemove* outcomes) {
  if (generation == 0) generation = record->header().current.id;
  if (outcomes != nullptr) std::fill(outcomes, outcomes + n, RedisRemove::kFailed);
  std::vector<RedisRemove> part;
  Status first;
  for (size_t begin = 0; begin < n;) {
    const size_t count = std::min(n - begin, BlockKeysAtOnce(record->current().generation.num_blocks()));
    part.assign(count, RedisRemove::kFailed);
    bool goes_on = false;
    const Status status = RemoveOneBatch(record, generation, hashes + begin, count, part.data(), &goes_on);
    if (outcomes != nullptr) std::copy(part.begin(), part.end(), outcomes + begin);
    if (first.ok()) first = status;
    begin += count;
    if (status.ok() || goes_on) continue;
    // What is true of the generation is true of the other keys, too: they must not be removed from a later one.
    const bool leave = status.code() == StatusCode::kIncompatible && part[0] == RedisRemove::kUnknown;
    if (leave && outcomes != nullptr) std::fill(outcomes + begin, outcomes + n, RedisRemove::kUnknown);
    break;
  }
  return first;
}

}  // namespace linefilter::redis_internal
