// Insertions run one atomic command per key and generation, then the marks and a look at the header record. All of it
// is done again if one of these says that the record has changed.
//
// Where it pays, the blocks are read first and only the bits that are missing are set. That stays exact: bits never go
// from 1 to 0, so what is left out is set, and the later of two writers of a key finds all its bits set.
//
// A layout whose keys have no positions changes whole blocks (block_changes.h).
#include "lib/adapters/redis/calls/inserter.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/insert_batch.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/record/marks.h"
#include "lib/adapters/redis/record/names.h"
#include "lib/adapters/redis/record/record_look.h"

namespace linefilter::redis_internal {
namespace {

// This is what the first insertion of one key in one generation found, within one call.
enum Found : uint8_t { kNothingYet = 0, kWasKnown = 1, kWasNew = 2 };

// An insertion that is repeated, because the record changed meanwhile, finds its own bits. So the first answer of each
// generation is kept; of a container that of each stage that took keys.
struct FirstAnswers {
  uint64_t filled;  // Generation::filled_id
  std::vector<uint8_t> found;
  bool all_written;  // all keys were written, in shards that were whole
};

using AllFirstAnswers = std::deque<FirstAnswers>;

FirstAnswers& AnswersOf(const Generation& generation, size_t n, AllFirstAnswers* all) {
  for (FirstAnswers& answers : *all) {
    if (answers.filled == generation.filled_id()) return answers;
  }
  all->push_back({generation.filled_id(), std::vector<uint8_t>(n, kNothingYet), false});
  return all->back();
}

std::vector<uint64_t> FilledIn(const AllFirstAnswers& all) {
  std::vector<uint64_t> ids;
  for (const FirstAnswers& answers : all) ids.push_back(answers.filled);
  return ids;
}

// `for_good` means that what is written stays, as far as it was asked for.
void Take(const InsertBatch& insertions, const std::vector<Shards*>& targets, size_t n, bool for_good,
          AllFirstAnswers* all) {
  for (size_t t = 0; t < targets.size(); ++t) {
    FirstAnswers& answers = AnswersOf(targets[t]->generation, n, all);
    answers.all_written = answers.all_written || (for_good && insertions.AllWritten(t));
    for (size_t i = 0; i < n; ++i) {
      // The bits that were left out may be missing: the next writer of them finds the key to be new.
      if (insertions.may_miss_bits() && insertions.LeftOut(t, i)) continue;
      if (answers.found[i] == kNothingYet && insertions.Written(t, i)) {
        answers.found[i] = insertions.WasNew(t, i) ? kWasNew : kWasKnown;
      }
    }
  }
}

// The first shard whose mark says that it is lost, and its generation, if there is one; *newer: a mark knows a later
// record.
uint32_t FindLostShard(const InsertBatch& insertions, const std::vector<Shards*>& targets, const Shards** lost_in,
                       bool* newer) {
  uint32_t shard = 0;
  for (size_t t = 0; t < targets.size(); ++t) {
    *newer = *newer || insertions.marks(t).AnyNewer();
    const uint32_t* const lost = insertions.marks(t).AnyLost();
    if (lost == nullptr || *lost_in != nullptr) continue;
    *lost_in = targets[t];
    shard = *lost;
  }
  return shard;
}

// A client that wrote under several records may be judged by none of their generations alone: another writer may have
// been the first in any of them.
bool NewInAll(const AllFirstAnswers& all, size_t i) {
  return std::all_of(all.begin(), all.end(), [&](const FirstAnswers& first) { return first.found[i] == kWasNew; });
}

// The record was read after everything was written, and names no generation that was not: nothing need be done again.
bool AllWrittenIn(const Header& header, const AllFirstAnswers& all) {
  const std::vector<const Generation*> written = header.Written();
  return std::all_of(written.begin(), written.end(), [&](const Generation* generation) {
    return std::any_of(all.begin(), all.end(), [&](const FirstAnswers& first) {
      return first.filled == generation->filled_id() && first.all_written;
    });
  });
}

// Tells the outcomes of the keys that are acknowledged. A shard of another generation than a vital one that is lost
// stops nobody (doc/REDIS.md section 4). Generations that judge say whether a key was new.
template <class IsVital, class Judges>
void Acknowledge(const InsertBatch& insertions, const std::vector<Shards*>& targets, const IsVital& is_vital,
                 const Judges& judges, bool was_sent_once, AllFirstAnswers* firsts, size_t n, RedisInsert* outcomes) {
  for (size_t i = 0; i < n; ++i) {
    bool acknowledged = true, is_new = was_sent_once || NewInAll(*firsts, i);
    for (size_t t = 0; t < targets.size(); ++t) {
      acknowledged = acknowledged && insertions.Acknowledged(t, i, is_vital(t));
      is_new = is_new && (!judges(t) || AnswersOf(targets[t]->generation, n, firsts).found[i] == kWasNew);
    }
    if (acknowledged) outcomes[i] = is_new ? RedisInsert::kNew : RedisInsert::kKnown;
  }
}

size_t InsertedAtOnce(const FilterRecord& record) {
  const Header& header = record.header();
  size_t at_once = KeysAtOnce(record.current().keys.size());
  for (const Generation* generation : header.Written()) {
    if (!ChangesBlocks(generation->layout)) continue;
    at_once = std::min(at_once, BlockKeysAtOnce(generation->num_blocks()));
  }
  return at_once;
}

Status ReadOnly(const std::string& name) {
  return Status::Error(
      StatusCode::kIncompatible,
      "filter %s in Redis has a retrieval generation, which takes no keys: build an image of all keys, "
      "and bring that as the next generation",
      Printable(name).c_str());
}

Status GenerationGone(const std::string& name, uint64_t id) {
  return Status::Error(
      StatusCode::kIncompatible,
      "generation %016llx of filter %s in Redis is gone: it was switched or abandoned by somebody else",
      static_cast<unsigned long long>(id), Printable(name).c_str());
}

Status CameBack(const std::string& name) {
  return Status::Error(StatusCode::kUnavailable,
                       "a lost shard of filter %s in Redis came back meanwhile, or replies make no sense: insert again",
                       Printable(name).c_str());
}

}  // namespace

Status Inserter::Insert(uint64_t only, const uint64_t* hashes, size_t n, RedisInsert* outcomes) {
  if (outcomes != nullptr) std::fill(outcomes, outcomes + n, RedisInsert::kFailed);
  std::vector<RedisInsert> part;
  Status first;
  previous_is_lost_ = false;
  for (size_t begin = 0, count = 0; begin < n; begin += count) {
    count = std::min(grower_.RoomFor(only, n - begin), InsertedAtOnce(*record_));
    part.assign(count, RedisInsert::kFailed);
    bool goes_on = false;
    const Status status = InsertOneBatch(only, hashes + begin, count, outcomes != nullptr, part.data(), &goes_on);
    grower_.Count(only, count);
    if (outcomes != nullptr) std::copy(part.begin(), part.end(), outcomes + begin);
    if (first.ok()) first = status;
    if (!status.ok() && !goes_on) break;
  }
  if (previous_is_lost_) FinishForWhoDied();
  return first;
}

// The minute of `previous` is over and the record still names it: the client that left it died, and while it judges no
// key is new. Where it cannot be ended now, the insertions need not wait for it.
void Inserter::FinishForWhoDied() {
  constexpr std::chrono::seconds kPause{30};
  const auto now = std::chrono::steady_clock::now();
  if (finished_ != decltype(finished_)() && now - finished_ < kPause) return;
  finished_ = now;
  const Router::Once once(&record_->router());
  (void)ReadAndFinish(record_).ok();
}

// The generations that insertions go into: all, or `only` one.
Status Inserter::TargetsOf(uint64_t only, std::vector<Shards*>* targets) {
  for (Shards* shards : {&record_->current(), &record_->next(), &record_->previous()}) {
    if (shards->generation.exists() && (only == 0 || shards->generation.id == only)) targets->push_back(shards);
  }
  if (targets->empty()) return GenerationGone(record_->name(), only);
  for (const Shards* shards : *targets) {
    if (!TakesInsertions(shards->generation.layout)) return ReadOnly(record_->name());
  }
  return Status();
}

// tells_new means that somebody asks whether keys were new. *goes_on means that an error is not that of all keys.
Status Inserter::InsertOneBatch(uint64_t only, const uint64_t* hashes, size_t n, bool tells_new, RedisInsert* outcomes,
                                bool* goes_on) {
  Router& router = record_->router();
  AllFirstAnswers firsts;
  int times_sent = 0;
  InsertBatch::Counted counted;
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    std::vector<Shards*> targets;
    const Status have_targets = TargetsOf(only, &targets);
    if (!have_targets.ok()) return have_targets;
    // The next generation may serve by now.
    const bool is_told_of = only == 0 || only == record_->current().generation.id;
    InsertBatch insertions(
        targets, record_->header().version, record_->look(), is_told_of ? record_->append() : StreamAppend(), hashes, n,
        router.servers().wait_replicas != 0, std::exchange(counted, {}), FilledIn(firsts), tells_new);
    Status status = insertions.Run(&router, &record_->batch());
    const bool may_miss_bits = insertions.may_miss_bits();
    if (status.ok() && insertions.OthersWereFaster()) status = OthersAreFaster(record_->name());
    const bool reached_all = !insertions.any_sent() || (insertions.is_replicated() && insertions.is_told());
    const bool other = insertions.look().IsOther();
    bool newer = false;
    const Shards* lost_in = nullptr;
    const uint32_t lost = FindLostShard(insertions, targets, &lost_in, &newer);
    if (insertions.any_sent()) {
      Take(insertions, targets, n, !may_miss_bits && reached_all, &firsts);
      ++times_sent;
    }
    if (newer || other || lost_in != nullptr || (insertions.look().IsSame() && record_->MustReadAgain(status))) {
      if (lost_in != nullptr) insertions.UnlinkJunk(&router, &record_->batch());
      bool changed;
      const Status read = record_->ReadHeaderAgain(newer, &changed);
      if (changed && only == 0 && reached_all && !may_miss_bits && AllWrittenIn(record_->header(), firsts)) {
        for (size_t i = 0; i < n; ++i) outcomes[i] = NewInAll(firsts, i) ? RedisInsert::kNew : RedisInsert::kKnown;
        return Status();
      }
      if (changed || (other && read.ok())) continue;
      if (newer || !read.ok()) return read;  // none of it is acknowledged
      if (status.ok() && lost_in != nullptr && (lost_in == &record_->current() || only != 0)) {
        status = LostShard(record_->name(), *lost_in, lost);
      }
    }
    if (!reached_all || !insertions.look().IsSame()) return status;  // not ok, either
    if (may_miss_bits) {
      counted = insertions.WhatCounts();
      continue;
    }

    *goes_on = OthersMayAnswer(router, status);
    const auto is_vital = [&](size_t t) { return only != 0 || targets[t] == &record_->current(); };
    const auto judges = [&](size_t t) { return is_vital(t) || targets[t] == &record_->previous(); };
    Acknowledge(insertions, targets, is_vital, judges, times_sent == 1, &firsts, n, outcomes);
    if (status.ok() && std::count(outcomes, outcomes + n, RedisInsert::kFailed) != 0) return CameBack(record_->name());
    previous_is_lost_ = previous_is_lost_ || lost_in == &record_->previous();
    return status;
  }
  return TooManyGenerations(record_->name());
}

}  // namespace linefilter::redis_internal
