// Redis, for Python: a RedisFilter behind a mutex, since it is one thread's. Whoever waits, for the server or for
// another thread, does so without the GIL.
#ifndef LINEFILTER_PYTHON_SRC_REDIS_H_
#define LINEFILTER_PYTHON_SRC_REDIS_H_

#include <sys/types.h>
#include <unistd.h>

#include <mutex>
#include <string>

#include "linefilter/redis_cached.h"
#include "python/src/core.h"
#include "python/src/errors.h"

namespace linefilter::python {

class Redis {
 public:
  // `open` is create, from_image or open; the hash is that of the filter, which no later generation changes.
  template <class Open>
  explicit Redis(const Open& open) {
    CheckWithoutGil([&] { return open(filter_); });
  }

  Hasher hasher() const { return Hasher(filter_.key_hash()); }
  const RedisFilter& own() const { return filter_; }

  // call(filter) is a Status or SystemResult. With the GIL, without which it is called.
  template <class Call>
  void Do(const Call& call) {
    CheckProcess();
    CheckWithoutGil([&] {
      const std::lock_guard lock(mutex_);
      return call(filter_);
    });
  }
  // The same for a fact that is read with the header record.
  template <class Fact>
  auto Tell(const Fact& fact) {
    CheckProcess();
    const ReleasedGil release;
    const std::lock_guard lock(mutex_);
    return fact(filter_);
  }

 private:
  // Two processes that share a connection would get each other's replies: a key would be "absent" that is not. And a
  // mutex that another thread held at the fork is held for ever in the child.
  void CheckProcess() const {
    if (getpid() == process_) return;
    Check(Status::Error(StatusCode::kInvalidArgument,
                        "the filter was opened by another process, before a fork: open it in each process"));
  }

  RedisFilter filter_;
  const pid_t process_ = getpid();
  std::mutex mutex_;
};

// A RedisCachedFilter, for Python, by the calls of a RedisFilter. Threads share it; whoever waits for Redis does so
// without the GIL.
class CachedRedis {
 public:
  CachedRedis(const RedisServers& servers, const std::string& name, uint32_t within_ms, const HashSecret* secret) {
    CheckWithoutGil([&] { return filter_.Open(servers, name, within_ms, secret); });
  }

  // It waits for the refresh that is going on.
  ~CachedRedis() {
    const ReleasedGil release;
    filter_.Close();
  }
  CachedRedis(const CachedRedis&) = delete;
  CachedRedis& operator=(const CachedRedis&) = delete;

  Hasher hasher() const { return Hasher(filter_.key_hash()); }
  RedisCachedFilter& own() { return filter_; }

  Status MayContainHash(uint64_t hash, bool* maybe) noexcept {
    *maybe = filter_.MayContainHash(hash);
    return Status();
  }
  Status MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) noexcept {
    filter_.MayContainHashes(hashes, n, answers);
    return Status();
  }
  Status InsertHash(uint64_t hash, RedisInsert* outcome) noexcept { return filter_.InsertHash(hash, outcome); }
  Status InsertHashes(const uint64_t* hashes, size_t n, RedisInsert* outcomes) noexcept {
    return filter_.InsertHashes(hashes, n, outcomes);
  }

  template <class Call>
  void Do(const Call& call) {
    CheckWithoutGil([&] { return call(*this); });
  }

 private:
  RedisCachedFilter filter_;
};

// Binds what is done with keys: questions and insertions, and of a Redis removals.
void BindRedisKeys(py::class_<Redis>& bound);
void BindRedisKeys(py::class_<CachedRedis>& bound);

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_REDIS_H_
