#include "lib/layouts/quotient/fitting.h"

#include <algorithm>
#include <cstring>

#include "lib/layouts/blocks/block.h"

namespace linefilter::internal {

// With width w there is room for 435 - n (w + 1) long entries. These are whole buckets, so entry number 435 - n (w + 1)
// is the first one that may be short, and its bucket is the first short one.
uint32_t FittingLength(const uint32_t* entries, uint32_t n, uint32_t most) {
  const uint32_t width = std::min(kMostEntries / n - 1, most / kBuckets);
  const uint32_t most_long = kMostEntries - n * (width + 1);
  const uint32_t bucket = most_long < n ? BucketOf(entries[most_long]) : kBuckets - 1;
  return std::min(most, kBuckets * width + bucket);
}

uint32_t Fitting::WidthOfItsOwn(uint64_t i) const {
  const uint32_t bucket = BucketOf(entries[i]), differ = i == 0 ? ~uint32_t{0} : entries[i] ^ entries[i - 1];
  if (differ >> kMostRemainderBits != 0) return 0;
  const uint32_t equal_bits =
      differ == 0 ? kMostRemainderBits : static_cast<uint32_t>(__builtin_clz(differ)) - kBucketBits;
  return std::min(equal_bits + 1, WidthAt(bucket, distinct_below));
}

uint32_t Fitting::Distinct(uint32_t length, uint32_t* to, uint32_t* next) const {
  uint32_t distinct = 0;
  *next = kMostLength + 1;
  for (uint64_t i = 0; i < size; ++i) {
    const uint32_t bucket = BucketOf(entries[i]), own = WidthOfItsOwn(i);
    if (WidthAt(bucket, length) < own) {
      *next = std::min(*next, kBuckets * (own - 1) + bucket + 1);
    } else if (distinct++ < kMostEntries) {
      to[distinct - 1] = entries[i];
    }
  }
  return distinct;
}

// Where some entries are repeats there is room for a greater length, with which others may no longer be repeats. So it
// goes from one length that parts repeats to the next one.
void Fitting::Write(uint8_t* block) const {
  memset(block, 0, kBlockBytes);
  if (size == 0) return;
  uint32_t distinct[kMostEntries], more[kMostEntries], next, after;
  uint32_t length = size <= kMostEntries ? FittingLength(entries, static_cast<uint32_t>(size), most) : 0;
  uint32_t n = Distinct(length, distinct, &next);
  if (n > kMostEntries) {
    memset(block, 0xff, kBlockBytes);
    return;
  }
  while ((length = FittingLength(distinct, n, most)) >= next) {
    const uint32_t num_more = Distinct(next, more, &after);
    if (num_more > kMostEntries || FittingLength(more, num_more, most) < next) {
      length = next - 1;
      break;
    }
    n = num_more;
    std::copy(more, more + n, distinct);
    next = after;
  }
  WriteEntries(distinct, n, length, block);
}

}  // namespace linefilter::internal
