// doc/FORMAT.md section 12: lookups read the bits of a block as they are. Changes read a block into a list of entries,
// change the list, and write it again.
#include <algorithm>

#include "tests/reference/reference.h"

namespace reference {
namespace {

constexpr int kBuckets = 64, kMostLength = 1664, kMostWidth = 26, kBlockBits = 512, kFields = 77;

bool BitAt(const uint8_t* block, int i) { return (block[i / 8] >> (i % 8) & 1) != 0; }

uint32_t NumberAt(const uint8_t* block, int first, int bits) {
  uint32_t number = 0;
  for (int i = 0; i < bits; ++i) number |= static_cast<uint32_t>(BitAt(block, first + i)) << i;
  return number;
}

void PutNumber(uint32_t number, int first, int bits, uint8_t* block) {
  for (int i = first; i < first + bits; ++i, number >>= 1) {
    block[i / 8] = static_cast<uint8_t>(block[i / 8] | (number & 1) << (i % 8));
  }
}

uint32_t QOf(uint64_t hash) { return InBlockHash(hash) * 0x9E3779B1u; }
int BucketOf(uint32_t q) { return static_cast<int>(q >> 26); }
// r(v)
uint32_t RemainderOf(uint32_t q, int v) {
  return static_cast<uint32_t>((uint64_t{q} % (1u << kMostWidth) << v) >> kMostWidth);
}

struct Entry {
  int bucket;
  uint32_t remainder;
  bool operator==(const Entry& other) const { return bucket == other.bucket && remainder == other.remainder; }
  bool operator<(const Entry& other) const {
    return bucket != other.bucket ? bucket < other.bucket : remainder < other.remainder;
  }
};
using Entries = std::vector<Entry>;

// How many bits a remainder has.
int BitsOf(int length, int bucket) { return length / kBuckets + (bucket < length % kBuckets ? 1 : 0); }

Entry EntryOf(uint32_t q, int length) { return {BucketOf(q), RemainderOf(q, BitsOf(length, BucketOf(q)))}; }

bool HasRoom(const Entries& entries, int length) {
  int bits = kFields + static_cast<int>(entries.size());
  for (const Entry& entry : entries) bits += BitsOf(length, entry.bucket);
  return bits <= kBlockBits;
}

// Shortens entries of length `from`. In a set, neighbours become one if they are shortened and equal then.
Entries Shortened(Entries entries, int from, int to, bool is_set) {
  const auto dropped = [&](int bucket) { return BitsOf(from, bucket) - BitsOf(to, bucket); };
  for (Entry& entry : entries) entry.remainder >>= dropped(entry.bucket);
  const auto are_one = [&](const Entry& a, const Entry& b) { return is_set && a == b && dropped(a.bucket) > 0; };
  entries.erase(std::unique(entries.begin(), entries.end(), are_one), entries.end());
  return entries;
}

// In order, and in a set without repetition.
Entries Sorted(Entries entries, bool is_set) {
  std::sort(entries.begin(), entries.end());
  if (is_set) entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

void Saturate(uint8_t* block) { std::fill_n(block, 64, uint8_t{0xff}); }

void Write(const Entries& entries, int length, uint8_t* block) {
  std::fill_n(block, 64, uint8_t{0});
  const int j = static_cast<int>(entries.size());
  if (j == 0) return;
  int w = length / kBuckets, m = 0;
  while (m < j && entries[static_cast<size_t>(m)].bucket < length % kBuckets) ++m;
  if (m == j) ++w, m = 0;
  PutNumber(static_cast<uint32_t>(m), 64, 8, block);
  PutNumber(static_cast<uint32_t>(kMostWidth - w), 72, 5, block);
  for (int i = 0; i < j; ++i) {
    const Entry& entry = entries[static_cast<size_t>(i)];
    const bool is_last = i + 1 == j || entries[static_cast<size_t>(i + 1)].bucket != entry.bucket;
    PutNumber(1, entry.bucket, 1, block);
    PutNumber(is_last ? 1 : 0, kFields + i, 1, block);
    PutNumber(entry.remainder, kBlockBits - (i + 1) * w - std::min(i + 1, m), w + (i < m ? 1 : 0), block);
  }
}

// The block of entries of length `limit`, or of the largest number below it for which there is room.
void WriteWithRoom(const Entries& entries, int limit, bool is_set, uint8_t* block) {
  for (int length = limit; length >= 0; --length) {
    const Entries shorter = Shortened(entries, limit, length, is_set);
    if (HasRoom(shorter, length)) return Write(shorter, length, block);
  }
  Saturate(block);
}

// S[i]
bool IsBorder(const uint8_t* block, int i) { return i == 0 || BitAt(block, 76 + i); }

// False if the block is not sound.
bool Read(const uint8_t* block, Entries* entries, int* length) {
  *length = kMostLength;
  if (std::all_of(block, block + 64, [](uint8_t byte) { return byte == 0; })) return true;
  const int m = static_cast<int>(NumberAt(block, 64, 8)), w = kMostWidth - static_cast<int>(NumberAt(block, 72, 5));
  std::vector<int> buckets;  // those that have an entry
  for (int b = 0; b < kBuckets; ++b) {
    if (BitAt(block, b)) buckets.push_back(b);
  }
  if (w < 0 || buckets.empty()) return false;
  size_t at = 0;  // in `buckets`
  for (int i = 0; at < buckets.size(); ++i) {
    if (i == 435) return false;  // S has no 1 number g
    const int number = static_cast<int>(i < m) + w;
    const int first = kBlockBits - (i + 1) * w - std::min(i + 1, m);
    if (first < 0) return false;
    entries->push_back({buckets[at], NumberAt(block, first, number)});
    if (IsBorder(block, i + 1)) ++at;
  }
  const int j = static_cast<int>(entries->size());
  if (m >= j || !IsBorder(block, m) || (m != 0 && w == kMostWidth)) return false;
  if (w != kMostWidth) *length = kBuckets * w + (*entries)[static_cast<size_t>(m)].bucket;
  return kFields + j + j * w + m <= kBlockBits;
}

// Where a new entry comes: in front of the first one of its bucket that is not smaller.
Entries::iterator PlaceOf(const Entry& entry, Entries* entries) {
  return std::find_if(entries->begin(), entries->end(), [&](const Entry& other) {
    return other.bucket > entry.bucket || (other.bucket == entry.bucket && other.remainder >= entry.remainder);
  });
}

}  // namespace

int QuotientLength(const uint8_t* block) {
  Entries entries;
  int length = 0;
  return Read(block, &entries, &length) ? length : -1;
}

std::vector<QuotientEntry> QuotientEntries(const uint8_t* block) {
  std::vector<QuotientEntry> found;
  Entries entries;
  int length = 0;
  if (!Read(block, &entries, &length)) return found;
  for (const Entry& entry : entries) found.push_back({entry.bucket, BitsOf(length, entry.bucket), entry.remainder});
  return found;
}

bool QuotientMayContain(const uint8_t* block, uint64_t hash) {
  const uint32_t q = QOf(hash);
  const int b = BucketOf(q);
  if (!BitAt(block, b)) return false;
  int k = 0, s = -1, e = -1;
  for (int i = 0; i < b; ++i) k += BitAt(block, i);
  for (int i = 0, number = -1; i <= 435; ++i) {
    if (!IsBorder(block, i)) continue;
    ++number;
    if (number == k) s = i;
    if (number == k + 1) e = i;
  }
  if (e < 0) return true;
  const int d = static_cast<int>(NumberAt(block, 72, 5)), m = static_cast<int>(NumberAt(block, 64, 8));
  if (d > kMostWidth) return true;
  const int w = kMostWidth - d, v = e <= m ? w + 1 : w;
  const int p = kBlockBits - e * w - std::min(e, m);
  if (p < 0 || v == 0) return true;
  for (int i = 0; i < e - s; ++i) {
    if (NumberAt(block, p + i * v, v) == RemainderOf(q, v)) return true;
  }
  return false;
}

void QuotientBlock(const std::vector<uint64_t>& hashes, bool is_set, uint8_t* block) {
  Entries entries;
  for (const uint64_t hash : hashes) entries.push_back(EntryOf(QOf(hash), kMostLength));
  entries = Sorted(entries, is_set);
  int limit = kMostLength;  // found in steps of a bit first: where there is no room, there is none at a greater length
  const auto has_room = [&](int length) { return HasRoom(Shortened(entries, kMostLength, length, is_set), length); };
  while (limit >= kBuckets && !has_room(limit - kBuckets)) limit -= kBuckets;
  WriteWithRoom(Shortened(entries, kMostLength, limit, is_set), limit, is_set, block);
}

void QuotientInsert(uint64_t hash, bool is_set, uint8_t* block) {
  Entries entries;
  int length = 0;
  if (!Read(block, &entries, &length)) return Saturate(block);
  const Entry entry = EntryOf(QOf(hash), length);
  const Entries::iterator place = PlaceOf(entry, &entries);
  if (is_set && place != entries.end() && *place == entry) return;
  entries.insert(place, entry);
  WriteWithRoom(entries, length, is_set, block);
}

void QuotientRemove(uint64_t hash, uint8_t* block) {
  Entries entries;
  int length = 0;
  if (!Read(block, &entries, &length)) return;
  const Entries::iterator found = std::find(entries.begin(), entries.end(), EntryOf(QOf(hash), length));
  if (found == entries.end()) return;
  entries.erase(found);
  Write(entries, length, block);
}

void QuotientUnite(const uint8_t* other, bool is_set, uint8_t* block) {
  Entries entries, others;
  int length = 0, other_length = 0;
  if (!Read(block, &entries, &length) || !Read(other, &others, &other_length)) return Saturate(block);
  const int limit = std::min(length, other_length);
  entries = Shortened(entries, length, limit, is_set);
  others = Shortened(others, other_length, limit, is_set);
  entries.insert(entries.end(), others.begin(), others.end());
  WriteWithRoom(Sorted(entries, is_set), limit, is_set, block);
}

}  // namespace reference
