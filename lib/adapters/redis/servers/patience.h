// Patience says how long to try again, and with which pauses. They are 10 ms, twice as long each time up to half a
// second, each cut by chance so that many clients of a server that comes back do not come at once.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_PATIENCE_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_PATIENCE_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "lib/adapters/redis/servers/server_map.h"
#include "lib/adapters/redis/wire/failure.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

class Patience {
 public:
  // Lasts until then; `call_end` is what it is called in sentences. Where the call's end is fixed, the last eighth is
  // for the reply to the last try: a try that begins later would turn "it was refused" into "nobody knows".
  Patience(Clock::time_point end, const CallEnd& call_end) : end_(end), last_try_(end), call_end_(call_end) {
    if (call_end.is_fixed()) last_try_ -= (end - Clock::now()) / 8;
  }

  bool MayRetry(const Failure& failure, const ServerMap& map) const {
    const bool could_help =
        failure.verdict == Verdict::kRetry || (failure.verdict == Verdict::kReplica && map.has_other_servers());
    return could_help && !is_over();
  }
  bool is_over() const { return Clock::now() >= end_; }
  // The end of what is begun now. Where the call's end is not fixed, each is tried once at least.
  Clock::time_point end(const RedisServers& servers) const {
    if (call_end_.is_fixed()) return call_end_.at;
    return std::max(end_, Clock::now() + std::chrono::milliseconds(servers.deadlines.connect_ms));
  }

  // Returns false, at once, if no try may follow.
  bool Pause() {
    const auto now = Clock::now();
    if (now >= last_try_) return false;
    const auto pause = CutByChance(std::chrono::microseconds(pause_us_), now);
    pause_us_ = std::min<uint64_t>(2 * pause_us_, 500000);
    std::this_thread::sleep_until(std::min(now + std::chrono::duration_cast<Clock::duration>(pause), last_try_));
    return true;
  }

  // This is said in the end.
  Status GivenUp(const Failure& failure) const {
    const Status& status = failure.status;
    if (failure.verdict != Verdict::kRetry || call_end_.ms == 0) return status;
    return Status::Error(StatusCode::kUnavailable, "%.180s; given up within %u ms (%s)", status.message(), call_end_.ms,
                         call_end_.name);
  }

 private:
  static constexpr uint64_t kFirstPauseUs = 10000;

  Clock::time_point end_, last_try_;
  CallEnd call_end_;
  uint64_t pause_us_ = kFirstPauseUs;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_PATIENCE_H_
