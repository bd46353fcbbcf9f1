// What stands in front of a scan, and what makes one filter of a build side's, does in C what it does in C++.
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/c.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

constexpr size_t kVector = 1024;

// Vectors of values, of which the share that are members changes every 20.
TEST(CApi, AScanFilterIsThatOfTheCppApi) {
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.bits_per_key = 12;
  linefilter_filter* const c_filter = linefilter_filter_new(50000, &options, nullptr);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(50000, FilterOptions::AtBitsPerKey(12))));
  std::vector<int32_t> members(50000);
  for (size_t i = 0; i < members.size(); ++i) members[i] = static_cast<int32_t>(2 * i);
  const linefilter_column c_members =
      linefilter_column_of_numbers(LINEFILTER_NUMBER_INT32, members.data(), members.size());
  ASSERT_TRUE(IsOk(AddColumn(linefilter::Column::OfNumbers(members.data(), members.size()), &filter)));
  ASSERT_EQ(linefilter_filter_add_column(c_filter, &c_members, 1, nullptr), LINEFILTER_OK);

  ScanFilter scan(filter, 0.7);
  linefilter_scan_filter c_scan;
  linefilter_scan_filter_init(&c_scan, linefilter_filter_view(c_filter), 0.7);
  const std::vector<uint64_t> random = RandomHashes(kVector, 9);
  for (size_t vector = 0; vector < 400; ++vector) {
    std::vector<int32_t> values(kVector);
    for (size_t i = 0; i < kVector; ++i) {
      const bool is_member = (random[i] + vector) % 100 < vector / 20 * 7;
      values[i] = static_cast<int32_t>(random[i] % 50000 * 2 + (is_member ? 0 : 1));
    }
    const linefilter::Column column = linefilter::Column::OfNumbers(values.data(), kVector);
    const linefilter_column c_column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT32, values.data(), kVector);
    std::vector<uint32_t> rows(kVector), c_rows(kVector);
    size_t n = 0, c_n = 0;
    ASSERT_TRUE(IsOk(scan.Select(column, static_cast<const uint32_t*>(nullptr), kVector, rows.data(), &n)));
    ASSERT_EQ(linefilter_scan_filter_select(&c_scan, &c_column, 1, nullptr, kVector, c_rows.data(), &c_n, nullptr),
              LINEFILTER_OK);
    ASSERT_EQ(c_n, n);
    ASSERT_EQ(c_rows, rows);
    ASSERT_EQ(linefilter_scan_filter_asks(&c_scan), scan.asks());
  }
  EXPECT_EQ(linefilter_scan_filter_num_rows(&c_scan), scan.num_rows());
  EXPECT_EQ(linefilter_scan_filter_num_asked(&c_scan), scan.num_asked());
  EXPECT_EQ(linefilter_scan_filter_num_maybes(&c_scan), scan.num_maybes());
  EXPECT_LT(scan.num_asked(), scan.num_rows());
  linefilter_filter_free(c_filter);
}

// Lends two threads.
void RunOnThreads(void*, void (*task)(void* argument, size_t index), void* argument, size_t num_tasks) noexcept {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < num_tasks; ++i) threads.emplace_back(task, argument, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(CApi, FiltersAreUnitedByThreadsAsInTheCppApi) {
  constexpr size_t kFilters = 9, kEach = 2000;
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.bits_per_key = 12;
  const std::vector<uint64_t> keys = RandomHashes(kFilters * kEach, 4);
  std::vector<Filter> filters(kFilters);
  std::vector<Filter*> of_filters;
  std::vector<linefilter_filter*> c_filters;
  for (size_t i = 0; i < kFilters; ++i) {
    const linefilter_column part = linefilter_column_of_numbers(LINEFILTER_NUMBER_UINT64, &keys[i * kEach], kEach);
    ASSERT_TRUE(IsOk(filters[i].Create(keys.size(), FilterOptions::AtBitsPerKey(12))));
    ASSERT_TRUE(IsOk(AddColumn(linefilter::Column::OfNumbers(&keys[i * kEach], kEach), &filters[i])));
    of_filters.push_back(&filters[i]);
    c_filters.push_back(linefilter_filter_new(keys.size(), &options, nullptr));
    ASSERT_EQ(linefilter_filter_add_column(c_filters[i], &part, 1, nullptr), LINEFILTER_OK);
  }
  ASSERT_TRUE(IsOk(UniteFilters(of_filters.data(), kFilters)));
  const linefilter_executor executor = {RunOnThreads, nullptr, 2};
  ASSERT_EQ(linefilter_unite_filters(c_filters.data(), kFilters, &executor, 0, nullptr), LINEFILTER_OK);
  size_t size = 0;
  void* const image = linefilter_filter_image(c_filters[0], &size, nullptr);
  EXPECT_TRUE(std::string(static_cast<char*>(image), size) == ImageOf(filters[0]));
  linefilter_image_free(image);
  for (linefilter_filter* filter : c_filters) linefilter_filter_free(filter);
}

}  // namespace
}  // namespace linefilter::test
