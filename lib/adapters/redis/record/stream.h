// A StreamAppend brings the hashes of a batch of insertions into the stream of a filter that others follow
// (linefilter/redis_cached.h). It comes after the bits, so that whoever finds the hash in the stream, or does not find
// it there any more, finds the bits (doc/REDIS.md section 8).
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_STREAM_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_STREAM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/adapters/redis/wire/batch.h"
#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {

class StreamAppend {
 public:
  StreamAppend() = default;  // nobody follows: nothing is appended
  StreamAppend(const RedisKey& key, uint64_t kept_keys) : key_(&key), kept_keys_(kept_keys) {}

  bool is_wanted() const { return key_ != nullptr; }
  // One entry for all of them. Entries beyond kept_keys go, if all were as large as this one.
  void AddTo(Batch* batch, const uint64_t* hashes, size_t n);
  // Call this before other batches, whose commands have the same numbers.
  void Forget() { command_ = ~size_t{0}; }
  bool Has(size_t command) const { return command == command_; }
  // Nil says that nobody follows now: the stream is made by the first one who does.
  void OnReply() { is_done_ = true; }
  void OnError() { is_done_ = false; }
  // Whether whoever follows will hear of the batch.
  bool is_done() const { return is_done_ || !is_wanted(); }

 private:
  const RedisKey* key_ = nullptr;
  uint64_t kept_keys_ = 0;
  size_t command_ = ~size_t{0};
  bool is_done_ = false;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_STREAM_H_
