// k independent bits in a 512-bit block, the scheme of RocksDB's FastLocalBloom (format_version 5; described in
// util/bloom_impl.h of RocksDB): probe i is at bit (x * M^(i + 1) mod 2^32) >> 23 of the block, M = the golden ratio.
// Here x is the in-block hash of `blocked`, so that only the pattern differs; RocksDB takes the low 32 bits of its
// hash. Two implementations share it: k_independent (gather) and k_independent_permute.
#ifndef LINEFILTER_BENCH_PEERS_INDEPENDENT_H_
#define LINEFILTER_BENCH_PEERS_INDEPENDENT_H_

#include <cstddef>
#include <cstdint>

#include "bench/peers/own.h"

namespace linefilter::bench {

inline constexpr uint32_t kMaxIndependentProbes = 16;

struct IndependentTables {
  alignas(64) uint32_t multipliers[kMaxIndependentProbes];  // M^1, M^2, ...
  // 16 ones, then zeros: loaded so that k ones come first, they switch the probes that take part.
  uint32_t ones[2 * kMaxIndependentProbes];
};

constexpr IndependentTables MakeIndependentTables() {
  IndependentTables tables{};
  uint32_t power = 1;
  for (uint32_t i = 0; i < kMaxIndependentProbes; ++i) {
    power *= 0x9e3779b9u;
    tables.multipliers[i] = power;
    tables.ones[i] = 1;
  }
  return tables;
}
inline constexpr IndependentTables kIndependentTables = MakeIndependentTables();

// The best k, and the rate of a block of j keys: of k bits thrown jk times into 512.
uint32_t IndependentNumProbes(double bits_per_key);
double IndependentBlockFpr(uint32_t num_probes, double j);

// Sets the bits of one key, by any target.
inline void InsertIndependent(uint8_t* block, uint32_t num_probes, uint32_t x) {
  uint32_t* const words = reinterpret_cast<uint32_t*>(block);  // as lookups read them, on big-endian CPUs too
  for (uint32_t i = 0; i < num_probes; ++i) {
    const uint32_t bit = (x * kIndependentTables.multipliers[i]) >> 23;
    words[bit >> 5] |= 1u << (bit & 31);
  }
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_INDEPENDENT_H_
