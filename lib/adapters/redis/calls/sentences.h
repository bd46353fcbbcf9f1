// These are the sentences that several calls say of the filter `name` when they fail.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SENTENCES_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SENTENCES_H_

#include <cstdint>
#include <string>

#include "lib/adapters/redis/record/shards.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

Status NameTaken(const std::string& name);
Status LostShard(const std::string& name, const Shards& shards, uint64_t shard);
// A shard was lost before a record named it.
Status LostWhileMade(const std::string& name, const Shards& shards, uint64_t shard);
// The record was put back: a shard's mark is newer.
Status OlderThanShards(const std::string& name);
Status TooManyGenerations(const std::string& name);
// Blocks were changed by others between each read and write.
Status OthersAreFaster(const std::string& name);

// These go on although a shard is lost: that never answers, and another generation is the cure.
inline Status UnlessLost(const Status& status) { return status.code() == StatusCode::kCorrupt ? Status() : status; }

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SENTENCES_H_
