// What the peers written here have in common: schemes of the field in blocks, compiled for every SIMD target from one
// source with the same look-ahead as our own layout (own-inl.h), so that pattern is compared with pattern. They make
// the in-block hash key by key, where `blocked` makes those of several keys at once on x86 (AVX-512 0.13 ns, AVX2
// 0.06).
#ifndef LINEFILTER_BENCH_PEERS_OWN_H_
#define LINEFILTER_BENCH_PEERS_OWN_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/memory.h"
#include "bench/peer.h"

namespace linefilter::bench {

// A filter's bits. Blocks are chosen as in our own layout: high 64 bits of hash * num_blocks.
struct OwnBody {
  uint8_t* blocks = nullptr;
  uint64_t num_blocks = 0;
  uint32_t num_probes = 0;
};

// One scheme on one target.
struct OwnCode {
  uint64_t (*lookup)(const OwnBody& body, Access access, const Keys& keys, uint8_t* answers);
  void (*insert)(const OwnBody& body, Access access, const Keys& keys);
};

struct OwnScheme {
  std::string name;
  std::string origin;
  uint64_t block_bytes;
  uint32_t (*num_probes)(double bits_per_key);
  // The rate of a block with j keys.
  double (*block_fpr)(uint32_t num_probes, double j);
  // The code for the target that Highway has chosen at the moment.
  const OwnCode* (*code)();
  std::vector<std::string> targets;
};

Peer MakeOwnPeer(const OwnScheme& scheme);

// The targets for own code, best first: all of this CPU, but for those that differ from a better one only where these
// schemes do not.
std::vector<std::string> OwnTargets();
// Calls run() while Highway has chosen that target.
void ForTarget(const std::string& target, const std::function<void()>& run);
// Returns what code() returns meanwhile: a table of functions, or a function.
template <class Code>
auto CodeFor(const std::string& target, const Code& code) {
  decltype(code()) found{};
  ForTarget(target, [&] { found = code(); });
  return found;
}

// Mean of block_fpr over Poisson(mean_load).
double MeanOverLoads(double mean_load, uint32_t num_probes, double (*block_fpr)(uint32_t, double));

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_OWN_H_
