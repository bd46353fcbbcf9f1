#include "lib/layouts/quotient/block.h"

#include <algorithm>
#include <cstring>

#include "lib/base/endian.h"
#include "lib/layouts/blocks/block.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kNone = ~uint32_t{0};

uint32_t BitsAt(const uint8_t* block, uint32_t at, uint32_t width) {
  const uint32_t byte = std::min(at / 8, 56u);
  return static_cast<uint32_t>(LoadLE64(block + byte) >> ((at - 8 * byte) & 63) & ((uint64_t{1} << width) - 1));
}

// The fields of a block in front of its entries.
struct Header {
  uint64_t buckets;  // bit b: bucket b has an entry
  uint32_t num_long, dropped;

  explicit Header(const uint8_t* block)
      : buckets(LoadLE64(block)), num_long(block[kLongEntriesAt / 8]), dropped(block[kDroppedAt / 8] & 31) {}
  uint32_t width() const { return kMostRemainderBits - dropped; }
};

// S of the format: bit i is 1 if entry i is the first one of its bucket, or comes after the last of all.
struct RunBegins {
  const uint8_t* block;

  bool Has(uint32_t i) const { return (Word(i / 64) >> (i % 64) & 1) != 0; }
  // Where the 1 of that number is; kNone if there is none.
  uint32_t Find(uint32_t number) const {
    for (uint32_t i = 0; 64 * i <= kMostEntries; ++i) {
      uint64_t word = Word(i);
      const uint32_t ones = static_cast<uint32_t>(__builtin_popcountll(word));
      if (number < ones) {
        for (; number != 0; --number) word &= word - 1;
        return 64 * i + static_cast<uint32_t>(__builtin_ctzll(word));
      }
      number -= ones;
    }
    return kNone;
  }

 private:
  // What lies behind the block is 0.
  uint64_t Word(uint32_t i) const {
    constexpr uint32_t kByte = (kRunEndsAt - 1) / 8, kShift = (kRunEndsAt - 1) % 8, kLastWordAt = kBlockBytes - 8;
    const uint32_t byte = kByte + 8 * i;
    if (byte > kLastWordAt) return LoadLE64(block + kLastWordAt) >> (8 * (byte - kLastWordAt) + kShift);
    const uint64_t low = LoadLE64(block + byte) >> kShift, high = block[byte + 8];
    return low | high << (64 - kShift) | (i == 0 ? 1 : 0);
  }
};

uint32_t LowestBitOf(uint32_t entry, uint32_t width, uint32_t num_long) {
  return kQuotientBlockBits - (entry + 1) * width - std::min(entry + 1, num_long);
}

// Tells how many entries a sound block has; kNone of another one. The empty block has none.
uint32_t CountEntries(const uint8_t* block, const Header& header, const RunBegins& runs) {
  const uint32_t num_runs = static_cast<uint32_t>(__builtin_popcountll(header.buckets));
  if (num_runs == 0) {
    static constexpr uint8_t kEmpty[kBlockBytes] = {};
    return memcmp(block, kEmpty, kBlockBytes) == 0 ? 0 : kNone;
  }
  const uint32_t size = runs.Find(num_runs);
  if (size == kNone || header.dropped > kMostRemainderBits || header.num_long >= size || !runs.Has(header.num_long) ||
      (header.dropped == 0 && header.num_long != 0)) {
    return kNone;
  }
  const uint32_t bits = kRunEndsAt + size + size * header.width() + header.num_long;
  return bits <= kQuotientBlockBits ? size : kNone;
}

}  // namespace

