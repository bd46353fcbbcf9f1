// The constants of the layout `retrieval` (doc/FORMAT.md section 8), for those who build a block and those who ask it,
// and the tables for lookups, which the compiler makes.
#ifndef LINEFILTER_INTERNAL_RETRIEVAL_TABLES_H_
#define LINEFILTER_INTERNAL_RETRIEVAL_TABLES_H_

#include <cstdint>

namespace linefilter::internal {

// C is the first eight words of pi's fraction, odd and between 2^30 and 2^31, so that bit 63 of a product stays 0.
alignas(64) inline constexpr uint64_t kRowMultipliers[8] = {0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345,
                                                            0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89};
// The same as lanes of 32 bits.
alignas(16) inline constexpr uint32_t kShortRowMultipliers[8] = {0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345,
                                                                 0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89};
inline constexpr uint64_t kFingerprintMultiplier = 0x9E3779B97F4A7C15u;

// A lookup learns this from the block: y and the level T.
struct Coupled {
  uint32_t y;
  uint32_t level;
};

// M of doc/FORMAT.md section 8, by t, has the bits of y ^ f that must be 0. A header of 249 or more can make t 32:
// none.
struct ConstraintMasks {
  uint32_t of[33];
};
constexpr ConstraintMasks MakeConstraintMasks() {
  ConstraintMasks masks{};
  for (uint32_t n = 0; n < 31; ++n) {
    masks.of[n + 1] = masks.of[n] | uint32_t{1} << ((n & 7) << 2 | (n >> 3 & 1) << 1 | (n >> 4 & 1));
  }
  return masks;
}
inline constexpr ConstraintMasks kConstraintMasks = MakeConstraintMasks();

// The coupling of the 8 parities in a byte, repeated for each part of a result that it goes into: 1 KiB of tables
// instead of 15 dependent operations.
struct CouplingTable {
  uint32_t of[256];
};
constexpr uint32_t CoupleByte(uint32_t p) {
  const uint32_t pairs = p ^ (p >> 1 & 0x55), quads = pairs ^ (pairs >> 2 & 0x33);
  return quads ^ quads >> 4;
}
// For byte b of the parities: the low 3 bits of their number vary inside the byte, the high 2 are b.
constexpr CouplingTable MakeByteCoupling() {
  CouplingTable table{};
  for (uint32_t p = 0; p < 256; ++p) table.of[p] = CoupleByte(p) * 0x01010101u;
  return table;
}
inline constexpr CouplingTable kByteCoupling = MakeByteCoupling();
// Bits 0, 2 and 3 of the parities' number vary inside the byte (CoupledParities of plain words).
constexpr CouplingTable MakePlainCoupling() {
  CouplingTable table{};
  for (uint32_t p = 0; p < 256; ++p) {
    for (uint32_t i = 0; i < 8; ++i) {
      if (CoupleByte(p) >> i & 1) table.of[p] |= 0x00050005u << ((i >> 1) * 4 + (i & 1));
    }
  }
  return table;
}
inline constexpr CouplingTable kPlainCoupling = MakePlainCoupling();

// TableLookupBytes uses these.
alignas(16) inline constexpr uint8_t kEvenThenOddBytes[16] = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
alignas(16) inline constexpr uint8_t kOddNibbles[16] = {0, 255, 255, 0, 255, 0, 0, 255, 255, 0, 0, 255, 0, 255, 255, 0};
alignas(32) inline constexpr int32_t kMiddleQuarters[8] = {0, 1, 4, 5, 2, 3, 6, 7};

// Matrices over GF(2), a row a byte, for the instruction that multiplies by them (CoupledParities, GFNI). The first
// takes the parity of byte i of word w from bit 7 - i of byte w. It puts the coupled parity of lane j of word w into
// bit 7 - w of byte 7 - j, and again of byte 3 - j, where kOddWords leaves those of odd words. The second couples those
// of the words and puts them into bit 4 * (w & 1) + j of byte w / 2. Of all words but the first only byte 0 counts.
alignas(16) inline constexpr uint8_t kCoupleLanes[16] = {0x03, 0x0f, 0x33, 0xff, 0x03, 0x0f, 0x33, 0xff};
alignas(16) inline constexpr uint8_t kOddWords[16] = {0x55, 0x55, 0x55, 0x55, 0xff, 0xff, 0xff, 0xff};
alignas(64) inline constexpr uint64_t kCoupleWords[8] = {0x030f33ff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_RETRIEVAL_TABLES_H_
