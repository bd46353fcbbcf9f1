// What the solver of the layout `retrieval` works in: eight blocks of about equal load at a time.
#ifndef LINEFILTER_LIB_KERNELS_RETRIEVAL_WORK_H_
#define LINEFILTER_LIB_KERNELS_RETRIEVAL_WORK_H_

#include <cstdint>

#include "lib/layouts/retrieval_dense.h"

namespace linefilter::internal {

// One block to be solved.
struct BlockTask {
  const uint32_t* g;  // in-block hashes, in descending order of EighthOf; distinct
  uint32_t num_keys;
  uint16_t before[8];  // before[u]: how many keys have a greater EighthOf
  uint8_t* block;
};

// How a group of blocks went.
enum class Outcome : uint8_t {
  kSolved,
  kTooFull,  // the units cannot satisfy their own constraints: half as many units
  kNotFull,  // all constraints of the units' halves hold: twice as many units
};

inline constexpr uint32_t kMostKeysOfLanes = 120;  // above: SolveDense
inline constexpr uint32_t kPaddedKeys = 128;

// Indices: [run][key] for stage one, [key][word] for stage two; each entry eight words, one per lane.
struct alignas(64) RetrievalWork {
  uint64_t unit_rows[8 * kPaddedKeys * 8];    // stage one: the rows of each run, in the order they were reduced
  uint64_t unit_pivots[2 * kPaddedKeys * 8];  // of the run at hand
  uint64_t
      pending[8 * kPaddedKeys * 8];  // the half rows, reduced; their free columns at the bottom, right side in bit 63
  uint64_t compress[16][7][8];       // of each run: the steps that bring free columns together; [6]: which are free
  uint64_t packed[kPaddedKeys * 8 * 8];  // stage two: all free columns of a block in a row
  uint64_t sides[kPaddedKeys * 8];       // bit m: what constraint m of the second stage demands
  uint64_t masks[16 * 8 * 8];            // [constraint][word]: which packed columns it sums up
  uint64_t rows[512 * 8 * 8];
  uint64_t pivots[512 * 8 * 8];
  uint64_t solution[16 * 8];             // [word]; then [run]: the free columns of a unit
  uint64_t keys[8][kPaddedKeys];         // of each block: g, 0 behind the last
  uint64_t values[8][kPaddedKeys];       // bit n: what constraint n demands
  uint64_t unit_values[8][kPaddedKeys];  // bit e: the right side of the key's row in unit e
  uint64_t lane_keys[kPaddedKeys * 8];   // where a run has several blocks: g, and the right side
  uint64_t lane_sides[kPaddedKeys * 8];
  DenseWorkspace dense;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_KERNELS_RETRIEVAL_WORK_H_
