// Columns by many threads: each fills a filter of its own, all are united, and many ask at once.
#include <deque>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "tests/testing/status.h"
#include "tests/testing/threads.h"

namespace linefilter::test {
namespace {

constexpr size_t kRows = 40000;

std::vector<int64_t> Numbers() {
  std::vector<int64_t> numbers(kRows);
  std::iota(numbers.begin(), numbers.end(), -5);
  return numbers;
}

std::string ImageOf(const Filter& filter) {
  std::string image;
  EXPECT_TRUE(IsOk(filter.AppendImage(&image)));
  return image;
}

// Calls work(i) once on each of n threads.
template <class Work>
void OnThreads(size_t n, const Work& work) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < n; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(ColumnsThreads, FiltersOfThreadsUniteToThatOfOneThread) {
  const std::vector<int64_t> numbers = Numbers();
  const FilterOptions options = FilterOptions::AtBitsPerKey(12);
  Filter alone;
  ASSERT_TRUE(IsOk(alone.Create(kRows, options)));
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(numbers.data(), kRows), &alone)));
  for (const size_t num_parts : {1u, 2u, 3u, 5u, 8u}) {
    std::deque<Filter> parts(num_parts);
    std::vector<Filter*> pointers;
    for (Filter& part : parts) {
      ASSERT_TRUE(IsOk(part.Create(kRows, options)));
      pointers.push_back(&part);
    }
    const Column all = Column::OfNumbers(numbers.data(), kRows);
    const size_t rows_of_part = kRows / num_parts + 1;
    OnThreads(num_parts,
              [&](size_t i) { EXPECT_TRUE(IsOk(AddColumn(all.Slice(i * rows_of_part, rows_of_part), pointers[i]))); });
    ASSERT_TRUE(IsOk(UniteFilters(pointers.data(), num_parts, Threads(num_parts))));
    EXPECT_EQ(ImageOf(parts[0]), ImageOf(alone)) << num_parts;
  }
}

TEST(ColumnsThreads, ManyAskAtOnce) {
  const std::vector<int64_t> numbers = Numbers();
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(kRows, FilterOptions::AtBitsPerKey(12))));
  const Column all = Column::OfNumbers(numbers.data(), kRows);
  ASSERT_TRUE(IsOk(AddColumn(all, &filter)));
  OnThreads(4, [&](size_t i) {
    ScanFilter scan(filter);
    std::vector<uint32_t> rows(kRows);
    size_t n = 0;
    EXPECT_TRUE(
        IsOk(scan.Select(all.Slice(i, kRows - i), static_cast<const uint32_t*>(nullptr), kRows - i, rows.data(), &n)));
    EXPECT_EQ(n, kRows - i);
  });
}

TEST(ColumnsThreads, FiltersOfOtherShapesAreRefused) {
  Filter one, other;
  FilterOptions options = FilterOptions::AtBitsPerKey(12);
  ASSERT_TRUE(IsOk(one.Create(1000, options)));
  options.seed = 5;
  ASSERT_TRUE(IsOk(other.Create(1000, options)));
  Filter* const both[] = {&one, &other};
  EXPECT_TRUE(Says(StatusCode::kIncompatible, UniteFilters(both, 2), "seed"));
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, UniteFilters(both, 0), "no filter"));
}

// Two threads would write to it at once.
TEST(ColumnsThreads, AFilterThatComesTwiceIsRefused) {
  const std::vector<int64_t> numbers = Numbers();
  std::deque<Filter> filters(3);
  for (Filter& filter : filters) ASSERT_TRUE(IsOk(filter.Create(kRows, FilterOptions::AtBitsPerKey(12))));
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(numbers.data(), kRows), &filters[1])));
  const std::string before = ImageOf(filters[0]);
  Filter* const twice[] = {&filters[0], &filters[1], &filters[0], &filters[2]};
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, UniteFilters(twice, 4, Threads(4)), "filters 0 and 2"));
  EXPECT_EQ(ImageOf(filters[0]), before) << "nothing was done";
}

}  // namespace
}  // namespace linefilter::test
