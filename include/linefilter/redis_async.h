// A RedisAsyncFilter asks a filter in Redis for callers that do not wait: each call has a function that gets the answer
// later. One thread does all that waits for the network. What comes while it waits goes in the next pipeline together,
// so that a thousand single calls cost about what a batch of a thousand costs. Link linefilter::redis.
//
//   linefilter::RedisAsyncFilter seen;
//   linefilter::Status status = seen.Open(servers, "seen");
//   status = seen.MayContainKey(url, &OnAnswer, request);  // returns at once; the other thread calls OnAnswer(request,
//                                                          // maybe, status), which is noexcept
//
// A call that returns ok is answered once for each key, certainly; one that returns an error is not. Lookups alone are
// answered within twice the deadline of requests (RedisServers::deadlines): the pipeline that is under way may take
// one, and their own another. Insertions and removals are pipelines of their own, which come first. The queue is
// bounded: where callers are faster than Redis, a call is kOverLimit, and the caller sheds load.
//
// Insertions and removals are made in the order of their calls, but that neighbours of one kind go together. A lookup
// comes behind all that was called for before it. RedisServers::maybes_per_second counts single lookups here.
//
// Threads: any number of threads may call. Answers are given by the thread of the object: they must not block, and may
// call again, but not Close. A child process that goes on with an object has no such thread: calls are kUnavailable
// there, and what was waiting is answered in the parent alone.
#ifndef LINEFILTER_REDIS_ASYNC_H_
#define LINEFILTER_REDIS_ASYNC_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter {

// linefilter/redis_async.h begins with how it is used. Before Open every call is kInvalidArgument.
class LINEFILTER_EXPORT RedisAsyncFilter final {
 public:
  // What gets an answer. `maybe` is true unless the Status is ok and the key is certainly absent; an insertion is
  // kFailed, and a removal kFailed or kUnknown, if and only if the Status is an error.
  using OnMaybe = void (*)(void* context, bool maybe, const Status& status) noexcept;
  using OnInsert = void (*)(void* context, RedisInsert outcome, const Status& status) noexcept;  // see OnMaybe
  using OnRemove = void (*)(void* context, RedisRemove outcome, const Status& status) noexcept;  // see OnMaybe

  RedisAsyncFilter() noexcept;
  // It closes, as Close does.
  ~RedisAsyncFilter();
  RedisAsyncFilter(const RedisAsyncFilter&) = delete;
  RedisAsyncFilter& operator=(const RedisAsyncFilter&) = delete;

  // Opens a filter, with the errors of RedisFilter::Open. most_waiting bounds the queue. On an error what was open
  // stays open. It is not thread-safe, nor is Close.
  Status Open(const RedisServers& servers, std::string_view name, const HashSecret* secret = nullptr,
              size_t most_waiting = 65536) noexcept;
  // Waits until all calls are answered, then closes. No other thread may call meanwhile.
  void Close() noexcept;

  // Asks for one key, as RedisFilter::MayContainKey does.
  Status MayContainKey(Key key, OnMaybe done, void* context) noexcept {
    const Status status = KeyStatus();
    return status.ok() ? MayContainHash(HashOf(key), done, context) : status;
  }
  // The same for a hash.
  Status MayContainHash(uint64_t hash, OnMaybe done, void* context) noexcept;
  // The same for n hashes: contexts[i] gets the answer for hashes[i]. All of them wait, or none (kOverLimit).
  Status MayContainHashes(const uint64_t* hashes, size_t n, OnMaybe done, void* const* contexts) noexcept;
  // Inserts one key, as RedisFilter::InsertKey does.
  Status InsertKey(Key key, OnInsert done, void* context) noexcept {
    const Status status = KeyStatus();
    return status.ok() ? InsertHash(HashOf(key), done, context) : status;
  }
  // The same for a hash.
  Status InsertHash(uint64_t hash, OnInsert done, void* context) noexcept;
  // The same for n hashes, as MayContainHashes takes them.
  Status InsertHashes(const uint64_t* hashes, size_t n, OnInsert done, void* const* contexts) noexcept;
  // Removes one key from the generation that serves, as RedisFilter::RemoveKey does.
  Status RemoveKey(Key key, OnRemove done, void* context) noexcept {
    const Status status = KeyStatus();
    return status.ok() ? RemoveHash(HashOf(key), done, context) : status;
  }
  // The same for a hash.
  Status RemoveHash(uint64_t hash, OnRemove done, void* context) noexcept;
  // The same for n hashes, as MayContainHashes takes them.
  Status RemoveHashes(const uint64_t* hashes, size_t n, OnRemove done, void* const* contexts) noexcept;

  // How many calls wait to be sent.
  size_t num_waiting() const noexcept;
  // Whether a filter is open.
  bool is_open() const noexcept { return impl_ != nullptr; }
  // How keys become hashes.
  const KeyHash& key_hash() const noexcept { return key_hash_; }
  // Ok if calls by key can be answered; else it says why they cannot.
  Status KeyStatus() const noexcept;
  // The hash of a key, as calls by hash take it; 0 in a filter of the caller's hashes.
  uint64_t HashOf(Key key) const noexcept {
    uint64_t hash = 0;
    (void)key_hash_.Of(key, &hash);
    return hash;
  }

 private:
  class LINEFILTER_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
  KeyHash key_hash_;
};

}  // namespace linefilter

#endif  // LINEFILTER_REDIS_ASYNC_H_
