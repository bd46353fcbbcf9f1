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
#include "python/src/notices.h"

namespace linefilter::python {

class Redis {
 public:
  // open(filter, servers) is create, from_image or open; the hash is that of the filter, which no later generation
  // changes.
  template <class Open>
  Redis(const NoticedServers& servers, const Open& open) : notices_(servers.told) {
    const RedisServers watched = notices_.Watch(servers);
    CheckWithoutGil([&] { return open(filter_, watched); });
  }

  Hasher hasher() const { return Hasher(filter_.key_hash()); }
  const RedisFilter& own() const { return filter_; }

  // call(filter) is a Status or SystemResult. With the GIL, without which it is called.
  template <class Call>
  void Do(const Call& call) {
    CheckProcess();
    const TellsAtEnd tells(notices_);
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

  Notices notices_;
  RedisFilter filter_;
  const pid_t process_ = getpid();
  std::mutex mutex_;
};

// A RedisCachedFilter, for Python, by the calls of a RedisFilter. Threads share it; whoever waits for Redis does so
// without the GIL.
class CachedRedis {
 public:
  CachedRedis(const NoticedServers& servers, const std::string& name, uint32_t within_ms, const HashSecret* secret)
      : notices_(servers.told) {
    const RedisServers watched = notices_.Watch(servers);
    CheckWithoutGil([&] { return filter_.Open(watched, name, within_ms, secret); });
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
    const TellsAtEnd tells(notices_);
    CheckWithoutGil([&] { return call(*this); });
  }

 private:
  Notices notices_;
  RedisCachedFilter filter_;
};

// Binds what is done with keys: questions and insertions, and of a Redis removals.
void BindRedisKeys(py::class_<Redis>& bound);
void BindRedisKeys(py::class_<CachedRedis>& bound);
// Binds AsyncRedis.
void BindAsyncRedis(py::module_& module);

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_REDIS_H_
