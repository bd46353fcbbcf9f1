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

}  // namespace linefilter::internal
