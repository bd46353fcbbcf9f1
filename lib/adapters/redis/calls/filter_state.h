// A RedisFilter holds connections, the header record as it was last read, and the shards of its generations. One rule
// holds for all questions: run a batch, look at the marks, read the record again if one demands it.
//
// Everything here may throw std::bad_alloc; the public functions catch it (Guarded).
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_STATE_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_STATE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/record/shards.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/hash.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// A reply that is kept: the bytes of a string, the value of an integer, or nil.
struct Answer {
  bool is_nil = false;
  std::string text;
  int64_t number = 0;
};

// The header record lives so much longer than the shards, if the filter expires. In that time it counts as gone, and
// keeps its name. So no new filter has the name while anybody may still ask or fill a shard of it, on a node with a
// late clock.
inline constexpr uint64_t kRecordGraceMs = 60000;
// A generation that was left stays for this time. A writer to it finds a mark that sends it to the record, not a
// missing key, and a download of it comes to its end.
inline constexpr uint64_t kLeaveMs = 60000;
// Marks of shards that are being filled have this version: a late piece finds another one, and is not written.
inline constexpr uint64_t kFilledVersion = 0;

// The time that a filter has left: `ms` was told between two moments of our clock.
struct TimeToLive {
  static constexpr int64_t kForEver = INT64_MAX;
  int64_t ms = kForEver;  // less than 0: it expired. (At 0 its shards are there.)
  std::chrono::steady_clock::time_point asked, told;
};

class FilterState {
 public:
  // Checks the name and connects; nothing is read or written.
  Status Connect(const RedisServers& servers, std::string_view name);

  // Reads the header record into header(), with the shards of its generations. It is kNotFound if there is none;
  // kIncompatible if the hash or the secret is another one than before.
  Status ReadHeader();
  // Sets the first record of a new filter: SET NX. It is kIncompatible if the name is taken. *may_be_named says whether
  // a record may be there that names header.current: nobody knows what became of the command.
  Status CreateHeader(const Header& header, bool* may_be_named);
  // Makes a new filter. It is NameTaken if the record is there (one that is only left of a filter that expired goes).
  // It makes shards of header.current, `fill` brings what is to be in them, then comes the record, then they are kept.
  // A failure leaves no shards, unless nobody knows whether the record was made: these go within a day.
  Status CreateFilter(const Header& header, const std::function<Status(const Shards&)>& fill);
  // Sets the record that follows: compare-and-set by a script, from the bytes last read to `next`, whose version is one
  // more (this sets it), with KEEPTTL. It is kIncompatible if somebody else changed it meanwhile: read it again.
  Status ChangeHeader(Header next);

  // Makes the shards of a generation, empty, with marks of that version (script `make`). They have a day, so that a
  // client that dies before the record names them leaves nothing for ever (KeepShards).
  Status AllocateShards(const Generation& generation, uint64_t version);
  // Makes shards live as long as the filter whose record is there, or for ever. The record of `version` names their
  // generation `current` or `next`; one that was left is left alone. kCorrupt means that one is lost; others are kept.
  Status KeepShards(const Generation& generation, uint64_t version);
  // Keeps the shards of `current` and `next`, if they have another time than the record, which has `left`: the client
  // that was to give them that died, or could not. It asks PTTL of all; more only then. A lost shard does not count.
  Status KeepNamed(const Header& header, const TimeToLive& left);
  // Advances the marks of all shards to `version`, where they are smaller. A shard without mark is lost: kCorrupt,
  // after the others were advanced; nothing is revived. The maker of the shards brings their marks up from 0, and is
  // told that one was lost meanwhile (kOverLimit); to all others that is a lost one.
  enum Maker : uint8_t { kNamed, kMadeHere };
  Status AdvanceMarks(const Generation& generation, uint64_t version, Maker maker = kNamed);
  // Drops all shards by UNLINK, or with grace_ms > 0 by PEXPIRE.
  Status DropShards(const Generation& generation, uint64_t grace_ms = 0);
  // Gives all shards a time to live, 0 for ever, but not those that a record later than that of `version` has marked;
  // then *is_newer. kCorrupt means that one is lost, as in AdvanceMarks.
  Status SetTimes(const Generation& generation, uint64_t version, uint64_t ms, bool* is_newer);
  // Sizes what `options` ask for: layout, num_probes, body_bytes, shard_bytes and num_keys, and a new id.
  Status PlanGeneration(uint64_t num_keys, const FilterOptions& options, const RedisLayout& layout,
                        Generation* generation);

  // Asks the current generation for n hashes.
  Status Ask(const uint64_t* hashes, size_t n, uint8_t* answers);
  // Inserts into all generations that the record names.
  Status Insert(const uint64_t* hashes, size_t n, RedisInsert* outcomes);
  // Inserts into one generation of the record alone (the next one), without outcomes.
  Status InsertInto(uint64_t generation_id, const uint64_t* hashes, size_t n);

