// A breaker keeps requests from a server that is ill, so that nobody waits for it again and again.
//
// It opens when the server refuses a connection, and when it was silent or lost three times in a row: one slow reply
// cuts nobody off. Then requests fail at once, until a pause is over. The next one is the trial: its success closes the
// breaker, its failure opens it for a longer pause. Pauses double, up to eight times the first, and chance cuts each by
// up to a half, so that many clients do not come at once. Calls that are no requests go through, and are heeded.
//
// A trial of a silent server keeps its call from the other servers' answers. So the first trial, and each fourth after
// it, may take all of its call's time, and the others a quarter: that is 5 % of a caller's time in place of 13 %. A
// server that is only slow needs the whole time, and gets it.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_BREAKER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_BREAKER_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "lib/adapters/redis/wire/address.h"
#include "lib/adapters/redis/wire/failure.h"
#include "linefilter/redis_servers.h"

namespace linefilter::redis_internal {

// What is left of a pause that chance cuts by up to a half: many clients of a server that comes back do not come at
// once. Chance is that of the clock's lower bits.
inline std::chrono::microseconds CutByChance(std::chrono::microseconds pause,
                                             std::chrono::steady_clock::time_point now) {
  const uint64_t chance = static_cast<uint64_t>(now.time_since_epoch().count()) * 0x9E3779B97F4A7C15u >> 40;  // 24 bits
  const int64_t half = pause.count() / 2;
  return std::chrono::microseconds(half + ((half * static_cast<int64_t>(chance)) >> 24));
}

class Breaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr uint32_t kMostInARow = 3, kMostDoublings = 3, kTrialsForAWholeOne = 4;

  // first_pause_ms: Deadlines::pause_ms; 0: it never opens.
  Breaker(const Address& address, uint32_t first_pause_ms)
      : address_(address), server_(address.text()), first_pause_ms_(first_pause_ms) {}

  const Address& address() const noexcept { return address_; }
  const std::string& server() const noexcept { return server_; }
  bool is_open() const noexcept { return is_open_; }
  // Whether the server was ever asked: others are known by name alone.
  bool was_asked() const noexcept { return was_asked_; }
  void NoteAsked() noexcept { was_asked_ = true; }
  // Whether a request may go to the server now.
  bool LetsThrough(Time now) const noexcept { return !is_open_ || now >= next_trial_; }
  uint32_t MsToTrial(Time now) const noexcept;
  // Whether the trial that is due may take all of its call's time.
  bool IsWholeTrial() const noexcept { return num_failed_trials_ % kTrialsForAWholeOne == 0; }
  // When the trial that is due ends, of which nobody asked before: `lasts` from now. Else it is what it was.
  Time EndOfTrial(Time now, std::chrono::milliseconds lasts) noexcept;
  // What is said to a request that is not let through, which is counted.
  Failure Reject(Time now);

  // The server answered. It is true if that closed the breaker.
  bool Succeed() noexcept;
  // The server failed. It is true if that opened the breaker, which had been closed.
  bool Fail(const Failure& failure, Time now);

  uint64_t num_failures() const noexcept { return num_failures_; }
  uint64_t num_opened() const noexcept { return num_opened_; }
  uint64_t num_rejected() const noexcept { return num_rejected_; }
  const std::string& why() const noexcept { return why_; }  // the last failure

 private:
  Address address_;
  std::string server_;
  uint32_t first_pause_ms_;
  bool is_open_ = false, was_asked_ = false;
  uint32_t num_in_a_row_ = 0, num_doublings_ = 0, num_failed_trials_ = 0;
  Time next_trial_, timed_trial_, end_of_trial_;
  uint64_t num_failures_ = 0, num_opened_ = 0, num_rejected_ = 0;
  std::string why_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_BREAKER_H_
