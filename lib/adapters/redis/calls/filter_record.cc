#include "lib/adapters/redis/calls/filter_record.h"

#include <utility>

#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/record/names.h"
#include "lib/adapters/redis/record/u64.h"

namespace linefilter::redis_internal {
namespace {

// If it is sent twice, the second answers 0. Then the caller looks what is there (doc/REDIS.md).
constexpr char kChange[] =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\n"
    "redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') return 1";

// With the stream, if it has one.
constexpr char kDeleteIfSame[] =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\n"
    "if KEYS[2] then redis.call('UNLINK', KEYS[2]) end\n"
    "return redis.call('DEL', KEYS[1])";

// ARGV[2] is for the record, 0 for ever. A client that makes a new filter takes it away once its last minute has begun.
constexpr char kSetTimeIfSame[] =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\n"
    "local left = redis.call('PTTL', KEYS[1])\n"
    "if left >= 0 and left < 60000 then return 0 end\n"
    "if ARGV[2] == '0' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end\n"
    "return 1";
static_assert(kRecordGraceMs == 60000, "the script's");

// The stream lives as long as the record. Its first entry is like no other.
constexpr char kMakeStream[] =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\n"
    "if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('XADD', KEYS[2], '*', 'h', ARGV[2]) end\n"
    "local left = redis.call('PTTL', KEYS[1])\n"
    "if left >= 0 then redis.call('PEXPIRE', KEYS[2], left) else redis.call('PERSIST', KEYS[2]) end\n"
    "return 1";

}  // namespace

Status FilterRecord::Connect(const RedisServers& servers, std::string_view name) {
  const Status status = CheckName(name);
  if (!status.ok()) return status;
  name_.assign(name);
  header_key_ = KeyOf(name_);
  stream_key_ = KeyOf(StreamName(name_));
  return router_.Connect(servers);
}

// GET would bring all of what somebody else keeps there.
Status FilterRecord::ReadRecord(Answer* answer) {
  const std::string last = std::to_string(kMostReplyBytes - 1);
  const Status status = router_.Do(header_key_, Kind::kRead, {"GETRANGE", name_, "0", last}, answer);
  answer->is_nil = answer->text.empty();
  return status;
}

void FilterRecord::SetSecret(const HashSecret* secret) {
  has_secret_ = secret != nullptr;
  secret_ = has_secret_ ? *secret : HashSecret();
}

Status FilterRecord::ReadHeader() {
  Answer answer;
  Status status = ReadRecord(&answer);
  if (!status.ok()) return status;
  if (answer.is_nil) {
    return Status::Error(
        StatusCode::kNotFound,
        "there is no filter %s in Redis: look at the name, or create it; if it was there, its keys are gone: from "
        "the exact source",
        Printable(name_).c_str());
  }
  const uint64_t connections = router_.num_connections();  // later ones are to a later server
  const bool is_other = !bound_ || answer.text != header_text_;
  Header header;
  const Status parsed = is_other ? ParseHeader(name_, answer.text, &header) : Status();
  if (!parsed.ok() && parsed.code() != StatusCode::kCorrupt) return parsed;  // its time to live is no filter's
  TimeToLive left;
  status = ReadTimeToLive(&left);
  if (!status.ok()) return status;
  if (left.ms < 0) {
    return Status::Error(StatusCode::kNotFound, "filter %s in Redis has expired: create it anew",
                         Printable(name_).c_str());
  }
  if (!parsed.ok()) return parsed;
  if (is_other) status = Bind(std::move(header), std::move(answer.text));
  if (!status.ok()) return status;
  connections_ = connections;
  time_to_live_ = left;
  return Status();
}

// Hash and seed or secret must be those of the caller's hashes.
Status FilterRecord::Bind(Header header, std::string text) {
  const Printable shown(name_);
  if (bound_ && (header.hash_id != header_.hash_id || header.seed != header_.seed)) {
    return Status::Error(StatusCode::kIncompatible,
                         "filter %s in Redis was made anew with another hash or seed: open it again", shown.c_str());
  }
  const bool keyed = KeyHash::IsKeyed(header.hash_id);
  if (keyed && !has_secret_) {
    return Status::Error(StatusCode::kIncompatible,
                         "filter %s in Redis has a keyed hash: open it with its secret, which Redis does not hold",
                         shown.c_str());
  }
  if (!keyed && has_secret_) {
    return Status::Error(StatusCode::kIncompatible,
                         "a secret was given, and filter %s in Redis has no keyed hash: open it without",
                         shown.c_str());
  }
  if (keyed && CheckOfSecret(secret_) != header.seed) {
    return Status::Error(StatusCode::kIncompatible,
                         "the secret is not that of filter %s in Redis: every key would be absent", shown.c_str());
  }
  Shards bound[3] = {ShardsOf(name_, header, header.current), ShardsOf(name_, header, header.next),
                     ShardsOf(name_, header, header.previous)};
  for (Shards& shards : bound) {
    for (Shards* old : {&current_, &next_, &previous_}) {
      if (!shards.generation.exists() || shards.generation.id != old->generation.id) continue;
      if (shards.keys.size() == old->keys.size()) shards.learned = old->learned;
    }
  }
  current_ = std::move(bound[0]);
  next_ = std::move(bound[1]);
  previous_ = std::move(bound[2]);
  header_ = std::move(header);
  header_text_ = std::move(text);
  bound_ = true;
  connections_ = router_.num_connections();
  return Status();
}

bool FilterRecord::MustReadAgain(const Status& run) const {
  // A lone server that was given up is not waited for a second time.
  const bool given_up = run.code() == StatusCode::kUnavailable && !router_.is_cluster();
  return !given_up && router_.num_connections() != connections_;
}

Status FilterRecord::ReadHeaderAgain(bool newer, bool* changed) {
  const std::string text = header_text_;
  const Status status = ReadHeader();
  *changed = status.ok() && header_text_ != text;
  if (!status.ok() || *changed || !newer) return status;
  return OlderThanShards(name_);
}

Status FilterRecord::CreateHeader(const Header& header, bool* may_be_named) {
  *may_be_named = true;  // unless somebody says what is there
  const std::string text = FormatHeader(header);
  Answer answer;
  Status status = router_.Do(header_key_, Kind::kWrite, {"SET", name_, text, "NX"}, &answer);
  if (!status.ok()) return status;
  if (!answer.is_nil) return Bind(header, text);
  status = ReadRecord(&answer);  // it is taken, or was sent twice
  if (!status.ok()) return status;
  Header there;
  const StatusCode parsed = answer.is_nil ? StatusCode::kIncompatible : ParseHeader(name_, answer.text, &there).code();
  // Others may have gone on from the record before it was sent for the second time.
  if (there.Names(header.current.id)) return Bind(std::move(there), std::move(answer.text));
  *may_be_named = parsed != StatusCode::kOk && parsed != StatusCode::kIncompatible;  // damaged, or from a later library
  return NameTaken(name_);
}

Status FilterRecord::ReadTimeToLive(TimeToLive* left) {
  Answer ttl;
  left->asked = std::chrono::steady_clock::now();
  const Status status = router_.Do(header_key_, Kind::kRead, {"PTTL", name_}, &ttl);
  left->told = std::chrono::steady_clock::now();
  if (!status.ok()) return status;
  constexpr int64_t kNone = -1;  // -2: it is gone, just now
  left->ms = ttl.number == kNone ? TimeToLive::kForEver : ttl.number - static_cast<int64_t>(kRecordGraceMs);
  return status;
}

Status FilterRecord::SetRecordTime(uint64_t ms, bool* done) {
  const std::string time = std::to_string(ms == 0 ? 0 : ms + kRecordGraceMs);
  Answer answer;
  const Status status =
      router_.Do(header_key_, Kind::kWrite, {"EVAL", kSetTimeIfSame, "1", name_, header_text_, time}, &answer);
  *done = status.ok() && answer.number == 1;
  if (!*done || header_.followed_keys == 0) return status;
  return ms == 0 ? router_.Do(stream_key_, Kind::kWrite, {"PERSIST", stream_key_.name}, &answer)
                 : router_.Do(stream_key_, Kind::kWrite, {"PEXPIRE", stream_key_.name, time}, &answer);
}

Status FilterRecord::DeleteStream() {
  Answer answer;
  return router_.Do(stream_key_, Kind::kWrite, {"UNLINK", stream_key_.name}, &answer);
}

Status FilterRecord::DeleteHeader(const std::string& text, bool with_stream, bool* deleted) {
  Answer answer;
  const Status status =
      with_stream
          ? router_.Do(header_key_, Kind::kWrite, {"EVAL", kDeleteIfSame, "2", name_, stream_key_.name, text}, &answer)
          : router_.Do(header_key_, Kind::kWrite, {"EVAL", kDeleteIfSame, "1", name_, text}, &answer);
  *deleted = status.ok() && answer.number == 1;
  return status;
}

Status FilterRecord::MakeStream(bool* done) {
  Answer answer;
  uint64_t first = 0;
  Status status = NewGenerationId(&first);
  if (!status.ok()) return status;
  std::string bytes;
  AppendU64(first, &bytes);
  status = router_.Do(header_key_, Kind::kWrite,
                      {"EVAL", kMakeStream, "2", name_, stream_key_.name, header_text_, bytes}, &answer);
  *done = status.ok() && answer.number == 1;
  return status;
}

Status FilterRecord::ChangeHeader(Header next) {
  next.version = header_.version + 1;
  std::string text = FormatHeader(next);
  Answer answer;
  Status status = router_.Do(header_key_, Kind::kWrite, {"EVAL", kChange, "1", name_, header_text_, text}, &answer);
  if (!status.ok()) return status;
  if (answer.number != 1) {
    status = ReadRecord(&answer);
    if (!status.ok()) return status;
    if (answer.is_nil || answer.text != text) {
      return Status::Error(
          StatusCode::kIncompatible,
          "the header record of filter %s in Redis was changed by somebody else meanwhile: nothing was "
          "done, look at it and do it again",
          Printable(name_).c_str());
    }
  }
  return Bind(std::move(next), std::move(text));
}

}  // namespace linefilter::redis_internal
