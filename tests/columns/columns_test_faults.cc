// Columns that cannot be asked or are broken keep the rows of the fault, and columns of the largest sizes are asked.
#include <algorithm>
#include <cstdlib>

#include "linefilter/swappable.h"
#include "tests/columns/columns_test.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

TEST(Columns, WhatCannotBeAskedKeepsAllRowsAndSaysWhy) {
  std::vector<int64_t> values(1500);
  const Column column = Column::OfNumbers(values.data(), values.size());
  const std::vector<uint32_t> all = FirstRows(values.size());
  EXPECT_EQ(Selected(Filter(), column, StatusCode::kIncompatible, "was not made"), all);
  SwappableFilter swappable;
  EXPECT_EQ(Selected(swappable, column, StatusCode::kIncompatible, "ask a lease"), all);

  FilterOptions options = FilterOptions::AtBitsPerKey(12);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, options)));
  const Column two[] = {column, column}, uneven[] = {column, column.Slice(0, 3)};
  EXPECT_EQ(Selected(filter, Columns(two, 2), StatusCode::kIncompatible, "hash id kCaller"), all);
  EXPECT_EQ(Selected(filter, Columns(uneven, 2), StatusCode::kInvalidArgument, "as many rows"), all);
  options.hash_id = HashId::kCaller;
  Filter of_caller;
  ASSERT_TRUE(IsOk(of_caller.Create(100, options)));
  EXPECT_EQ(Selected(of_caller, column, StatusCode::kIncompatible, "caller's own hashes"), all);
  EXPECT_EQ(
      Selected(filter, Column::OfDecimals(values.data(), values.size(), 39), StatusCode::kInvalidArgument, "scale"),
      all);
  Filter none;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, AddColumn(column, &none), "created"));
}

// A fault inside keeps the rows around it; the others are answered.
TEST(Columns, AFaultInTheArraysKeepsTheRowsAroundIt) {
  std::vector<int32_t> indices(3000);
  indices[1100] = 5;
  const int64_t values[] = {1, 2};
  const Column inner = Column::OfNumbers(values, 2);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(30))));
  const Column column = Column::OfDictionary(Column::OfNumbers(indices.data(), indices.size()), &inner);
  const std::vector<uint32_t> rows = Selected(filter, column, StatusCode::kCorrupt, "outside of the dictionary");
  EXPECT_EQ(rows.size(), 1024u);
  EXPECT_EQ(rows[0], 1024u);
  EXPECT_TRUE(Says(StatusCode::kCorrupt, AddColumn(column, &filter), "outside of the dictionary"));

  const int32_t ends[] = {10, 20};
  const Column runs = Column::OfRuns(Column::OfNumbers(ends, 2), &inner, 25);
  EXPECT_EQ(Selected(filter, runs, StatusCode::kCorrupt, "end before the last row").size(), 25u);
  const double halves[] = {0.5};
  EXPECT_EQ(Selected(filter, Column::OfDictionary(Column::OfNumbers(halves, 1), &inner), StatusCode::kInvalidArgument,
                     "are integers"),
            FirstRows(1));
  EXPECT_EQ(Selected(filter, Column::OfConstant(&runs, 2), StatusCode::kInvalidArgument, "make them plain").size(), 2u);

  std::vector<int64_t> many(65537);
  std::vector<uint16_t> narrow(65536);
  size_t n = 77;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument,
                   SelectMaybes(filter, Column::OfNumbers(many.data(), many.size()),
                                static_cast<const uint16_t*>(nullptr), many.size(), narrow.data(), &n),
                   "of 16 bits"));
  EXPECT_EQ(n, 0u);
  uint32_t out[] = {7, 1, 0};
  EXPECT_TRUE(Says(StatusCode::kCorrupt, SelectMaybes(filter, inner, out, 3, out, &n), "row number"));
  EXPECT_EQ(n, 3u);
}

