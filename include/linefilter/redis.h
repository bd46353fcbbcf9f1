// A filter in Redis or Redis Cluster, shared by many machines. Link linefilter::redis (CMake option LINEFILTER_REDIS).
//
//   linefilter::RedisServers servers;                 // 127.0.0.1:6379; of a cluster one node is enough, name several
//   linefilter::FilterOptions options;
//   options.fpr = 0.01;
//   linefilter::RedisFilter filter;
//   linefilter::Status status = filter.Create(servers, "seen", 100000000, options);     // once
//   status = filter.Open(servers, "seen");                                              // everywhere else
//   linefilter::RedisInsert outcome;
//   status = filter.InsertKey("bob@example.org", &outcome);  // one atomic command; kNew: certainly nobody had it
//   bool maybe;
//   status = filter.MayContainKey("bob@example.org", &maybe);  // one GETRANGE of 64 bytes, tested here
//
// Batches (...Hashes) are pipelined: ten times as fast as single calls and more, from a thousand keys on; where many
// bits are set already, insertions read the blocks first and set what is missing. The keys in Redis are described in
// doc/REDIS.md: a header record under the name of the filter, which says how it was made, and the bits in one or
// several strings, the shards.
//
// Errors: a lookup that could not be answered says "maybe" (*maybe true, answers 1), and its Status why. A lost
// connection, a server that is loading, a cluster that moves slots: tried again until RedisServers::patience_ms have
// passed, then kUnavailable. A shard that the server lost (evicted, flushed, restarted without persistence) is noticed
// by every call that touches it: kCorrupt, "maybe", and insertions that fail; it is never taken for an empty one. Each
// batch also looks at the header record: a filter that was deleted, expired, or whose record alone was lost is
// kNotFound at once, and one that was made anew is the one that is asked and filled from then on. (So while the node of
// a cluster that has the record is down, nothing is decided or inserted. While another one is, only keys with a shard
// there are "maybe" and fail.) Other codes:
// kNotFound (no filter of that name), kIncompatible (another filter, or something else, has that name; another secret,
// or none; layout `retrieval` takes no keys), kInvalidArgument (password, names, options), kOverLimit (Redis is full),
// kIoError (Redis cannot write its files, or refuses for a reason that is not known here; who answers is no Redis),
// kUnsupported (Redis is older than 6.2; the header record is of a later linefilter; `classic` above 512 MiB; TLS
// without OpenSSL), kOutOfMemory (here).
//
// A failed insertion (RedisInsert::kFailed) is one that nobody vouches for: the key may be in the filter or not. Insert
// it again; that is right any number of times (of `counting`, where it may then count twice, it only costs a little).
// Outcomes are per key: some of a batch may have failed, then the Status says why the first did. What Redis
// acknowledged can still be lost by Redis itself, as its persistence and replication are set: doc/REDIS.md tells what
// appendfsync and wait_replicas buy.
//
// Exactly one of several writers of a key is told kNew, even at the same moment. At most one, if a connection is lost
// between an insertion and its reply (it is then sent again, and finds its own bits), or if generations are begun,
// switched or lost in that moment. And a key may be known (a false positive) that nobody inserted, as with every
// filter.
//
// Generations: a filter whose keys also go, or that is full, is made anew while it serves:
//   filter.BeginGeneration(num_keys, options);   // from now on all writers write to both, readers ask the old one
//   filter.LoadNext(image, size);                // all keys of the exact source, read after Begin
//   filter.SwitchGeneration();                   // readers see the old or the new one, never a mixture
// A key must be in the exact source before it is inserted here: then it is among those that are read after Begin. Who
// asks the filter first, and stores what is new, must wait after Begin until all that were asked before are stored.
//
// Threads: an object is one thread's. Open one in each; all may use one filter, as may any number of machines. A child
// process that goes on with an object connects anew.
//
// Secrets: with HashId::kKeyed Redis has a check of the secret, not the secret. Whoever opens must bring it.
#ifndef LINEFILTER_REDIS_H_
#define LINEFILTER_REDIS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/keyed_hash.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

namespace redis_internal {
class FilterState;  // lib/adapters/redis/calls/filter_state.h
}

