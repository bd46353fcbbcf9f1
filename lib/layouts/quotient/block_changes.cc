// What is done with blocks of the layout `quotient` in the portable way: insertion, removal, union. The fast insertion
// leaves to it each block's first key and what is rare: at 10 bits per key 0.3 % of the insertions of a set, by which
// entries become equal, and 0.03 % of those of a multiset.
#include <algorithm>

#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/fitting.h"

namespace linefilter::internal {

bool InsertIntoBlock(uint32_t q, bool multiset, uint8_t* block) {
  const BlockEntries list = BlockEntries::Of(block);
  if (list.size == 0 && !list.is_saturated) {  // each block was empty once
    WriteEntries(&q, 1, kMostLength, block);
    return true;
  }
  const bool was_there = BlockMayContain(block, q);
  if (list.is_saturated) {
    list.Write(block);
    return !was_there;
  }
  const uint32_t entry = Shorten(q, list.length), place = list.PlaceOf(entry);
  if (!multiset && list.HasAt(place, entry)) return false;
  uint32_t more[kMostEntries + 1];
  std::copy(list.entries, list.entries + place, more);
  more[place] = entry;
  std::copy(list.entries + place, list.entries + list.size, more + place + 1);
  Fitting{more, list.size + 1, list.length, multiset ? Fitting::kMultiset : list.length}.Write(block);
  return !was_there;
}

bool RemoveFromBlock(uint32_t q, uint8_t* block) {
  BlockEntries list = BlockEntries::Of(block);
  if (list.is_saturated) return BlockMayContain(block, q);
  const uint32_t entry = Shorten(q, list.length);
  uint32_t* const end = list.entries + list.size;
  uint32_t* const found = std::find(list.entries, end, entry);
  if (found == end) return false;
  std::copy(found + 1, end, found);
  --list.size;
  list.Write(block);
  return true;
}

void UniteBlocks(const uint8_t* one, const uint8_t* other, bool multiset, uint8_t* to) {
  BlockEntries a = BlockEntries::Of(one), b = BlockEntries::Of(other);
  if (a.is_saturated || b.is_saturated) {
    a.is_saturated = true;
    return a.Write(to);
  }
  uint32_t both[2 * kMostEntries];
  for (BlockEntries* list : {&a, &b}) {  // no writer makes other blocks
    if (!std::is_sorted(list->entries, list->entries + list->size))
      std::sort(list->entries, list->entries + list->size);
  }
  std::merge(a.entries, a.entries + a.size, b.entries, b.entries + b.size, both);
  Fitting{both, uint64_t{a.size} + b.size, std::min(a.length, b.length), multiset ? Fitting::kMultiset : Fitting::kSet}
      .Write(to);
}

void MakeBlock(uint32_t* quotients, uint64_t n, bool multiset, uint8_t* block) {
  std::sort(quotients, quotients + n);
  Fitting{quotients, n, kMostLength, multiset ? Fitting::kMultiset : Fitting::kSet}.Write(block);
}

}  // namespace linefilter::internal
