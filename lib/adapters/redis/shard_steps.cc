// What is done to all shards of a generation: made, marked, kept, dropped. By scripts where a command that comes late,
// or twice, would make a lost shard whole again, or keep for ever what was left.
#include <algorithm>
#include <string>

#include "lib/adapters/redis/filter_state.h"
#include "lib/adapters/redis/names.h"

namespace linefilter::redis_internal {
namespace {

constexpr char kMake[] =
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end\n"
    "redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])\n"
    "redis.call('PEXPIRE', KEYS[1], 86400000)\n"
    "return 1";

// The version is little-endian. Lua compares strings by the locale: byte by byte it is. Only who makes a shard brings
// its mark from 0 to a version: where a record names it, a 0 is what a `make` that came late left of a lost one.
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

// Who leaves a generation advances its marks before he gives it its minute: so what was decided by an older record,
// that a shard is to stay, is too late from then on, and says so.
constexpr char kSetTime[] =
    "local m = redis.call('GETRANGE', KEYS[1], ARGV[1], -1)\n"
    "if #m ~= 16 or string.sub(m, 1, 8) ~= 'lfshard1' or string.sub(m, 9) == string.rep('\\0', 8) then return -1 end\n"
    "for i = 8, 1, -1 do\n"
    "  local mark, record = string.byte(m, 8 + i), string.byte(ARGV[2], i)\n"
    "  if mark > record then return 0 end\n"
    "  if mark < record then break end\n"
    "end\n"
    "if ARGV[3] == '0' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ARGV[3]) end\n"
    "return 1";

// Making a shard of 64 MiB takes a server some 20 ms: a reply must not wait for more than a few.
constexpr uint64_t kShardsAtOnce = 32;

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

// `add` adds one command for a shard; `judge` gets its integer. The first error of either; of a refusal, all are run.
template <class Add, class Judge>
Status ForShards(Router* router, Batch* batch, const Shards& shards, const Add& add, const Judge& judge) {
  Status first;
  const uint64_t n = shards.keys.size();
  for (uint64_t begin = 0; begin < n; begin += kShardsAtOnce) {
    const uint64_t end = n - begin < kShardsAtOnce ? n : begin + kShardsAtOnce;
    batch->Clear();
    for (uint64_t shard = begin; shard < end; ++shard) add(shard);
    Integers integers(static_cast<size_t>(end - begin));
    const Status status = router->Run(*batch, &integers);
    if (!status.ok()) return status;
    for (uint64_t shard = begin; shard < end; ++shard) {
      const Status judged = judge(shard, integers.values[static_cast<size_t>(shard - begin)]);
      if (first.ok() && !judged.ok()) first = judged;
    }
  }
  return first;
}

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
  // 0: it was there, made by a command that was sent twice. AdvanceMarks looks at it.
  bool any_twice = false;
  const Status status = ForShards(&router_, &batch_, shards, make, [&](uint64_t, int64_t made) {
    any_twice = any_twice || made != 1;
    return Status();
  });
  return status.ok() && any_twice ? AdvanceMarks(generation, version, kMadeHere) : status;
}

Status FilterState::SetTimes(const Generation& generation, uint64_t version, uint64_t ms, bool* is_newer) {
  const Shards shards = ShardsOf(name_, header_, generation);
  const std::string version_bytes = MarkOf(version).substr(8);
  *is_newer = false;
  const auto set = [&](uint64_t shard) {
    const RedisKey& key = shards.keys[static_cast<size_t>(shard)];
    batch_.AddScript(key, Kind::kWrite, kSetTime, 3);
    batch_.Arg(shards.MarkOffset(shard));
    batch_.Arg(version_bytes);
    batch_.Arg(ms);
  };
  return ForShards(&router_, &batch_, shards, set, [&](uint64_t shard, int64_t answer) {
    *is_newer = *is_newer || answer == 0;
    return answer < 0 ? LostShard(shards, shard) : Status();
  });
}

// Until the record says the same before and after: whoever changes its time or leaves the generation meanwhile does his
// part before that, or finds ours done.
Status FilterState::KeepShards(const Generation& generation, uint64_t version) {
  // They outlive the filter by what a command takes on its way: a shard that went before it would be a lost one.
  constexpr int64_t kAboutTheSameMs = 1000, kNoRecord = -static_cast<int64_t>(kRecordGraceMs);
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    int64_t ms, now_ms;
    Status status = ReadTimeToLive(&ms);
    if (!status.ok()) return status;
    if (ms <= kNoRecord) return router_.replica_reads() ? status : DropShards(generation, kLeaveMs);  // or it is late
    const bool mortal = ms != kForEver;
    bool is_newer;
    const uint64_t left_ms = mortal ? static_cast<uint64_t>(std::max(ms, int64_t{1})) : 0;
    status = SetTimes(generation, version, left_ms, &is_newer);
    if (!status.ok() && status.code() != StatusCode::kCorrupt) return status;
    if (is_newer) {
      Answer record;
      const Status read = ReadRecord(&record);
      if (!read.ok()) return read;
      Header now;
      if (!ParseHeader(name_, record.text, &now).ok()) return Status();
      if (now.current.id != generation.id && now.next.id != generation.id) return Status();  // left
      version = now.version;
      continue;
    }
    const Status read = ReadTimeToLive(&now_ms);
    if (!read.ok()) return read;
    if (mortal ? now_ms <= ms && ms - now_ms < kAboutTheSameMs : now_ms == ms) return status;
  }
  return TooManyGenerations();
}

Status FilterState::KeepCurrent(const Header& header) {
  Shards last = ShardsOf(name_, header, header.current);
  if (last.keys.size() > kShardsAtOnce) last.keys.erase(last.keys.begin(), last.keys.end() - kShardsAtOnce);
  const auto ask = [&](uint64_t shard) {
    const RedisKey& key = last.keys[static_cast<size_t>(shard)];
    batch_.Add(key, Kind::kRead, 2);
    batch_.Arg("PTTL");
    batch_.Arg(key.name);
  };
  bool any_mortal = false;
  int64_t ms;
  Status status = ForShards(&router_, &batch_, last, ask, [&](uint64_t, int64_t answer) {
    any_mortal = any_mortal || answer >= 0;
    return Status();
  });
  if (status.ok() && any_mortal) status = ReadTimeToLive(&ms);
  if (!status.ok() || !any_mortal || ms != kForEver) return status;
  return UnlessLost(KeepShards(header.current, header.version));
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
  return ForShards(&router_, &batch_, shards, advance, [&](uint64_t shard, int64_t answer) {
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
  return ForShards(&router_, &batch_, shards, drop, [](uint64_t, int64_t) { return Status(); });
}

}  // namespace linefilter::redis_internal
