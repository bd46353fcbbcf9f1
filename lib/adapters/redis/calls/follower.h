// A Follower brings a local copy of a filter up to date: by the stream of what was inserted, and where that was cut, or
// another generation serves, by downloading all of it (doc/REDIS.md section 8).
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FOLLOWER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/adapters/redis/calls/filter_record.h"
#include "linefilter/concurrent.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// It may throw std::bad_alloc.
class Follower {
 public:
  // The filter must have this hash: its keys are hashed so by the caller.
  Status Connect(const RedisServers& servers, std::string_view name, const KeyHash& key_hash, const HashSecret* secret);

  // Makes `filter` the whole filter as it was when this began, or later. Then catch up.
  Status Download(ConcurrentFilter* filter);
  // Inserts what was inserted since the last call of either, within `ms`, or with 0 within the time of administration.
  // *is_cut means that nobody can tell what that was: download all. After an error the next call goes on.
  Status CatchUp(uint32_t ms, KeyFilter* filter, bool* is_cut);

  // The bytes that all of this fetched: images, and entries of the stream.
  uint64_t num_bytes() const { return num_bytes_; }

 private:
  Status ReadSome(KeyFilter* filter, bool* is_cut, bool* is_more);
  Status FindLast();

  FilterRecord record_;
  uint64_t generation_ = 0;  // whose body was downloaded
  // A server that takes over may have bits whose entry it has not.
  uint64_t connection_ = 0;
  // The entry of the stream that was read last. As long as it is there, all that came since is there, too.
  std::string last_id_;
  uint64_t last_check_ = 0;  // of its hashes: a stream that was lost and made anew has others under the same id
  size_t entries_at_once_ = 0;
  uint64_t num_bytes_ = 0;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FOLLOWER_H_
