#include "lib/layouts/counting.h"

#include <cmath>
#include <cstring>

#include "lib/bits/endian.h"
#include "lib/layouts/block.h"
#include "lib/layouts/lane_table.h"
#include "linefilter/sizing.h"

namespace linefilter::internal {
namespace {

constexpr double kCountersPerLane = 8, kCountersPerBlock = 128;

// Bit 4 c is set if counter c is not 0. For 8 counters or 16.
template <class Word>
Word NonZero(Word counters) {
  counters |= static_cast<Word>(counters >> 2);
  counters |= static_cast<Word>(counters >> 1);
  return counters & static_cast<Word>(0x1111111111111111);
}

double BlockExpectedFpr(const uint8_t* block, uint32_t num_probes) {
  double share[16];
  for (int lane = 0; lane < 16; ++lane) {
    share[lane] = __builtin_popcount(NonZero(LoadLE32(block + 4 * lane))) / kCountersPerLane;
  }
  return MeanOfRotations(share, num_probes);
}

uint8_t AddSaturating(uint8_t a, uint8_t b) {
  unsigned low = (a & 15u) + (b & 15u), high = (a >> 4) + (b >> 4);
  low = low < 15 ? low : 15;
  high = high < 15 ? high : 15;
  return static_cast<uint8_t>(low | high << 4);
}

}  // namespace

bool CountingBodyIsValid(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes >= 1 && num_probes <= MaxNumProbes(Layout::kCounting);
}

void BindCounting(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(Layout::kCounting, body, body_bytes, num_probes, state);
  state->lane_ones = LaneOnes(num_probes);
}

double CountingEstimatedKeys(const ProbeState& state) {
  uint64_t non_zero = 0;
  for (uint64_t i = 0; i < kBlockBytes * state.num_units; i += 8) {
    uint64_t counters;
    memcpy(&counters, state.body + i, sizeof(counters));
    non_zero += static_cast<uint64_t>(__builtin_popcountll(NonZero(counters)));
  }
  // A counter stays 0 with probability (1 - k / all counters)^n, whatever the load of its block.
  const double num_counters = kCountersPerBlock * static_cast<double>(state.num_units);
  return std::log1p(-static_cast<double>(non_zero) / num_counters) / std::log1p(-(state.num_probes / num_counters));
}

double CountingExpectedFpr(const ProbeState& state) {
  const uint64_t sample = state.num_units < (1u << 20) ? state.num_units : 1u << 20;
  double sum = 0;
  for (uint64_t i = 0; i < sample; ++i) {
    // Evenly spaced, without overflow: i * num_units < 2^52.
    sum += BlockExpectedFpr(state.body + kBlockBytes * (i * state.num_units / sample), state.num_probes);
  }
  return sum / static_cast<double>(sample);
}

void AddCounters(uint8_t* to, const uint8_t* from, uint64_t body_bytes) {
  for (uint64_t i = 0; i < body_bytes; ++i) to[i] = AddSaturating(to[i], from[i]);  // vectorized by the compiler
}

}  // namespace linefilter::internal
