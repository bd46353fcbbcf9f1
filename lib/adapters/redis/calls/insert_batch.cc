#include "lib/adapters/redis/calls/insert_batch.h"

#include <algorithm>

namespace linefilter::redis_internal {
namespace {

// A block that is read costs a server 0.47 us, a bit that is set 0.19 (doc/DESIGN.md). Where fewer bits of a key than
// this are set already, reading them first costs more than it saves.
constexpr double kLeastBitsSet = 2.5;
// Where older stages have fewer of the keys than this, they fill the newest one faster by no more.
constexpr double kFewInStages = 1.0 / 16;
constexpr double kAskedToLearn = 64;  // single keys tell little each
// A round trip more is nothing beside the work for so many keys.
constexpr size_t kFewKeys = 64;
// One command has so many; more gain nothing and keep the server from others.
constexpr size_t kPositionsAtOnce = 64;

// This is atomic where it matters: a shard that is whole is left alone.
constexpr char kUnlinkJunk[] =
    "local m = redis.call('GETRANGE', KEYS[1], ARGV[1], -1)\n"
    "if #m == 16 and string.sub(m, 1, 8) == 'lfshard1' and string.sub(m, 9) ~= string.rep('\\0', 8) then return 0 end\n"
    "return redis.call('UNLINK', KEYS[1])";

class Ignore final : public ReplyHandler {
 public:
  void OnReply(size_t, const Reply&) override {}
};

}  // namespace

InsertBatch::InsertBatch(const std::vector<Shards*>& targets, uint64_t version, const RecordLook& look,
                         const StreamAppend& append, const uint64_t* hashes, size_t n, bool writes_all,
                         const Counted& before, const std::vector<uint64_t>& written_before, bool tells_new)
    : look_(look),
      append_(append),
      written_before_(written_before),
      hashes_(hashes),
      n_(n),
      now_(std::chrono::steady_clock::now()),
      may_leave_out_(!writes_all && before.empty()) {
  for (Shards* shards : targets) {
    targets_.emplace_back(shards, version, n);
    Target& target = targets_.back();
    const LayoutFacts facts = FactsOf(shards->facts.layout);
    target.changes_blocks = ChangesBlocks(shards->facts.layout);
    has_changes_ = has_changes_ || target.changes_blocks;
    const bool pays = n >= kFewKeys && shards->learned.bits_set >= kLeastBitsSet;
    target.reads_first = facts.block_bytes != 0 && facts.has_positions && may_leave_out_ && pays;
    // One that forgets must have the key in its newest stage: it lives on from there.
    target.asks_stages_first = shards->facts.num_stages > 1 && Grows(*shards) && may_leave_out_;
    target.asks_few = !tells_new && shards->learned.in_stages <= kFewInStages;
  }
  LeaveOut(before);
}

void InsertBatch::AddRead(size_t target, size_t i, size_t stage, uint64_t block, Batch* batch) {
  const Shards& shards = *targets_[target].shards;
  const uint64_t block_bytes = shards.generation.block_bytes(), byte = block * block_bytes;
  const uint64_t shard = shards.ShardOfByte(byte);
  targets_[target].marks.Touch(shard);
  commands_.push_back({static_cast<uint32_t>(i), 0, static_cast<uint32_t>(stage), static_cast<uint32_t>(target)});
  batch->AddGetRange(shards.keys[static_cast<size_t>(shard)], Kind::kRead, byte - shards.BeginOfShard(shard),
                     block_bytes);
}

void InsertBatch::AddWrite(size_t target, size_t i, Batch* batch) {
  if (IsStopped(i)) return;
  Target& to = targets_[target];
  const Shards& shards = *to.shards;
  KeyState& key = to.keys[i];
  uint64_t positions[kMaxPositions];
  const size_t n = PositionsOfHash(shards.facts, hashes_[i], positions);  // > 0: read-only layouts do not come here
  const uint64_t shard = shards.ShardOfByte(positions[0] / 8);
  key.shard = static_cast<uint32_t>(shard);
  to.marks.Touch(shard);
  if (to.reads_first && !key.was_read) return;
  key.is_in_stages = to.asks_stages_first && key.maybe_in_stages && !key.unanswered;
  if (key.is_in_stages) {
    key.written = true;  // the older ones keep it
    return;
  }
  if (std::binary_search(to.lost.begin(), to.lost.end(), key.shard)) return;
  Pending& pending = to.pending[key.shard];
  const uint64_t first = shards.BeginOfShard(shard) * 8;
  uint32_t missing = 0;
  for (size_t p = 0; p < n; ++p) {
    if ((key.present >> p & 1) != 0) continue;
    pending.positions.push_back(RedisBit(positions[p] - first));
    ++missing;
  }
  to.num_keys += 1;
  if (to.reads_first) to.num_set += n - missing;
  if (missing == 0) {
    key.written = true;  // by others, before
    return;
  }
  pending.writes.push_back({static_cast<uint32_t>(i), missing});
  if (pending.positions.size() >= kPositionsAtOnce) Flush(target, key.shard, &pending, batch);
}

// One command takes the bits of several keys: a command of its own for each costs the server more than the bits.
void InsertBatch::Flush(size_t target, uint32_t shard, Pending* to_write, Batch* batch) {
  const Shards& shards = *targets_[target].shards;
  Pending& pending = *to_write;
  if (pending.writes.empty()) return;
  const RedisKey& key = shards.keys[shard];
  commands_.push_back({static_cast<uint32_t>(writes_.size()), static_cast<uint32_t>(pending.writes.size()), 0,
                       static_cast<uint32_t>(target)});
  writes_.insert(writes_.end(), pending.writes.begin(), pending.writes.end());
  batch->AddSetBits(key, Kind::kInsert, pending.positions.data(), pending.positions.size());
  pending.writes.clear();
  pending.positions.clear();
}

void InsertBatch::MakeChanges() {
  for (Target& target : targets_) {
    if (!target.changes_blocks) continue;
    std::vector<bool> passed_over(n_);
    for (size_t i = 0; i < n_; ++i) {
      const KeyState& key = target.keys[i];
      passed_over[i] = key.counted || IsStopped(i);
      if (key.counted && !IsStopped(i)) target.marks.Touch(key.shard);
    }
    target.changes =
        std::make_unique<BlockChanges>(*target.shards, hashes_, n_, BlockChanges::Change::kInsert, &passed_over);
  }
}

void InsertBatch::AddAllChecks(Batch* batch) {
  for (Target& target : targets_) target.marks.AddChecks(batch);
  look_.AddTo(batch);
}

bool InsertBatch::ReadFirst(Router* router, Batch* batch, Status* status) {
  batch->Clear();
  for (size_t t = 0; t < targets_.size(); ++t) {
    const Target& target = targets_[t];
    if (!target.reads_first && !target.asks_stages_first) continue;
    for (size_t i = 0; i < n_; ++i) AddReads(t, i, target.reads_first, batch);
  }
  for (Target& target : targets_) {
    if (target.changes != nullptr) target.changes->AddReads(&target.marks, batch);
  }
  if (has_changes_) AddAllChecks(batch);
  if (batch->size() != 0) *status = router->Run(*batch, this);
  if (!has_changes_) return true;
  const auto is_newer = [](const Target& target) { return target.marks.AnyNewer(); };
  return look_.IsSame() && std::none_of(targets_.begin(), targets_.end(), is_newer);
}

bool InsertBatch::AnyDiffers() const {
  return std::any_of(targets_.begin(), targets_.end(),
                     [](const Target& target) { return target.changes != nullptr && target.changes->AnyDiffers(); });
}

size_t InsertBatch::AddChangedBlocks(Batch* batch) {
  size_t num_blocks = 0;
  for (Target& target : targets_) {
    if (target.changes != nullptr) num_blocks += target.changes->AddWrites(!may_leave_out_, batch);
  }
  return num_blocks;
}

Status InsertBatch::Run(Router* router, Batch* batch) {
  Status first, read;
  if (!LookFirst(router, batch, &first)) return first;
  const uint64_t connections = router->num_connections();
  MakeChanges();
  if (!ReadFirst(router, batch, &read)) return !first.ok() ? first : read;

  batch->Clear();
  commands_.clear();
  for (size_t t = 0; t < targets_.size(); ++t) {
    if (targets_[t].changes_blocks) continue;
    for (size_t i = 0; i < n_; ++i) {
      if (!targets_[t].reads_first && !targets_[t].asks_stages_first) AddReads(t, i, false, batch);
      AddWrite(t, i, batch);
    }
    for (auto& [shard, pending] : targets_[t].pending) Flush(t, shard, &pending, batch);
  }
  AddChangedBlocks(batch);
  // On one connection it comes after the bits, unless these are tried again. Nodes of a cluster do not wait for each
  // other.
  if (!router->is_cluster() && append_.is_wanted()) append_.AddTo(batch, hashes_, n_);
  AddAllChecks(batch);
  any_sent_ = true;
  Status written = router->Run(*batch, this);
  is_replicated_ = router->is_replicated();
  const bool was_tried_again = router->was_tried_again();
  append_.Forget();
  if (has_changes_) {
    const Status again = WriteWhatDiffers(router, batch);
    if (written.ok()) written = again;
    TakeChanges();
  }
  if ((router->is_cluster() || was_tried_again) && append_.is_wanted()) {
    const Status told = Append(router, batch);
    if (written.ok()) written = told;
  }
  if (router->is_cluster() || was_tried_again) LookLast(router, batch);
  may_miss_bits_ = router->num_connections() != connections && AnyLeftOut();
  Learn();
  return !first.ok() ? first : !read.ok() ? read : written;
}

Status InsertBatch::Append(Router* router, Batch* batch) {
  batch->Clear();
  append_.AddTo(batch, hashes_, n_);
  const Status status = router->Run(*batch, this);
  append_.Forget();
  is_replicated_ = is_replicated_ && router->is_replicated();
  return status;
}

Status InsertBatch::WriteWhatDiffers(Router* router, Batch* batch) {
  Status first;
  commands_.clear();
  for (BlockRounds rounds; look_.IsSame();) {
    others_were_faster_ = AnyDiffers() && !rounds.Next();
    if (others_were_faster_) break;
    batch->Clear();
    if (AddChangedBlocks(batch) == 0) break;
    AddAllChecks(batch);
    const Status status = router->Run(*batch, this);
    is_replicated_ = is_replicated_ && router->is_replicated();
    if (first.ok()) first = status;
  }
  return first;
}

// What the blocks tell of each key.
void InsertBatch::TakeChanges() {
  for (Target& target : targets_) {
    if (target.changes == nullptr) continue;
    for (size_t i = 0; i < n_; ++i) {
      KeyState& key = target.keys[i];
      if (key.counted) continue;
      const BlockChanges::Found found = target.changes->FoundOf(i);
      key.shard = target.changes->ShardOf(i);
      key.written = found == BlockChanges::Found::kLeft || found == BlockChanges::Found::kWritten;
      key.was_new = key.written && target.changes->Changed(i);
      key.present = found == BlockChanges::Found::kLeft ? 1 : 0;  // see LeftOut
    }
  }
}

void InsertBatch::OnReply(size_t command, const Reply& reply) {
  if (append_.Has(command)) return append_.OnReply();
  for (Target& target : targets_) {
    if (!target.marks.Has(command)) continue;
    target.marks.OnReply(command, reply);
    return;
  }
  if (look_.Has(command)) {
    look_.OnReply(reply);
    return;
  }
  for (Target& target : targets_) {
    if (target.changes == nullptr || !target.changes->Has(command)) continue;
    target.changes->OnReply(command, reply);
    return;
  }
  const Command& sent = commands_[command];
  if (sent.num_writes == 0) {
    OnBlock(sent, reply);
  } else {
    OnBits(sent, reply);
  }
}

void InsertBatch::OnBlock(const Command& command, const Reply& reply) {
  Target& target = targets_[command.target];
  const BodyFacts& facts = target.shards->facts;
  KeyState& key = target.keys[command.first];
  const uint64_t hash = hashes_[command.first];
  const std::string_view block = reply.text();
  const bool newest = command.stage + 1 >= facts.num_stages;
  const uint64_t block_bytes = target.shards->generation.block_bytes();
  if (block.size() != block_bytes) {  // the string is shorter than it must be: it has no mark, either
    key.stages_good = false;
    return;
  }
  if (!newest) {
    const bool was_in = key.maybe_in_stages;
    key.maybe_in_stages = was_in || BlockMayContainHash(facts, command.stage, block.data(), hash);
    target.num_in_stages += key.maybe_in_stages && !was_in;
    return;
  }
  uint64_t positions[kMaxPositions];
  const size_t n = PositionsOfHash(facts, hash, positions);
  key.present = 0;
  for (size_t p = 0; p < n; ++p) {
    const uint64_t bit = positions[p] % (8 * block_bytes);
    if ((static_cast<uint8_t>(block[static_cast<size_t>(bit / 8)]) >> (bit % 8) & 1) != 0) key.present |= 1u << p;
  }
  key.was_read = true;
}

void InsertBatch::OnBits(const Command& command, const Reply& reply) {
  Target& target = targets_[command.target];
  size_t next = 0;
  for (uint32_t w = 0; w < command.num_writes; ++w) {
    const Write& write = writes_[command.first + w];
    if (!reply.is_array() || reply.size() < next + write.num_positions) return;
    KeyState& key = target.keys[write.key];
    uint32_t num_fresh = 0;
    for (uint32_t p = 0; p < write.num_positions; ++p) num_fresh += reply[next + p].integer() == 0;
    next += write.num_positions;
    key.was_new = num_fresh != 0;
    key.written = true;
    if (!target.reads_first) target.num_set += write.num_positions - num_fresh;
  }
}

// The next batch goes by this.
void InsertBatch::Learn() {
  for (Target& target : targets_) {
    Learned& learned = target.shards->learned;
    if (target.num_keys != 0) {
      learned.bits_set = static_cast<double>(target.num_set) / static_cast<double>(target.num_keys);
    }
    if (target.num_asked != 0) {
      const auto asked = static_cast<double>(target.num_asked);
      const double share = static_cast<double>(target.num_in_stages) / asked;
      learned.in_stages += (share - learned.in_stages) * std::min(1.0, asked / kAskedToLearn);
    }
    learned.seen_whole.resize(target.shards->keys.size());
    for (const uint32_t shard : target.marks.touched()) {
      const bool is_whole = target.marks.IsWhole(shard);
      if (is_whole) learned.last_whole = now_;  // the time of its beginning
      if (is_whole == learned.seen_whole[shard] || (!is_whole && !target.marks.IsLost(shard))) continue;
      learned.seen_whole[shard] = is_whole;
      learned.num_whole += is_whole ? 1 : size_t{0} - 1;
    }
  }
}

void InsertBatch::OnError(size_t command, const Status&) {
  if (append_.Has(command)) return append_.OnError();
  if (look_.Has(command)) look_.OnError();
  for (Target& target : targets_) {
    if (target.marks.Has(command)) target.marks.OnError(command);
    if (target.changes != nullptr && target.changes->Has(command)) target.changes->OnError(command);
  }
  if (command >= commands_.size()) return;  // these
  const Command& sent = commands_[command];
  std::vector<KeyState>& keys = targets_[sent.target].keys;
  if (sent.num_writes == 0) {
    keys[sent.first].stages_good = keys[sent.first].was_read = false;
    keys[sent.first].unanswered = true;
  }
  for (uint32_t w = 0; w < sent.num_writes; ++w) keys[writes_[sent.first + w].key].written = false;
}

bool InsertBatch::WasNew(size_t target, size_t i) const {
  const KeyState& key = targets_[target].keys[i];
  return key.was_new && key.stages_good && !key.maybe_in_stages && EveryStage(target, i, &Marks::IsWhole);
}

bool InsertBatch::AllWritten(size_t target) const {
  for (const KeyState& key : targets_[target].keys) {
    if (!key.written || !targets_[target].marks.IsWhole(key.shard)) return false;
  }
  return true;
}

bool InsertBatch::Acknowledged(size_t target, size_t i, bool vital) const {
  const KeyState& key = targets_[target].keys[i];
  const Marks& marks = targets_[target].marks;
  if (!vital && marks.IsLost(key.shard)) return true;
  return key.written && !key.unanswered && (vital ? EveryStage(target, i, &Marks::IsGood) : marks.IsGood(key.shard));
}

void InsertBatch::UnlinkJunk(Router* router, Batch* batch) {
  batch->Clear();
  for (const Target& target : targets_) {
    for (const uint32_t shard : target.marks.touched()) {
      if (!target.marks.IsLost(shard)) continue;
      const std::string mark_at = std::to_string(target.shards->MarkOffset(shard));
      batch->AddScript(target.shards->keys[shard], Kind::kWrite, kUnlinkJunk, {mark_at});
    }
  }
  if (batch->size() == 0) return;
  Ignore handler;
  (void)router->Run(*batch, &handler).ok();
}

}  // namespace linefilter::redis_internal
