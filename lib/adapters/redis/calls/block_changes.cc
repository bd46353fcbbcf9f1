#include "lib/adapters/redis/calls/block_changes.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "linefilter/remote_body.h"

namespace linefilter::redis_internal {
namespace {

// One script has so many blocks; more gain nothing and keep the server from others.
constexpr size_t kBlocksAtOnce = 64;

// ARGV has four words for each block: its first and last byte, what was read, and what it becomes. The answer has the
// place and the bytes of each block that is another one by now. Offsets come as text: Lua would write large ones as
// 1e8.
constexpr char kWriteIfSame[] =
    "local call, shard, words, differing = redis.call, KEYS[1], ARGV, {}\n"
    "for i = 1, #words, 4 do\n"
    "  local first = words[i]\n"
    "  local now = call('GETRANGE', shard, first, words[i + 1])\n"
    "  if now == words[i + 2] then call('SETRANGE', shard, first, words[i + 3])\n"
    "  else differing[#differing + 1] = (i - 1) / 4; differing[#differing + 1] = now end\n"
    "end\n"
    "return differing";

}  // namespace

size_t BlockKeysAtOnce(uint64_t num_blocks) {
  constexpr uint64_t kLeast = 64, kMost = 4096, kBlocksPerKey = 64;
  return static_cast<size_t>(std::min(std::max(num_blocks / kBlocksPerKey, kLeast), kMost));
}

bool BlockRounds::Next() {
  constexpr int kMost = 100, kFirstWithPause = 8;
  constexpr uint64_t kFirstPauseUs = 50, kMostPauseUs = 5000;
  if (num_rounds_ == kMost) return false;
  if (num_rounds_++ < kFirstWithPause) return true;
  const int doublings = std::min(num_rounds_ - kFirstWithPause, 10);
  const uint64_t most = std::min(kFirstPauseUs << doublings, kMostPauseUs);
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const uint64_t chance = static_cast<uint64_t>(now) * 0x9E3779B97F4A7C15u >> 40;  // 24 bits
  std::this_thread::sleep_for(std::chrono::microseconds(most * chance >> 24));
  return true;
}

BlockChanges::BlockChanges(const Shards& shards, const uint64_t* hashes, size_t n, Change change,
                           const std::vector<bool>* stopped)
    : shards_(&shards),
      hashes_(hashes),
      change_(change),
      block_bytes_(static_cast<size_t>(shards.generation.block_bytes())),
      block_of_(n, kNone),
      changed_(n) {
  std::vector<std::pair<uint64_t, uint32_t>> keys;
  keys.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    uint64_t block;
    if (stopped != nullptr && !stopped->empty() && (*stopped)[i]) continue;
    if (BlocksOfHash(shards.facts, hashes[i], &block) == 1) keys.emplace_back(block, static_cast<uint32_t>(i));
  }
  std::sort(keys.begin(), keys.end());
  for (size_t k = 0; k < keys.size(); ++k) {
    const auto [number, i] = keys[k];
    if (k == 0 || keys[k - 1].first != number) {
      Block block = {};
      const uint64_t byte = number * block_bytes_;
      block.shard = static_cast<uint32_t>(shards.ShardOfByte(byte));
      block.offset = byte - shards.BeginOfShard(block.shard);
      block.first_key = static_cast<uint32_t>(k);
      blocks_.push_back(block);
    }
    ++blocks_.back().num_keys;
    order_.push_back(i);
    block_of_[i] = static_cast<uint32_t>(blocks_.size() - 1);
  }
}

void BlockChanges::AddReads(Marks* marks, Batch* batch) {
  is_reading_ = true;
  first_ = batch->size();
  commands_.clear();
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    marks->Touch(block.shard);
    commands_.push_back({static_cast<uint32_t>(b), 1});
    batch->AddGetRange(shards_->keys[block.shard], Kind::kRead, block.offset, block_bytes_);
  }
}

// Changes a block by all of its keys, in the order in which they came.
bool BlockChanges::IsChanged(Block* block) {
  memcpy(block->now, block->was, block_bytes_);
  for (uint32_t k = block->first_key; k < block->first_key + block->num_keys; ++k) {
    const uint32_t i = order_[k];
    changed_[i] = change_ == Change::kInsert ? InsertHashIntoBlock(shards_->facts, block->now, hashes_[i])
                                             : RemoveHashFromBlock(shards_->facts, block->now, hashes_[i]);
  }
  return memcmp(block->now, block->was, block_bytes_) != 0;
}