bool BlockMayContain(const uint8_t* block, uint32_t q) {
  const Header header(block);
  const uint32_t bucket = BucketOf(q);
  if ((header.buckets >> bucket & 1) == 0) return false;
  const RunBegins runs{block};
  const uint32_t run = static_cast<uint32_t>(__builtin_popcountll(header.buckets & ((uint64_t{1} << bucket) - 1)));
  const uint32_t begin = runs.Find(run), end = runs.Find(run + 1);
  if (end == kNone || header.dropped > kMostRemainderBits) return true;

  const uint32_t width = header.width() + (end <= header.num_long ? 1 : 0);
  const uint32_t taken = end * header.width() + std::min(end, header.num_long);
  if (taken > kQuotientBlockBits || width == 0) return true;
  const uint32_t remainder = RemainderOf(q, width);
  for (uint32_t at = kQuotientBlockBits - taken, i = begin; i < end; ++i, at += width) {
    if (BitsAt(block, at, width) == remainder) return true;
  }
  return false;
}

BlockEntries BlockEntries::Of(const uint8_t* block) {
  BlockEntries list;
  const Header header(block);
  const RunBegins runs{block};
  const uint32_t size = CountEntries(block, header, runs);
  if (size == kNone) {
    list.is_saturated = true;
    list.length = 0;
    return list;
  }
  list.size = size;
  uint64_t buckets = header.buckets;
  for (uint32_t i = 0; i < size; ++i) {
    if (i != 0 && runs.Has(i)) buckets &= buckets - 1;
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

void WriteEntries(const uint32_t* entries, uint32_t size, uint32_t length, uint8_t* block) {
  uint32_t width = length / kBuckets, num_long = 0;
  while (num_long < size && BucketOf(entries[num_long]) < length % kBuckets) ++num_long;
  if (num_long == size) {  // all are long: that is the next width
    ++width;
    num_long = 0;
  }
  // Entries of no bits lie behind the last word.
  uint64_t words[kBlockBytes / 8 + 2] = {0, num_long | (kMostRemainderBits - width) << 8};
  const auto put = [&words](uint64_t bits, uint32_t at) {
    words[at / 64] |= bits << at % 64;
    words[at / 64 + 1] |= bits >> 1 >> (63 - at % 64);
  };
  uint64_t ends[kMostEntries / 64 + 1] = {};
  uint32_t at = kQuotientBlockBits, bucket = BucketOf(entries[0]);
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t bits = width + (i < num_long ? 1 : 0), next = i + 1 < size ? BucketOf(entries[i + 1]) : kBuckets;
    words[0] |= uint64_t{1} << bucket;
    ends[i / 64] |= uint64_t{next != bucket} << i % 64;
    at -= bits;
    put(RemainderOf(entries[i], bits), at);
    bucket = next;
  }
  for (uint32_t i = 0; 64 * i < size; ++i) put(ends[i], kRunEndsAt + 64 * i);
  for (uint32_t i = 0; i < kBlockBytes / 8; ++i) StoreLE64(words[i], block + 8 * i);
}

void BlockEntries::Write(uint8_t* block) const {
  memset(block, is_saturated ? 0xff : 0, kBlockBytes);
  if (!is_saturated && size != 0) WriteEntries(entries, size, length, block);
}

uint32_t BlockEntries::PlaceOf(uint32_t entry) const {
  uint32_t place = 0;
  while (place < size && BucketOf(entries[place]) < BucketOf(entry)) ++place;
  while (place < size && BucketOf(entries[place]) == BucketOf(entry) && entries[place] < entry) ++place;
  return place;
}

double FprOfBlock(const uint8_t* block, uint32_t* num_entries) {
  BlockEntries list = BlockEntries::Of(block);
  *num_entries = list.size;
  if (list.is_saturated) return 1;
  // In a block that no writer makes equal entries may be apart, and their sum above 1.
  if (!std::is_sorted(list.entries, list.entries + list.size)) std::sort(list.entries, list.entries + list.size);
  double fpr = 0;
  for (uint32_t i = 0; i < list.size; ++i) {
    if (i != 0 && list.entries[i] == list.entries[i - 1]) continue;
    const uint32_t bits = kBucketBits + WidthAt(BucketOf(list.entries[i]), list.length);
    fpr += 1.0 / static_cast<double>(uint64_t{1} << bits);
  }
  return fpr;
}

}  // namespace linefilter::internal
