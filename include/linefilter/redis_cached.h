// A RedisCachedFilter is a copy of a filter in Redis in this process: lookups ask no server. Link linefilter::redis.
//
// An "absent" may be old: a key that another program inserted within the last T milliseconds may still be "absent"
// here, and none that was inserted earlier. What this object inserted is seen at once. T is yours (within_ms). If the
// copy cannot be kept so young, because Redis does not answer, every answer is "maybe" until it can.
//
//   linefilter::RedisLayout layout;
//   layout.followed_keys = 1000000;             // once, where the filter is made: Redis keeps the last insertions
//   status = filter.Create(servers, "seen", 100000000, options, layout);
//
//   linefilter::RedisCachedFilter seen;         // everywhere else
//   status = seen.Open(servers, "seen", 1000);  // downloads the filter; T is a second
//   if (!seen.MayContainKey(url)) ...           // nobody had it a second ago: any number of threads
//   status = seen.InsertKey(url, &outcome);     // in Redis, then here
//
// A thread of this object brings the copy up to date three times in T. It reads what was inserted since from a stream
// in Redis: 8 bytes for each key of a call of many, 26 for a single one. It downloads the whole filter where another
// generation serves, where the stream was cut (RedisLayout::followed_keys), and where the connection was lost. A
// download takes three times the filter's memory for the moment.
//
// Threads: any number of threads may ask, and insert, one after the other. A child process that goes on with an object
// has no such thread: in it all is "maybe" after T, and nothing is inserted. Open another one there.
#ifndef LINEFILTER_REDIS_CACHED_H_
#define LINEFILTER_REDIS_CACHED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"
#include "linefilter/swappable.h"

namespace linefilter {

// How a copy does.
struct RedisCacheInfo {
  int64_t age_ms = -1;         // what was acknowledged before that is in the copy; -1: there is none
  uint64_t num_refreshes = 0;  // that succeeded, downloads among them
  uint64_t num_downloads = 0;  // of the whole filter
  uint64_t num_failures = 0;   // refreshes that did not succeed
  uint64_t num_bytes = 0;      // that all of them fetched
};

// linefilter/redis_cached.h begins with how old an answer may be. Before Open all is "maybe", and nothing is inserted.
class LINEFILTER_EXPORT RedisCachedFilter final {
 public:
  RedisCachedFilter() noexcept;
  // Waits for the refresh that is going on, for Deadlines::admin_ms at most where the servers are silent. No lease is
  // left by then.
  ~RedisCachedFilter();
  RedisCachedFilter(const RedisCachedFilter&) = delete;
  RedisCachedFilter& operator=(const RedisCachedFilter&) = delete;

  // Opens a filter that was made with RedisLayout::followed_keys (else kIncompatible), and downloads it. within_ms is
  // T, 50 at least. `secret` goes with a keyed hash. Other errors are those of RedisFilter::Open; with replica_reads it
  // is kInvalidArgument. On an error what was open stays open. It is not thread-safe, nor is Close.
  Status Open(const RedisServers& servers, std::string_view name, uint32_t within_ms,
              const HashSecret* secret = nullptr) noexcept;
  // Ends the thread, closes the connections, and forgets the copy.
  void Close() noexcept;
  // Whether it is open.
  bool is_open() const noexcept { return impl_ != nullptr; }

  // Takes a lease of the copy, to ask for many single keys at the speed of a local filter: a call of its own takes a
  // lease for each. What comes within the lease is seen, but a younger copy only by the next lease: keep it short.
  // Where the copy is too old the lease is one of nothing, which answers "maybe", and its owner() is null. A thread
  // that has a lease may insert. It must not call Refresh, Open or Close, which would wait for it.
  SwappableFilter::Lease Read() const noexcept;
  // Whether a key may be in the filter, as of at most T ago; true if the copy is too old.
  bool MayContainKey(Key key) const noexcept { return Read()->MayContainKey(key); }
  // The same for a hash; RedisFilter::hash_id tells how to make it.
  bool MayContainHash(uint64_t hash) const noexcept { return Read()->MayContainHash(hash); }
  // The same for n hashes: answers are one byte each, 1 maybe, 0 absent.
  void MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) const noexcept {
    Read()->MayContainHashes(hashes, n, answers);
  }

  // How keys become hashes; the seed of a keyed hash is the check of its secret.
  const KeyHash& key_hash() const noexcept { return key_hash_; }
  // The hash of a key, as calls by hash take it; 0 in a filter of the caller's hashes.
  uint64_t HashOf(Key key) const noexcept {
    uint64_t hash = 0;
    (void)key_hash_.Of(key, &hash);
    return hash;
  }
  // These insert into Redis, as those of RedisFilter do, and what was acknowledged into the copy.
  Status InsertKey(Key key, RedisInsert* outcome) noexcept;
  Status InsertHash(uint64_t hash, RedisInsert* outcome) noexcept;                        // see InsertKey
  Status InsertHashes(const uint64_t* hashes, size_t n, RedisInsert* outcomes) noexcept;  // see InsertKey

  // Brings the copy up to date now: what was acknowledged anywhere before the call is in it when this returns ok.
  Status Refresh() noexcept;
  // What the last refresh said.
  Status status() const noexcept;
  // How old the copy is, and what it took so far.
  RedisCacheInfo Info() const noexcept;

 private:
  class LINEFILTER_LOCAL Impl;

  std::unique_ptr<Impl> impl_;
  KeyHash key_hash_;
  SwappableFilter nothing_;
};

}  // namespace linefilter

#endif  // LINEFILTER_REDIS_CACHED_H_
