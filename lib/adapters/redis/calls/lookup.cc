// Lookups look at the header record, get the block of each key by GETRANGE, tested here, and then the marks. All of it
// is done again if one of these says that the record has changed.
#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/record/marks.h"
#include "lib/adapters/redis/record/record_look.h"

namespace linefilter::redis_internal {
namespace {

// A lone server works on the first keys of a batch while the client adds others. Pieces of 64 are no faster.
constexpr size_t kAddedAtOnce = 256;

// Lookups has the answers of one batch, of one generation. They count as far as Marks are good and the record the same.
class Lookups final : public ReplyHandler {
 public:
  Lookups(const Shards& shards, uint64_t version, const RecordLook& look, const uint64_t* hashes, size_t n)
      : shards_(shards), hashes_(hashes), n_(n), marks_(shards, version), look_(look), answers_(n, 0) {
    const Generation& generation = shards.generation;
    const LayoutFacts facts = FactsOf(generation.layout);
    block_bytes_ = facts.block_bytes;
    by_bits_ = block_bytes_ == 0;
    per_key_ = facts.has_stages ? generation.stages.size() : 1;
  }

  bool AddMore(Batch* batch) override {
    const size_t end = std::min(n_, num_added_ + kAddedAtOnce);
    for (; num_added_ < end; ++num_added_) {
      if (by_bits_) {
        AddBits(hashes_[num_added_], batch);
      } else {
        AddBlocks(hashes_[num_added_], batch);
      }
    }
    if (num_added_ < n_) return true;
    marks_.AddChecks(batch);
    look_.AddTo(batch);
    return false;
  }
  // How large the batch will be, from what was added: a check is about as large as a lookup.
  uint64_t BytesOfAll(const Batch& batch) const {
    const size_t num_checks = std::min(n_, shards_.keys.size()) + 1;
    return batch.num_bytes() * (n_ + num_checks) / num_added_;
  }

  void OnReply(size_t command, const Reply& reply) override {
    if (marks_.Has(command)) {
      marks_.OnReply(command, reply);
      return;
    }
    if (look_.Has(command)) {
      look_.OnReply(reply);
      return;
    }
    const size_t i = command / per_key_, stage = command % per_key_;
    if (by_bits_) {
      answers_[i] = ClassicAnswer(reply);
      return;
    }
    const std::string_view block = reply.text();
    if (block.size() != block_bytes_) {  // a string that is shorter has no mark in its place, either
      answers_[i] = kUnanswered;
      return;
    }
    answers_[i] |= uint8_t{BlockMayContainHash(shards_.facts, stage, block.data(), hashes_[i])};
  }
  void OnError(size_t command, const Status&) override {
    if (marks_.Has(command)) {
      marks_.OnError(command);
    } else if (look_.Has(command)) {
      look_.OnError();
    } else {
      answers_[command / per_key_] = kUnanswered;
    }
  }

  const Marks& marks() const { return marks_; }
  const RecordLook& look() const { return look_; }

  void Take(uint8_t* answers) const {
    for (size_t i = 0; i < n_; ++i)
      answers[i] = num_added_ == n_ && look_.IsSame() && AllGood(i) ? answers_[i] : kUnanswered;
  }

 private:
  void AddBlocks(uint64_t hash, Batch* batch) {
    uint64_t blocks[kMaxBodyStages];
    const size_t n = BlocksOfHash(shards_.facts, hash, blocks);
    for (size_t stage = 0; stage < n; ++stage) {
      const uint64_t byte = blocks[stage] * block_bytes_, shard = shards_.ShardOfByte(byte);
      marks_.Touch(shard);
      batch->AddGetRange(shards_.keys[static_cast<size_t>(shard)], Kind::kRead, byte - shards_.BeginOfShard(shard),
                         block_bytes_);
    }
  }
  void AddBits(uint64_t hash, Batch* batch) {
    uint64_t positions[kMaxPositions];
    const size_t n = PositionsOfHash(shards_.facts, hash, positions);
    for (size_t i = 0; i < n; ++i) positions[i] = RedisBit(positions[i]);
    batch->AddGetBits(shards_.keys[0], Kind::kRead, positions, n);
    marks_.Touch(0);
  }

