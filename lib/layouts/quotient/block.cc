#include "lib/layouts/quotient/block.h"

#include <algorithm>
#include <cstring>

#include "lib/base/endian.h"
#include "lib/layouts/blocks/block.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kNone = ~uint32_t{0};

bool BitAt(const uint8_t* block, uint32_t i) { return (block[i / 8] >> (i % 8) & 1) != 0; }
void SetBit(uint32_t i, uint8_t* block) { block[i / 8] = static_cast<uint8_t>(block[i / 8] | 1u << (i % 8)); }

uint32_t BitsAt(const uint8_t* block, uint32_t at, uint32_t width) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < width; ++i) bits |= uint32_t{BitAt(block, at + i)} << i;
  return bits;
}

// The fields of a block in front of its entries.
struct Header {
  uint64_t buckets;  // bit b: bucket b has an entry
  uint32_t num_long, dropped;

  explicit Header(const uint8_t* block)
      : buckets(LoadLE64(block)), num_long(block[kLongEntriesAt / 8]), dropped(block[kDroppedAt / 8] & 31) {}
  uint32_t width() const { return kMostRemainderBits - dropped; }
};

// S[i] of the format: entry i is the first of its bucket, or comes after the last of all.
bool RunBeginsAt(const uint8_t* block, uint32_t i) { return i == 0 || BitAt(block, kRunEndsAt - 1 + i); }

// Where the 1 of that number is in S; kNone if there is none.
uint32_t RunBegin(const uint8_t* block, uint32_t number) {
  for (uint32_t i = 0; i <= kMostEntries; ++i) {
    if (RunBeginsAt(block, i) && number-- == 0) return i;
  }
  return kNone;
}

uint32_t LowestBitOf(uint32_t entry, uint32_t width, uint32_t num_long) {
  return kQuotientBlockBits - (entry + 1) * width - std::min(entry + 1, num_long);
}

// Tells how many entries a sound block has; kNone of another one. The empty block has none.
uint32_t CountEntries(const uint8_t* block, const Header& header) {
  const uint32_t num_runs = static_cast<uint32_t>(__builtin_popcountll(header.buckets));
  if (num_runs == 0) {
    static constexpr uint8_t kEmpty[kBlockBytes] = {};
    return memcmp(block, kEmpty, kBlockBytes) == 0 ? 0 : kNone;
  }
  const uint32_t size = RunBegin(block, num_runs);
  if (size == kNone || header.dropped > kMostRemainderBits || header.num_long >= size ||
      !RunBeginsAt(block, header.num_long) || (header.dropped == 0 && header.num_long != 0)) {
    return kNone;
  }
  const uint32_t bits = kRunEndsAt + size + size * header.width() + header.num_long;
  return bits <= kQuotientBlockBits ? size : kNone;
}

uint32_t CountDistinct(const uint32_t* sorted, uint64_t n, uint32_t length, bool multiset, uint32_t* num_long) {
  uint32_t size = 0;
  *num_long = 0;
  for (uint64_t i = 0; i < n; ++i) {
    if (!multiset && i != 0 && Shorten(sorted[i], length) == Shorten(sorted[i - 1], length)) continue;
    if (++size > kMostEntries) return size;
    *num_long += BucketOf(sorted[i]) < length % kBuckets ? 1 : 0;
  }
  return size;
}

bool HasRoom(const uint32_t* sorted, uint64_t n, uint32_t length, bool multiset) {
  uint32_t num_long;
  const uint64_t size = CountDistinct(sorted, n, length, multiset, &num_long);
  return kRunEndsAt + size + size * (length / kBuckets) + num_long <= kQuotientBlockBits;
}

