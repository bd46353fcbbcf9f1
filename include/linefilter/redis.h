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
// Batches (...Hashes) are pipelined: from a thousand keys on they are ten times as fast as single calls and more. Where
// many bits are set already, insertions read the blocks first and set what is missing. The keys in Redis are described
// in doc/REDIS.md: a header record under the name of the filter, which says how it was made, and the bits in one or
// several strings, the shards.
//
// Errors: a lookup that could not be answered says "maybe" (*maybe true, answers 1), and its Status says why. After a
// lost connection, and while a server is loading or a cluster moves slots, a call tries again until its deadline
// (RedisServers::deadlines), then it is kUnavailable. Every call that touches a shard that the server lost
// (evicted, flushed, restarted without persistence) notices it: kCorrupt, "maybe", and insertions that fail. It is
// never taken for an empty one. Each batch also looks at the header record. A filter that was deleted, expired, or
// whose record alone was lost is kNotFound at once; one that was made anew is asked and filled from then on. (So while
// the node of a cluster that has the record is down, nothing is decided or inserted. While another one is, only keys
// with a shard there are "maybe" and fail.) kNotFound also means that no filter has that name. kIncompatible means that
// another filter, or something else, has it, that the secret is another one or missing, or that layout `retrieval`
// takes no keys. Other codes are kInvalidArgument (password, names, options), kOverLimit (Redis is full) and
// kOutOfMemory (here). kIoError means that Redis cannot write its files, or refuses for a reason that is not known
// here, or that the server is no Redis. kUnsupported means that Redis is older than 6.2, that the header record is of a
// later linefilter, that a `classic` body is above 512 MiB, or that there is no OpenSSL for TLS.
//
// Nobody vouches for a failed insertion (RedisInsert::kFailed): the key may be in the filter or not. Insert it again;
// that is right any number of times. (In a filter from which keys can be removed it may then count twice, which only
// costs a little.) Outcomes are per key: some of a batch may have failed, then the Status says why the first did. Redis
// itself can still lose what it acknowledged, as its persistence and replication are set: doc/REDIS.md tells what
// appendfsync and wait_replicas buy.
//
// Exactly one of several writers of a key is told kNew, even at the same moment. At most one is told if generations are
// begun, switched or lost in that moment. The same holds if a connection is lost between an insertion and its reply (it
// is then sent again, and finds its own bits). A key that nobody inserted may be known (a false positive), as in any
// filter.
//
// Generations: a filter whose keys also go, or that is full, is made anew while it serves.
//   filter.BeginGeneration(num_keys, options);   // from now on all writers write to both, readers ask the old one
//   filter.LoadNext(image, size);                // all keys of the exact source, read after Begin
//   filter.SwitchGeneration();                   // readers see the old or the new one, never a mixture
// A key must be in the exact source before it is inserted here: then it is among those that are read after Begin. A
// program that asks first, and stores what is new, must wait after Begin until all that it asked before are stored.
//
// A key that comes between Begin and the read of the source reaches the next generation twice: a writer inserts it, and
// so does the rebuilder. Where keys can be removed (a `quotient` multiset) it then has two entries. So one removal
// after the switch leaves it in: a false positive, and nothing is lost.
//
// Threads: one thread uses an object. Open one in each; all may use one filter, as may any number of machines. A child
// process that goes on with an object connects anew.
//
// Secrets: with HashId::kKeyed Redis has a check of the secret, not the secret. Bring it to open the filter.
#ifndef LINEFILTER_REDIS_H_
#define LINEFILTER_REDIS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "linefilter/filter_base.h"
#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/redis_servers.h"
#include "linefilter/status.h"