// Whether vectors read the index or what is left of them does, and whether two registers hold the dictionary's bits.
TEST(Columns, AnIndexOutsideOfTheDictionaryIsFoundAtEveryPlace) {
  const std::vector<int64_t> values(2000, 1);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(30))));
  OnEveryTarget([&](const char*) {
    for (const size_t num_values : {1u, 33u, 1024u, 1025u}) {
      const Column inner = Column::OfNumbers(values.data(), num_values);
      std::vector<uint32_t> indices(2033, static_cast<uint32_t>(num_values - 1));
      const Column column = Column::OfDictionary(Column::OfNumbers(indices.data(), indices.size()), &inner);
      EXPECT_EQ(Selected(filter, column), FirstRows(0)) << num_values;
      for (const size_t at : {0u, 1023u, 1024u, 2032u}) {
        for (const uint32_t outside : {static_cast<uint32_t>(num_values), 0xffffffffu}) {
          indices[at] = outside;
          const size_t first = at / 1024 * 1024;
          EXPECT_EQ(Selected(filter, column, StatusCode::kCorrupt, "outside of the dictionary"),
                    FirstRows(std::min<size_t>(1024, indices.size() - first), static_cast<uint32_t>(first)))
              << num_values << " values, index " << outside << " of row " << at;
        }
        indices[at] = 0;
      }
    }
  });
}

// Row numbers of 32 bits reach the last of 2^32 rows.
TEST(Columns, HaveUpTo2To32Rows) {
  if (sizeof(size_t) < 8) GTEST_SKIP() << "size_t counts no such rows";
  constexpr uint64_t kRows = uint64_t{1} << 32;
  const int64_t values[] = {7, 8}, ends[] = {static_cast<int64_t>(kRows - 1), static_cast<int64_t>(kRows)};
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(30))));
  filter.InsertKey(8);
  const Column inner = Column::OfNumbers(values, 2);
  const Column column = Column::OfRuns(Column::OfNumbers(ends, 2), &inner, static_cast<size_t>(kRows));
  ASSERT_TRUE(IsOk(column.status()));
  const uint32_t rows[] = {0xffffffff, 0, 0xfffffffe, 0xffffffff};
  uint32_t maybes[4];
  size_t n = 0;
  ASSERT_TRUE(IsOk(SelectMaybes(filter, column, rows, 4, maybes, &n)));
  ASSERT_EQ(n, 2u);
  EXPECT_EQ(maybes[0], 0xffffffffu);
  EXPECT_EQ(maybes[1], 0xffffffffu);
  std::vector<uint32_t> last(2000);
  ASSERT_TRUE(IsOk(
      SelectMaybes(filter, column.Slice(static_cast<size_t>(kRows) - 2000, 2000), kAllRows, 2000, last.data(), &n)));
  ASSERT_EQ(n, 1u);
  EXPECT_EQ(last[0], 1999u);
}

// Offsets of 64 bits reach behind 2^31 bytes; the pages between are never touched.
TEST(Columns, HaveTextsBehind2GiB) {
  constexpr size_t kFar = (size_t{1} << 31) + 4096;
  if (sizeof(size_t) < 8) GTEST_SKIP() << "no such array has room";
  char* const bytes = static_cast<char*>(std::calloc(kFar, 1));
  if (bytes == nullptr) GTEST_SKIP() << "no memory";
  std::memcpy(bytes + kFar - 5, "alice", 5);
  const int64_t offsets[] = {0, 3, kFar - 5, kFar};
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(30))));
  filter.InsertKey("alice");
  const Column all = Column::OfTexts(offsets, bytes, 3);
  EXPECT_EQ(Selected(filter, all.Slice(2, 1)), FirstRows(1));
  const uint32_t row = 2;
  uint32_t out[1];
  size_t n = 0;
  ASSERT_TRUE(IsOk(SelectMaybes(filter, all, &row, 1, out, &n)));
  EXPECT_EQ(n, 1u);
  std::free(bytes);
}

}  // namespace
}  // namespace linefilter::test
