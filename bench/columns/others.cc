// Rows of other columns: hashes, texts, a dictionary; and a ScanFilter where all rows stay, beside no filter.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/columns/rows.h"
#include "bench/plan.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

constexpr size_t kDistinct = 1000;
const uint32_t* const kAllRows = nullptr;

// This writes what a ScanFilter writes that lets all rows through.
[[gnu::noinline]] void WriteAllRows(size_t n, uint32_t* rows) {
  uint32_t row = 0;
  for (size_t k = 0; k < n; ++k) rows[k] = row++;
}

// Texts of 8 to 24 bytes in one array, and a dictionary of 1,000 of them; integers that all are members. Half of the
// texts are members, and half of those of the dictionary. Filters keep the target that was forced when they were made.
struct Data {
  std::vector<int64_t> numbers = RandomValues(kRows, 9);
  std::vector<int32_t> offsets{0}, indices;
  std::string bytes;
  std::vector<uint8_t> validity = std::vector<uint8_t>(kRows / 8);  // half of the rows are null, in no order
  Column number, text, half_null, values, dictionary;
  Filter of_numbers, of_texts;
  std::vector<uint64_t> hashes = std::vector<uint64_t>(kRows);
  std::vector<uint32_t> rows = std::vector<uint32_t>(kVector);
  std::unique_ptr<ScanFilter> scan;

  Data() {
    std::mt19937_64 random(5);
    for (size_t i = 0; i < kRows; ++i) {
      for (uint64_t left = 8 + random() % 17; left != 0; --left)
        bytes.push_back(static_cast<char>('a' + random() % 26));
      offsets.push_back(static_cast<int32_t>(bytes.size()));
      indices.push_back(static_cast<int32_t>(random() % kDistinct));
    }
    number = Column::OfNumbers(numbers.data(), kRows);
    text = Column::OfTexts(offsets.data(), bytes.data(), kRows);
    for (uint8_t& byte : validity) byte = static_cast<uint8_t>(random());
    half_null = text;
    half_null.SetValidity(validity.data());
    values = text.Slice(kRows / 2 - kDistinct / 2, kDistinct);
    dictionary = Column::OfDictionary(Column::OfNumbers(indices.data(), kRows), &values);
    Check(of_numbers.Create(kRows, FilterOptions::AtBitsPerKey(kBitsPerKey)));
    Check(AddColumn(number, &of_numbers));
    Check(of_texts.Create(kRows, FilterOptions::AtBitsPerKey(kBitsPerKey)));
    Check(AddColumn(text.Slice(0, kRows / 2), &of_texts));
    scan = std::make_unique<ScanFilter>(of_numbers);
  }

  // What goes on with the rows of a vector, as little as can be.
  [[gnu::noinline]] void Use(size_t begin, size_t n) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += static_cast<uint64_t>(numbers[begin + rows[i]]) >> (i & 3);
    benchmark::DoNotOptimize(sum);
  }
  void Hash() {
    Check(HashColumns(number, KeyHash(), hashes.data()));
    benchmark::DoNotOptimize(hashes[0]);
  }
  void TakeAll() {
    for (size_t i = 0; i < kRows; i += kVector) {
      size_t n = kVector;
      benchmark::DoNotOptimize(n);
      WriteAllRows(n, rows.data());
      Use(i, n);
    }
  }
  void Scan() {
    for (size_t i = 0; i < kRows; i += kVector) {
      size_t n = 0;
      Check(scan->Select(number.Slice(i, kVector), kAllRows, kVector, rows.data(), &n));
      Use(i, n);
    }
  }
};

}  // namespace

std::vector<ColumnRow> OtherRows(const Choice& choice) {
  std::vector<ColumnRow> rows;
  for (const std::string& target : choice.targets) {
    Check(ForceTarget(target.c_str()));
    const auto data = std::make_shared<Data>();
    const std::string layout = LayoutName(data->of_texts.layout()), size = SizeName(data->of_texts.body_bytes());
    const ColumnRow all[] = {
        {{"hash", "none", "none", -1, target}, kRows, [=] { data->Hash(); }, {}},
        {{"text", layout, size, 50, target},
         kRows,
         [=] { benchmark::DoNotOptimize(SelectAll(data->of_texts, data->text, kVector)); },
         {}},
        {{"text_nulls", layout, size, 25, target},
         kRows,
         [=] { benchmark::DoNotOptimize(SelectAll(data->of_texts, data->half_null, kVector)); },
         {}},
        {{"dictionary", layout, size, 50, target},
         kRows,
         [=] { benchmark::DoNotOptimize(SelectAll(data->of_texts, data->dictionary, kRows)); },
         {}},
        {{"no_filter", "none", "none", -1, target}, kRows, [=] { data->TakeAll(); }, {}},
        {{"scan_filter", layout, size, 100, target}, kRows, [=] { data->Scan(); }, {}},
    };
    for (const ColumnRow& row : all) {
      if (choice.wants(row.name.Text())) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace linefilter::bench
