// This runs one command for each shard of a generation, in their order, many at once.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FOR_SHARDS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FOR_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/adapters/redis/calls/filter_record.h"
#include "lib/adapters/redis/record/shards.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

inline constexpr uint64_t kShardsAtOnce = 1024;
// Making a shard of 64 MiB takes a server some 20 ms: a reply must not wait for more than a few.
inline constexpr uint64_t kMadeAtOnce = 32;

class Integers final : public ReplyHandler {
 public:
  explicit Integers(size_t n) : values(n, kNone) {}
  void OnReply(size_t command, const Reply& reply) override {
    if (reply.is_integer()) values[command] = reply.integer();
  }
  void OnError(size_t, const Status&) override {}  // Run tells it

  static constexpr int64_t kNone = -1;
  std::vector<int64_t> values;
};

// `add` adds one command for the shard of that key, whose mark is at an offset, as text; `judge` gets its number and
// the integer that the command answered. It returns the first error; after a refusal, all are run.
template <class Add, class Judge>
Status ForShards(FilterRecord* record, const Shards& shards, uint64_t at_once, const Add& add, const Judge& judge) {
  Batch& batch = record->batch();
  Status first;
  const uint64_t n = shards.keys.size();
  for (uint64_t begin = 0; begin < n; begin += at_once) {
    const uint64_t end = n - begin < at_once ? n : begin + at_once;
    batch.Clear();
    for (uint64_t shard = begin; shard < end; ++shard) {
      add(&batch, shards.keys[static_cast<size_t>(shard)], std::to_string(shards.MarkOffset(shard)));
    }
    Integers integers(static_cast<size_t>(end - begin));
    const Status status = record->router().Run(batch, &integers);
    if (!status.ok()) return status;
    for (uint64_t shard = begin; shard < end; ++shard) {
      const Status judged = judge(shard, integers.values[static_cast<size_t>(shard - begin)]);
      if (first.ok() && !judged.ok()) first = judged;
    }
  }
  return first;
}

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FOR_SHARDS_H_