// Where the servers are, and how long to wait for them.
struct RedisServers {
  // host:port[,host:port...] (an IPv6 host in brackets) or unix:/path. The first that answers is asked; of a cluster it
  // tells the others.
  std::string addresses = "127.0.0.1:6379";
  std::string user;      // of Redis' ACL; empty: the default user
  std::string password;  // empty: none, of a user that the ACL lets in without one (nopass)
  int database = 0;      // a cluster has only 0
  // TLS, 1.2 or newer. It needs OpenSSL when linefilter is built: else kUnsupported. What follows is refused without it
  // (kInvalidArgument).
  bool tls = false;
  // File of the authority that signed the servers' certificates, or of these themselves; empty: those of the system.
  std::string tls_ca;
  std::string tls_certificate;  // file of the client's own certificate, if the server wants one,
  std::string tls_key;          // and of its key, without a passphrase
  // The name, or address in numbers, that each server's certificate must have; it is also asked for (SNI). Empty: the
  // host that is connected to. The nodes of a cluster tell each other's addresses, not names, unless their
  // cluster-preferred-endpoint-type is hostname: so give one name that all their certificates have, or certificates
  // with their addresses.
  std::string tls_server_name;

  uint32_t connect_timeout_ms = 1000;  // of one connection, above 0
  // Of one reply, from when it is the next to come; above 0. A large one has longer: a second for each 64 KiB.
  uint32_t timeout_ms = 2000;
  // Of all that is tried again within one call of lookups or insertions. Other calls (Create, Load, steps of
  // generations, downloads: many round trips, perhaps hours) have it for each batch of commands.
  uint32_t patience_ms = 10000;
  // For lookups, without a cluster: the first of `addresses` that answers is asked, be it a replica. It may be late: a
  // key that was acknowledged may be "absent" there. Unless this is set a replica is refused (kUnavailable), or the
  // next address asked; the replicas of a cluster are never asked. What changes something a replica refuses
  // (kUnavailable), or it goes to the next address, which is asked from then on. Not for objects that create filters or
  // make steps of generations: they would go by records that are late.
  bool replica_reads = false;
  // After insertions and the keys of an image wait until so many replicas have them, but no longer than wait_ms: else
  // kUnavailable, and nothing of that part of the batch is acknowledged, whichever node of a cluster was late. What
  // brings no keys (Create, steps of generations, Expire, Delete) does not wait.
  uint32_t wait_replicas = 0;
  uint32_t wait_ms = 1000;  // see wait_replicas
};

// How the bits are spread over strings of Redis.
struct RedisLayout {
  // The most bytes of a shard, rounded up to whole blocks; 0: at most 64 MiB, and in a cluster at least four shards for
  // each master where they have 64 KiB. Redis' strings end at 512 MiB. `classic` has one shard alone.
  uint64_t shard_bytes = 0;
};

// What became of one insertion.
enum class RedisInsert : uint8_t {
  kKnown = 0,   // acknowledged; the key may have been there
  kNew = 1,     // acknowledged; the key was certainly not there, and no other writer is told so
  kFailed = 2,  // not acknowledged: insert it again
};

// What a filter tells of itself.
struct RedisInfo {
  Layout layout = Layout::kAuto;     // see FilterBase
  HashId hash_id = HashId::kXxh3;    // see FilterBase
  uint64_t seed = 0;                 // of a keyed hash the check of the secret
  uint32_t num_probes = 0;           // 0 in `retrieval` and `container`
  uint32_t num_stages = 0;           // of a `container`
  uint64_t num_keys = 0;             // the filter was made for so many; 0: unknown
  uint64_t num_blocks = 0;           // 0 in `classic`
  uint64_t body_bytes = 0;           // of the bits
  uint64_t shard_bytes = 0;          // of each shard but the last, which has what is left
  uint64_t num_shards = 0;           // strings of Redis
  uint64_t generation = 0;           // its number, random
  uint64_t next_generation = 0;      // of the one that was begun; 0: none
  uint64_t previous_generation = 0;  // of the one that is being left; 0: none
  uint64_t version = 0;              // of the header record: grows with every change
  int64_t expires_in_ms = -1;        // of the filter (its header record stays a minute longer); -1: never
  uint32_t num_masters = 0;          // 1 without a cluster
  bool cluster = false;              // Redis Cluster
  uint64_t num_lost_shards = 0;      // seen by the sample: their keys are lost, and every answer there is "maybe"
  uint64_t sampled_bytes = 0;        // of the body, on which the three figures below stand (spread over all of it)
  double fill_ratio = 0;             // as FilterBase::FillRatio
  double estimated_keys = 0;         // as FilterBase::EstimatedKeys
  double expected_fpr = 1;           // as FilterBase::ExpectedFpr
};

// One thread's. Before Create or Open, and after a move from, it answers "maybe", inserts nothing and says so
// (kInvalidArgument). Create, CreateFromImage and Open may be called again. On an error the object is as it was: what
// was open stays open, and its connections are closed only after the new ones are made.
class LINEFILTER_EXPORT RedisFilter final {
 public:
  RedisFilter() noexcept;
  ~RedisFilter();
  RedisFilter(RedisFilter&& other) noexcept;
  RedisFilter& operator=(RedisFilter&& other) noexcept;
  RedisFilter(const RedisFilter&) = delete;
  RedisFilter& operator=(const RedisFilter&) = delete;

