// A copy of the filter in Redis, in the memory of this process, fetched anew by a thread in the background. What is
// "maybe" in it was in Redis when it was fetched, so Redis would say "known", and need not be asked. What is "absent"
// in it may have been inserted since, by anybody: of that the copy knows nothing, and Redis is asked.
#ifndef LINEFILTER_EXAMPLES_REDIS_DEDUP_LOCAL_COPY_H_
#define LINEFILTER_EXAMPLES_REDIS_DEDUP_LOCAL_COPY_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "linefilter/redis.h"
#include "linefilter/swappable.h"

namespace redis_dedup {

class LocalCopy {
 public:
  LocalCopy(const linefilter::RedisServers& servers, std::string name, std::chrono::milliseconds every);
  ~LocalCopy();  // the thread ends
  LocalCopy(const LocalCopy&) = delete;
  LocalCopy& operator=(const LocalCopy&) = delete;

  // 1 where Redis would say "known"; 0 where it must be asked, as of all before the first copy has come.
  void AreKnown(const uint64_t* hashes, size_t n, uint8_t* known) const;
  uint64_t refreshes() const { return refreshes_; }
  uint64_t bytes() const { return bytes_; }  // that all of them fetched

 private:
  void Work();
  bool Refresh(linefilter::RedisFilter* filter);

  const linefilter::RedisServers servers_;
  const std::string name_;
  const std::chrono::milliseconds every_;
  linefilter::SwappableFilter copy_;
  std::atomic<uint64_t> refreshes_{0}, bytes_{0};
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace redis_dedup

#endif  // LINEFILTER_EXAMPLES_REDIS_DEDUP_LOCAL_COPY_H_
