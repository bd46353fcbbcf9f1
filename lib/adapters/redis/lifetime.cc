// How long a filter is there: Expire and Delete.
#include <algorithm>

#include "lib/adapters/redis/filter_state.h"
#include "lib/adapters/redis/names.h"
#include "linefilter/redis.h"

namespace linefilter {

namespace redis_internal {
// The shards go first, in both, and the record last: who creates a new filter of the name must find none of the old one
// that anybody could still ask or fill (doc/REDIS.md section 5). A record without shards is an error, and no wrong
// answer.
Status FilterState::Expire(uint64_t ms) {
  constexpr uint64_t kMost = uint64_t{1} << 53;
  if (ms > kMost) {
    return Status::Error(StatusCode::kInvalidArgument, "a time of %llu ms is too long for Redis: 0 is for ever",
                         static_cast<unsigned long long>(ms));
  }
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    Status status = ReadHeader();
    if (!status.ok()) return status;
    const Header header = header_;  // which the second look replaces
    const Generation* generations[3];
    const size_t n = header.Written(generations);
    // What is being left has a minute to go, and keeps it.
    for (size_t i = 0; i < n && status.ok(); ++i) {
      if (generations[i]->id == header.previous.id) {
        if (tries != 0) status = DropShards(*generations[i], kLeaveMs);  // which the try before may have taken from it
        continue;
      }
      status = ms == 0 ? PersistShards(*generations[i]) : DropShards(*generations[i], ms);
    }
    if (!status.ok()) return status;
    Answer answer;
    status = ms == 0 ? Do(header_key_, Kind::kWrite, {"PERSIST", name_}, &answer)
                     : Do(header_key_, Kind::kWrite, {"PEXPIRE", name_, std::to_string(ms + kRecordGraceMs)}, &answer);
    if (!status.ok()) return status;
    for (size_t i = 0; i < n && status.ok(); ++i) {  // again, for one that KeepShards had in hand
      if (generations[i]->id == header.previous.id) continue;
      status = ms == 0 ? PersistShards(*generations[i]) : DropShards(*generations[i], ms);
    }
    if (!status.ok()) return status;
    // And the record once more, so that it is still the last.
    status = ms == 0 ? Do(header_key_, Kind::kWrite, {"PERSIST", name_}, &answer)
                     : Do(header_key_, Kind::kWrite, {"PEXPIRE", name_, std::to_string(ms + kRecordGraceMs)}, &answer);
    if (!status.ok()) return status;
    status = ReadHeader();  // a generation that was begun meanwhile has another time
    if (ms != 0 && status.code() == StatusCode::kNotFound) return Status();  // it is over already
    if (!status.ok() || header_.version == header.version) return status;
    // And one that is being left has its minute, which PERSIST may have taken from it: the next look may not name it.
    for (size_t i = 0; i < n && status.ok(); ++i) {
      const uint64_t id = generations[i]->id;
      if (!header_.Names(id) || header_.previous.id == id) status = DropShards(*generations[i], kLeaveMs);
    }
    if (!status.ok()) return status;
  }
  return TooManyGenerations();
}

// What the record that was found last said may be gone by now: deleted by us, where the reply was lost, or by others.
// Only a record that names one of its generations is certainly that of the same filter, for their numbers are never
// used again. One that names none is the same filter three steps later at the earliest (Begin, Switch, Finish), or
// somebody's new one: what may be that is left alone.
Status FilterState::Delete() {
  constexpr uint64_t kStepsToForget = 3;
  Header before;
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    Answer record;
    Status status = ReadRecord(&record);
    if (!status.ok()) return status;
    if (record.is_nil) {
      if (tries != 0) return Status();
      return Status::Error(StatusCode::kNotFound, "there is no filter %s in Redis: nothing was deleted",
                           Printable(name_).c_str());
    }
    // A damaged record goes, too, and the shards with it whose generations can still be read.
    Header header;
    status = ParseHeader(name_, record.text, &header);
    const bool is_damaged = status.code() == StatusCode::kCorrupt;
    if (is_damaged) SalvageGenerations(record.text, &header);
    if (!status.ok() && !is_damaged) return status;
    const Generation* generations[3];
    const size_t n = header.Written(generations);
    const bool is_same = tries == 0 || std::any_of(generations, generations + n, [&](const Generation* generation) {
                           return before.Names(generation->id);
                         });
    if (!is_same && !is_damaged && header.version < before.version + kStepsToForget) return Status();
    if (!is_same) {
      return Status::Error(StatusCode::kUnavailable,
                           "filter %s in Redis was made anew, or another generation of it, while it was deleted, and "
                           "is there: look whose it is, and delete it again if it is to go",
                           Printable(name_).c_str());
    }
    before = header;
    for (size_t i = 0; i < n; ++i) {
      status = DropShards(*generations[i]);
      if (!status.ok()) return status;
    }
    bool deleted;
    status = DeleteHeader(record.text, &deleted);
    if (!status.ok() || deleted) return status;
    // Sent twice, or changed meanwhile: the next look tells which.
  }
  return TooManyGenerations();
}

}  // namespace redis_internal

Status RedisFilter::Expire(uint64_t ms) noexcept {
  if (state_ == nullptr) return Closed();
  return redis_internal::Guarded([&] { return state_->Expire(ms); });
}

Status RedisFilter::Delete(const RedisServers& servers, std::string_view name) noexcept {
  return redis_internal::Guarded([&] {
    redis_internal::FilterState state;
    const Status status = state.Connect(servers, name);
    return status.ok() ? state.Delete() : status;
  });
}

}  // namespace linefilter