  // The next generation that this object began or loaded into, so that it does not switch to somebody else's; 0: none.
  uint64_t chosen_next() const { return chosen_next_; }
  void ChooseNext(uint64_t id) { chosen_next_ = id; }
  // kIncompatible if the record has no next generation, or another one than that was chosen.
  Status CheckChosenNext();

  // These are RedisFilter's calls of the same names.
  Status Info(RedisInfo* info);
  Status Expire(uint64_t ms);
  Status Delete();

  // Runs one command for one reply, outside of batches: Do(key, Kind::kRead, {"PTTL", key.name}, &answer).
  Status Do(const RedisKey& key, Kind kind, std::initializer_list<std::string_view> words, Answer* answer);
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
  Status DeleteHeader(const std::string& text, bool* deleted);
  // The sentences of a name that is taken, of a lost shard, and of one that was lost before a record named it.
  Status NameTaken() const;
  Status LostShard(const Shards& shards, uint64_t shard) const;
  // The sentence of a record that was put back, and is older than a shard's mark.
  Status OlderThanShards() const;
  Status LostWhileMade(const Shards& shards, uint64_t shard) const;

  const std::string& name() const { return name_; }
  const RedisKey& header_key() const { return header_key_; }
  const Header& header() const { return header_; }
  const Shards& current() const { return current_; }
  const Shards& next() const { return next_; }          // without keys if there is none
  const Shards& previous() const { return previous_; }  // without keys if there is none
  const RedisServers& servers() const { return servers_; }
  Router& router() { return router_; }
  Batch& batch() { return batch_; }  // scratch: Clear it before use
  const HashSecret* secret() const { return has_secret_ ? &secret_ : nullptr; }
  // Copies the secret, before ReadHeader.
  void SetSecret(const HashSecret* secret);

 private:
  // How often a batch is begun anew because generations were switched meanwhile.
  static constexpr int kMostGenerations = 100;

  Status Bind(Header header, std::string text);
  // Removes a record that has the name, if it is ours and its time is over, and its shards. Else it is NameTaken.
  Status RemoveExpired(const std::string& text);
  // Call this after a mark that is newer than the record, or missing. Ok and not *changed means that the shard is lost.
  Status ReadHeaderAgain(bool newer, bool* changed);
  // Whether a connection was made anew since the record was read, perhaps to a server that has an older state now.
  bool MustReadAgain(const Status& run) const;
  // Whether the rest of the keys is worth trying after this, if the record is the same: it may lie in other shards, on
  // other nodes.
  bool OthersMayAnswer(const Status& run) const;
  Status TooManyGenerations() const;
  Status CameBack() const;
  Status KeepWritten();
  Status AskOneGeneration(const uint64_t* hashes, size_t n, uint8_t* answers, bool* moved);
  void FinishForWhoDied();
  Status InsertBatches(uint64_t only, const uint64_t* hashes, size_t n, RedisInsert* outcomes);
  Status InsertOneBatch(uint64_t only, const uint64_t* hashes, size_t n, RedisInsert* outcomes, bool* goes_on);
  Status TargetsOf(uint64_t only, std::vector<Shards*>* targets);
  Status GenerationGone(uint64_t id) const;
  Status ReadOnly() const;

  RedisServers servers_;
  std::string name_;
  RedisKey header_key_;
  HashSecret secret_;
  bool has_secret_ = false;
  bool bound_ = false;  // a record was read before: hash and seed must stay
  Header header_;
  std::string header_text_;
  Shards current_, next_, previous_;
  Router router_;
  Batch batch_;
  uint64_t connections_ = 0;  // when the record was read
  TimeToLive time_to_live_;
  uint64_t chosen_next_ = 0;
  bool previous_is_lost_ = false;                   // an insertion found it so, and the record still names it
  std::chrono::steady_clock::time_point finished_;  // when insertions tried to end that
};

// These go on although a shard is lost: that never answers, and another generation is the cure.
inline Status UnlessLost(const Status& status) { return status.code() == StatusCode::kCorrupt ? Status() : status; }

// Ends the step that the record names, whoever began it (generation.cc): afterwards there is no previous generation.
Status ReadAndFinish(FilterState* state);

// Calls `work` and returns its Status; memory that ran out is a Status, too.
template <class Work>
Status Guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Status::Error(StatusCode::kOutOfMemory, "no memory for a request to Redis: ask fewer keys at once");
  } catch (...) {
    return Status::Error(StatusCode::kOutOfMemory, "a request to Redis is too large for this machine's memory");
  }
}

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_STATE_H_
