// This makes, marks and drops all shards of a generation. It uses scripts where a command that comes late, or twice,
// would make a lost shard whole again.
#include "lib/adapters/redis/calls/shard_steps.h"

#include <string>

#include "lib/adapters/redis/calls/for_shards.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/record/names.h"

namespace linefilter::redis_internal {
namespace {

constexpr char kMake[] =
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end\n"
    "redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])\n"
    "redis.call('PEXPIRE', KEYS[1], 86400000)\n"
    "return 1";

// The version is little-endian. Lua compares strings by the locale, so this goes byte by byte. Only the maker of a
// shard brings its mark from 0 to a version: where a record names it, a `make` that came late left a 0 of a lost one.
constexpr char kAdvance[] =
    "local m = redis.call('GETRANGE', KEYS[1], ARGV[1], -1)\n"
    "if #m ~= 16 or string.sub(m, 1, 8) ~= 'lfshard1' then return -1 end\n"
    "if ARGV[3] ~= 'made' and string.sub(m, 9) == string.rep('\\0', 8) then return -1 end\n"
    "for i = 8, 1, -1 do\n"
    "  local old, new = string.byte(m, 8 + i), string.byte(ARGV[2], i)\n"
    "  if new > old then redis.call('SETRANGE', KEYS[1], ARGV[1] + 8, ARGV[2]) return 1 end\n"
    "  if new < old then return 0 end\n"
    "end\n"
    "return 0";

}  // namespace

Status AllocateShards(FilterRecord* record, const Generation& generation) {
  const std::string mark = MarkOf(kFilledVersion);
  const auto make = [&](Batch* batch, const RedisKey& key, const std::string& mark_at) {
    batch->AddScript(key, Kind::kWrite, kMake, {mark_at, mark});
  };
  // 0 means that it was there, made by a command that was sent twice. AdvanceMarks looks at it.
  bool any_twice = false;
  const Shards shards = ShardsOf(record->name(), record->header(), generation);
  const Status status = ForShards(record, shards, kMadeAtOnce, make, [&](uint64_t, int64_t made) {
    any_twice = any_twice || made != 1;
    return Status();
  });
  return status.ok() && any_twice ? AdvanceMarks(record, generation, kFilledVersion, kMadeHere) : status;
}

Status AdvanceMarks(FilterRecord* record, const Generation& generation, uint64_t version, Maker maker) {
  const std::string version_bytes = MarkOf(version).substr(8);
  const auto advance = [&](Batch* batch, const RedisKey& key, const std::string& mark_at) {
    const char* const who = maker == kMadeHere ? "made" : "named";
    batch->AddScript(key, Kind::kWrite, kAdvance, {mark_at, version_bytes, who});
  };
  const Shards shards = ShardsOf(record->name(), record->header(), generation);
  return ForShards(record, shards, kShardsAtOnce, advance, [&](uint64_t shard, int64_t answer) {
    if (answer >= 0) return Status();
    return maker == kMadeHere ? LostWhileMade(record->name(), shards, shard) : LostShard(record->name(), shards, shard);
  });
}

Status DropShards(FilterRecord* record, const Generation& generation, uint64_t grace_ms) {
  const std::string grace = std::to_string(grace_ms);
  const auto drop = [&](Batch* batch, const RedisKey& key, const std::string&) {
    if (grace_ms == 0) {
      batch->Add(key, Kind::kWrite, {"UNLINK", key.name});
    } else {
      batch->Add(key, Kind::kWrite, {"PEXPIRE", key.name, grace});
    }
  };
  const Shards shards = ShardsOf(record->name(), record->header(), generation);
  return ForShards(record, shards, kShardsAtOnce, drop, [](uint64_t, int64_t) { return Status(); });
}

}  // namespace linefilter::redis_internal
