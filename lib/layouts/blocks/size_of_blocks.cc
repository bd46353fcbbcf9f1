#include "lib/layouts/blocks/size_of_blocks.h"

#include <cmath>

#include "lib/base/real.h"

namespace linefilter::internal {

SizeEstimate SizeOfBlocks(double fill, uint32_t num_probes, uint32_t num_positions, uint64_t num_blocks,
                          uint32_t num_lanes) {
  const double k = num_probes, blocks = static_cast<double>(num_blocks), positions = num_positions;
  const double keys = LnOfRest(fill) / LnOfRest(k / (positions * blocks));
  if (!(fill < 1)) return {keys, keys};
  const double load = keys / blocks;
  const double pairs = positions * positions * ((num_lanes - 1.0) / num_lanes);  // ordered, of different lanes
  const double of_throws = positions * ExpMinusLine(load * k / positions);
  const double of_lanes = pairs * ExpMinusLine(load * k * (k - 1) / pairs);
  return {keys, std::sqrt(blocks * (of_throws + of_lanes)) / k};
}

}  // namespace linefilter::internal
