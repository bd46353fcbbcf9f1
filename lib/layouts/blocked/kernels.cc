// The kernels of the layout `blocked`, one source for Highway's targets. block_loops-inl.h has the loops over a batch,
// changes.cc what a filter needs that is filled.
#include "lib/layouts/kernels.h"

#include "lib/layouts/blocked/body.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/blocked/kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "linefilter/internal/test_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

#if LINEFILTER_SAME_AS_AVX3

const internal::Kernels* TargetKernels() { return UnderThisName<N_AVX3::TargetKernels>(); }

bool TargetMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  return N_AVX3::TargetMayContain(body, body_bytes, num_probes, hash);
}

#else

// This is done to the block of each key of a batch.
struct Test : OnLines {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return TestBlock(block, lane_ones, x, xs);
  }
};

const internal::Kernels* TargetKernels() {
  static constexpr internal::Kernels kernels = KernelsOf<Test>();
  return &kernels;
}

// Engines ask so at each lookup. A state that is bound for one question costs more than the test of its block.
bool TargetMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  if (!internal::IsBodyOfBlocked(body_bytes, num_probes)) return true;
  if (body_bytes == 0) return false;
  const uint32_t x = InBlockHash(hash);
  const uint8_t* const block = body + 64 * BlockIndex(hash, body_bytes / 64);
  return TestBlock(block, internal::LaneOnes(num_probes), x, hn::Set(LaneTag(), x));
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(TargetKernels);
LINEFILTER_TARGET_TABLE(TargetMayContain);

namespace internal {
const Kernels& BlockedKernels() { return *LINEFILTER_DISPATCH(TargetKernels)(); }
bool BlockedMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  return LINEFILTER_DISPATCH(TargetMayContain)(body, body_bytes, num_probes, hash);
}
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