  // Makes an empty filter for num_keys keys, and opens it. `blocked` (kAuto means it), `classic` or `counting` (of
  // which nothing is removed in Redis, only from a CountingBlockedFilter of its image); a `retrieval` or `container`
  // comes by CreateFromImage. `name`: 1 to 200 bytes without newline and NUL; one with a hash tag of its own
  // ("{users}seen") lies in one slot of a cluster as a whole; no other has a closing brace. kIncompatible if the name
  // is taken: by a filter or something else. Of the options allocator, memory_limit and executor do not count. After
  // another error the filter may be there nevertheless, and would lose its keys within a day, loudly (kCorrupt), unless
  // somebody opens it, or creates it once more, which says that the name is taken.
  Status Create(const RedisServers& servers, std::string_view name, uint64_t num_keys, const FilterOptions& options,
                const RedisLayout& layout = {}) noexcept;
  // The same with the keys of an image of any layout. The image is verified first. The header record comes after all
  // keys, so that nobody opens half of it. Of a `container` it also keeps how that goes on (grows, forgets): the image
  // that WriteImage makes goes on in the same way, and counts keys that were inserted here meanwhile. An image of the
  // empty set has no size: it becomes an empty filter of one block with the image's num_probes, which a few dozen
  // keys fill. To insert keys, Create one for their number.
  Status CreateFromImage(const RedisServers& servers, std::string_view name, const void* image, size_t size,
                         const HashSecret* secret = nullptr, const RedisLayout& layout = {}) noexcept;
  // Reads the header record, and does what one who died left undone (Create, Expire), if this user may write. kNotFound
  // if there is none. `secret` goes with a keyed hash, and is copied: without it, with another one, or with one for a
  // filter that needs none, kIncompatible.
  Status Open(const RedisServers& servers, std::string_view name, const HashSecret* secret = nullptr) noexcept;
  // Closes the connections.
  void Close() noexcept;

