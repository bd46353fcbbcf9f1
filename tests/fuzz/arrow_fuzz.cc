// linefilter/arrow.h, for any content that the structs can have: the array is refused, or each of its rows can be
// asked, alone and with others, and by its hash, with one answer. Nothing outside of its buffers is read.
//
// arrays_of_arrow.h makes the structs, and says what is damaged.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linefilter/arrow.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "tests/fuzz/arrays_of_arrow.h"
#include "tests/fuzz/fuzz.h"

namespace linefilter::fuzz {
namespace {

constexpr size_t kMostRows = 2500;
constexpr KeyForm kForms[] = {KeyForm::kReal, KeyForm::kInstant, KeyForm::kPaddedText, DecimalForm(7)};

// Half full, so that both answers are met.
const Filter& SomeFilter() {
  static const Filter* const filter = [] {
    Filter* const made = new Filter;
    FUZZ_REQUIRE(made->Create(100, FilterOptions::AtBitsPerKey(8)).ok());
    for (uint64_t key = 0; key < 100; ++key) made->InsertKey(key * 977);
    return made;
  }();
  return *filter;
}

std::vector<uint32_t> Ask(const Column& column, const std::vector<uint32_t>* rows, size_t n, bool* is_ok) {
  std::vector<uint32_t> maybes(n);
  size_t num_maybes = 0;
  const uint32_t* const numbers = rows == nullptr ? nullptr : rows->data();
  *is_ok = SelectMaybes(SomeFilter(), column, numbers, n, maybes.data(), &num_maybes).ok();
  FUZZ_REQUIRE(num_maybes <= n);
  maybes.resize(num_maybes);
  return maybes;
}

// Rows alone, backwards, and as a part of the column.
void RequireSameAnswers(const Column& column, const std::vector<uint32_t>& maybes, size_t n) {
  bool is_ok = false;
  for (size_t row = 0; row < n; row += 1 + n / 8) {
    const std::vector<uint32_t> one = {static_cast<uint32_t>(row)};
    const bool stays = !Ask(column, &one, 1, &is_ok).empty();
    FUZZ_REQUIRE(is_ok && stays == std::binary_search(maybes.begin(), maybes.end(), one[0]));
  }
  std::vector<uint32_t> backwards(n);
  for (size_t i = 0; i < n; ++i) backwards[i] = static_cast<uint32_t>(n - 1 - i);
  std::vector<uint32_t> answers = Ask(column, &backwards, n, &is_ok);
  std::reverse(answers.begin(), answers.end());
  FUZZ_REQUIRE(is_ok && answers == maybes);
  const size_t first = n / 3;
  answers = Ask(column.Slice(first, n - first), nullptr, n - first, &is_ok);
  for (uint32_t& row : answers) row += static_cast<uint32_t>(first);
  const auto behind = std::lower_bound(maybes.begin(), maybes.end(), static_cast<uint32_t>(first));
  FUZZ_REQUIRE(is_ok && answers == std::vector<uint32_t>(behind, maybes.end()));
}

// Where nulls are values, each row has a hash.
void RequireSameHashes(const Column& column, const std::vector<uint32_t>& maybes) {
  std::vector<uint64_t> hashes(column.size());
  FUZZ_REQUIRE(HashColumns(column, SomeFilter().key_hash(), hashes.data()).ok());
  if (column.nulls() != Nulls::kAsValue) return;
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (SomeFilter().MayContainHash(hashes[i])) expected.push_back(static_cast<uint32_t>(i));
  }
  FUZZ_REQUIRE(expected == maybes);
}

void RequireAllStay(const Column& column) {
  bool is_ok = true;
  FUZZ_REQUIRE(!column.status().ok() && Ask(column, nullptr, 30, &is_ok).size() == 30 && !is_ok);
  uint64_t hash = 0;
  FUZZ_REQUIRE(!HashColumns(column, SomeFilter().key_hash(), &hash).ok());
}

}  // namespace

void Arrow(const uint8_t* data, size_t size) {
  Input in(data, size);
  const uint8_t how = in.Byte();
  const ArrayOfArrow made(&in, 0);
  ArrowColumn opened;
  opened.SetNulls(static_cast<Nulls>(how % 3));
  const Status status = opened.Open(made.schema, made.array);
  const Column& column = opened.column();
  FUZZ_REQUIRE(status.ok() == column.status().ok() && column.nulls() == static_cast<Nulls>(how % 3));
  if (!status.ok()) return RequireAllStay(column);
  FUZZ_REQUIRE(column.size() == static_cast<size_t>(made.array.length));
  if ((how & 0x80) != 0) static_cast<void>(opened.SetForm(kForms[(how >> 5) & 3]));

  const bool is_whole = column.size() <= kMostRows;
  const size_t n = is_whole ? column.size() : kMostRows;
  bool is_ok = false;
  const std::vector<uint32_t> maybes = Ask(column, nullptr, n, &is_ok);
  if (is_ok) RequireSameAnswers(column, maybes, n);
  if (!is_whole) return;
  if (is_ok) RequireSameHashes(column, maybes);
  std::vector<uint8_t> bits((n + 7) / 8);
  size_t num_maybes = 0;
  const Status of_bits = SelectMaybesToBits(SomeFilter(), column, nullptr, bits.data(), &num_maybes);
  FUZZ_REQUIRE(of_bits.ok() == is_ok && num_maybes == maybes.size());
  std::vector<uint64_t> hashes(n);
  KeyHash of_parquet;
  of_parquet.id = HashId::kParquet;
  static_cast<void>(HashColumns(column, of_parquet, hashes.data()));
}

}  // namespace linefilter::fuzz