namespace linefilter {

namespace redis_internal {
class FilterState;  // lib/adapters/redis/calls/filter_state.h
}

// How the bits are spread over strings of Redis.
struct RedisLayout {
  // The most bytes of a shard, rounded up to whole blocks. 0 means at most 64 MiB, and in a cluster at least four
  // shards for each master where they have 64 KiB. Redis' strings end at 512 MiB. `classic` has one shard alone.
  uint64_t shard_bytes = 0;
  // Above 0 others may follow the filter (linefilter/redis_cached.h): Redis then keeps about so many of the last
  // insertions, 8 bytes for each of a call of many keys and 26 for single ones; 2^32 at most. A call of many cuts
  // single ones earlier. Who comes back later than that downloads the whole filter. It is `blocked` or `split_block`:
  // else kIncompatible. BeginGeneration does not look at it: a filter stays as it is.
  uint64_t followed_keys = 0;
  // A filter that grows, for sets whose size nobody knows. num_keys is for how many it has room at first, 4,096 at
  // least. FilterOptions::fpr bounds the rate at every moment, as in ScalableFilter (linefilter/scalable.h). Whoever
  // inserts looks now and then how full it is, and opens the next stage. Some dozens may insert at once: what hundreds
  // have in hand may overfill a stage. Each stage costs a lookup one line more. It gives nothing back: the stage that
  // says "maybe" may do so by another key, whose entry would go.
  bool grows = false;
  uint64_t max_growth = 0;  // GrowthOptions::max_growth
};

// What became of one insertion.
enum class RedisInsert : uint8_t {
  kKnown = 0,   // acknowledged; the key may have been there
  kNew = 1,     // acknowledged; the key was certainly not there, and no other writer is told so
  kFailed = 2,  // not acknowledged: insert it again
};

// What became of one removal.
enum class RedisRemove : uint8_t {
  kAbsent = 0,   // the key was certainly not there, and nothing changed
  kRemoved = 1,  // its entry is out
  kFailed = 2,   // nothing was removed: remove it again, while the same generation serves
  kUnknown = 3,  // nobody knows: do not remove it again; if it stays, that is one false positive more
};

// What a filter tells of itself.
struct RedisInfo {
  Layout layout = Layout::kAuto;     // see FilterBase
  HashId hash_id = HashId::kXxh3;    // see FilterBase
  uint64_t seed = 0;                 // for a keyed hash the check of the secret
  uint32_t num_probes = 0;           // 0 in `retrieval`, `container`, `split_block`, a `quotient` set
  uint32_t num_stages = 0;           // 0 but in a `container`
  uint64_t capacity = 0;             // of all stages, as FilterBase::capacity; of an image its keys; 0: unknown
  uint64_t num_blocks = 0;           // 0 in `classic`
  uint64_t body_bytes = 0;           // bytes of the bits
  uint64_t shard_bytes = 0;          // of each shard but the last, which has what is left
  uint64_t num_shards = 0;           // strings of Redis
  uint64_t followed_keys = 0;        // RedisLayout::followed_keys
  uint64_t generation = 0;           // its number, random
  uint64_t next_generation = 0;      // that of the one that was begun; 0: none
  uint64_t previous_generation = 0;  // that of the one that is being left; 0: none
  uint64_t version = 0;              // of the header record: grows with every change
  int64_t expires_in_ms = -1;        // the filter's time (its header record stays a minute longer); -1: never
  uint32_t num_masters = 0;          // 1 without a cluster
  bool cluster = false;              // Redis Cluster
  uint64_t num_lost_shards = 0;      // seen by the sample: their keys are lost, and every answer there is "maybe"
  uint64_t sampled_bytes = 0;        // of the body, on which the figures below stand (spread over all of it)
  double fill_ratio = 0;             // as FilterBase::FillRatio
  SizeEstimate approximate_size;     // as FilterBase::ApproximateSize, with the error of the sample
  double expected_fpr = 1;           // as FilterBase::ExpectedFpr

  // This is FilterBase::RoomFor, by approximate_size.
  LINEFILTER_EXPORT uint64_t RoomFor(double fpr) const noexcept;
  // This is FilterBase::OverCapacity.
  LINEFILTER_EXPORT bool OverCapacity() const noexcept;
};

// One thread uses an object. Before Create or Open, and after a move from, it answers "maybe", inserts nothing and says
// so (kInvalidArgument). Create, CreateFromImage and Open may be called again. On an error the object is as it was:
// what was open stays open, and its connections are closed only after the new ones are made.
class LINEFILTER_EXPORT RedisFilter final {
 public:
  RedisFilter() noexcept;
  ~RedisFilter();
  RedisFilter(RedisFilter&& other) noexcept;
  RedisFilter& operator=(RedisFilter&& other) noexcept;
  RedisFilter(const RedisFilter&) = delete;
  RedisFilter& operator=(const RedisFilter&) = delete;

