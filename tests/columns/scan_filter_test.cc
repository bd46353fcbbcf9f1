// ScanFilter: it asks as long as that leaves rows out, stops where it does not, and begins again. It is never wrong.
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

constexpr size_t kVector = 1024;

struct Scan {
  Scan() : members(100000), others(100000), scan(filter) {
    std::iota(members.begin(), members.end(), 0);
    std::iota(others.begin(), others.end(), 1000000);
    EXPECT_TRUE(IsOk(filter.Create(members.size(), FilterOptions::AtBitsPerKey(16))));
    EXPECT_TRUE(IsOk(AddColumn(Column::OfNumbers(members.data(), members.size()), &filter)));
  }
  // Asks for vectors of these values; returns how many rows stayed.
  size_t Run(const std::vector<int64_t>& values, size_t num_vectors) {
    std::vector<uint32_t> rows(kVector);
    size_t stayed = 0;
    for (size_t i = 0; i < num_vectors; ++i) {
      const Column column = Column::OfNumbers(values.data() + i * kVector % (values.size() - kVector), kVector);
      size_t n = 0;
      EXPECT_TRUE(IsOk(scan.Select(column, static_cast<const uint32_t*>(nullptr), kVector, rows.data(), &n)));
      for (size_t k = 0; k < n && n == kVector; ++k) EXPECT_EQ(rows[k], k);
      stayed += n;
    }
    return stayed;
  }

  std::vector<int64_t> members, others;
  Filter filter;
  ScanFilter scan;
};

TEST(ScanFilter, AsksAllRowsWhereItLeavesRowsOut) {
  Scan scan;
  EXPECT_LT(scan.Run(scan.others, 200), 200u);
  EXPECT_EQ(scan.scan.num_asked(), 200 * kVector);
  EXPECT_TRUE(scan.scan.asks());
}

TEST(ScanFilter, AsksAHundredthOfTheRowsWhereAllStay) {
  Scan scan;
  EXPECT_EQ(scan.Run(scan.members, 4000), 4000 * kVector);
  EXPECT_EQ(scan.scan.num_rows(), 4000 * kVector);
  EXPECT_LT(scan.scan.num_asked(), 4000 * kVector / 80);
  EXPECT_EQ(scan.scan.num_maybes(), scan.scan.num_asked());
}

TEST(ScanFilter, AsksAgainSoonAfterItBeginsToHelp) {
  Scan scan;
  scan.Run(scan.members, 100);
  EXPECT_FALSE(scan.scan.asks());
  scan.Run(scan.others, 100);
  EXPECT_TRUE(scan.scan.asks());
  EXPECT_LT(scan.Run(scan.others, 100), 100u);
}

TEST(ScanFilter, NeverLosesARow) {
  Scan scan;
  std::vector<int64_t> mixed(scan.members);
  for (size_t i = 0; i < mixed.size(); i += 2) mixed[i] += 1000000;
  for (const std::vector<int64_t>* values : {&scan.members, &mixed, &scan.others, &scan.members}) {
    for (size_t i = 0; i + kVector < values->size(); i += kVector) {
      const Column column = Column::OfNumbers(values->data() + i, kVector);
      std::vector<uint16_t> rows(kVector);
      size_t n = 0, k = 0;
      ASSERT_TRUE(IsOk(scan.scan.Select(column, static_cast<const uint16_t*>(nullptr), kVector, rows.data(), &n)));
      for (size_t row = 0; row < kVector; ++row) {
        const bool stays = k < n && rows[k] == row;
        ASSERT_TRUE(stays || !scan.filter.MayContainKey((*values)[i + row]));
        k += stays ? 1 : 0;
      }
    }
  }
}

TEST(ScanFilter, LetsAllThroughAndSaysWhyWhereItCannotAsk) {
  Filter filter;
  ScanFilter scan(filter);
  const int64_t value = 1;
  uint32_t row = 9;
  size_t n = 0;
  EXPECT_TRUE(Says(StatusCode::kIncompatible,
                   scan.Select(Column::OfNumbers(&value, 1), static_cast<const uint32_t*>(nullptr), 1, &row, &n)));
  EXPECT_EQ(n, 1u);
  EXPECT_EQ(row, 0u);
}

}  // namespace
}  // namespace linefilter::test
