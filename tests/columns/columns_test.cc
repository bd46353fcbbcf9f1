// linefilter/columns.h: what a column answers is what each of its rows answers by itself, whatever its type, its nulls,
// where it begins, which rows are asked, and the target.
#include "tests/columns/columns_test.h"

#include <algorithm>
#include <numeric>

#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/targets.h"

namespace linefilter::test {

std::vector<Sample> EverySample(const Shape& shape, Arrays* arrays) {
  std::vector<Sample> samples = {IntegerSample<int8_t>("int8", shape, arrays),
                                 IntegerSample<int16_t>("int16", shape, arrays),
                                 IntegerSample<int32_t>("int32", shape, arrays),
                                 IntegerSample<int64_t>("int64", shape, arrays),
                                 IntegerSample<uint8_t>("uint8", shape, arrays),
                                 IntegerSample<uint16_t>("uint16", shape, arrays),
                                 IntegerSample<uint32_t>("uint32", shape, arrays),
                                 IntegerSample<uint64_t>("uint64", shape, arrays),
                                 OffsetSample<int32_t>("text32", shape, arrays),
                                 OffsetSample<int64_t>("text64", shape, arrays),
                                 ViewSample("views", shape, arrays, false),
                                 ViewSample("pointer views", shape, arrays, true),
                                 StringViewSample(shape, arrays, KeyForm::kText),
                                 StringViewSample(shape, arrays, KeyForm::kPaddedText),
                                 DictionarySample<uint8_t>("uint8 index", shape, arrays),
                                 DictionarySample<int64_t>("int64 index", shape, arrays),
                                 RunSample(shape, arrays)};
  const auto numbers = [](const auto* values, size_t n) { return Column::OfNumbers(values, n); };
  samples.push_back(NumberSample<float>("float", shape, arrays, numbers, RealBytes));
  samples.push_back(NumberSample<double>("double", shape, arrays, numbers, RealBytes));
  samples.push_back(NumberSample<int16_t>(
      "int16 as real", shape, arrays,
      [](const int16_t* values, size_t n) {
        Column column = Column::OfNumbers(values, n);
        EXPECT_TRUE(IsOk(column.SetForm(KeyForm::kReal)));
        return column;
      },
      RealBytes));
  samples.push_back(NumberSample<int32_t>(
      "days", shape, arrays,
      [](const int32_t* values, size_t n) { return Column::OfInstants(values, n, TimeUnit::kDay); },
      [](int32_t v) { return WordBytes(static_cast<uint64_t>(int64_t{v} * 86400000000000)); }));
  samples.push_back(NumberSample<int64_t>(
      "decimal", shape, arrays,
      [](const int64_t* values, size_t n) {
        Column column = Column::OfDecimals(values, n, 2);
        EXPECT_TRUE(IsOk(column.SetForm(DecimalForm(5))));
        return column;
      },
      [](int64_t v) { return WordBytes(static_cast<uint64_t>(v * 1000)); }));
  Sample fixed = NumberSample<uint32_t>(
      "fixed bytes", shape, arrays, [](const uint32_t* values, size_t n) { return Column::OfFixedBytes(values, 4, n); },
      [](uint32_t v) { return std::string(reinterpret_cast<const char*>(&v), 4); });
  samples.push_back(fixed);
  samples.push_back(InnerSample(
      "constant", shape, arrays, [&](const Column* inner) { return Column::OfConstant(inner, shape.n); },
      [](size_t) { return size_t{0}; }));
  return samples;
}

namespace {

// A filter of every other key of the sample, and of the null.
void MakeFilter(const Sample& sample, Filter* filter) {
  FilterOptions options = FilterOptions::AtBitsPerKey(12);
  options.seed = 7;
  ASSERT_TRUE(IsOk(filter->Create(1000, options)));
  for (size_t i = 0; i < sample.size(); i += 2) filter->InsertKey(std::string_view(sample.keys[i]));
  filter->InsertKey("linefilter.null");
}

template <class Row>
std::vector<std::vector<Row>> Selections(size_t n) {
  std::vector<Row> all(n), reversed, third;
  std::iota(all.begin(), all.end(), Row{0});
  reversed.assign(all.rbegin(), all.rend());
  for (size_t i = 0; i < n; i += 3) third.push_back(static_cast<Row>(i));
  return {all, reversed, third, {}};
}

template <class Row>
void ExpectSelected(const FilterBase& filter, const Sample& sample) {
  for (const std::vector<Row>& rows : Selections<Row>(sample.size())) {
    const std::vector<Row> expected = RowsThatStay(filter, sample, rows);
    std::vector<Row> maybes = rows;
    size_t n = 0;
    ASSERT_TRUE(IsOk(SelectMaybes(filter, sample.column, maybes.data(), rows.size(), maybes.data(), &n)));
    maybes.resize(n);
    ASSERT_EQ(maybes, expected) << sample.name << " of " << rows.size();
  }
  std::vector<Row> maybes(sample.size());
  size_t n = 0;
  const Row* const all = nullptr;
  ASSERT_TRUE(IsOk(SelectMaybes(filter, sample.column, all, sample.size(), maybes.data(), &n)));
  maybes.resize(n);
  ASSERT_EQ(maybes, RowsThatStay(filter, sample, Selections<Row>(sample.size())[0])) << sample.name;
}

void ExpectBits(const FilterBase& filter, const Sample& sample) {
  const std::vector<uint32_t> all = Selections<uint32_t>(sample.size())[0];
  for (const size_t step : {1u, 2u, 9u}) {
    std::vector<uint32_t> rows;
    std::vector<uint8_t> bits((sample.size() + 7) / 8);
    for (size_t i = 0; i < sample.size(); i += step) {
      rows.push_back(static_cast<uint32_t>(i));
      bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
    }
    size_t n = 0;
    ASSERT_TRUE(IsOk(SelectMaybesToBits(filter, sample.column, step == 1 ? nullptr : bits.data(), bits.data(), &n)));
    std::vector<uint32_t> maybes;
    for (const uint32_t row : all) {
      if ((bits[row / 8] >> (row % 8) & 1) != 0) maybes.push_back(row);
    }
    ASSERT_EQ(maybes, RowsThatStay(filter, sample, rows)) << sample.name << " of each " << step;
    ASSERT_EQ(n, maybes.size());
  }
}

void ExpectHashes(const Sample& sample) {
  std::vector<uint64_t> hashes(sample.size());
  KeyHash key_hash;
  key_hash.seed = 7;
  ASSERT_TRUE(IsOk(HashColumns(sample.column, key_hash, hashes.data())));
  for (size_t i = 0; i < sample.size(); ++i) {
    if (sample.is_null[i]) continue;
    ASSERT_EQ(hashes[i], HashKey(std::string_view(sample.keys[i]), 7)) << sample.name << " row " << i;
  }
}

TEST(Columns, AnswerAsEachRowByItself) {
  OnEveryTarget([](const char*) {
    for (const NullRows null_rows : {NullRows::kNone, NullRows::kSome, NullRows::kAll}) {
      for (const size_t gap : {0u, 1u, 7u, 8u, 13u}) {
        for (const size_t n : {0u, 1u, 7u, 31u, 1025u}) {
          if (n == 1025 && gap != 0 && gap != 13) continue;
          if (IsEmulated() && gap != 0 && gap != 13) continue;
          Arrays arrays;
          for (Sample& sample : EverySample({n, gap, null_rows}, &arrays)) {
            Filter filter;
            ASSERT_NO_FATAL_FAILURE(MakeFilter(sample, &filter));
            ASSERT_NO_FATAL_FAILURE(ExpectHashes(sample));
            for (const Nulls nulls : {Nulls::kNever, Nulls::kAlways, Nulls::kAsValue}) {
              if (null_rows == NullRows::kNone && nulls != Nulls::kNever) continue;
              sample.column.SetNulls(nulls);
              ASSERT_NO_FATAL_FAILURE(ExpectSelected<uint32_t>(filter, sample));
              ASSERT_NO_FATAL_FAILURE(ExpectSelected<uint16_t>(filter, sample));
              ASSERT_NO_FATAL_FAILURE(ExpectBits(filter, sample));
            }
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace linefilter::test
