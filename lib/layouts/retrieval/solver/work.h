// The solver of the layout `retrieval` works in this: eight blocks of about equal load at a time.
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WORK_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WORK_H_

#include <cstdint>

#include "lib/layouts/retrieval/solver/dense.h"

namespace linefilter::internal {

// One block to be solved.
struct BlockTask {
  const uint32_t* g;  // in-block hashes, in descending order of EighthOf; some may be equal
  uint32_t num_keys;
  uint16_t before[8];  // before[u]: how many keys have a greater EighthOf
  uint8_t* block;
};

// The outcome of a group of blocks.
enum class Outcome : uint8_t {
  kSolved,
  kTooFull,  // the parts contradict their own constraints: fewer parts
  kNotFull,  // all constraints that were looked at hold: more parts
  kTooWide,  // more free columns than a cluster's row or the work area has room for: no clusters, or SolveDense
};

// Above, a block goes to SolveDense at once. The solver of the fullest blocks solves four constraints apart, each in
// 126 columns. Where one of them contradicts, the block was solved in vain. In random blocks all four hold in 97 % of
// cases at 116 keys, 66 % at 120, 46 % at 121, 10 % at 123.
inline constexpr uint32_t kMostKeysOfLanes = 120;
inline constexpr uint32_t kPaddedKeys = 128;
// Upper halves of units have at most 4 * 63 columns, 8 * 31, or 8 * 16 + 8 * 15, and a right side.
inline constexpr uint32_t kMostWords = 252 / 64 + 1;
// The words of all equations of the rest: more than blocks of random keys have (1260); beyond it is Outcome::kTooWide.
inline constexpr uint32_t kMostRestWords = 1600;
// By panels (panels-inl.h) the rest takes those words otherwise. Its octets have bytes of columns, two of what
// constraints demand, and one of what clusters have left of that.
inline constexpr uint32_t kRestPanelWords = 2 * 8 * kMostRestWords;
inline constexpr uint32_t kMostOctetBytes = 32 + 2 + 1;

// A run is solved at once: eight systems in eight lanes. An entry of an array is eight words, one per lane.
struct alignas(64) RetrievalWork {
  uint32_t block_keys[8][kPaddedKeys];    // BlockTask::g
  uint64_t keys[8][kPaddedKeys];          // g of each block, 0 behind the last
  uint64_t unit_values[8][kPaddedKeys];   // bit e: the right side of the key's row in unit e
  uint64_t lane_values[kPaddedKeys * 8];  // [key], with blocks as lanes; bit n: what constraint n demands
  uint64_t lane_keys[kPaddedKeys * 8];    // where a run has units of two blocks: g, and the right side
  uint64_t lane_sides[kPaddedKeys * 8];

  // Units are the lanes here: [run][key].
  uint64_t unit_rows[8 * kPaddedKeys * 8];
  uint64_t unit_tests[2 * kPaddedKeys * 8];  // for the run at hand
  uint64_t paired_rows[kPaddedKeys * 8];     // the same run's rows and tests, as two keys' half rows meet them
  uint64_t paired_tests[kPaddedKeys * 8];
  uint64_t unit_panels[4 * kPaddedKeys * 8];  // the same run's panels, where there are matrices of bits
  uint64_t unit_octets[kPaddedKeys * 8];      // the upper halves before they are reduced
  uint64_t half_octets[8 * kPaddedKeys * 8];  // what they become; see HalfOctet
  uint64_t unit_compress[16][7][8];           // [run]: how the free columns come to the bottom; [6]: which they are
  uint64_t unit_free[16][8];                  // [run]: the values of the free columns, at the bottom

  // From here on blocks are the lanes. [key][unit] is what the units' rows leave of the half rows, their free columns
  // at the bottom, the right side in bit 63.
  uint64_t unit_half_rows[8 * kPaddedKeys * 8];
  uint64_t sides[kPaddedKeys * 8];  // [key], bit m: what the m-th constraint after the units' own demands

  // Clusters lie as [cluster][key][word], the right side in bit 63 of the last word.
  uint64_t cluster_input[4 * kPaddedKeys * 8];
  uint64_t cluster_rows[4 * kPaddedKeys * 8];
  uint64_t cluster_tests[2 * kPaddedKeys * 8];  // for the cluster at hand
  uint64_t cluster_half_rows[4 * kPaddedKeys * 8];
  uint64_t cluster_sides[4 * kPaddedKeys * 8];  // [cluster][key]: the half rows' right sides, bit 63
  uint64_t cluster_compress[8][2][7][8];        // [cluster][word]
  uint64_t cluster_free[8][2][8];

  // The rest lies as [key][word].
  union {
    uint64_t packed[kPaddedKeys * kMostWords * 8];  // all free columns of a block in a row
    uint64_t octets[kPaddedKeys * kMostOctetBytes];
  };
  uint64_t rest_sides[kPaddedKeys * 8];  // [key], bit m: what the m-th constraint after the clusters' demands
  uint64_t masks[16 * kMostWords * 8];   // [constraint][word]: which packed columns it sums up
  union {
    uint64_t rest_rows[2][kMostRestWords * 8];  // [equation][word], and the same of their tests
    uint64_t rest_panels[kRestPanelWords];
  };
  uint64_t rest_free[(kMostWords + 1) * 8];  // [word]: the solution

  DenseWorkspace dense;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WORK_H_
