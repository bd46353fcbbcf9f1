// Hashes are compared some to a vector, and each vector is packed and stored whole. So nothing branches on a hash,
// which no CPU would predict.
#include "lib/layouts/hash_interval.h"

#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/hash_interval.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

size_t Select(const uint64_t* HWY_RESTRICT hashes, size_t n, internal::HashInterval interval,
              uint64_t* HWY_RESTRICT out) {
  const uint64_t first = interval.first, width = interval.last - first;  // what is below `first` wraps around
  size_t size = 0, i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // Not CompressStore, which is microcode on Zen, nor Compress, whose table of 2 KiB g++ 12 copies each time.
  const hn::CappedTag<uint64_t, internal::kSelectSlack> d;
  const auto firsts = hn::Set(d, first), widths = hn::Set(d, width);
  for (; n - i >= hn::Lanes(d); i += hn::Lanes(d)) {
    const auto some = hn::LoadU(d, hashes + i);
    const __mmask8 is_in = _mm512_cmple_epu64_mask(hn::Sub(some, firsts).raw, widths.raw);
    _mm512_storeu_si512(out + size, _mm512_maskz_compress_epi64(is_in, some.raw));
    // The conversion is an instruction of its own: of the mask itself g++ 12 with -fsanitize=thread and -O2 stores one
    // byte, and counts the ones of four (2304 hashes of 2048).
    size += static_cast<size_t>(__builtin_popcount(_cvtmask8_u32(is_in)));
  }
#endif
  for (; i < n; ++i) {
    out[size] = hashes[i];
    size += hashes[i] - first <= width;
  }
  return size;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(Select);

namespace internal {
size_t SelectHashes(const uint64_t* hashes, size_t n, HashInterval interval, uint64_t* out) {
  return LINEFILTER_DISPATCH(Select)(hashes, n, interval, out);
}
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
