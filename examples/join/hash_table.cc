#include "examples/join/hash_table.h"

#include <algorithm>
#include <new>

#include "linefilter/memory.h"

namespace join {
namespace {

// The slots that are fetched while one is compared. Best of 7 rounds of 1e7 orders, 1 % found, on Zen 5 beside other
// programs: 1e6 keys in 2^21 slots took 15 ns with 16, 18 with 32 or 64, 21 where all of a batch is fetched first. In
// 2^22 slots it was 10 to 11, 9, 9 and 13.
constexpr size_t kAhead = 16;

}  // namespace

HashTable::HashTable(uint64_t num_keys) {
  int bits = 1;
  while ((uint64_t{1} << bits) < 2 * num_keys) ++bits;
  mask_ = (uint64_t{1} << bits) - 1;
  shift_ = 64 - bits;
  // The filter is in huge pages from 2 MiB on, so the table is, too: otherwise it would lose by that alone.
  const size_t alignment = bytes() < linefilter::kHugePage ? 64 : linefilter::kHugePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes()) != 0) throw std::bad_alloc();
  linefilter::WishHugePages(memory, bytes());
  slots_.reset(static_cast<Slot*>(memory));
  std::fill_n(slots_.get(), mask_ + 1, Slot{kNoKey, 0});
}

void HashTable::Insert(int64_t key, uint32_t payload) {
  uint64_t slot = SlotOf(key);
  while (slots_.get()[slot].key != kNoKey) slot = (slot + 1) & mask_;
  slots_.get()[slot] = {key, payload};
}

template <class RowOf>
size_t HashTable::ProbeRows(const int64_t* keys, RowOf row_of, size_t n, Match* matches) const {
  const Slot* const slots = slots_.get();
  uint32_t first[kBatchRows];  // no more than 2^31 slots
  for (size_t i = 0; i < n; ++i) first[i] = static_cast<uint32_t>(SlotOf(keys[row_of(i)]));
  for (size_t i = 0; i < n && i < kAhead; ++i) __builtin_prefetch(slots + first[i]);
  size_t num_matches = 0;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(slots + first[i + kAhead]);
    const uint32_t row = row_of(i);
    uint64_t slot = first[i];
    while (slots[slot].key != kNoKey && slots[slot].key != keys[row]) slot = (slot + 1) & mask_;
    matches[num_matches] = {row, slots[slot].payload};
    num_matches += slots[slot].key != kNoKey;
  }
  return num_matches;
}

size_t HashTable::Probe(const int64_t* keys, const uint32_t* rows, size_t n, Match* matches) const {
  if (rows != nullptr)
    return ProbeRows(
        keys, [rows](size_t i) { return rows[i]; }, n, matches);
  return ProbeRows(
      keys, [](size_t i) { return static_cast<uint32_t>(i); }, n, matches);
}

}  // namespace join
