#include "lib/layouts/retrieval.h"

#include <cstring>
#include <limits>

#include "lib/layouts/block.h"

namespace linefilter::internal {
namespace {

constexpr size_t kLevels = 256;
constexpr double kUnknowns = 504;

// The highest bytes of the words hold the headers' bits.
size_t LevelOf(const uint8_t* block) {
  size_t level = 0;
  for (size_t l = 0; l < 8; ++l) level |= static_cast<size_t>(block[8 * l + 7] >> 7) << l;
  return level;
}

// The mean over the eight u of 2^-t.
double LevelFpr(size_t level) {
  double sum = 0;
  for (size_t u = 0; u < 8; ++u) sum += 1.0 / static_cast<double>(uint64_t{1} << ((level + u) / 8 % 32));
  return sum / 8;
}

}  // namespace

bool RetrievalBodyIsValid(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes == 0;
}

void BindRetrieval(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(Layout::kRetrieval, body, body_bytes, num_probes, state);
}

size_t RetrievalCountLevels(const ProbeState& state, uint64_t* counts) {
  memset(counts, 0, kLevels * sizeof(*counts));
  for (uint64_t i = 0; i < state.num_units; ++i) ++counts[LevelOf(state.body + kBlockBytes * i)];
  return kLevels;
}

double RetrievalEstimatedKeys(const ProbeState& state) {
  uint64_t counts[kLevels];
  RetrievalCountLevels(state, counts);
  if (counts[0] != 0) return std::numeric_limits<double>::infinity();
  double keys = 0;
  for (size_t level = 1; level < kLevels; ++level) {
    keys += static_cast<double>(counts[level]) * (8 * kUnknowns / (static_cast<double>(level) + 0.5));
  }
  return keys;
}

double RetrievalExpectedFpr(const ProbeState& state) {
  uint64_t counts[kLevels];
  RetrievalCountLevels(state, counts);
  double sum = 0;
  for (size_t level = 0; level < kLevels; ++level) sum += static_cast<double>(counts[level]) * LevelFpr(level);
  return sum / static_cast<double>(state.num_units);
}

}  // namespace linefilter::internal
