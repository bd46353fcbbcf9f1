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
  servers.connect_timeout_ms = servers.timeout_ms = servers.patience_ms = kLongMs;
  return servers;
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
