#include "lib/layouts/lane_table.h"

namespace linefilter::internal {
namespace {

// [num_probes - 1][rotation][lane]: 1 if the lane takes part. 1 KiB of it is hot in one filter.
struct LaneTable {
  alignas(64) uint32_t ones[16][16][16];
};

constexpr LaneTable MakeLaneTable() {
  LaneTable table{};
  for (uint32_t k = 1; k <= 16; ++k) {
    for (uint32_t rotation = 0; rotation < 16; ++rotation) {
      for (uint32_t lane = 0; lane < 16; ++lane) table.ones[k - 1][rotation][lane] = TakesPart(k, rotation, lane);
    }
  }
  return table;
}

constexpr LaneTable kLaneTable = MakeLaneTable();

}  // namespace

const uint32_t* LaneOnes(uint32_t num_probes) { return kLaneTable.ones[num_probes - 1][0]; }

double MeanOfRotations(const double (&share)[16], uint32_t num_probes) {
  double sum = 0;
  for (uint32_t rotation = 0; rotation < 16; ++rotation) {
    double product = 1;
    for (uint32_t lane = 0; lane < 16; ++lane) {
      if (TakesPart(num_probes, rotation, lane)) product *= share[lane];
    }
    sum += product;
  }
  return sum / 16;
}

}  // namespace linefilter::internal
