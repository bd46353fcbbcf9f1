// A FilterRecord is the header record of one filter as this client read it last, with the shards of its generations.
// Here it is read, made, changed and deleted.
//
// Everything here may throw std::bad_alloc.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_RECORD_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_RECORD_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/record/record_look.h"
#include "lib/adapters/redis/record/shards.h"
#include "lib/adapters/redis/record/stream.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/hash.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// How often a call is begun anew because generations were switched meanwhile.
inline constexpr int kMostGenerations = 100;
// The header record lives so much longer than the shards, if the filter expires. In that time it counts as gone, and
// keeps its name. So no new filter has the name while anybody may still ask or fill a shard of it, on a node with a
// late clock.
inline constexpr uint64_t kRecordGraceMs = 60000;

// The time that a filter has left: `ms` was told between two moments of our clock.
struct TimeToLive {
  static constexpr int64_t kForEver = INT64_MAX;
  int64_t ms = kForEver;  // less than 0: it expired. (At 0 its shards are there.)
  std::chrono::steady_clock::time_point asked, told;
};

class FilterRecord {
 public:
  // Checks the name and connects; nothing is read or written.
  Status Connect(const RedisServers& servers, std::string_view name);

  // Reads the header record into header(), with the shards of its generations. It is kNotFound if there is none;
  // kIncompatible if the hash or the secret is another one than before.
  Status ReadHeader();
  // Sets the first record of a new filter: SET NX. It is kIncompatible if the name is taken. *may_be_named says whether
  // a record may be there that names header.current: nobody knows what became of the command.
  Status CreateHeader(const Header& header, bool* may_be_named);
  // Sets the record that follows: compare-and-set by a script, from the bytes last read to `next`, whose version is one
  // more (this sets it), with KEEPTTL. It is kIncompatible if somebody else changed it meanwhile: read it again.
  Status ChangeHeader(Header next);

  // Call this after a mark that is newer than the record, or missing. Ok and not *changed means that the shard is lost.
  Status ReadHeaderAgain(bool newer, bool* changed);
  // Whether a connection was made anew since the record was read, perhaps to a server that has an older state now.
  bool MustReadAgain(const Status& run) const;
  // Reads the record's bytes, or what else has the name: the beginning of a long string, which is no record. Nil if
  // there are none.
  Status ReadRecord(Answer* answer);
  // Reads the time of the record, less the grace.
  Status ReadTimeToLive(TimeToLive* left);
  // The time to live as ReadHeader found it.
  const TimeToLive& time_to_live() const { return time_to_live_; }
  // Gives the record its time, ms and the grace, 0 for ever, if it is still the one that was read last and its filter
  // has not expired; else not *done.
  Status SetRecordTime(uint64_t ms, bool* done);
  // Deletes the record if it is still `text`. Ok and not *deleted means that it is another one, or gone already.
  Status DeleteHeader(const std::string& text, bool with_stream, bool* deleted);

  const std::string& name() const { return name_; }
  const Header& header() const { return header_; }
  // Those of generations that the record does not name are without keys. Insertions learn from them.
  Shards& current() { return current_; }
  Shards& next() { return next_; }
  Shards& previous() { return previous_; }
  const Shards& current() const { return current_; }
  // The look that says whether the record is still this one.
  RecordLook look() const { return RecordLook(header_key_, header_text_); }
  // What brings hashes to those who follow the filter.
  StreamAppend append() const {
    return header_.followed_keys == 0 ? StreamAppend() : StreamAppend(stream_key_, header_.followed_keys);
  }
  const RedisKey& stream_key() const { return stream_key_; }
  // Makes the stream, with an entry without hashes, if it is not there. Not *done means that the record is another one.
  Status MakeStream(bool* done);
  // Those who follow find that it is cut.
  Status DeleteStream();
  Router& router() { return router_; }
  const Router& router() const { return router_; }
  Batch& batch() { return batch_; }  // scratch for all calls: Clear it before use
  const HashSecret* secret() const { return has_secret_ ? &secret_ : nullptr; }
  // Copies the secret, before ReadHeader.
  void SetSecret(const HashSecret* secret);

 private:
  Status Bind(Header header, std::string text);

  Router router_;
  Batch batch_;
  std::string name_;
  RedisKey header_key_, stream_key_;
  HashSecret secret_;
  bool has_secret_ = false;
  bool bound_ = false;  // a record was read before: hash and seed must stay
  Header header_;
  std::string header_text_;
  Shards current_, next_, previous_;
  uint64_t connections_ = 0;  // when the record was read
  TimeToLive time_to_live_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_RECORD_H_