size_t BlockChanges::AddWrites(bool all, Batch* batch) {
  is_reading_ = false;
  first_ = batch->size();
  commands_.clear();
  to_write_.clear();
  for (size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    if (block.state != State::kRead && block.state != State::kDiffers) continue;
    if (IsChanged(&block) || all) {
      to_write_.push_back(static_cast<uint32_t>(b));
    } else {
      block.state = State::kLeft;
    }
  }
  for (size_t first = 0, end; first < to_write_.size(); first = end) {
    const uint32_t shard = blocks_[to_write_[first]].shard;
    for (end = first + 1; end < to_write_.size() && end - first < kBlocksAtOnce; ++end) {
      if (blocks_[to_write_[end]].shard != shard) break;
    }
    AddScript(first, end - first, batch);
  }
  return to_write_.size();
}

bool BlockChanges::AnyDiffers() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.state == State::kDiffers; });
}

void BlockChanges::AddScript(size_t first, size_t num_blocks, Batch* batch) {
  const RedisKey& key = shards_->keys[blocks_[to_write_[first]].shard];
  commands_.push_back({static_cast<uint32_t>(first), static_cast<uint32_t>(num_blocks)});
  batch->Add(key, change_ == Change::kInsert ? Kind::kInsert : Kind::kOnce, static_cast<uint32_t>(4 + 4 * num_blocks),
             static_cast<uint32_t>(num_blocks * block_bytes_));
  batch->Arg("EVAL");
  batch->Arg(kWriteIfSame);
  batch->Arg(1);
  batch->Arg(key.name);
  for (size_t w = first; w < first + num_blocks; ++w) {
    Block& block = blocks_[to_write_[w]];
    block.state = State::kSent;
    batch->Arg(block.offset);
    batch->Arg(block.offset + block_bytes_ - 1);
    batch->Arg(std::string_view(reinterpret_cast<const char*>(block.was), block_bytes_));
    batch->Arg(std::string_view(reinterpret_cast<const char*>(block.now), block_bytes_));
  }
}

// It may be called again for a command, and then the later reply counts.
void BlockChanges::OnReply(size_t command, const Reply& reply) {
  const Command& sent = commands_[command - first_];
  if (is_reading_) {
    Block& block = blocks_[sent.first];
    block.state = State::kUnread;  // if it is shorter, its shard has no mark, either
    if (reply.text().size() != block_bytes_) return;
    memcpy(block.was, reply.text().data(), block_bytes_);
    block.state = State::kRead;
    return;
  }
  for (uint32_t w = sent.first; w < sent.first + sent.num_blocks; ++w) {
    blocks_[to_write_[w]].state = reply.is_array() ? State::kWritten : State::kUnknown;
  }
  for (size_t r = 0; r + 1 < reply.size(); r += 2) {
    const int64_t place = reply[r].integer();
    if (!reply[r].is_integer() || place < 0 || place >= int64_t{sent.num_blocks}) continue;
    Block& block = blocks_[to_write_[sent.first + static_cast<size_t>(place)]];
    const std::string_view now = reply[r + 1].text();
    block.state = now.size() == block_bytes_ ? State::kDiffers : State::kUnread;  // its shard is gone
    if (block.state == State::kDiffers) memcpy(block.was, now.data(), block_bytes_);
  }
}

void BlockChanges::OnError(size_t command) {
  const Command& sent = commands_[command - first_];
  if (is_reading_) {
    blocks_[sent.first].state = State::kUnread;
    return;
  }
  for (uint32_t w = sent.first; w < sent.first + sent.num_blocks; ++w) {
    State& state = blocks_[to_write_[w]].state;
    if (state != State::kRefused) state = State::kUnknown;
  }
}

void BlockChanges::OnRefused(size_t command) {
  const Command& sent = commands_[command - first_];
  for (uint32_t w = sent.first; w < sent.first + sent.num_blocks; ++w) blocks_[to_write_[w]].state = State::kRefused;
}

BlockChanges::Found BlockChanges::StateOf(size_t i) const {
  switch (blocks_[block_of_[i]].state) {
    case State::kLeft:
      return Found::kLeft;
    case State::kWritten:
      return Found::kWritten;
    case State::kSent:
    case State::kUnknown:
      return Found::kUnknown;
    default:
      return Found::kNothing;
  }
}

}  // namespace linefilter::redis_internal
