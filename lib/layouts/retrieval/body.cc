#include "lib/layouts/retrieval/body.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "lib/base/endian.h"
#include "lib/base/equal_hashes.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/retrieval/key.h"

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

// Counts one bits without the header's.
uint64_t OnesOf(const uint8_t* block) {
  uint64_t ones = 0;
  for (size_t l = 0; l < 8; ++l) ones += static_cast<uint64_t>(__builtin_popcountll(LoadLE64(block + 8 * l) << 1));
  return ones;
}

// Levels counts blocks by level, and tells how many keys one of a level has. At the highest level, which 15 keys and
// fewer reach, there are fewer equations than unknowns: 31 for each key. As each finds a pivot that is 0 or 1 alike,
// there are half as many ones.
class Levels {
 public:
  explicit Levels(const ProbeState& state) {
    uint64_t ones = 0;
    for (uint64_t i = 0; i < state.num_units; ++i) {
      const uint8_t* const block = state.body + kBlockBytes * i;
      const size_t level = LevelOf(block);
      ++counts_[level];
      if (level < kMostHeader) continue;
      ones += OnesOf(block);
      ++num_highest_;
    }
    ones_of_highest_ = static_cast<double>(ones);
  }
  double Count(size_t level) const { return static_cast<double>(counts_[level]); }
  // The keys of a block at that level: infinite at 0, which says nothing.
  double Keys(size_t level) const {
    if (level == 0) return std::numeric_limits<double>::infinity();
    if (level < kMostHeader) return 8 * kUnknowns / (static_cast<double>(level) + 0.5);
    return 2 * ones_of_highest_ / (kMostHeader / 8 * static_cast<double>(num_highest_));
  }

 private:
  uint64_t counts_[kLevels] = {};
  uint64_t num_highest_ = 0;  // blocks: foreign ones may be above it
  double ones_of_highest_ = 0;
};

void Bind(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(InlineTest::kSolvedBlock, body, body_bytes, num_probes, state);
}

// Counts blocks by T, into counts[256]; returns 256.
size_t CountLevels(const ProbeState& state, uint64_t* counts) {
  memset(counts, 0, kLevels * sizeof(*counts));
  for (uint64_t i = 0; i < state.num_units; ++i) ++counts[LevelOf(state.body + kBlockBytes * i)];
  return kLevels;
}

// This follows from the levels: the equations of a block's keys, T / 8 each, fill its 504 bits. 4032 / (T + 1/2) keys
// is too many by up to 4 % at 25 to 130 keys a block. Blocks at the highest level, which 15 keys and fewer reach, are
// judged by their one bits, right on average. T = 0 says nothing: infinite.
//
// The error was measured. At random it is 1.5 keys of a block, and more where a level stands for several keys (6 of
// 256, 3 of 170, 2 of 128). That of the formula is 0.3 to 4.4 %, at 12 to 256 keys a block.
SizeEstimate ApproximateSize(const ProbeState& state) {
  constexpr double kErrorOfBlock = 1.5, kErrorOfLevel = 1 / 11000.0, kErrorOfFormula = 0.03;
  const Levels levels(state);
  double keys = 0, variance = 0;
  for (size_t level = 0; level < kLevels; ++level) {
    if (levels.Count(level) == 0) continue;
    const double of_block = levels.Keys(level), of_level = kErrorOfLevel * of_block * of_block;
    keys += levels.Count(level) * of_block;
    variance += levels.Count(level) * (kErrorOfBlock * kErrorOfBlock + of_level * of_level);
  }
  return {keys, std::sqrt(variance + kErrorOfFormula * kErrorOfFormula * keys * keys)};
}

// This is the mean over all blocks of what their levels tell exactly, and of keys that agree with one of the block in
// the in-block hash. Each level is summed up, so it does not depend on the order of blocks.
double ExpectedFpr(const ProbeState& state) {
  const Levels levels(state);
  double sum = 0;
  for (size_t level = 0; level < kLevels; ++level) {
    if (levels.Count(level) == 0) continue;
    sum += levels.Count(level) * EitherOf(EqualInBlockHashFpr(levels.Keys(level)), LevelFpr(level));
  }
  return sum / static_cast<double>(state.num_units);
}

}  // namespace

extern const LayoutRecord kRetrievalLayout;
constexpr LayoutRecord kRetrievalLayout = [] {
  LayoutRecord record = PlainRecord<IsBodyOfRetrieval, Bind, RetrievalKernels>(Layout::kRetrieval, "retrieval",
                                                                               ApproximateSize, ExpectedFpr);
  record.body_may_contain = RetrievalMayContain;
  record.count_levels = CountLevels;
  record.facts.buildable = record.facts.has_levels = true;
  record.facts.block_bytes = kBlockBytes;
  return record;
}();

}  // namespace linefilter::internal
