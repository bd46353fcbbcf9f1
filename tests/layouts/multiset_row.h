// The rate of a filter from which keys can be removed: one more row of fpr_baseline.jsonl. Before its members come,
// others come and all of them go again. They leave no trace, so the rate is that of a new filter.
#ifndef LINEFILTER_TESTS_LAYOUTS_MULTISET_ROW_H_
#define LINEFILTER_TESTS_LAYOUTS_MULTISET_ROW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/sizing.h"
#include "tests/testing/fpr_rows.h"
#include "tests/testing/library_subject.h"

namespace linefilter::test {

inline bool IsMultiset(const FprRow& row) { return row.layout == Layout::kQuotient && row.num_probes == 1; }

// FprRows, and the one of a multiset.
inline std::vector<FprRow> AllRows() {
  std::vector<FprRow> rows = FprRows();
  FprRow row = RowOf("quotient, 10 bits per key");
  row.name += ", removable";
  row.num_probes = 1;
  row.expected_fpr = ExpectedFpr(row.layout, row.keys_per_filter, row.body_bytes, row.num_probes);
  rows.push_back(row);
  return rows;
}

// The hashes of the keys that come and go: a fourth of the members' number.
inline std::vector<uint64_t> HashesOfVisitors(const FprRow& row, uint64_t seed) {
  std::vector<uint64_t> hashes(row.keys_per_filter / 4);
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = HashKey(i | uint64_t{1} << 62, seed);
  return hashes;
}

class MultisetSubject final : public HashedSubject {
 public:
  explicit MultisetSubject(const FprRow& row) : HashedSubject(HashAsTheLibrary), row_(row) {
    FilterOptions options = Options(row.bits_per_key);
    options.removable = true;
    EXPECT_TRUE(IsOk(filter_.Create(row.keys_per_filter, options)));
    EXPECT_EQ(filter_.num_probes(), row.num_probes);
  }

  void Reset(uint64_t seed) override {
    HashedSubject::Reset(seed);
    const std::vector<uint64_t> visitors = HashesOfVisitors(row_, seed);
    filter_.InsertHashes(visitors.data(), visitors.size());
    for (const uint64_t hash : visitors) EXPECT_TRUE(filter_.RemoveHash(hash));
  }
  const FilterBase& filter() const override { return filter_; }

 protected:
  void Empty() override { filter_.Clear(); }
  void InsertHashes(const uint64_t* hashes, size_t n) override { filter_.InsertHashes(hashes, n); }

 private:
  const FprRow row_;
  QuotientFilter filter_;
};

inline std::unique_ptr<HashedSubject> SubjectOfAny(const FprRow& row) {
  if (IsMultiset(row)) return std::make_unique<MultisetSubject>(row);
  return SubjectOf(row);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_LAYOUTS_MULTISET_ROW_H_
