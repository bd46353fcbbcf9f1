// The lookup in any block of the layout `quotient`, word by word. It answers what the kernels leave as rare: blocks
// that no writer makes, crowded buckets, entries behind those that the kernels look at.
#include <algorithm>

#include "lib/base/endian.h"
#include "lib/layouts/quotient/block.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kNoEntry = ~uint32_t{0};
constexpr uint32_t kLastWordAt = kQuotientBlockBits / 8 - 8;

// Word i of S in the format. Bit 0 is entry 64 i; what lies behind the block is 0.
uint64_t WordOfBegins(const uint8_t* block, uint32_t i) {
  const uint32_t byte = kRunEndsAt / 8 + 8 * i;
  if (byte > kLastWordAt) return LoadLE64(block + kLastWordAt) >> 12;
  const uint64_t low = LoadLE64(block + byte) >> 4, high = block[byte + 8] & 15;
  return low | high << 60 | (i == 0 ? 1 : 0);
}

// The entry with the 1 of that number in S.
uint32_t FindBegin(const uint8_t* block, uint32_t number) {
  for (uint32_t i = 0; 64 * i <= kMostEntries; ++i) {
    uint64_t word = WordOfBegins(block, i);
    const uint32_t size = static_cast<uint32_t>(__builtin_popcountll(word));
    if (number >= size) {
      number -= size;
      continue;
    }
    for (; number != 0; --number) word &= word - 1;
    return 64 * i + static_cast<uint32_t>(__builtin_ctzll(word));
  }
  return kNoEntry;
}

}  // namespace

bool BlockMayContain(const uint8_t* block, uint32_t q) {
  const uint64_t buckets = LoadLE64(block);
  const uint32_t bucket = BucketOf(q), num_long = block[kLongEntriesAt / 8], dropped = block[kDroppedAt / 8] & 31;
  if ((buckets >> bucket & 1) == 0) return false;
  const uint32_t run = static_cast<uint32_t>(__builtin_popcountll(buckets & ((uint64_t{1} << bucket) - 1)));
  const uint32_t begin = FindBegin(block, run), end = FindBegin(block, run + 1);
  if (end == kNoEntry || dropped > kMostRemainderBits) return true;

  const uint32_t short_width = kMostRemainderBits - dropped, width = short_width + (end <= num_long ? 1 : 0);
  const uint32_t taken = end * short_width + std::min(end, num_long);
  if (taken > kQuotientBlockBits || width == 0) return true;
  const uint64_t mask = (uint64_t{1} << width) - 1, twice = uint64_t{q} << 1;
  const uint64_t remainder = twice >> (kMostRemainderBits + 1 - width) & mask;
  for (uint32_t at = kQuotientBlockBits - taken, i = begin; i < end; ++i, at += width) {
    const uint32_t byte = std::min(at / 8, kLastWordAt);
    if ((LoadLE64(block + byte) >> (at - 8 * byte) & mask) == remainder) return true;
  }
  return false;
}

}  // namespace linefilter::internal
