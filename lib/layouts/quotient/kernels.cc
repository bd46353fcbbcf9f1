// The kernels of the layout `quotient`, one source for Highway's targets. block_loops-inl.h has the loops over a
// batch, lookups-inl.h what is done for some keys at once.
#include "lib/layouts/kernels.h"

#include "lib/layouts/quotient/body.h"
#include "lib/layouts/target.h"

// SSE takes the code of SCALAR, for it has no better one: 12.6 and 13.4 in place of 13.1 ns per key are not worth 12
// KB.
#if HWY_STATIC_TARGET == HWY_SCALAR && (HWY_TARGETS & (HWY_SSSE3 | HWY_SSE4)) != 0
namespace linefilter::N_SCALAR {
namespace {
const internal::Kernels* QuotientTargetKernels();
}
}  // namespace linefilter::N_SCALAR
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/quotient/kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/quotient/lookups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

struct Test : OnLines {
  static constexpr int kWrites = 0;
  static constexpr size_t kGroup = kVectors * kKeys;
  static HWY_INLINE bool Do(const uint8_t* block, const uint32_t*, uint32_t x, LaneVec) {
    return TestQuotient(block, x);
  }
  template <class BlockOfKey, class Done>
  static HWY_INLINE void DoGroup(const uint64_t* HWY_RESTRICT hashes, const BlockOfKey& block_of, const Done& done) {
    TestQuotientGroup(hashes, block_of, done);
  }
};

#if LINEFILTER_SAME_AS_SCALAR

const internal::Kernels* QuotientTargetKernels() { return UnderThisName<N_SCALAR::QuotientTargetKernels>(); }

#else

const internal::Kernels* QuotientTargetKernels() {
  static constexpr internal::Kernels kernels = KernelsOf<Test>();
  return &kernels;
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(QuotientTargetKernels);

namespace internal {
const Kernels& QuotientKernels() { return *LINEFILTER_DISPATCH(QuotientTargetKernels)(); }
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