  // One key: an integer or any bytes, as FilterBase's. *maybe is true unless the Status is ok and the key is certainly
  // absent. kIncompatible if the filter was made of the caller's own hashes.
  Status MayContainKey(Key key, bool* maybe) noexcept {
    *maybe = true;
    return HasKeys() ? MayContainHash(HashOf(key), maybe) : KeyStatus();
  }
  // The same of a hash, which hash_id() tells how to make.
  Status MayContainHash(uint64_t hash, bool* maybe) noexcept;
  // n hashes: answers of one byte each, 1 maybe, 0 absent; 1 where the Status' error came in the way. All are of one
  // generation. Any n; a thousand and more make the most of the pipeline.
  Status MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) noexcept;

  // One key; `outcome` may be null. It is kFailed if and only if the Status is an error.
  Status InsertKey(Key key, RedisInsert* outcome) noexcept {
    if (HasKeys()) return InsertHash(HashOf(key), outcome);
    if (outcome != nullptr) *outcome = RedisInsert::kFailed;
    return KeyStatus();
  }
  // The same of a hash.
  Status InsertHash(uint64_t hash, RedisInsert* outcome) noexcept;
  // A batch; `outcomes`, n of them, may be null. A key that comes twice may be kNew at either place, at one of them.
  // The Status is the first error; ok if and only if no outcome is kFailed.
  Status InsertHashes(const uint64_t* hashes, size_t n, RedisInsert* outcomes) noexcept;

  // The hash that ...Hash calls take of a key; of a filter of the caller's hashes 0.
  uint64_t HashOf(Key key) const noexcept {
    uint64_t hash = 0;
    (void)key_hash_.Of(key, &hash);
    return hash;
  }
  // Ok if ...Key calls can be answered, else why they cannot.
  Status KeyStatus() const noexcept;

  // Parameters, shards, generations, and how full it is, from a sample of at most 1 MiB of blocks. Lost shards are
  // counted, and no error.
  Status Info(RedisInfo* info) noexcept;
  // The whole filter goes after `ms` milliseconds (0: never), without any further call; calling it again begins anew.
  // It is kNotFound then. Its header record stays in Redis a minute longer and goes when a new filter takes the name
  // (in a cluster not before 10 s, for clocks differ: until then Create is kIncompatible). A generation that is begun
  // ends with the filter. Who has it open may be answered for some seconds longer. After kUnavailable some shards may
  // have another time than the filter: call it again, or whoever opens the filter next does that. kCorrupt: a shard is
  // lost, and the others have the time; or the record was put back, and none has.
  Status Expire(uint64_t ms) noexcept;
  // Removes header record and shards of all its generations; of a damaged record of those that can be read in it.
  // kNotFound if there is none: shards whose record is lost stay (doc/REDIS.md section 7 tells how to find them). What
  // is no filter of ours is left alone (kIncompatible), and so is a filter that somebody makes meanwhile (kUnavailable
  // if it might also be a new generation of this one: look whose it is, then delete it again).
  static Status Delete(const RedisServers& servers, std::string_view name) noexcept;

  // Adds all keys of an image (OR; of `blocked` and `classic`; of the others kIncompatible), which must have the
  // layout, size, num_probes, hash and seed or secret of the filter. Insertions and lookups may go on. On an error some
  // of the keys may be in: do it again.
  Status Load(const void* image, size_t size) noexcept;
  // The image of all keys that were acknowledged before the call; of later ones some may be in it. The mark of each
  // shard is looked at after its bytes, and the header record at the end: an image of a lost shard, or of a filter that
  // is gone, is not finished.
  Status WriteImage(const Sink& sink) noexcept;
  // The size of that image.
  uint64_t ImageBytes() const noexcept;
  // A file: complete and synced before it gets its name (linefilter/file.h).
  Status Save(const char* path) noexcept;

  // Begins the next generation, empty, for num_keys keys: another size, rate or layout, the same hash and seed (of the
  // options both may stay unset). When it returns, every acknowledged insertion by anybody goes into both.
  // kIncompatible if one was begun and neither switched to nor abandoned, perhaps by a program that died.
  Status BeginGeneration(uint64_t num_keys, const FilterOptions& options, const RedisLayout& layout = {}) noexcept;
  // The same with size, layout and keys of an image: the only way to a next `retrieval` or `container`. Keys that were
  // inserted since the image was made are not in it: read them from the exact source now, and LoadNext
  // (`blocked`, `classic`) or InsertHashesIntoNext, before the switch. A `retrieval` one could not take them, so it
  // follows a `retrieval` one alone, into which nobody inserts: else kIncompatible. While one serves, is begun or being
  // left, insertions are kIncompatible.
  Status BeginGenerationFromImage(const void* image, size_t size, const RedisLayout& layout = {}) noexcept;
  // Adds all keys of an image to the next generation, as Load to the one that serves.
  Status LoadNext(const void* image, size_t size) noexcept;
  // Adds keys to the next generation alone. On an error do it again.
  Status InsertHashesIntoNext(const uint64_t* hashes, size_t n) noexcept;
  // The next generation serves; the old one's shards go. Readers and writers anywhere need not do anything. Called
  // again after an error (or by another program, if this one died within) it goes on where it stopped. An object that
  // neither began nor loaded the next generation ends what it finds, and the record does not tell whether somebody who
  // died within was switching or abandoning: then ok says that it is ended, and generation() which one serves. Whoever
  // goes on for another program notes next_generation of Info first, and compares.
  Status SwitchGeneration() noexcept;
  // The next generation goes. What is said of SwitchGeneration holds here, too.
  Status AbandonGeneration() noexcept;

  // Whether it is open.
  bool is_open() const noexcept { return state_ != nullptr; }
  // Of the header record as it was last read. kAuto while closed.
  Layout layout() const noexcept;
  // See FilterBase; 0 while closed.
  uint32_t num_probes() const noexcept;
  uint64_t num_blocks() const noexcept;  // see num_probes
  uint64_t body_bytes() const noexcept;  // see num_probes
  uint64_t generation() const noexcept;  // the number of what serves, random; 0 while closed
  // How its keys become hashes; the seed of a keyed hash is the check of its secret.
  const KeyHash& key_hash() const noexcept { return key_hash_; }
  HashId hash_id() const noexcept { return key_hash_.id; }  // whose hashes it holds
  // Of a keyed hash CheckOfSecret.
  uint64_t seed() const noexcept { return key_hash_.seed; }
  // Until the next call that is not const.
  std::string_view name() const noexcept;

 private:
  bool HasKeys() const noexcept { return state_ != nullptr && key_hash_.hashes_keys(); }
  LINEFILTER_LOCAL Status Closed() const noexcept;
  // What Create, CreateFromImage and Open do alike: `work` is done with a new state that is connected (opening.h).
  template <class Work>
  LINEFILTER_LOCAL Status OpenBy(const RedisServers& servers, std::string_view name, const HashSecret* secret,
                                 const Work& work) noexcept;
  // Takes over what was opened.
  LINEFILTER_LOCAL void Adopt(std::unique_ptr<redis_internal::FilterState> state) noexcept;

  std::unique_ptr<redis_internal::FilterState> state_;
  KeyHash key_hash_;
};

}  // namespace linefilter

#endif  // LINEFILTER_REDIS_H_
