// Columns are hashed, asked and added without any allocation.
#include <memory>
#include <numeric>

#include "linefilter/columns.h"
#include "tests/filters/alloc_faults_test.h"

namespace linefilter::test {
namespace {

constexpr size_t kRows = 5000;

// Columns of every kind, of the same rows.
struct EveryKind {
  EveryKind() {
    std::iota(numbers.begin(), numbers.end(), 0);
    for (size_t i = 0; i < kRows; ++i) {
      texts.push_back("text " + std::to_string(i));
      indices.push_back(static_cast<int32_t>(i % 100));
    }
    for (const std::string& text : texts) views.push_back(text);
    const Column number = Column::OfNumbers(numbers.data(), kRows), text = Column::OfTexts(views.data(), kRows);
    few = text.Slice(0, 100);
    columns = {number, text, Column::OfDictionary(Column::OfNumbers(indices.data(), kRows), &few),
               Column::OfConstant(&few, kRows), number};
    EXPECT_TRUE(columns[4].SetForm(KeyForm::kReal).ok());
    for (Column& column : columns) {
      column.SetValidity(validity.data());
      column.SetNulls(Nulls::kAsValue);
    }
  }
  std::vector<int64_t> numbers = std::vector<int64_t>(kRows);
  std::vector<std::string> texts;
  std::vector<std::string_view> views;
  std::vector<int32_t> indices;
  std::vector<uint8_t> validity = std::vector<uint8_t>(kRows / 8, 0xef);
  Column few;
  std::vector<Column> columns;
};

// What the test needs is made before; in Run nothing may be allocated.
void AskAndAdd(const Columns& columns, Filter* filter) {
  std::vector<uint32_t> rows(kRows);
  std::vector<uint16_t> narrow(kRows);
  std::vector<uint8_t> bits(kRows / 8);
  std::vector<uint64_t> hashes(kRows);
  const FilterBase* const two[] = {filter, filter};
  uint8_t any[2];
  size_t n[5] = {};
  ScanFilter scan(*filter);
  Status status[7];
  bool one_failed;
  {
    const FailingMemory memory(0, true);
    status[0] = AddColumn(columns, filter);
    status[1] = SelectMaybes(*filter, columns, static_cast<const uint32_t*>(nullptr), kRows, rows.data(), &n[0]);
    status[2] = SelectMaybes(*filter, columns, static_cast<const uint16_t*>(nullptr), kRows, narrow.data(), &n[1]);
    status[3] = SelectMaybes(two, 2, columns, nullptr, kRows, rows.data(), &n[2]);
    status[4] = SelectMaybesToBits(*filter, columns, nullptr, bits.data(), &n[3]);
    status[5] = MayContainAny(two, 2, columns, any);
    status[6] = scan.Select(columns, static_cast<const uint32_t*>(nullptr), kRows, rows.data(), &n[4]);
    if (filter->hash_id() != HashId::kCaller) {
      const Status hashed = HashColumns(columns, filter->key_hash(), hashes.data());
      if (!hashed.ok()) status[0] = hashed;
    }
    one_failed = memory.one_failed();
  }
  EXPECT_FALSE(one_failed) << "something was allocated";
  for (const Status& each : status) EXPECT_TRUE(each.ok()) << each.message();
  for (const size_t count : n) EXPECT_EQ(count, kRows);
  EXPECT_EQ(any[0] + any[1], 2);
}

TEST(ColumnsWithoutMemory, AreAskedAndAdded) {
  const EveryKind kinds;
  for (size_t i = 0; i < kinds.columns.size(); ++i) {
    SCOPED_TRACE("column " + std::to_string(i));
    Filter filter;
    ASSERT_TRUE(filter.Create(kRows, BitsPerKey(10)).ok());
    AskAndAdd(kinds.columns[i], &filter);
  }
  FilterOptions options = BitsPerKey(10);
  options.hash_id = HashId::kCaller;
  Filter filter;
  ASSERT_TRUE(filter.Create(kRows, options).ok());
  AskAndAdd(Columns(kinds.columns.data(), kinds.columns.size()), &filter);
}

}  // namespace
}  // namespace linefilter::test
