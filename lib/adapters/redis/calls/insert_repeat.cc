// A batch of insertions is repeated if bits may be missing that it read to be set, and left out: a connection was made
// after the read, perhaps to another server. What it wrote is there. Where a key that is written twice counts twice, it
// is not written again.
#include <algorithm>

#include "lib/adapters/redis/calls/insert_batch.h"

namespace linefilter::redis_internal {

bool InsertBatch::AnyLeftOut() const {
  return std::any_of(targets_.begin(), targets_.end(), [](const Target& target) {
    const auto is_left_out = [](const KeyState& key) { return key.is_left_out(); };
    return std::any_of(target.keys.begin(), target.keys.end(), is_left_out);
  });
}

InsertBatch::Counted InsertBatch::WhatCounts() const {
  Counted counted(targets_.size());
  for (size_t t = 0; t < targets_.size(); ++t) {
    const Target& target = targets_[t];
    counted[t].resize(n_);
    if (!FactsOf(target.shards->facts.layout, target.shards->facts.num_probes).gives_back) continue;
    for (size_t i = 0; i < n_; ++i) {
      counted[t][i] = target.keys[i].written && !LeftOut(t, i) && target.marks.IsGood(target.keys[i].shard);
    }
  }
  return counted;
}

void InsertBatch::LeaveOut(const Counted& before) {
  for (size_t t = 0; t < before.size(); ++t) {
    for (size_t i = 0; i < n_; ++i) {
      KeyState& key = targets_[t].keys[i];
      key.counted = key.written = before[t][i];
      if (key.counted) key.shard = ShardOf(*targets_[t].shards, i);
    }
  }
}

}  // namespace linefilter::redis_internal
