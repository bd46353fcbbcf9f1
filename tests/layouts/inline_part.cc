// Compiled once per -march (tests/layouts/CMakeLists.txt), all into one program: LINEFILTER_INLINE_PART is the name of
// its part.
#include "tests/layouts/inline_part.h"

#include "linefilter/inline.h"
#include "linefilter/scalable.h"

namespace linefilter {
namespace {

constexpr unsigned Needs() {
  unsigned needs = 0;
#ifdef __SSE4_2__
  needs |= kNeedsSse4;
#endif
#ifdef __AVX2__
  needs |= kNeedsAvx2;
#endif
#ifdef __AVX512F__
  needs |= kNeedsAvx512;
#endif
#ifdef __AVX512VBMI2__
  needs |= kNeedsAvx512Vbmi2;
#endif
#ifdef __GFNI__
  needs |= kNeedsGfni;
#endif
#ifdef __AES__
  needs |= kNeedsAes;
#endif
#ifdef __ARM_FEATURE_SVE
  needs |= kNeedsSve;
#endif
#ifdef __ARM_FEATURE_SVE2
  needs |= kNeedsSve2;
#endif
  return needs;
}

#define LINEFILTER_STRING2(x) #x
#define LINEFILTER_STRING(x) LINEFILTER_STRING2(x)

const char* Target() { return LINEFILTER_STRING(HWY_NAMESPACE); }

void MayContainHashes(const FilterBase& filter, const uint64_t* hashes, size_t n, uint8_t* answers) {
  const inlined::Prober prober(filter);
  for (size_t i = 0; i < n; ++i) answers[i] = prober.MayContainHash(hashes[i]);
  // The same answers come from code for the layout alone, or they are made wrong here.
  prober.ForLayout([&](const auto& asked) {
    for (size_t i = 0; i < n; ++i) answers[i] ^= (answers[i] != 0) != asked.MayContainHash(hashes[i]);
  });
}

void MayContainKeys(const FilterBase& filter, const uint64_t* keys, size_t n, uint8_t* answers) {
  const inlined::Prober prober(filter);
  for (size_t i = 0; i < n; ++i) answers[i] = prober.MayContainKey(keys[i]);
}

void InsertHashes(Filter& filter, const uint64_t* hashes, size_t n, uint8_t* were_new) {
  inlined::Inserter inserter(filter);
  for (size_t i = 0; i < n; ++i) were_new[i] = inserter.InsertHash(hashes[i]);
}

size_t CountLostWhileItGrows(ScalableFilter& filter, const uint64_t* hashes, size_t n) {
  const inlined::Prober prober(filter);
  size_t lost = 0;
  for (size_t i = 0; i < n; ++i) {
    filter.InsertHash(hashes[i]);
    prober.Prepare(hashes[i]);
    lost += !prober.MayContainHash(hashes[i]);
  }
  for (size_t i = 0; i < n; ++i) lost += !prober.MayContainHash(hashes[i]);
  return lost;
}

}  // namespace

extern const InlinePart LINEFILTER_INLINE_PART;
const InlinePart LINEFILTER_INLINE_PART = {
    LINEFILTER_INLINE_MARCH, Needs(), Target, MayContainHashes, MayContainKeys, InsertHashes, CountLostWhileItGrows};

}  // namespace linefilter
