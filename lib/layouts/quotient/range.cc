#include "lib/layouts/quotient/range.h"

#include <algorithm>
#include <cstring>

#include "lib/base/endian.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/body.h"
#include "lib/layouts/quotient/fitting.h"
#include "linefilter/hash.h"

namespace linefilter::internal {
namespace {

// So many hashes are sorted at once, which bounds the scratch where many are equal. At 10 bits per key a block has 51.
constexpr uint64_t kMostOfBlock = 256, kSortedAtLeast = 4096;
uint64_t SortedAtOnce(uint64_t num_blocks) { return std::max(kSortedAtLeast, kMostOfBlock * num_blocks); }
// With more, the begins of buckets do not fit bytes.
constexpr uint32_t kSortedByBucket = 255;

// The begin of each bucket, from how many quotients it has. Eight bytes are summed up by one multiplication.
void SumUp(const uint8_t* counts, uint8_t* begins) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  uint64_t before = 0;
  for (uint32_t i = 0; i < kBuckets; i += 8) {
    const uint64_t of_eight = LoadLE64(counts + i), ends = of_eight * kOnes + before * kOnes;
    StoreLE64(ends - of_eight, begins + i);
    before = ends >> 56;
  }
}

// Moves each quotient that is smaller than one before it a place forward, and tells whether all are in order then.
bool SortMore(uint32_t* quotients, uint32_t n) {
  uint32_t largest = quotients[0];
  bool is_sorted = true;
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t q = quotients[i], smaller = std::min(largest, q);
    quotients[i - 1] = smaller;
    largest = std::max(largest, q);
    is_sorted &= i == 1 || quotients[i - 2] <= smaller;
  }
  quotients[n - 1] = largest;
  return is_sorted;
}

// Sorts n quotients to `to`. Most buckets have three at most, which two rounds put in order without a branch that
// depends on them. (To insert each in its place took 10.6 instead of 9.1 ns per key, Zen 5.)
void SortQuotients(const uint32_t* quotients, uint32_t n, uint32_t* to) {
  uint8_t counts[kBuckets] = {}, ends[kBuckets];
  for (uint32_t i = 0; i < n; ++i) ++counts[BucketOf(quotients[i])];
  SumUp(counts, ends);
  for (uint32_t i = 0; i < n; ++i) to[ends[BucketOf(quotients[i])]++] = quotients[i];
  SortMore(to, n);
  if (!SortMore(to, n)) std::sort(to, to + n);
}

bool HasRepeats(const uint32_t* sorted, uint32_t n, uint32_t length) {
  // The bits that are dropped of buckets below the first short one, and of the others.
  const uint32_t short_bits = kMostRemainderBits - length / kBuckets, first_short = length % kBuckets;
  bool has = false;
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t dropped = short_bits - (BucketOf(sorted[i]) < first_short ? 1 : 0);
    has |= ((sorted[i] ^ sorted[i - 1]) >> dropped) == 0;
  }
  return has;
}

// Makes a block of n >= 1 quotients, of that length at most.
void Make(const uint32_t* quotients, uint32_t n, uint32_t most, bool multiset, uint8_t* block) {
  uint32_t sorted[kSortedByBucket];
  sorted[0] = quotients[0];  // no compiler knows that n is not 0
  SortQuotients(quotients, n, sorted);
  const uint32_t length = FittingLength(sorted, n, most);
  if (multiset || !HasRepeats(sorted, n, length)) return WriteEntries(sorted, n, length, block);
  Fitting{sorted, n, most, Fitting::kSet}.Write(block);
}

// Adds n >= 1 quotients to a block.
void Add(uint32_t* quotients, uint32_t n, bool multiset, uint8_t* block) {
  if (LoadLE64(block) == 0 && n <= kSortedByBucket) return Make(quotients, n, kMostLength, multiset, block);
  const BlockEntries there = BlockEntries::Of(block);
  if (!there.is_saturated && there.size + n <= kSortedByBucket) {
    uint32_t all[kSortedByBucket];
    std::copy(there.entries, there.entries + there.size, all);
    std::copy(quotients, quotients + n, all + there.size);
    return Make(all, there.size + n, there.length, multiset, block);
  }
  uint8_t more[kBlockBytes];
  MakeBlock(quotients, n, multiset, more);
  UniteBlocks(block, more, multiset, block);
}

// The next hash of a range.
struct Place {
  uint64_t span = 0, index = 0;
};

class Sorter {
 public:
  Sorter(const ProbeState& state, const BlockRange& range, void* scratch)
      : num_blocks_(state.num_units),
        multiset_(state.num_probes == kQuotientMultiset),
        range_(range),
        ends_(static_cast<uint32_t*>(scratch)),
        quotients_(ends_ + range.num_blocks + 1) {}

  // Makes blocks of the next `count` hashes, at most SortedAtOnce, and returns the place behind them.
  Place Make(Place place, uint64_t count) {
    memset(ends_, 0, (range_.num_blocks + 1) * sizeof(*ends_));
    ForEach(place, count, [&](uint64_t hash) { ++ends_[BlockOf(hash) + 1]; });
    for (uint64_t i = 0; i < range_.num_blocks; ++i) ends_[i + 1] += ends_[i];
    const Place next = ForEach(
        place, count, [&](uint64_t hash) { quotients_[ends_[BlockOf(hash)]++] = QuotientOf(InBlockHash(hash)); });
    uint32_t begin = 0;
    for (uint64_t i = 0; i < range_.num_blocks; ++i) {
      const uint32_t end = ends_[i];
      if (end != begin) Add(quotients_ + begin, end - begin, multiset_, range_.blocks + kBlockBytes * i);
      begin = end;
    }
    return next;
  }

 private:
  uint64_t BlockOf(uint64_t hash) const { return BlockIndex(hash, num_blocks_) - range_.first_block; }

  template <class Use>
  Place ForEach(Place place, uint64_t count, const Use& use) const {
    constexpr uint64_t kLine = 64 / sizeof(uint64_t);
    while (count != 0) {
      const HashSpan& span = range_.spans[place.span];
      const HashSpan& next = range_.spans[place.span + 1 < range_.num_spans ? place.span + 1 : place.span];
      const uint64_t begin = place.index, end = std::min(span.size, begin + count);
      for (uint64_t i = begin; i < end; ++i) {
        // Spans are too short for the hardware to see that they are consecutive.
        if (i % kLine == 0 && i < next.size) __builtin_prefetch(next.hashes + i);
        use(span.hashes[i]);
      }
      count -= end - begin;
      place = end == span.size ? Place{place.span + 1, 0} : Place{place.span, end};
    }
    return place;
  }
  const uint64_t num_blocks_;
  const bool multiset_;
  const BlockRange& range_;
  uint32_t* const ends_;  // where block i's quotients end, so far
  uint32_t* const quotients_;
};

}  // namespace

uint64_t QuotientRangeScratchBytes(uint64_t num_blocks, uint64_t num_hashes) {
  return sizeof(uint32_t) * (num_blocks + 1 + std::min(num_hashes, SortedAtOnce(num_blocks)));
}

void QuotientMakeRange(const ProbeState& state, const BlockRange& range, void* scratch) {
  Sorter sorter(state, range, scratch);
  Place place;
  for (uint64_t left = range.num_hashes; left != 0;) {
    const uint64_t count = std::min(left, SortedAtOnce(range.num_blocks));
    place = sorter.Make(place, count);
    left -= count;
  }
}

}  // namespace linefilter::internal
