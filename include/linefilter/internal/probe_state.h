// A ProbeState is what a lookup needs of a filter, whoever owns its bytes. It is resolved once, when the filter is made
// or opened. The kernels of a layout read it; the classes that users hold keep one.
#ifndef LINEFILTER_INTERNAL_PROBE_STATE_H_
#define LINEFILTER_INTERNAL_PROBE_STATE_H_

#include <cstdint>

#include "linefilter/internal/compiler.h"

namespace linefilter::internal {

struct Kernels;  // lib/layouts/kernels.h: the functions of one layout on one target
struct Stage;    // lib/layouts/stages.h: one filter of several that answer as one

// C of doc/FORMAT.md section 6 is the first sixteen words of pi's fraction, lowest bit set.
alignas(64) inline constexpr uint32_t kLaneMultipliers[16] = {
    0x243F6A89, 0x85A308D3, 0x13198A2F, 0x03707345, 0xA4093823, 0x299F31D1, 0x082EFA99, 0xEC4E6C89,
    0x452821E7, 0x38D01377, 0xBE5466CF, 0x34E90C6D, 0xC0AC29B7, 0xC97C50DD, 0x3F84D5B5, 0xB5470917};
// Behind the words of 16 lanes for each of 16 rotations, to which ProbeState::lane_ones points, is a word for each
// rotation.
inline constexpr uint32_t kLaneWords = 16 * 16;
// With so many probes or fewer, eight lanes of a block suffice. kFewLanesAt is where the tables for that are, behind
// ProbeState::lane_ones on x86-64: 16 words whose first eight are the bits of S (doc/FORMAT.md section 6), some of them
// twice, then the multipliers of the eight lanes for each rotation.
inline constexpr uint32_t kMostFewProbes = 8, kFewLanesAt = kLaneWords + 16;
// This is behind ProbeState::lane_ones, but not on x86-64: for each rotation 16 bytes that list where its lanes begin
// in a block, and how many they are.
inline constexpr uint32_t kLaneListBytes = 4 * (kLaneWords + 16), kLaneListSizeBytes = kLaneListBytes + 16 * 16;

// How linefilter/inline.h asks the block of a key without a call (test_block.h, test_solved_block.h,
// test_split_block.h, test_quotient_block.h). kFewLanes is a kBlock of at most eight probes.
enum class InlineTest : uint8_t { kNone, kBlock, kSolvedBlock, kFewLanes, kSplitBlock, kQuotientBlock };

// A field that may be replaced while others read it and copy what it is in: whoever finds the old value or the new one
// is right. Reading it is a plain load.
template <class T>
class Replaceable {
 public:
  LINEFILTER_INLINE Replaceable(T value) noexcept : value_(value) {}
  LINEFILTER_INLINE Replaceable(const Replaceable& other) noexcept : value_(other) {}
  LINEFILTER_INLINE Replaceable& operator=(const Replaceable& other) noexcept {
    Replace(other);
    return *this;
  }
  LINEFILTER_INLINE operator T() const noexcept {
    T value;
    __atomic_load(&value_, &value, __ATOMIC_RELAXED);  // clang's ..._n takes no enum
    return value;
  }
  LINEFILTER_INLINE T operator->() const noexcept { return *this; }
  LINEFILTER_INLINE void Replace(T value) const noexcept { __atomic_store(&value_, &value, __ATOMIC_RELAXED); }

 private:
  mutable T value_;
};

// A lookup first reads body[MulHigh(hash, num_units) << unit_shift]. If there are several stages, body, num_units and
// unit_shift describe the newest.
struct ProbeState {
  const uint8_t* body = nullptr;
  uint64_t num_units = 0;  // blocks; in a layout without blocks: bytes
  uint8_t unit_shift = 0;  // log2 of a unit's bytes
  Replaceable<InlineTest> inline_test = InlineTest::kNone;
  uint8_t num_stages = 0;  // 0: a filter of one body
  bool is_shared = false;  // other threads set bits meanwhile: words are read atomically
  bool changes = false;    // what answers changes with time: the filter is asked, never a state that somebody copied
  bool in_image = false;   // the table of an image tells the stages
  uint16_t num_probes = 0;
  // Points to 0 or 1 for each of [16 rotations][16 lanes], 64-byte aligned. A word for each rotation follows, whose bit
  // i is lane i. What follows depends on the CPU: kFewLanesAt, kLaneListBytes. In `split_block` it is a mask
  // (split_block.h).
  const uint32_t* lane_ones = nullptr;
  Replaceable<bool (*)(const ProbeState&, uint64_t hash)> may_contain = nullptr;
  Replaceable<const Kernels*> kernels = nullptr;
  // The stages, the oldest first, if num_stages is not 0. An owner of stages has an array of them, each at an address
  // of its own; a view has the table in its image, whose body has the stages in a row.
  union {
    const Stage* stages = nullptr;
    const uint8_t* stage_table;  // where in_image is true
  };
  void* owner = nullptr;  // where `changes` is true, and of a ScalableFilter
};
static_assert(sizeof(void*) != 8 || sizeof(ProbeState) == 64, "a lookup reads one line of it");

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_PROBE_STATE_H_
