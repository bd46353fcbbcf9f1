#include "lib/adapters/redis/calls/follower.h"

#include <algorithm>
#include <new>
#include <utility>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/calls/shard_steps.h"
#include "lib/adapters/redis/record/names.h"
#include "lib/adapters/redis/record/u64.h"

namespace linefilter::redis_internal {
namespace {

// Entries of one reply: each has the hashes of one batch of some writer, 512 KB at most and mostly a few KB. What does
// not come in time is asked for in smaller pieces.
constexpr size_t kMostEntriesAtOnce = 256;

Status NotFollowed(const std::string& name) {
  return Status::Error(StatusCode::kIncompatible,
                       "filter %s in Redis cannot be followed: create it with RedisLayout::followed_keys (linefilter "
                       "redis create --followed)",
                       Printable(name).c_str());
}

// The reply to XRANGE, and a look at the record.
class Entries final : public ReplyHandler {
 public:
  explicit Entries(const RecordLook& of_record) : look(of_record) {}

  void OnReply(size_t command, const Reply& reply) override {
    if (look.Has(command)) return look.OnReply(reply);
    for (size_t i = 0; i < reply.size(); ++i) {
      // An entry is its id and a list of fields and values: h and the hashes.
      const Reply& entry = reply[i];
      Take(entry.size() == 2 ? entry[0].text() : "",
           entry.size() == 2 && entry[1].size() == 2 ? entry[1][1].text() : "?");
    }
  }
  void OnError(size_t command, const Status&) override {
    if (look.Has(command)) look.OnError();
  }

  RecordLook look;
  std::string first_id, last_id;
  uint64_t first_check = 0, last_check = 0;
  size_t num_entries = 0;
  uint64_t num_bytes = 0;
  // Those of the first entry are left out: it is the one that was read last.
  std::vector<uint64_t> hashes;
  bool is_sound = true;  // whether these are all

 private:
  void Take(std::string_view id, std::string_view bytes) {
    last_id.assign(id);
    last_check = HashKey(bytes);
    num_bytes += id.size() + bytes.size();
    if (num_entries++ == 0) {
      first_id = last_id;
      first_check = last_check;
      return;
    }
    is_sound = is_sound && bytes.size() % 8 == 0;
    if (!is_sound) return;
    for (size_t at = 0; at < bytes.size(); at += 8) hashes.push_back(U64At(bytes, at));
  }
};

bool AppendToString(void* context, const void* data, size_t size) noexcept {
  try {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

Status Follower::Connect(const RedisServers& servers, std::string_view name, const KeyHash& key_hash,
                         const HashSecret* secret) {
  if (servers.replica_reads) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "who follows a filter asks its masters, for a replica may be late: leave replica_reads out");
  }
  record_.SetSecret(secret);
  Status status = record_.Connect(servers, name);
  if (status.ok()) status = record_.ReadHeader();
  if (!status.ok()) return status;
  const Header& header = record_.header();
  if (header.hash_id != key_hash.id || header.seed != key_hash.seed) {
    return Status::Error(StatusCode::kIncompatible,
                         "filter %s in Redis was made anew with another hash while it was opened: open it again",
                         Printable(record_.name()).c_str());
  }
  return header.followed_keys == 0 ? NotFollowed(record_.name()) : status;
}

// The stream comes before the body: what is not behind this entry was inserted before, and is in the body.
Status Follower::FindLast() {
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    bool is_made = false;
    Status status = record_.ReadHeader();
    if (status.ok() && record_.header().followed_keys == 0) status = NotFollowed(record_.name());
    if (status.ok()) status = record_.MakeStream(&is_made);
    if (!status.ok()) return status;
    if (!is_made) continue;
    const RedisKey& key = record_.stream_key();
    Batch& batch = record_.batch();
    batch.Clear();
    batch.Add(key, Kind::kRead, {"XREVRANGE", key.name, "+", "-", "COUNT", "1"});
    Entries entries(record_.look());
    status = record_.router().Run(batch, &entries);
    if (!status.ok()) return status;
    if (entries.num_entries == 0) continue;  // it was lost at this moment
    last_id_ = std::move(entries.last_id);
    last_check_ = entries.last_check;
    connection_ = record_.router().ConnectionTo(key);
    return Status();
  }
  return TooManyGenerations(record_.name());
}

// Marks first: a writer that goes by an older record, and therefore tells nobody, finds that its batch does not count.
Status Follower::Download(ConcurrentFilter* filter) {
  entries_at_once_ = kMostEntriesAtOnce;
  bool was_switched = true;
  Status status;
  for (int tries = 0; tries < kMostGenerations && was_switched; ++tries) {
    std::string image;
    status = FindLast();
    if (!status.ok()) return status;
    generation_ = record_.header().current.id;
    status = AdvanceMarks(&record_, record_.header().current, record_.header().version);
    if (!status.ok()) return status;
    image.reserve(static_cast<size_t>(BodyImageBytes(record_.current().facts)));
    status = WriteImageOf(&record_, {AppendToString, &image}, &was_switched);
    num_bytes_ += image.size();
    if (was_switched || !status.ok()) continue;
    FilterOptions options;
    if (record_.secret() != nullptr) {
      options.hash_id = HashId::kKeyed;
      options.secret = *record_.secret();
    }
    status = filter->CreateFromImage(image.data(), image.size(), options);
  }
  return status;
}

Status Follower::ReadSome(KeyFilter* filter, bool* is_cut, bool* is_more) {
  const RedisKey& key = record_.stream_key();
  Batch& batch = record_.batch();
  batch.Clear();
  batch.Add(key, Kind::kRead, 6, kMostStringBytes);
  for (const std::string_view word : {std::string_view("XRANGE"), std::string_view(key.name),
                                      std::string_view(last_id_), std::string_view("+"), std::string_view("COUNT")}) {
    batch.Arg(word);
  }
  batch.Arg(uint64_t{entries_at_once_});
  const size_t asked_for = entries_at_once_;
  Entries entries(record_.look());
  entries.look.AddTo(&batch);
  Status status = record_.router().Run(batch, &entries);
  entries_at_once_ = status.ok() ? std::min(2 * entries_at_once_, kMostEntriesAtOnce)
                                 : std::max(entries_at_once_ / 2, size_t{2});  // the first one is known
  if (!status.ok()) return status;
  if (entries.look.IsOther()) {
    status = record_.ReadHeader();
    if (status.ok() && record_.header().followed_keys == 0) status = NotFollowed(record_.name());
    if (!status.ok()) return status;
  }
  *is_cut = record_.header().current.id != generation_ || record_.router().ConnectionTo(key) != connection_ ||
            !entries.is_sound || entries.first_id != last_id_ || entries.first_check != last_check_;
  if (*is_cut) return Status();
  num_bytes_ += entries.num_bytes;
  filter->InsertHashes(entries.hashes.data(), entries.hashes.size());
  last_id_ = std::move(entries.last_id);
  last_check_ = entries.last_check;
  *is_more = entries.num_entries == asked_for;
  return Status();
}

Status Follower::CatchUp(uint32_t ms, KeyFilter* filter, bool* is_cut) {
  *is_cut = false;
  const Router::Call call(&record_.router(), ms == 0 ? Router::Call::kAdmin : Router::Call::kRequest, ms);
  Status status;
  bool is_more = true;
  while (status.ok() && !*is_cut && is_more) status = ReadSome(filter, is_cut, &is_more);
  return status;
}

}  // namespace linefilter::redis_internal
