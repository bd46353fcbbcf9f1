#include "lib/adapters/redis/calls/upload.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/calls/shard_steps.h"
#include "lib/adapters/redis/record/names.h"

namespace linefilter::redis_internal {
namespace {

// An upload that is to be united has a magic of its own, so that it can never be taken for a shard.
constexpr char kUploadMagic[] = "lfload 1";

// The first that comes writes it, with a time to live, so that one who dies leaves nothing for ever.
constexpr char kMakeUpload[] =
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end\n"
    "redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])\n"
    "redis.call('PEXPIRE', KEYS[1], 3600000)\n"
    "return 1";

constexpr char kFill[] =
    "if redis.call('GETRANGE', KEYS[1], ARGV[1], -1) ~= ARGV[2] then return 0 end\n"
    "redis.call('SETRANGE', KEYS[1], ARGV[3], ARGV[4])\n"
    "return 1";

// BITOP takes the time to live away.
constexpr char kUnite[] =
    "local m = redis.call('GETRANGE', KEYS[1], ARGV[1], -1)\n"
    "if #m ~= 16 or string.sub(m, 1, 8) ~= 'lfshard1' then return 'lost' end\n"
    "if string.sub(m, 9) == string.rep('\\0', 8) then return 'lost' end\n"
    "if redis.call('GETRANGE', KEYS[2], ARGV[1], -1) ~= ARGV[2] then return 'again' end\n"
    "local ms = redis.call('PTTL', KEYS[1])\n"
    "redis.call('SETRANGE', KEYS[2], ARGV[1], string.rep('\\0', 16))\n"
    "redis.call('BITOP', 'OR', KEYS[1], KEYS[1], KEYS[2])\n"
    "if ms >= 0 then redis.call('PEXPIRE', KEYS[1], math.max(ms, 1)) end\n"
    "redis.call('UNLINK', KEYS[2])\n"
    "return m";

// In Redis, where a shard cannot be empty, an empty set has the least body of its layout. A block of `retrieval`
// without keys has T = 248, a bit in each of the words 3 to 7 (doc/FORMAT.md section 8).
constexpr uint8_t kNoKeys[kMostBlockBytes] = {};
constexpr uint8_t kEmptyRetrieval[kMostBlockBytes] = {
    0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0x80,
    0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80};

constexpr uint64_t kPieceBytes = uint64_t{1} << 18;
constexpr size_t kPiecesAtOnce = 4;  // a slow line must carry them within Deadlines::reply_ms
constexpr int kTries = 3;            // for one shard's upload that the server loses on the way

// Refusals counts answers of 0: the string did not wait for the piece.
class Refusals final : public ReplyHandler {
 public:
  void OnReply(size_t, const Reply& reply) override { count += reply.integer() != 1; }