  // Makes an empty filter for num_keys keys, and opens it. It is `blocked` (kAuto means it), `classic`, `split_block`
  // or `quotient` (kAuto with FilterOptions::removable). A `retrieval` or `container` comes by CreateFromImage. `name`
  // has 1 to 200 bytes without newline and NUL. With a hash tag of its own ("{users}seen") the filter lies in one slot
  // of a cluster as a whole. No other name has a closing brace. kIncompatible means that a filter or something else has
  // the name. The options allocator, memory_limit and executor do not count. After another error the filter may be
  // there nevertheless. It would lose its keys within a day, loudly (kCorrupt), unless somebody opens it, or creates it
  // once more, which says that the name is taken.
  Status Create(const RedisServers& servers, std::string_view name, uint64_t num_keys, const FilterOptions& options,
                const RedisLayout& layout = {}) noexcept;
  // Makes a filter with the keys of an image of any layout, which is verified first. The header record comes after all
  // keys, so that nobody opens half of it. For a `container` it also keeps how that goes on (grows, forgets): the image
  // that WriteImage makes goes on in the same way, and counts keys that were inserted here meanwhile. An image of the
  // empty set has no size: it becomes an empty filter of one block with the image's num_probes, which a few dozen keys
  // fill. To insert keys, Create one for their number.
  Status CreateFromImage(const RedisServers& servers, std::string_view name, const void* image, size_t size,
                         const HashSecret* secret = nullptr, const RedisLayout& layout = {}) noexcept;
  // Opens the filter if it is there, and else creates it, for programs that begin at the same time; `is_new` tells
  // which, and may be null. A filter that is there stays as it is: it has the hash of `options` (else kIncompatible),
  // and perhaps another size or layout. A filter that was lost comes back empty: who takes its "absent" for certain
  // fills it from the exact source where is_new is true.
  Status Reserve(const RedisServers& servers, std::string_view name, uint64_t num_keys, const FilterOptions& options,
                 const RedisLayout& layout = {}, bool* is_new = nullptr) noexcept;
  // Reads the header record, and does what a program that died left undone (Create, Expire), if this user may write. It
  // is kNotFound if there is none. `secret` goes with a keyed hash, and is copied: without it, with another one, or
  // with one for a filter that needs none, kIncompatible.
  Status Open(const RedisServers& servers, std::string_view name, const HashSecret* secret = nullptr) noexcept;
  // Closes the connections.
  void Close() noexcept;

  // Gives the next call that asks the servers a deadline of its own: filter.Within(20).MayContainKey(key, &maybe). It
  // holds all that the call does, also the wait for replicas. 0 takes that back. Before Create or Open it does nothing.
  RedisFilter& Within(uint32_t ms) noexcept;

  // Asks for one key: an integer or any bytes, as in FilterBase. *maybe is true unless the Status is ok and the key is
  // certainly absent. It is kIncompatible if the filter was made of the caller's own hashes.
  Status MayContainKey(Key key, bool* maybe) noexcept {
    *maybe = true;
    return HasKeys() ? MayContainHash(HashOf(key), maybe) : KeyStatus();
  }
  // The same for a hash; hash_id() tells how to make it.
  Status MayContainHash(uint64_t hash, bool* maybe) noexcept;
  // Asks for n hashes. Answers are one byte each, 1 maybe, 0 absent; 1 where the Status' error came in the way. All are
  // of one generation. n may be anything; a thousand and more make the most of the pipeline. `answered`, n of them, may
  // be null: 1 where servers answered for that key, 0 where it is "maybe" only because they did not, as those of a
  // cluster's node that is down.
  Status MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers, uint8_t* answered = nullptr) noexcept;

  // Inserts one key; `outcome` may be null. It is kFailed if and only if the Status is an error.
  Status InsertKey(Key key, RedisInsert* outcome) noexcept {
    if (HasKeys()) return InsertHash(HashOf(key), outcome);
    if (outcome != nullptr) *outcome = RedisInsert::kFailed;
    return KeyStatus();
  }
  // The same for a hash.
  Status InsertHash(uint64_t hash, RedisInsert* outcome) noexcept;
  // Inserts a batch; `outcomes`, n of them, may be null. A key that comes twice may be kNew at one of the two places.
  // The Status is the first error; ok if and only if no outcome is kFailed.
  Status InsertHashes(const uint64_t* hashes, size_t n, RedisInsert* outcomes) noexcept;

