#include "lib/adapters/redis/calls/sentences.h"

#include "lib/adapters/redis/record/names.h"

namespace linefilter::redis_internal {

Status NameTaken(const std::string& name) {
  return Status::Error(StatusCode::kIncompatible,
                       "the name %s is taken in Redis: open that filter, delete it, or choose another name",
                       Printable(name).c_str());
}

Status LostShard(const std::string& name, const Shards& shards, uint64_t shard) {
  return Status::Error(
      StatusCode::kCorrupt,
      "shard %llu of filter %s in Redis (%llu bytes) is not whole: the server lost it (evicted, flushed, restarted?), "
      "so nothing there is absent: make the filter anew of the exact source",
      static_cast<unsigned long long>(shard), Printable(name).c_str(),
      static_cast<unsigned long long>(shards.BytesOfShard(shard)));
}

// They have a time to live until they are kept, so that volatile-* policies take them, too.
Status LostWhileMade(const std::string& name, const Shards& shards, uint64_t shard) {
  return Status::Error(
      StatusCode::kOverLimit,
      "shard %llu of filter %s in Redis (%llu bytes) was lost while it was made (evicted?): give the server more "
      "memory, or maxmemory-policy noeviction, and do it again",
      static_cast<unsigned long long>(shard), Printable(name).c_str(),
      static_cast<unsigned long long>(shards.BytesOfShard(shard)));
}

Status OlderThanShards(const std::string& name) {
  return Status::Error(StatusCode::kCorrupt,
                       "the header record of filter %s in Redis is older than its shards: it was put back (failover? "
                       "backup?), so nothing is absent: make the filter anew of the exact source",
                       Printable(name).c_str());
}

Status TooManyGenerations(const std::string& name) {
  return Status::Error(StatusCode::kUnavailable,
                       "the generations of filter %s in Redis change faster than they can be asked: ask again",
                       Printable(name).c_str());
}

Status OthersAreFaster(const std::string& name) {
  return Status::Error(StatusCode::kUnavailable,
                       "other writers change the same blocks of filter %s in Redis faster than this one: do again what "
                       "failed, or let fewer write at once",
                       Printable(name).c_str());
}

}  // namespace linefilter::redis_internal
