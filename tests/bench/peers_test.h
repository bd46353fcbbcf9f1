// What the parts of peers_test share: filters of peers, asked in every way that there is.
#ifndef LINEFILTER_TESTS_BENCH_PEERS_TEST_H_
#define LINEFILTER_TESTS_BENCH_PEERS_TEST_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/peer.h"
#include "gtest/gtest.h"

namespace linefilter::bench {

// Answers on this CPU.
inline bool IsFilter(const Peer& peer) { return !peer.is_floor && !peer.targets.empty(); }

inline Spec SpecOf(KeyKind kind, uint64_t num_keys, double bits_per_key) {
  Spec spec;
  spec.kind = kind;
  spec.num_keys = num_keys;
  spec.bits_per_key = bits_per_key;
  spec.body_bytes = static_cast<uint64_t>(std::ceil(static_cast<double>(num_keys) * bits_per_key / 8));
  return spec;
}

// How many of the keys are "maybe" by one access.
inline uint64_t MaybesBy(Access access, size_t target, const PeerFilter& filter, const Keys& keys) {
  if (!IsBatch(access)) return filter.Lookup(target, access, keys, nullptr);
  std::vector<uint8_t> answers(keys.size + 1, 2);
  filter.Lookup(target, access, keys, answers.data());
  uint64_t count = 0;
  for (size_t i = 0; i < keys.size; ++i) {
    EXPECT_LE(answers[i], 1) << i;
    count += answers[i];
  }
  EXPECT_EQ(answers[keys.size], 2) << "written past the end";
  return count;
}

// How many of the keys are "maybe", asked in each way that the peer has; all ways and targets must agree. (Not those
// during inserts: what they ask takes keys of its own.)
inline uint64_t Maybes(const Peer& peer, const PeerFilter& filter, const Keys& keys) {
  uint64_t maybes = 0;
  int ways = 0;
  for (size_t target = 0; target < peer.targets.size(); ++target) {
    for (const Access access : peer.accesses) {
      if (access >= Access::kInsertSingle) continue;
      const uint64_t count = MaybesBy(access, target, filter, keys);
      if (ways++ == 0) maybes = count;
      EXPECT_EQ(count, maybes) << AccessName(access) << " " << peer.targets[target];
    }
  }
  EXPECT_GE(ways, 1);
  return maybes;
}

// Asks for all members and for the absent keys; the rate of the latter.
inline double CheckedFpr(const Peer& peer, const PeerFilter& filter, const Spec& spec, uint64_t num_absent) {
  ForMembers(spec, [&](const Keys& keys) { EXPECT_EQ(Maybes(peer, filter, keys), keys.size) << "FALSE NEGATIVE"; });
  Spec absent = spec;
  absent.first_key = kFirstAbsent;
  absent.num_keys = num_absent;
  uint64_t maybes = 0;
  ForMembers(absent, [&](const Keys& keys) { maybes += Maybes(peer, filter, keys); });
  return static_cast<double>(maybes) / static_cast<double>(num_absent);
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_TESTS_BENCH_PEERS_TEST_H_
