// Create, Expire and Delete decide how long a filter is there. RedisFilter::Create itself, which plans what
// CreateFilter makes here, is in redis_filter.cc.
#include <algorithm>
#include <chrono>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/calls/shard_steps.h"
#include "lib/adapters/redis/calls/upload.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/redis.h"

namespace linefilter {

namespace redis_internal {
namespace {

// Removes a record that has the name, if it is ours and its time is over, and its shards. Else it is NameTaken.
// Should an old shard have outlived its record, it may not be there beside the new ones.
Status RemoveExpired(FilterRecord* record, const std::string& text) {
  Header old;
  Status status = ParseHeader(record->name(), text, &old);
  // It is from a later library, whose rules nobody knows.
  if (status.code() == StatusCode::kUnsupported) return NameTaken(record->name());
  const bool is_damaged = status.code() == StatusCode::kCorrupt;
  if (!status.ok() && !is_damaged) return status;  // somebody else's, however soon it goes
  if (is_damaged) SalvageGenerations(text, &old);
  constexpr int64_t kMostClockSkewMs = 10000;
  TimeToLive left;
  status = record->ReadTimeToLive(&left);
  if (!status.ok()) return status;
  if (left.ms >= 0) {
    if (!is_damaged) status = KeepNamed(record, old, left);
    // A user who may not keep them is told of the name alone.
    return status.ok() || status.code() == StatusCode::kInvalidArgument ? NameTaken(record->name()) : status;
  }
  if (record->router().is_cluster() && left.ms >= -kMostClockSkewMs) {
    return Status::Error(StatusCode::kIncompatible,
                         "filter %s in Redis has just expired, and the clocks of a cluster's nodes differ: the name "
                         "is free in %lld ms, create it then",
                         Printable(record->name()).c_str(), static_cast<long long>(left.ms + kMostClockSkewMs + 1));
  }
  for (const Generation* generation : old.Written()) {
    if (status.ok()) status = DropShards(record, *generation);
  }
  bool deleted;  // or another one is there, which CreateHeader finds
  return status.ok() ? record->DeleteHeader(text, old.followed_keys != 0, &deleted) : status;
}

// Keeps the shards of the record that was read last. A generation that is begun meanwhile follows by itself.
Status KeepWritten(FilterRecord* record) {
  const Header header = record->header();
  Status first;
  for (const Generation* generation : header.Written()) {
    const Status kept = KeepShards(record, *generation, header.version);
    if (!UnlessLost(kept).ok()) return kept;
    if (first.ok()) first = kept;
  }
  return first;
}

// The record comes first, by one command; then the shards follow. If two clients give it a time the later one counts,
// and both let the shards follow the record as it is. Where one dies within, the next that opens the filter does it
// (KeepNamed).
Status Expire(FilterRecord* record, uint64_t ms) {
  constexpr uint64_t kMost = uint64_t{1} << 53;
  if (ms > kMost) {
    return Status::Error(StatusCode::kInvalidArgument, "a time of %llu ms is too long for Redis: 0 is for ever",
                         static_cast<unsigned long long>(ms));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    Status status = ReadAndFinish(record);  // what is being left has its minute from now on
    if (ms != 0 && status.code() == StatusCode::kNotFound) {
      // It is over already, perhaps because the record was told so here, and not yet the shards.
      const Status kept = KeepWritten(record);
      if (!UnlessLost(kept).ok()) return kept;
      return tries != 0 && std::chrono::steady_clock::now() >= end ? Status() : status;
    }
    bool done = false;
    if (status.ok()) status = record->SetRecordTime(ms, &done);
    if (!status.ok()) return status;
    if (done) return KeepWritten(record);
    // It is another record, or it has expired.
  }
  return TooManyGenerations(record->name());
}

// The record that was found last may be gone by now: deleted by us, where the reply was lost, or by others. Only a
// record that names one of its generations is certainly that of the same filter, because their numbers are never used
// again. One that names none is the same filter three steps later at the earliest (Begin, Switch, Finish), or
// somebody's new one. What may be that is left alone.
Status Delete(FilterRecord* record) {
  constexpr uint64_t kStepsToForget = 3;
  Header before;
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    Answer there;
    Status status = record->ReadRecord(&there);
    if (!status.ok()) return status;
    if (there.is_nil) {
      if (tries != 0) return Status();
      return Status::Error(StatusCode::kNotFound, "there is no filter %s in Redis: nothing was deleted",
                           Printable(record->name()).c_str());
    }
    // A damaged record goes, too, and the shards with it whose generations can still be read.
    Header header;
    status = ParseHeader(record->name(), there.text, &header);
    const bool is_damaged = status.code() == StatusCode::kCorrupt;
    if (is_damaged) SalvageGenerations(there.text, &header);
    if (!status.ok() && !is_damaged) return status;
    const std::vector<const Generation*> written = header.Written();
    const bool is_same = tries == 0 || std::any_of(written.begin(), written.end(), [&](const Generation* generation) {
                           return before.Names(generation->id);
                         });
    if (!is_same && !is_damaged && header.version < before.version + kStepsToForget) return Status();
    if (!is_same) {
      return Status::Error(StatusCode::kUnavailable,
                           "filter %s in Redis was made anew, or another generation of it, while it was deleted, and "
                           "is there: look whose it is, and delete it again if it is to go",
                           Printable(record->name()).c_str());
    }
    before = header;
    for (const Generation* generation : written) {
      status = DropShards(record, *generation);
      if (!status.ok()) return status;
    }
    bool deleted;
    status = record->DeleteHeader(there.text, header.followed_keys != 0, &deleted);
    if (!status.ok() || deleted) return status;
    // It was sent twice, or changed meanwhile: the next look tells which.
  }
  return TooManyGenerations(record->name());
}

}  // namespace

Status CreateFilter(FilterRecord* record, const Header& header, const uint8_t* body) {
  Status status = header.followed_keys == 0 ? Status() : CheckFollowed(record->name(), header.current.layout);
  if (header.followed_keys > kMostFollowedKeys) {
    status = Status::Error(StatusCode::kInvalidArgument, "followed_keys of %llu: a stream keeps %llu at most",
                           static_cast<unsigned long long>(header.followed_keys),
                           static_cast<unsigned long long>(kMostFollowedKeys));
  }
  if (!status.ok()) return status;
  Answer there;
  status = record->ReadRecord(&there);
  if (!status.ok()) return status;
  if (!there.is_nil) status = RemoveExpired(record, there.text);
  if (!status.ok()) return status;
  status = MakeShards(record, header.current, body, header.version);
  if (!status.ok()) return status;
  bool may_be_named = false;
  status = record->CreateHeader(header, &may_be_named);
  if (!status.ok() && !may_be_named) (void)DropShards(record, header.current).ok();
  if (!status.ok()) return status;
  // They are not kept before they are named: one who dies leaves nothing for ever.
  status = KeepShards(record, header.current, header.version);
  if (status.ok() || status.code() == StatusCode::kCorrupt) return status;  // deleted, or evicted, since it was named
  return Status::Error(
      status.code(),
      "filter %s in Redis is made, but its shards go within a day: open it, which keeps them, or delete it "
      "(%.70s)",
      Printable(record->name()).c_str(), status.message());
}

}  // namespace redis_internal

Status RedisFilter::Expire(uint64_t ms) noexcept {
  return redis_internal::Guarded(
      state_, redis_internal::AdminCall(RedisVerb::kExpire),
      [&](redis_internal::FilterState* state) { return redis_internal::Expire(&state->record, ms); });
}

Status RedisFilter::Delete(const RedisServers& servers, std::string_view name) noexcept {
  return redis_internal::Guarded([&] {
    redis_internal::FilterRecord record;
    const Status status = record.Connect(servers, name);
    return status.ok() ? redis_internal::Delete(&record) : status;
  });
}

}  // namespace linefilter
