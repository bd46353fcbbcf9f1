#include "bench/floor.h"

#include "linefilter/hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/floor.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The widest load there is, up to a line: the floor must not be slowed down by its own instructions.
using Tag = hn::CappedTag<uint64_t, 8>;
using Vec = hn::Vec<Tag>;

HWY_INLINE const uint64_t* LineOf(const uint8_t* lines, uint64_t num_lines, uint64_t hash) {
  return reinterpret_cast<const uint64_t*>(lines + 64 * BlockIndex(hash, num_lines));
}

HWY_INLINE Vec AddLine(Vec sum, const uint64_t* line) {
  const Tag d;
  for (size_t i = 0; i < 8; i += hn::Lanes(d)) sum = hn::Add(sum, hn::Load(d, line + i));
  return sum;
}

uint64_t Plain(const uint8_t* lines, uint64_t num_lines, const uint64_t* hashes, size_t n) {
  Vec sum = hn::Zero(Tag());
  for (size_t i = 0; i < n; ++i) sum = AddLine(sum, LineOf(lines, num_lines, hashes[i]));
  return hn::GetLane(hn::SumOfLanes(Tag(), sum));
}

uint64_t Ring(const uint8_t* lines, uint64_t num_lines, const uint64_t* hashes, size_t n) {
  constexpr size_t kDepth = 32;
  Vec sum = hn::Zero(Tag());
  for (size_t i = 0; i < kDepth && i < n; ++i) __builtin_prefetch(LineOf(lines, num_lines, hashes[i]));
  size_t i = 0;
  for (; i + kDepth < n; ++i) {
    __builtin_prefetch(LineOf(lines, num_lines, hashes[i + kDepth]));
    sum = AddLine(sum, LineOf(lines, num_lines, hashes[i]));
  }
  for (; i < n; ++i) sum = AddLine(sum, LineOf(lines, num_lines, hashes[i]));
  return hn::GetLane(hn::SumOfLanes(Tag(), sum));
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Plain);
HWY_EXPORT(Ring);

uint64_t SumLinesPlain(const uint8_t* lines, uint64_t num_lines, const uint64_t* hashes, size_t n) {
  return HWY_DYNAMIC_DISPATCH(Plain)(lines, num_lines, hashes, n);
}
uint64_t SumLinesRing(const uint8_t* lines, uint64_t num_lines, const uint64_t* hashes, size_t n) {
  return HWY_DYNAMIC_DISPATCH(Ring)(lines, num_lines, hashes, n);
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