  uint8_t ClassicAnswer(const Reply& reply) const {
    if (!reply.is_array() || reply.size() == 0) return kUnanswered;
    for (size_t i = 0; i < reply.size(); ++i) {
      if (!reply[i].is_integer()) return kUnanswered;
      if (reply[i].integer() == 0) return 0;
    }
    return 1;
  }

  bool AllGood(size_t i) const {
    if (by_bits_) return marks_.IsGood(0);
    uint64_t blocks[kMaxBodyStages];
    const size_t n = BlocksOfHash(shards_.facts, hashes_[i], blocks);
    for (size_t stage = 0; stage < n; ++stage) {
      if (!marks_.IsGood(shards_.ShardOfByte(blocks[stage] * block_bytes_))) return false;
    }
    return n != 0;
  }

  const Shards& shards_;
  const uint64_t* const hashes_;
  const size_t n_;
  size_t num_added_ = 0;
  Marks marks_;
  RecordLook look_;
  std::vector<uint8_t> answers_;
  uint64_t block_bytes_;
  bool by_bits_;
  size_t per_key_;
};

// *moved means that another generation serves now, and all must be asked of it.
Status AskOneGeneration(FilterRecord* record, const uint64_t* hashes, size_t n, uint8_t* answers, bool* moved) {
  const uint64_t id = record->current().generation.id;
  const size_t at_once = KeysAtOnce(record->current().keys.size());
  Status first;
  int tries = 0;
  for (size_t begin = 0; begin < n;) {
    const size_t count = std::min(n - begin, at_once);
    Lookups lookups(record->current(), record->header().version, record->look(), hashes + begin, count);
    record->batch().Clear();
    Batch& batch = record->batch();
    Status status = lookups.AddMore(&batch) ? record->router().RunGrowing(&batch, lookups.BytesOfAll(batch), &lookups)
                                            : record->router().Run(batch, &lookups);
    lookups.Take(answers + begin);
    const uint32_t* const lost = lookups.marks().AnyLost();
    const bool newer = lookups.marks().AnyNewer(), other = lookups.look().IsOther();
    bool goes_on = lookups.look().IsSame() && OthersMayAnswer(record->router(), status);
    if (newer || other || lost != nullptr || (lookups.look().IsSame() && record->MustReadAgain(status))) {
      const Status lost_shard = lost != nullptr ? LostShard(record->name(), record->current(), *lost) : Status();
      bool changed;
      const Status read = record->ReadHeaderAgain(newer, &changed);  // the shards that `lookups` knows may be gone now
      if (changed || !read.ok()) std::fill(answers + begin, answers + begin + count, kUnanswered);
      *moved = changed && record->current().generation.id != id;
      if (*moved) return Status();
      if (changed || (other && read.ok())) {
        if (++tries >= kMostGenerations) return TooManyGenerations(record->name());
        continue;
      }
      goes_on = goes_on && read.ok();
      if (status.ok()) status = read.ok() ? lost_shard : read;  // ok, if neither
    }
    if (first.ok()) first = status;
    if (!status.ok() && !goes_on) return first;
    begin += count;
  }
  return first;
}

}  // namespace

bool OthersMayAnswer(const Router& router, const Status& run) {
  return run.ok() || run.code() == StatusCode::kCorrupt || router.is_cluster();
}

Status Ask(FilterRecord* record, const uint64_t* hashes, size_t n, uint8_t* answers) {
  std::fill(answers, answers + n, kUnanswered);
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    bool moved = false;
    const Status status = AskOneGeneration(record, hashes, n, answers, &moved);
    if (!moved) return status;
    std::fill(answers, answers + n, kUnanswered);
  }
  return TooManyGenerations(record->name());
}

}  // namespace linefilter::redis_internal
