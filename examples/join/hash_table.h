// The hash table of the build side, as engines have it: open addressing, a power of two of slots, linear probing.
//
// A slot is a key and its payload, 16 bytes, so a cache line has four. At most half of the slots are taken. A batch of
// rows is probed in two passes: the first one hashes the keys, the second one compares, and prefetches slots ahead.
#ifndef LINEFILTER_EXAMPLES_JOIN_HASH_TABLE_H_
#define LINEFILTER_EXAMPLES_JOIN_HASH_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace join {

inline constexpr size_t kBatchRows = 2048;

// A row of the probe side that has a partner, and what the partner brings.
struct Match {
  uint32_t row;  // within the batch
  uint32_t payload;
};

class HashTable {
 public:
  static constexpr int64_t kNoKey = 0;  // marks a free slot

  // Makes room for num_keys keys; it throws std::bad_alloc where memory ends.
  explicit HashTable(uint64_t num_keys);

  // The key is new, and is not kNoKey.
  void Insert(int64_t key, uint32_t payload);
  // Writes a match for each of the n rows whose key is here, in their order, and returns how many. `rows` are row
  // numbers of `keys`, or null for rows 0 to n - 1; n is at most kBatchRows.
  size_t Probe(const int64_t* keys, const uint32_t* rows, size_t n, Match* matches) const;

  uint64_t bytes() const { return (mask_ + 1) * sizeof(Slot); }

 private:
  struct alignas(16) Slot {
    int64_t key;
    uint32_t payload;
  };
  struct Free {
    void operator()(Slot* slots) const { std::free(slots); }
  };

  uint64_t SlotOf(int64_t key) const {
    const uint64_t folded = static_cast<uint64_t>(key) ^ (static_cast<uint64_t>(key) >> 32);
    return (folded * 0x9e3779b97f4a7c15u) >> shift_;
  }
  template <class RowOf>
  size_t ProbeRows(const int64_t* keys, RowOf row_of, size_t n, Match* matches) const;

  uint64_t mask_ = 0;  // number of slots - 1
  int shift_ = 64;
  std::unique_ptr<Slot, Free> slots_;
};

}  // namespace join

#endif  // LINEFILTER_EXAMPLES_JOIN_HASH_TABLE_H_
