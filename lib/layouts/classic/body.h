// The layout `classic` has num_probes independent bits anywhere in the body (Bloom 1970): the baseline, scalar on
// purpose.
#ifndef LINEFILTER_LIB_LAYOUTS_CLASSIC_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_CLASSIC_BODY_H_

#include <cstdint>

#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/lazy.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// The layout can address so much: num_bits < 2^64 would allow more, but no memory does.
inline constexpr uint64_t kMaxClassicBytes = uint64_t{1} << 48;

// Each probe multiplies once by a multiplier of full period. That is near ideal on tiny sets, where plain double
// hashing has half as many false positives again. The multiplier is from Steele and Vigna, "Computationally easy,
// spectrally good multipliers" (2021).
inline constexpr uint64_t kProbeMultiplier = 0xd1342543de82ef95u;

inline bool ClassicMayContain(const uint8_t* body, uint64_t num_bits, uint32_t num_probes, uint64_t hash) {
  for (uint32_t i = 0; i < num_probes; ++i) {
    const uint64_t bit = MulHigh(hash, num_bits);
    if (((body[bit >> 3] >> (bit & 7)) & 1) == 0) return false;
    hash *= kProbeMultiplier;
  }
  return true;
}

// True if one of the bits was not set.
inline bool ClassicInsert(uint8_t* body, uint64_t num_bits, uint32_t num_probes, uint64_t hash) {
  unsigned missing = 0;
  for (uint32_t i = 0; i < num_probes; ++i) {
    const uint64_t bit = MulHigh(hash, num_bits);
    const uint8_t mask = static_cast<uint8_t>(1u << (bit & 7));
    missing |= ~body[bit >> 3] & mask;
    body[bit >> 3] |= mask;
    hash *= kProbeMultiplier;
  }
  return missing != 0;
}

// Does the same where nobody asks whether it was new.
inline void ClassicSet(uint8_t* body, uint64_t num_bits, uint32_t num_probes, uint64_t hash) {
  for (uint32_t i = 0; i < num_probes; ++i) {
    const uint64_t bit = MulHigh(hash, num_bits);
    body[bit >> 3] |= static_cast<uint8_t>(1u << (bit & 7));
    hash *= kProbeMultiplier;
  }
}

inline constexpr uint32_t kMostProbesOfClassic = 30;

// One zero among the positions proves that a key is absent, if it lies in a sound chunk.
struct ZeroAbsence {
  static constexpr bool kIsCheap = false, kHasRanges = false;
  template <class SoundChunk>
  static bool IsSound(const ProbeState& state, uint64_t hash, const SoundChunk& is_sound) {
    for (uint32_t i = 0; i < state.num_probes; ++i, hash *= kProbeMultiplier) {
      const uint64_t bit = MulHigh(hash, 8 * state.num_units);
      const bool is_zero = (state.body[bit >> 3] >> (bit & 7) & 1) == 0;
      if (is_zero && is_sound(bit >> kChunkShiftOfBit)) return true;
    }
    return false;
  }
};

const Kernels& ClassicKernels();

// This is LayoutMaker::build_range, of a whole body.
void ClassicBuildRange(const ProbeState& state, const BlockRange& range, void* scratch);
// This is LayoutMaker::folded_fpr, of bodies of num_bytes each.
double ClassicUnitedFpr(const BodyList& bodies, uint64_t num_bytes, double enough, double* keys);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_CLASSIC_BODY_H_
