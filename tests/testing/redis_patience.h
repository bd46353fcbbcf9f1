// Time-outs of tests: what is to be answered is waited for as long as a failure may take, however slow or stalled the
// machine is. Only who wants to see a time-out sets a short one, and looks first whether all else was in time.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_PATIENCE_H_
#define LINEFILTER_TESTS_TESTING_REDIS_PATIENCE_H_

#include <cstdint>
#include <string>

#include "linefilter/redis.h"

namespace linefilter::test {

constexpr uint32_t kLongMs = 60000;

inline RedisServers PatientServers(const std::string& addresses = "") {
  RedisServers servers;
  servers.addresses = addresses;
  Deadlines& deadlines = servers.deadlines;
  deadlines.connect_ms = deadlines.reply_ms = deadlines.admin_ms = deadlines.request_ms = kLongMs;
  deadlines.pause_ms = 0;
  return servers;
}

// How long calls try again what fails. With 0 they do not: a request fails as soon as the breaker opens.
inline void SetPatience(uint32_t ms, RedisServers* servers) {
  servers->deadlines.admin_ms = ms;
  servers->deadlines.request_ms = ms == 0 ? kLongMs : ms;
  servers->deadlines.pause_ms = ms == 0 ? 1 : 0;
}

// A test of times in proportion to `scale`: it counts as soon as it is good. The other side may come too late for short
// times on a slow machine, for long ones on one that is stalled now and then; a fault fails with all of them.
template <class Test>
bool HoldsAtSomeScale(const Test& test) {
  for (int round = 0; round < 10; ++round) {
    for (const uint32_t scale : {1u, 6u, 36u}) {
      if (test(scale)) return true;
    }
  }
  return false;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_PATIENCE_H_
