// How often this process is a forked child: what a thread or a mutex of the parent was to do, it does not do here.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_FORKS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_FORKS_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace linefilter::redis_internal {

// getpid, which would tell it, is a call of the system: it halved the speed of callers who do not wait.
inline std::atomic<uint32_t> num_forks{0};

// Counts from the first call on.
inline uint32_t NumForks() noexcept {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { num_forks.fetch_add(1, std::memory_order_relaxed); });
  (void)registered;
  return num_forks.load(std::memory_order_relaxed);
}

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_FORKS_H_