  // Removes one key, once for each insertion; `outcome` may be null. The Status is an error if and only if the outcome
  // is kFailed or kUnknown. The filter is `quotient` with FilterOptions::removable: else kIncompatible.
  //
  // Only what is in the filter may be removed: a key that is a false positive takes the entry of another one with it.
  // After a rebuild a key may be missing, because the exact source had it no more when it was read. So removals are
  // kIncompatible while a generation is begun or being left. If generations are ever begun, give generation() as it was
  // before the key left the exact source: nothing is removed from another one (kUnknown). 0 means the one that this
  // object saw last.
  //
  // After a failover, or a restart from an older state, acknowledged insertions may be lost, and such keys are false
  // positives at most: remove nothing until the filter is rebuilt.
  Status RemoveKey(Key key, RedisRemove* outcome, uint64_t generation = 0) noexcept {
    if (HasKeys()) return RemoveHash(HashOf(key), outcome, generation);
    if (outcome != nullptr) *outcome = RedisRemove::kFailed;
    return KeyStatus();
  }
  // The same for a hash.
  Status RemoveHash(uint64_t hash, RedisRemove* outcome, uint64_t generation = 0) noexcept;
  // Removes a batch; `outcomes`, n of them, may be null. The Status is the first error.
  Status RemoveHashes(const uint64_t* hashes, size_t n, RedisRemove* outcomes, uint64_t generation = 0) noexcept;

  // These are the verbs of RedisBloom, for those who know them: thin names of the calls above. BF.RESERVE is Reserve,
  // BF.INFO is Info. BF.ADD and CF.ADD: *added tells whether the key was certainly new; it may be null.
  Status Add(Key key, bool* added = nullptr) noexcept;
  // BF.MADD: inserts n keys in one pipeline. `outcomes`, n of them, may be null. The Status is the first error, ok if
  // and only if no outcome is kFailed.
  Status MAdd(const Key* keys, size_t n, RedisInsert* outcomes = nullptr) noexcept;
  // BF.EXISTS and CF.EXISTS: see MayContainKey.
  Status Exists(Key key, bool* maybe) noexcept { return MayContainKey(key, maybe); }
  // BF.MEXISTS: asks for n keys in one pipeline. Answers are those of MayContainHashes, and so is `answered`.
  Status MExists(const Key* keys, size_t n, uint8_t* answers, uint8_t* answered = nullptr) noexcept;
  // CF.DEL: *deleted tells whether an entry went; it may be null. What is said of RemoveKey holds.
  Status Del(Key key, bool* deleted = nullptr) noexcept;
  // BF.CARD: about how many keys are in, as Info tells.
  Status Card(uint64_t* keys) noexcept;

  // A filter that grows tells here why no further stage could be opened when this object inserted last (max_growth, or
  // what Redis said). It is ok otherwise. Keys then go on into the newest stage: none is lost, and the rate rises above
  // the bound.
  Status growth_status() const noexcept;

  // The hash of a key, as calls by hash take it; 0 in a filter of the caller's hashes.
  uint64_t HashOf(Key key) const noexcept {
    uint64_t hash = 0;
    (void)key_hash_.Of(key, &hash);
    return hash;
  }
  // Ok if calls by key can be answered; else it says why they cannot.
  Status KeyStatus() const noexcept;

  // Tells parameters, shards, generations, and how full it is, from a sample of at most 1 MiB of blocks. Lost shards
  // are counted, and are no error.
  Status Info(RedisInfo* info) noexcept;
  // Lets the whole filter go after `ms` milliseconds (0: never), without any further call; calling it again begins
  // anew. It is kNotFound then. Its header record stays in Redis a minute longer and goes when a new filter takes the
  // name (in a cluster not before 10 s, for clocks differ: until then Create is kIncompatible). A generation that is
  // begun ends with the filter. Open objects may be answered for some seconds longer. After kUnavailable some shards
  // may have another time than the filter: call it again, or the next program that opens the filter does that. kCorrupt
  // means that a shard is lost and the others have the time, or that the record was put back and none has.
  Status Expire(uint64_t ms) noexcept;
  // Removes header record and shards of all its generations; if the record is damaged, of those that can be read in it.
  // It is kNotFound if there is none: shards whose record is lost stay (doc/REDIS.md section 7 tells how to find them).
  // What is no filter of ours is left alone (kIncompatible), and so is a filter that somebody makes meanwhile.
  // (kUnavailable if it might also be a new generation of this one: look whose it is, then delete it again.)
  static Status Delete(const RedisServers& servers, std::string_view name) noexcept;