// Writes entries of any number and order of low bits, at the largest length up to `most` that has room for them.
void WriteFitting(const uint32_t* sorted, uint64_t n, uint32_t most, bool multiset, uint8_t* block) {
  BlockEntries fitting;
  fitting.is_saturated = !HasRoom(sorted, n, 0, multiset);
  uint32_t low = 0, high = most;  // there is room at low, and no length above high is asked for
  while (low < high && !fitting.is_saturated) {
    const uint32_t middle = (low + high + 1) / 2;
    if (HasRoom(sorted, n, middle, multiset)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  fitting.length = low;
  for (uint64_t i = 0; i < n && !fitting.is_saturated; ++i) {
    const uint32_t entry = Shorten(sorted[i], low);
    if (multiset || fitting.size == 0 || fitting.entries[fitting.size - 1] != entry) {
      fitting.entries[fitting.size++] = entry;
    }
  }
  fitting.Write(block);
}

}  // namespace

BlockEntries BlockEntries::Of(const uint8_t* block) {
  BlockEntries list;
  const Header header(block);
  const uint32_t size = CountEntries(block, header);
  if (size == kNone) {
    list.is_saturated = true;
    list.length = 0;
    return list;
  }
  list.size = size;
  uint64_t buckets = header.buckets;
  for (uint32_t i = 0; i < size; ++i) {
    if (i != 0 && RunBeginsAt(block, i)) buckets &= buckets - 1;
    const uint32_t bucket = static_cast<uint32_t>(__builtin_ctzll(buckets));
    const uint32_t width = header.width() + (i < header.num_long ? 1 : 0);
    const uint32_t remainder = BitsAt(block, LowestBitOf(i, header.width(), header.num_long), width);
    list.entries[i] = bucket << kMostRemainderBits | remainder << (kMostRemainderBits - width);
  }
  if (size != 0 && header.dropped != 0) {
    list.length = kBuckets * header.width() + BucketOf(list.entries[header.num_long]);
  }
  return list;
}

void BlockEntries::Write(uint8_t* block) const {
  memset(block, is_saturated ? 0xff : 0, kBlockBytes);
  if (is_saturated || size == 0) return;
  uint32_t width = length / kBuckets, num_long = 0;
  while (num_long < size && BucketOf(entries[num_long]) < length % kBuckets) ++num_long;
  if (num_long == size) {  // all are long: that is the next width
    ++width;
    num_long = 0;
  }
  block[kLongEntriesAt / 8] = static_cast<uint8_t>(num_long);
  block[kDroppedAt / 8] = static_cast<uint8_t>(kMostRemainderBits - width);
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t bucket = BucketOf(entries[i]), bits = width + (i < num_long ? 1 : 0);
    SetBit(bucket, block);
    if (i + 1 == size || BucketOf(entries[i + 1]) != bucket) SetBit(kRunEndsAt + i, block);
    for (uint32_t b = 0; b < bits; ++b) {
      if ((entries[i] >> (kMostRemainderBits - bits + b) & 1) != 0) SetBit(LowestBitOf(i, width, num_long) + b, block);
    }
  }
}

uint32_t BlockEntries::PlaceOf(uint32_t entry) const {
  uint32_t place = 0;
  while (place < size && BucketOf(entries[place]) < BucketOf(entry)) ++place;
  while (place < size && BucketOf(entries[place]) == BucketOf(entry) && entries[place] < entry) ++place;
  return place;
}

bool InsertIntoBlock(uint32_t q, bool multiset, uint8_t* block) {
  BlockEntries list = BlockEntries::Of(block);
  if (list.is_saturated) {
    const bool is_new = !BlockMayContain(block, q);
    list.Write(block);
    return is_new;
  }
  const uint32_t entry = Shorten(q, list.length), place = list.PlaceOf(entry);
  const bool was_there = BlockMayContain(block, q);
  if (!multiset && list.HasAt(place, entry)) return false;
  uint32_t more[kMostEntries + 1];
  std::copy(list.entries, list.entries + place, more);
  more[place] = entry;
  std::copy(list.entries + place, list.entries + list.size, more + place + 1);
  WriteFitting(more, list.size + 1, list.length, multiset, block);
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
  std::sort(a.entries, a.entries + a.size);
  std::sort(b.entries, b.entries + b.size);
  std::merge(a.entries, a.entries + a.size, b.entries, b.entries + b.size, both);
  WriteFitting(both, uint64_t{a.size} + b.size, std::min(a.length, b.length), multiset, to);
}

void MakeBlock(uint32_t* quotients, uint64_t n, bool multiset, uint8_t* block) {
  std::sort(quotients, quotients + n);
  WriteFitting(quotients, n, kMostLength, multiset, block);
}

double FprOfBlock(const uint8_t* block, uint32_t* num_entries) {
  const BlockEntries list = BlockEntries::Of(block);
  *num_entries = list.size;
  if (list.is_saturated) return 1;
  double fpr = 0;
  for (uint32_t i = 0; i < list.size; ++i) {
    if (i != 0 && list.entries[i] == list.entries[i - 1]) continue;
    const uint32_t bits = kBucketBits + WidthAt(BucketOf(list.entries[i]), list.length);
    fpr += 1.0 / static_cast<double>(uint64_t{1} << bits);
  }
  return fpr;
}

}  // namespace linefilter::internal
