// This makes, marks and drops all shards of a generation. It uses scripts where a command that comes late, or twice,
// would make a lost shard whole again.
#include <string>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/for_shards.h"
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

Status FilterState::LostShard(const Shards& shards, uint64_t shard) const {
  return Status::Error(
      StatusCode::kCorrupt,
      "shard %llu of filter %s in Redis (%llu bytes) is not whole: the server lost it (evicted, flushed, restarted?), "
      "so nothing there is absent: make the filter anew of the exact source",
      static_cast<unsigned long long>(shard), Printable(name_).c_str(),
      static_cast<unsigned long long>(shards.generation.BytesOfShard(shard)));
}

// They have a time to live until they are kept, so that volatile-* policies take them, too.
Status FilterState::LostWhileMade(const Shards& shards, uint64_t shard) const {
  return Status::Error(
      StatusCode::kOverLimit,
      "shard %llu of filter %s in Redis (%llu bytes) was lost while it was made (evicted?): give the server more "
      "memory, or maxmemory-policy noeviction, and do it again",
      static_cast<unsigned long long>(shard), Printable(name_).c_str(),
      static_cast<unsigned long long>(shards.generation.BytesOfShard(shard)));
}

Status FilterState::AllocateShards(const Generation& generation, uint64_t version) {
  const Shards shards = ShardsOf(name_, header_, generation);
  const std::string mark = MarkOf(version);
  const auto make = [&](uint64_t shard) {
    const RedisKey& key = shards.keys[static_cast<size_t>(shard)];
    batch_.AddScript(key, Kind::kWrite, kMake, 2);
    batch_.Arg(shards.MarkOffset(shard));
    batch_.Arg(mark);
  };
  // 0 means that it was there, made by a command that was sent twice. AdvanceMarks looks at it.
  bool any_twice = false;
  const Status status = ForShards(&router_, &batch_, shards, kMadeAtOnce, make, [&](uint64_t, int64_t made) {
    any_twice = any_twice || made != 1;
    return Status();
  });
  return status.ok() && any_twice ? AdvanceMarks(generation, version, kMadeHere) : status;
}

Status FilterState::AdvanceMarks(const Generation& generation, uint64_t version, Maker maker) {
  const Shards shards = ShardsOf(name_, header_, generation);
  const std::string version_bytes = MarkOf(version).substr(8);
  const auto advance = [&](uint64_t shard) {
    const RedisKey& key = shards.keys[static_cast<size_t>(shard)];
    batch_.AddScript(key, Kind::kWrite, kAdvance, 3);
    batch_.Arg(shards.MarkOffset(shard));
    batch_.Arg(version_bytes);
    batch_.Arg(maker == kMadeHere ? "made" : "named");
  };
  return ForShards(&router_, &batch_, shards, kShardsAtOnce, advance, [&](uint64_t shard, int64_t answer) {
    if (answer >= 0) return Status();
    return maker == kMadeHere ? LostWhileMade(shards, shard) : LostShard(shards, shard);
  });
}

Status FilterState::DropShards(const Generation& generation, uint64_t grace_ms) {
  const Shards shards = ShardsOf(name_, header_, generation);
  const auto drop = [&](uint64_t shard) {
    const RedisKey& key = shards.keys[static_cast<size_t>(shard)];
    batch_.Add(key, Kind::kWrite, grace_ms == 0 ? 2 : 3);
    batch_.Arg(grace_ms == 0 ? "UNLINK" : "PEXPIRE");
    batch_.Arg(key.name);
    if (grace_ms != 0) batch_.Arg(grace_ms);
  };
  return ForShards(&router_, &batch_, shards, kShardsAtOnce, drop, [](uint64_t, int64_t) { return Status(); });
}

}  // namespace linefilter::redis_internal