  // Adds all keys of an image of `blocked` or `classic` (by OR; the others are kIncompatible). It must have the layout,
  // size, num_probes, hash and seed or secret of the filter. Insertions and lookups may go on. After an error some keys
  // may be in: do it again.
  Status Load(const void* image, size_t size) noexcept;
  // Writes the image of all keys that were acknowledged before the call; some later ones may be in it. The mark of each
  // shard is looked at after its bytes, and the header record at the end: an image of a lost shard, or of a filter that
  // is gone, is not finished.
  Status WriteImage(const Sink& sink) noexcept;
  // The size of that image.
  uint64_t ImageBytes() const noexcept;
  // Writes a file. It is complete and synced before it gets its name (linefilter/file.h).
  Status Save(const char* path) noexcept;

  // Begins the next generation, empty, for num_keys keys. It may have another size, rate or layout, but has the same
  // hash and seed (these options may stay unset). When it returns, every acknowledged insertion by anybody goes into
  // both. It is kIncompatible if one was begun and neither switched to nor abandoned, perhaps by a program that died.
  Status BeginGeneration(uint64_t num_keys, const FilterOptions& options, const RedisLayout& layout = {}) noexcept;
  // Begins it with size, layout and keys of an image: the only way to a next `retrieval` or `container`. Keys that were
  // inserted since the image was made are not in it: read them from the exact source now, and call LoadNext (`blocked`,
  // `classic`) or InsertHashesIntoNext before the switch. A `retrieval` one could not take them, so it follows only a
  // `retrieval` one, into which nobody inserts: else kIncompatible. While one serves, is begun or being left,
  // insertions are kIncompatible.
  Status BeginGenerationFromImage(const void* image, size_t size, const RedisLayout& layout = {}) noexcept;
  // Adds all keys of an image to the next generation, as Load adds them to the one that serves.
  Status LoadNext(const void* image, size_t size) noexcept;
  // Adds keys to the next generation alone. After an error do it again.
  Status InsertHashesIntoNext(const uint64_t* hashes, size_t n) noexcept;
  // Makes the next generation serve; the old one's shards go. Readers and writers anywhere need not do anything. Call
  // it again after an error (or in another program, if this one died within), and it goes on where it stopped. An
  // object that neither began nor loaded the next generation ends what it finds. The record does not tell whether a
  // program that died within was switching or abandoning: then ok says that it is ended, and generation() which one
  // serves. A program that goes on for another notes next_generation of Info first, and compares.
  Status SwitchGeneration() noexcept;
  // Gives the next generation up. What is said of SwitchGeneration holds here, too.
  Status AbandonGeneration() noexcept;

  // Whether the filter is open.
  bool is_open() const noexcept { return state_ != nullptr; }
  // The layout in the header record as it was last read; kAuto while closed.
  Layout layout() const noexcept;
  // See FilterBase; 0 while closed.
  uint32_t num_probes() const noexcept;
  uint64_t num_blocks() const noexcept;  // see num_probes
  uint64_t body_bytes() const noexcept;  // see num_probes
  uint64_t generation() const noexcept;  // the number of what serves, random; 0 while closed
  // How its keys become hashes; the seed of a keyed hash is the check of its secret.
  const KeyHash& key_hash() const noexcept { return key_hash_; }
  HashId hash_id() const noexcept { return key_hash_.id; }  // whose hashes it holds
  // For a keyed hash this is CheckOfSecret of the secret.
  uint64_t seed() const noexcept { return key_hash_.seed; }
  // The name, until the next call that is not const.
  std::string_view name() const noexcept;
  // The servers that this object asked, and how they did: those at RedisServers::addresses, and of a cluster those that
  // are in it still. 0 while closed.
  size_t num_nodes() const noexcept;
  RedisNode node(size_t i) const noexcept;  // see num_nodes; without that one its address is empty

 private:
  bool HasKeys() const noexcept { return state_ != nullptr && key_hash_.hashes_keys(); }
  // Create, CreateFromImage and Open share this: it does `work` with a new state that is connected, and takes that
  // over.
  template <class Work>
  LINEFILTER_LOCAL Status OpenBy(const RedisServers& servers, std::string_view name, const HashSecret* secret,
                                 const Work& work) noexcept;

  std::unique_ptr<redis_internal::FilterState> state_;
  KeyHash key_hash_;
};

}  // namespace linefilter

#endif  // LINEFILTER_REDIS_H_
