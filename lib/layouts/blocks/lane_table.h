// The layout `blocked`, its model and the stages of a `container` share which lanes of a block take part for a key.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_LANE_TABLE_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_LANE_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

// S of doc/FORMAT.md section 6, by num_probes. These subsets have the flattest cyclic autocorrelation, so that
// rotations overlap evenly; evenly spaced lanes would split the block in two. Element 0 is not used.
inline constexpr uint16_t kLaneSubsets[17] = {0,      0x0001, 0x0003, 0x000b, 0x0053, 0x0127, 0x0167, 0x053b, 0x06b7,
                                              0x0b77, 0x0ddf, 0x1b7f, 0x2eff, 0x2fff, 0x3fff, 0x7fff, 0xffff};

constexpr bool TakesPart(uint32_t num_probes, uint32_t rotation, uint32_t lane) {
  return (kLaneSubsets[num_probes] >> ((lane + rotation) & 15)) & 1;
}

// ProbeState::lane_ones points to this, for one number of probes.
struct LaneTable {
  uint32_t ones[16][16];  // [rotation][lane]: 1 if the lane takes part
  uint32_t lanes[16];     // [rotation]: bit `lane` is ones[rotation][lane]
#if defined(__x86_64__)
  uint32_t few_bits[16];            // numbers of the bits of S, again and again, if they are eight or fewer
  uint32_t few_multipliers[16][8];  // [rotation]: C of the lanes that are named by the first eight
#else
  uint8_t list[16][16];  // [rotation]: where the lanes that take part begin, then zeros
  alignas(64) uint32_t list_size;
#endif
};
static_assert(offsetof(LaneTable, lanes) == 4 * kLaneWords, "linefilter/internal/test_block.h finds them there");
#if defined(__x86_64__)
static_assert(offsetof(LaneTable, few_bits) == 4 * kFewLanesAt && sizeof(LaneTable) % 64 == 0,
              "linefilter/internal/test_block.h finds them there");
#else
static_assert(offsetof(LaneTable, list) == kLaneListBytes && offsetof(LaneTable, list_size) == kLaneListSizeBytes,
              "linefilter/internal/test_block.h finds them there");
#endif

// Finds LaneTable::lanes of the table that ProbeState::lane_ones points to.
inline const uint32_t* LanesOf(const uint32_t* lane_ones) { return lane_ones + kLaneWords; }

// Makes ProbeState::lane_ones for that many probes, 1..16; those of one more follow it, so many lanes later.
inline constexpr size_t kLaneOnesOfOne = sizeof(LaneTable) / sizeof(uint32_t);

// The index is [num_probes - 1]. In one filter 1 KiB of it is hot, or 64 bytes where LanesOf suffices, or 576 where
// eight lanes are asked, or 320 where lanes are listed.
struct LaneTables {
  alignas(64) LaneTable of[16];
};
static_assert(sizeof(LaneTable) % 64 == 0, "the rows of each are aligned");
extern const LaneTables kLaneTables;

inline const uint32_t* LaneOnes(uint32_t num_probes) { return kLaneTables.of[num_probes - 1].ones[0]; }

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_LANE_TABLE_H_
