#include "lib/adapters/redis/servers/breaker.h"

#include <algorithm>

namespace linefilter::redis_internal {
uint32_t Breaker::MsToTrial(Time now) const noexcept {
  if (!is_open_ || now >= next_trial_) return 0;
  return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(next_trial_ - now).count()) + 1;
}

Breaker::Time Breaker::EndOfTrial(Time now, std::chrono::milliseconds lasts) noexcept {
  const bool is_timed = timed_trial_ == next_trial_ && now < end_of_trial_;
  timed_trial_ = next_trial_;
  if (!is_timed) end_of_trial_ = now + lasts;
  return end_of_trial_;
}

Failure Breaker::Reject(Time now) {
  ++num_rejected_;
  return {
      Verdict::kBroken,
      Status::Error(StatusCode::kUnavailable,
                    "Redis at %s is not asked before %u ms have passed, for it failed (the breaker is open): %.120s",
                    server_.c_str(), MsToTrial(now), why_.c_str())};
}

bool Breaker::Succeed() noexcept {
  num_in_a_row_ = num_doublings_ = num_failed_trials_ = 0;
  const bool was_open = is_open_;
  is_open_ = false;
  return was_open;
}

bool Breaker::Fail(const Failure& failure, Time now) {
  ++num_failures_;
  ++num_in_a_row_;
  why_ = failure.status.message();
  if (first_pause_ms_ == 0) return false;
  if (!is_open_ && failure.sign != Sign::kRefused && num_in_a_row_ < kMostInARow) return false;
  const bool was_open = is_open_;
  if (was_open && now < next_trial_) return false;  // of administration: it was no trial
  is_open_ = true;
  num_opened_ += !was_open;
  num_failed_trials_ += was_open;
  next_trial_ = now + CutByChance(std::chrono::milliseconds(uint64_t{first_pause_ms_} << num_doublings_), now);
  num_doublings_ = std::min(num_doublings_ + 1, kMostDoublings);
  return !was_open;
}

}  // namespace linefilter::redis_internal
