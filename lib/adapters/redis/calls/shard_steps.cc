// This makes, marks and drops all shards of a generation, and decides how long they live. It uses scripts where a
// command that comes late, or twice, would make a lost shard whole again. The header record that names a generation has
// a time, and the shards follow it, whoever gave it that and whoever died since (doc/REDIS.md section 5).
#include "lib/adapters/redis/calls/shard_steps.h"

#include <chrono>
#include <string>
#include <vector>

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

constexpr uint64_t kShardsAtOnce = 1024;
// Making a shard of 64 MiB takes a server some 20 ms: a reply must not wait for more than a few.
constexpr uint64_t kMadeAtOnce = 32;

class Integers final : public ReplyHandler {
 public:
  explicit Integers(size_t n) : values(n, kNone) {}
  void OnReply(size_t command, const Reply& reply) override {
    if (reply.is_integer()) values[command] = reply.integer();
  }

  static constexpr int64_t kNone = -1;
  std::vector<int64_t> values;
};

// Runs one command for each shard of a generation, in their order, so many at once. `add` adds that of one shard: it
// gets the shard's key, and as text the offset of its mark. `judge` gets the shard's number and the integer that was
// answered. It returns the first error; after a refusal, all are run.
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

// A client that leaves a generation advances its marks before it gives it its minute. So a decision by an older record
// that a shard is to stay is too late from then on, and says so.
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

// Shards outlive the filter by this, and by what the command takes on its way. One that went before it would be lost.
constexpr int64_t kSlackMs = 1000;

int64_t MsOf(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// Whether `ms`, told between `asked` and now, is what is left of `before`; or up to late_ms more.
bool IsWhatIsLeft(int64_t ms, Clock::time_point asked, const TimeToLive& before, int64_t late_ms) {
  if (ms == TimeToLive::kForEver || before.ms == TimeToLive::kForEver) return ms == before.ms;
  return ms <= before.ms - MsOf(asked - before.told) + late_ms &&
         ms >= before.ms - MsOf(Clock::now() - before.asked) - kSlackMs;
}

// Gives all shards a time to live, 0 for ever, but not those that a record later than that of `version` has marked;
// then *is_newer. kCorrupt means that one is lost, as in AdvanceMarks.
Status SetTimes(FilterRecord* record, const Generation& generation, uint64_t version, int64_t ms, bool* is_newer) {
  const std::string version_bytes = MarkOf(version).substr(8), time = std::to_string(ms);
  *is_newer = false;
  const auto set = [&](Batch* batch, const RedisKey& key, const std::string& mark_at) {
    batch->AddScript(key, Kind::kWrite, kSetTime, {mark_at, version_bytes, time});
  };
  const Shards shards = ShardsOf(record->name(), record->header(), generation);
  return ForShards(record, shards, kShardsAtOnce, set, [&](uint64_t shard, int64_t answer) {
    *is_newer = *is_newer || answer == 0;
    return answer < 0 ? LostShard(record->name(), shards, shard) : Status();
  });
}

}  // namespace

Status AllocateShards(FilterRecord* record, const Shards& shards) {
  const std::string mark = MarkOf(kFilledVersion);
  const auto make = [&](Batch* batch, const RedisKey& key, const std::string& mark_at) {
    batch->AddScript(key, Kind::kWrite, kMake, {mark_at, mark});
  };
  // 0 means that it was there, made by a command that was sent twice. AdvanceMarks looks at it.
  bool any_twice = false;
  const Status status = ForShards(record, shards, kMadeAtOnce, make, [&](uint64_t, int64_t made) {
    any_twice = any_twice || made != 1;
    return Status();
  });
  return status.ok() && any_twice ? AdvanceMarks(record, shards, kFilledVersion, kMadeHere) : status;
}

Status AdvanceMarks(FilterRecord* record, const Generation& generation, uint64_t version, Maker maker) {
  return AdvanceMarks(record, ShardsOf(record->name(), record->header(), generation), version, maker);
}

Status AdvanceMarks(FilterRecord* record, const Shards& shards, uint64_t version, Maker maker) {
  const std::string version_bytes = MarkOf(version).substr(8);
  const auto advance = [&](Batch* batch, const RedisKey& key, const std::string& mark_at) {
    const char* const who = maker == kMadeHere ? "made" : "named";
    batch->AddScript(key, Kind::kWrite, kAdvance, {mark_at, version_bytes, who});
  };
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

// This goes on until the record says the same before and after. A client that changes its time or leaves the generation
// meanwhile does its part before that, or finds ours done.
Status KeepShards(FilterRecord* record, const Generation& generation, uint64_t version) {
  constexpr int64_t kNoRecord = -static_cast<int64_t>(kRecordGraceMs);
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    TimeToLive left, now_left;
    Status status = record->ReadTimeToLive(&left);
    if (!status.ok()) return status;
    // There is no record; but a replica may only be late with it.
    if (left.ms <= kNoRecord) {
      return record->router().servers().replica_reads ? status : DropShards(record, generation, kLeaveMs);
    }
    const int64_t ms = left.ms == TimeToLive::kForEver ? 0 : left.ms < 0 ? 1 : left.ms + kSlackMs;
    bool is_newer;
    status = SetTimes(record, generation, version, ms, &is_newer);
    if (!status.ok() && status.code() != StatusCode::kCorrupt) return status;
    if (is_newer) {
      Answer there;
      const Status read = record->ReadRecord(&there);
      if (!read.ok()) return read;
      Header now;
      if (!ParseHeader(record->name(), there.text, &now).ok()) return Status();
      if (now.current.id != generation.id && now.next.id != generation.id) return Status();  // left
      if (now.version <= version) return OlderThanShards(record->name());
      version = now.version;
      continue;
    }
    const Status read = record->ReadTimeToLive(&now_left);
    if (!read.ok()) return read;
    if (IsWhatIsLeft(now_left.ms, now_left.asked, left, kSlackMs)) return status;
  }
  return TooManyGenerations(record->name());
}

// All are looked at, because each of two clients that died within may have set the times of some.
Status KeepNamed(FilterRecord* record, const Header& header, const TimeToLive& left) {
  constexpr int64_t kNever = -1, kLost = -2;  // as PTTL answers
  if (left.ms < 0) return Status();
  for (const Generation* generation : {&header.current, &header.next}) {
    const Shards shards = ShardsOf(record->name(), header, *generation);
    const auto ask = [](Batch* batch, const RedisKey& key, const std::string&) {
      batch->Add(key, Kind::kRead, {"PTTL", key.name});
    };
    const Clock::time_point asked = Clock::now();
    bool all_fit = true;
    Status status = ForShards(record, shards, kShardsAtOnce, ask, [&](uint64_t, int64_t answer) {
      const int64_t shard_ms = answer == kNever ? TimeToLive::kForEver : answer;
      all_fit = all_fit && (answer == kLost || IsWhatIsLeft(shard_ms, asked, left, kRecordGraceMs));
      return Status();
    });
    if (status.ok() && !all_fit) status = UnlessLost(KeepShards(record, *generation, header.version));
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace linefilter::redis_internal
