// A line is sent away when the next hash for it comes, not when it is full. Else its wide load would stall on the store
// of the eighth hash, which is still on its way to the cache.
#include "lib/layouts/blocks/range_writer.h"

#include "lib/layouts/target.h"
#include "linefilter/hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/blocks/range_writer.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using internal::PageCursor;
using internal::RangeWriter;

HWY_INLINE bool SendLine(RangeWriter* writer, uint64_t range, const uint64_t* HWY_RESTRICT line) {
  PageCursor& cursor = writer->cursors[range];
  if (HWY_UNLIKELY(cursor.lines_left == 0) && !writer->turn_page(writer, range)) return false;
  const hn::CappedTag<uint64_t, internal::kLineHashes> d;
  for (size_t i = 0; i < internal::kLineHashes; i += hn::Lanes(d)) hn::Stream(hn::Load(d, line + i), d, cursor.to + i);
  cursor.to += internal::kLineHashes;
  --cursor.lines_left;
  return true;
}

size_t Partition(RangeWriter* writer, const uint64_t* HWY_RESTRICT hashes, size_t n) {
  const uint64_t num_blocks = writer->num_blocks, first_range = writer->first_range;
  const uint32_t shift = writer->range_shift;
  uint64_t* HWY_RESTRICT const lines = writer->lines;
  uint8_t* HWY_RESTRICT const fill = writer->fill;
  size_t i = 0;
  for (; i < n; ++i) {
    const uint64_t hash = hashes[i];
    const uint64_t range = (BlockIndex(hash, num_blocks) >> shift) - first_range;
    uint64_t* const line = lines + internal::kLineHashes * range;
    size_t in_line = fill[range];
    if (HWY_UNLIKELY(in_line == internal::kLineHashes)) {
      if (!SendLine(writer, range, line)) break;
      in_line = 0;
    }
    line[in_line] = hash;
    fill[range] = static_cast<uint8_t>(in_line + 1);
  }
  hwy::FlushStream();  // streaming stores are not ordered: before another thread reads the pages
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
HWY_EXPORT(Partition);

namespace internal {
size_t PartitionHashes(RangeWriter* writer, const uint64_t* hashes, size_t n) {
  return LINEFILTER_DISPATCH(Partition)(writer, hashes, n);
}
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
