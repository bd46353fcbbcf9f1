// Mutants of the layout `quotient`, as in mutants.h: doc/FORMAT.md section 12 with one deliberate fault. A block is a
// list of its keys' quotients, and is shortened once all of them are in it: that gives the same entries.
#ifndef LINEFILTER_TESTS_LAYOUTS_MUTANTS_QUOTIENT_MUTANTS_H_
#define LINEFILTER_TESTS_LAYOUTS_MUTANTS_QUOTIENT_MUTANTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linefilter/hash.h"
#include "tests/layouts/multiset_row.h"
#include "tests/layouts/quotient/entries.h"
#include "tests/testing/fpr_rows.h"

namespace linefilter::mutants {

enum class QuotientFault {
  kNone,
  kLowestBitIgnored,   // a lookup compares remainders without their lowest bit
  kLastNotCompared,    // the last entry of a bucket is "maybe" to each key of the bucket
  kWholeWidths,        // L is a multiple of 64: no bucket has remainders of w + 1 bits
  kRoomForOneMore,     // L is that of one entry more
  kSaturatedTooEarly,  // with more than 72 entries in place of 435
  kEntryNotRemoved,
};

class ScalarQuotient : public test::Subject {
 public:
  ScalarQuotient(const test::FprRow& row, QuotientFault fault)
      : row_(row), fault_(fault), blocks_(row.body_bytes / 64) {}

  void Reset(uint64_t seed) override {
    blocks_.assign(blocks_.size(), {});
    seed_ = seed;
    if (!test::IsMultiset(row_)) return;
    const std::vector<uint64_t> visitors = test::HashesOfVisitors(row_, seed);
    for (const uint64_t hash : visitors) Put(hash);
    for (const uint64_t hash : visitors) TakeOut(hash);
  }
  void Insert(const uint64_t* keys, size_t n) override {
    for (size_t i = 0; i < n; ++i) Put(HashKey(keys[i], seed_));
  }
  void Finish() override {
    for (Block& block : blocks_) {
      std::sort(block.entries.begin(), block.entries.end());
      block.length = LengthOf(block.entries);
      if (block.length < 0) continue;
      for (uint32_t& entry : block.entries) entry = quotient_test::Cut(entry, WidthIn(block, entry));
    }
  }
  uint64_t CountMaybes(const uint64_t* keys, size_t n) const override {
    uint64_t maybes = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t hash = HashKey(keys[i], seed_);
      maybes += MayContain(blocks_[BlockOf(hash)], QuotientOf(hash));
    }
    return maybes;
  }

 private:
  struct Block {
    std::vector<uint32_t> entries;  // whole quotients at first
    int length = 0;                 // -1: it is saturated
  };

  size_t BlockOf(uint64_t hash) const { return static_cast<size_t>(MulHigh(hash, blocks_.size())); }
  static uint32_t QuotientOf(uint64_t hash) { return InBlockHash(hash) * 0x9E3779B1u; }
  static int WidthIn(const Block& block, uint32_t q) { return quotient_test::WidthOf(q, block.length); }

  void Put(uint64_t hash) { blocks_[BlockOf(hash)].entries.push_back(QuotientOf(hash)); }
  void TakeOut(uint64_t hash) {
    if (fault_ == QuotientFault::kEntryNotRemoved) return;
    std::vector<uint32_t>& entries = blocks_[BlockOf(hash)].entries;
    entries.erase(std::find(entries.begin(), entries.end(), QuotientOf(hash)));
  }
  int LengthOf(std::vector<uint32_t> sorted) const {
    if (fault_ == QuotientFault::kSaturatedTooEarly && sorted.size() > 72) return -1;
    if (fault_ == QuotientFault::kRoomForOneMore) sorted.push_back(~uint32_t{0});
    const int length = quotient_test::LengthOf(sorted, test::IsMultiset(row_));
    return fault_ == QuotientFault::kWholeWidths ? length / 64 * 64 : length;
  }
  bool MayContain(const Block& block, uint32_t q) const {
    if (block.length < 0) return true;
    const int bits = WidthIn(block, q) - (fault_ == QuotientFault::kLowestBitIgnored ? 1 : 0);
    const uint32_t least = quotient_test::Cut(q, fault_ == QuotientFault::kLastNotCompared ? 0 : bits);
    const auto found = std::lower_bound(block.entries.begin(), block.entries.end(), least);
    if (found == block.entries.end()) return false;
    if (fault_ == QuotientFault::kLastNotCompared) return quotient_test::BucketOf(*found) == quotient_test::BucketOf(q);
    return quotient_test::Cut(*found, bits) == least;
  }

  const test::FprRow row_;
  const QuotientFault fault_;
  std::vector<Block> blocks_;
  uint64_t seed_ = 0;
};

}  // namespace linefilter::mutants

#endif  // LINEFILTER_TESTS_LAYOUTS_MUTANTS_QUOTIENT_MUTANTS_H_