  size_t count = 0;
};

// Writes `size` bytes to a string whose last 16 bytes, behind them, are `mark`. *refused if it has not or is gone.
// `kind` is kInsert if it is a shard, whose keys these are.
Status Fill(FilterRecord* record, const RedisKey& key, Kind kind, const std::string& mark, const uint8_t* bytes,
            uint64_t size, bool* refused) {
  Batch& batch = record->batch();
  *refused = false;
  for (uint64_t offset = 0; offset < size && !*refused;) {
    batch.Clear();
    for (size_t i = 0; i < kPiecesAtOnce && offset < size; ++i) {
      const uint64_t piece = std::min(kPieceBytes, size - offset);
      const std::string_view text(reinterpret_cast<const char*>(bytes) + offset, static_cast<size_t>(piece));
      batch.AddScript(key, kind, kFill, {std::to_string(size), mark, std::to_string(offset), text});
      offset += piece;
    }
    Refusals refusals;
    const Status status = record->router().Run(batch, &refusals);
    if (!status.ok()) return status;
    *refused = refusals.count != 0;
  }
  return Status();
}

Status UniteShard(FilterRecord* record, const Shards& shards, size_t shard, const uint8_t* bytes, uint64_t* version) {
  const RedisKey& key = shards.keys[shard];
  const uint64_t size = shards.BytesOfShard(shard);
  const std::string offset = std::to_string(size);
  const std::string mark = std::string(kUploadMagic, 8) + std::string(8, '\0');
  for (int i = 0; i < kTries; ++i) {
    uint64_t number;
    Status status = NewGenerationId(&number);
    if (!status.ok()) return status;
    char tail[32];
    snprintf(tail, sizeof(tail), ":load:%016llx", static_cast<unsigned long long>(number));
    const RedisKey upload = KeyOf(key.name + tail);
    Answer answer;
    status = record->router().Do(upload, Kind::kWrite, {"EVAL", kMakeUpload, "1", upload.name, offset, mark}, &answer);
    if (!status.ok()) return status;
    bool refused;
    status = Fill(record, upload, Kind::kWrite, mark, bytes, size, &refused);
    if (!status.ok()) return status;
    if (refused) continue;
    status =
        record->router().Do(key, Kind::kInsert, {"EVAL", kUnite, "2", key.name, upload.name, offset, mark}, &answer);
    if (!status.ok()) return status;
    if (answer.text == "again") continue;  // gone; or united, and the reply was lost
    if (ParseMark(answer.text, version)) return Status();
    status = record->router().Do(upload, Kind::kWrite, {"UNLINK", upload.name}, &answer);
    return status.ok() ? LostShard(record->name(), shards, shard) : status;
  }
  return Status::Error(
      StatusCode::kOverLimit,
      "Redis lost what was uploaded for shard %llu of filter %s, several times (evicted?): give it more "
      "memory, or maxmemory-policy noeviction",
      static_cast<unsigned long long>(shard), Printable(record->name()).c_str());
}

}  // namespace

const uint8_t* BodyOf(const FilterView& view) {
  if (!view.empty_set()) return view.body();
  return FactsOf(view.layout()).zeros_are_empty ? kNoKeys : kEmptyRetrieval;
}

Status CheckUnitable(const FilterRecord& record, const Shards& shards, const FilterView& view) {
  const Generation& generation = shards.generation;
  const Printable name(record.name());
  if (!UnitesByOr(generation.layout)) {
    return Status::Error(StatusCode::kIncompatible,
                         "filter %s in Redis is %s, into which no image can be loaded: make it of an image, or load "
                         "into one that is blocked or classic",
                         name.c_str(), LayoutName(generation.layout));
  }
  const bool same_shape = view.body_bytes() == generation.body_bytes && view.num_probes() == generation.num_probes;
  if (view.layout() != generation.layout || !(same_shape || view.empty_set())) {
    return Status::Error(StatusCode::kIncompatible,
                         "the image is %s with %llu bytes and %u probes, filter %s in Redis %s with %llu bytes and %u: "
                         "build it for the same number of keys with the same options",
                         LayoutName(view.layout()), static_cast<unsigned long long>(view.body_bytes()),
                         view.num_probes(), name.c_str(), LayoutName(generation.layout),
                         static_cast<unsigned long long>(generation.body_bytes), generation.num_probes);
  }
  return CheckHash(record, view);
}

Status CheckHash(const FilterRecord& record, const FilterView& view) {
  const Header& header = record.header();
  if (view.hash_id() == header.hash_id && view.seed() == header.seed) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "the image has hash %s and seed %016llx, filter %s in Redis %s and %016llx: every key would be "
                       "absent; build it with the hash and seed of the filter",
                       HashIdName(view.hash_id()), static_cast<unsigned long long>(view.seed()),
                       Printable(record.name()).c_str(), HashIdName(header.hash_id),
                       static_cast<unsigned long long>(header.seed));
}

Status FillShards(FilterRecord* record, const Shards& shards, const uint8_t* body) {
  const std::string mark = MarkOf(kFilledVersion);
  for (size_t i = 0; i < shards.keys.size(); ++i) {
    bool refused;
    const uint8_t* bytes = body + shards.BeginOfShard(i);
    const Status status = Fill(record, shards.keys[i], Kind::kInsert, mark, bytes, shards.BytesOfShard(i), &refused);
    if (!status.ok()) return status;
    if (refused) return LostWhileMade(record->name(), shards, i);
  }
  return Status();
}

Status MakeShards(FilterRecord* record, const Generation& generation, const uint8_t* body, uint64_t version) {
  const Shards shards = ShardsOf(record->name(), record->header(), generation);
  Status status = AllocateShards(record, shards);
  if (status.ok() && body != nullptr) status = FillShards(record, shards, body);
  if (status.ok()) status = AdvanceMarks(record, generation, version, kMadeHere);  // and looks whether all are there
  if (!status.ok()) (void)DropShards(record, generation);
  return status;
}

Status UniteShards(FilterRecord* record, const Shards& shards, const FilterView& view) {
  if (view.empty_set()) return Status();
  const uint64_t of_record = record->header().version, current = record->header().current.id;
  bool changed = false;
  for (size_t i = 0; i < shards.keys.size() && !changed; ++i) {
    uint64_t version = 0;
    const Status status = UniteShard(record, shards, i, view.body() + shards.BeginOfShard(i), &version);
    if (!status.ok()) return status;
    changed = version > of_record;
  }
  // `shards` may be gone after this. Marks do not tell whether another filter has taken the name.
  const Status status = record->ReadHeader();
  if (!status.ok()) return status;
  if (changed || record->header().version != of_record || record->header().current.id != current) {
    return Status::Error(StatusCode::kIncompatible,
                         "the generations of filter %s in Redis changed while an image was loaded into one: see which "
                         "there are now, and load it again",
                         Printable(record->name()).c_str());
  }
  return Status();
}

}  // namespace linefilter::redis_internal
