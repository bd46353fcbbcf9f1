// S of doc/FORMAT.md section 6 says which lanes of a block take part, by num_probes. The layouts `blocked` and
// `counting` and their models share it.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_LANE_SUBSETS_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_LANE_SUBSETS_H_

#include <cstdint>

namespace linefilter::internal {

// These subsets have the flattest cyclic autocorrelation, so that rotations overlap evenly; evenly spaced lanes would
// split the block in two. Element 0 is not used.
inline constexpr uint16_t kLaneSubsets[17] = {0,      0x0001, 0x0003, 0x000b, 0x0053, 0x0127, 0x0167, 0x053b, 0x06b7,
                                              0x0b77, 0x0ddf, 0x1b7f, 0x2eff, 0x2fff, 0x3fff, 0x7fff, 0xffff};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_LANE_SUBSETS_H_
