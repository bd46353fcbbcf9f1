#include "lib/layouts/blocks/lane_table.h"

namespace linefilter::internal {
namespace {

#if defined(__x86_64__)
constexpr void ListFewLanes(uint32_t num_probes, LaneTable* table) {
  uint32_t found = 0;
  for (uint32_t bit = 0; found < num_probes; ++bit) {
    if (TakesPart(num_probes, 0, bit)) table->few_bits[found++] = bit;
  }
  for (; found < 16; ++found) table->few_bits[found] = table->few_bits[found - num_probes];
  for (uint32_t rotation = 0; rotation < 16; ++rotation) {
    for (uint32_t i = 0; i < 8; ++i) {
      table->few_multipliers[rotation][i] = kLaneMultipliers[(table->few_bits[i] - rotation) & 15];
    }
  }
}
#endif

constexpr LaneTables MakeLaneTables() {
  LaneTables tables{};
  for (uint32_t k = 1; k <= 16; ++k) {
    LaneTable& table = tables.of[k - 1];
    for (uint32_t rotation = 0; rotation < 16; ++rotation) {
      for (uint32_t lane = 0; lane < 16; ++lane) {
        table.ones[rotation][lane] = TakesPart(k, rotation, lane);
        table.lanes[rotation] |= table.ones[rotation][lane] << lane;
      }
    }
#if defined(__x86_64__)
    if (k <= kMostFewProbes) ListFewLanes(k, &table);
#else
    table.list_size = k;
    for (uint32_t rotation = 0; rotation < 16; ++rotation) {
      uint32_t listed = 0;
      for (uint32_t lane = 0; lane < 16; ++lane) {
        if (TakesPart(k, rotation, lane)) table.list[rotation][listed++] = static_cast<uint8_t>(4 * lane);
      }
    }
#endif
  }
  return tables;
}

}  // namespace

constexpr LaneTables kLaneTables = MakeLaneTables();

// All rotations are side by side, which the compiler vectorizes: bit j of a subset is lane j - rotation, so with the
// shares backwards, twice, each bit reads 16 of them in order.
double MeanOfRotations(const double (&share)[16], uint32_t num_probes) {
  double backwards[32], product[16];
  for (uint32_t i = 0; i < 16; ++i) {
    backwards[i] = backwards[i + 16] = share[(16 - i) & 15];
    product[i] = 1;
  }
  for (uint32_t bit = 0; bit < 16; ++bit) {
    if (((kLaneSubsets[num_probes] >> bit) & 1) == 0) continue;
    const double* const lanes = backwards + ((16 - bit) & 15);
    for (uint32_t rotation = 0; rotation < 16; ++rotation) product[rotation] *= lanes[rotation];
  }
  double sum = 0;
  for (const double of_rotation : product) sum += of_rotation;
  return sum / 16;
}

}  // namespace linefilter::internal
