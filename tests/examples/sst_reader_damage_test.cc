// examples/sst_reader: a damaged table is refused, answers an error or answers right. It never loses a key.
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "examples/sst_reader/table.h"
#include "gtest/gtest.h"
#include "linefilter/layout.h"
#include "tests/testing/random.h"
#include "tests/testing/sst_tables.h"
#include "tests/testing/temp_dir.h"

namespace sst::test {
namespace {

using linefilter::Layout;
using linefilter::test::Random;
using linefilter::test::TempDir;

// What damaged bytes may do: refuse to open, answer right, or answer an error. In a heap block of their exact size, so
// that AddressSanitizer sees a read outside.
struct Survey {
  uint64_t refused = 0, errors = 0, filters_lost = 0;

  void Take(std::string_view bytes, const Pairs& pairs, const ReadOptions& options = {}) {
    const std::unique_ptr<char[]> exact(new char[bytes.size()]);
    if (!bytes.empty()) memcpy(exact.get(), bytes.data(), bytes.size());
    TableReader table;
    const Status opened = table.OpenBytes(exact.get(), bytes.size(), options);
    if (!opened.ok()) {
      ++refused;
      ASSERT_TRUE(SaysWhatToDo(opened)) << opened.message();
      return;
    }
    filters_lost += !table.filter_status().ok();
    std::vector<std::string> asked;
    for (const auto& pair : pairs) asked.push_back(pair.first);
    for (const auto& pair : pairs) asked.push_back(pair.first + "x");
    const std::vector<std::string_view> keys(asked.begin(), asked.end());
    std::vector<Lookup> lookups(keys.size());
    bool all_good = true;
    for (size_t i = 0; i < keys.size(); ++i) {
      Lookup lookup;
      const Status status = table.Get(keys[i], &lookup);
      all_good &= status.ok();
      ASSERT_EQ(lookup.outcome == Outcome::kError, !status.ok());
      Judge(pairs, i, lookup);
    }
    EXPECT_EQ(table.MultiGet(keys.data(), keys.size(), lookups.data()).ok(), all_good);
    for (size_t i = 0; i < keys.size(); ++i) Judge(pairs, i, lookups[i]);
    errors += !all_good;
    TableIterator it(table);
    size_t n = 0;
    for (it.SeekToFirst(); it.Valid(); it.Next(), ++n) {
      ASSERT_LT(n, pairs.size());
      ASSERT_EQ(it.key(), pairs[n].first);
      ASSERT_EQ(it.value(), pairs[n].second);
    }
    ASSERT_EQ(it.status().ok(), n == pairs.size());
  }

 private:
  static void Judge(const Pairs& pairs, size_t i, const Lookup& lookup) {
    if (lookup.outcome == Outcome::kError) return;
    ASSERT_EQ(lookup.outcome, i < pairs.size() ? Outcome::kFound : Outcome::kAbsent);
    if (i < pairs.size()) {
      ASSERT_EQ(lookup.value, pairs[i].second);
    }
  }
};

TEST(SstDamage, EveryTruncationIsRefused) {
  const Pairs pairs = SomePairs(40);
  for (const Layout layout : Layouts()) {
    const std::string bytes = TableBytes(pairs, Options(layout, 200));
    Survey survey;
    for (size_t size = 0; size < bytes.size(); ++size) survey.Take(std::string_view(bytes).substr(0, size), pairs);
    for (size_t begin = 1; begin < bytes.size(); ++begin) survey.Take(std::string_view(bytes).substr(begin), pairs);
    for (const size_t more : {size_t{1}, size_t{kFooterBytes}, size_t{4096}})
      survey.Take(bytes + std::string(more, '\0'), pairs);
    EXPECT_EQ(survey.refused, 2 * bytes.size() + 2);
  }
  const TempDir dir;  // and as files
  const std::string bytes = TableBytes(pairs, TableOptions());
  for (size_t size = 0; size < bytes.size(); ++size) {
    TableReader table;
    EXPECT_FALSE(table.Open(dir.Write("cut", std::string_view(bytes).substr(0, size)).c_str()).ok());
  }
}

TEST(SstDamage, NoFlippedByteLosesAKey) {
  const Pairs pairs = SomePairs(40);
  for (const Layout layout : Layouts()) {
    const std::string bytes = TableBytes(pairs, Options(layout, 200));
    TableReader whole;
    ASSERT_TRUE(whole.OpenBytes(bytes.data(), bytes.size()).ok());
    const size_t image_bytes = whole.filter().image_bytes();
    Survey survey;
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        survey.Take(damaged, pairs);
      }
    }
    EXPECT_EQ(survey.filters_lost, 3 * image_bytes) << "the filter's bytes, and no others, cost the filter alone";
    EXPECT_GT(survey.errors, 0u);
    EXPECT_GT(survey.refused, 3 * kFooterBytes - 1);
  }
}

// The body of a filter above 4 KiB is not verified by FilterView::Open: TableReader does.
TEST(SstDamage, DamageInALargeFilterCostsTheFilterAlone) {
  const Pairs pairs = SomePairs(8000);
  for (const Layout layout : {Layout::kRetrieval, Layout::kBlocked}) {
    const std::string bytes = TableBytes(pairs, Options(layout));
    TableReader whole;
    ASSERT_TRUE(whole.OpenBytes(bytes.data(), bytes.size()).ok());
    const size_t begin = static_cast<size_t>(reinterpret_cast<const char*>(whole.filter().body()) - bytes.data());
    ASSERT_GT(whole.filter().body_bytes(), 4096u);
    Survey survey;
    uint64_t taken = 0;
    for (size_t at = begin; at < bytes.size() - kFooterBytes; at += 997, ++taken) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      survey.Take(damaged, pairs);
    }
    EXPECT_EQ(survey.filters_lost, taken);
    EXPECT_EQ(survey.errors + survey.refused, 0u);
  }
}

// A lost page or a foreign block leaves it so.
TEST(SstDamage, HolesAndNoiseInALargeFilterCostTheFilterAlone) {
  const Pairs pairs = SomePairs(8000);
  Random random(2);
  for (const Layout layout : {Layout::kRetrieval, Layout::kBlocked, Layout::kClassic}) {
    const std::string bytes = TableBytes(pairs, Options(layout));
    TableReader whole;
    ASSERT_TRUE(whole.OpenBytes(bytes.data(), bytes.size()).ok());
    const size_t begin = static_cast<size_t>(reinterpret_cast<const char*>(whole.filter().body()) - bytes.data());
    Survey survey;
    uint64_t taken = 0;
    for (const size_t size : {64u, 4096u}) {
      for (const bool is_hole : {true, false, true, false}) {
        std::string damaged = bytes;
        const size_t at = begin + random.Below(whole.filter().image_bytes() - size + 1);
        for (size_t i = at; i < at + size; ++i) damaged[i] = is_hole ? '\0' : static_cast<char>(random.Below(256));
        survey.Take(damaged, pairs);
        ++taken;
      }
    }
    EXPECT_EQ(survey.filters_lost, taken);
    EXPECT_EQ(survey.errors + survey.refused, 0u);
  }
}

Footer FooterOf(std::string_view table) {
  const char* const p = table.data() + table.size() - kFooterBytes;
  return {LoadLE<uint64_t>(p),      LoadLE<uint64_t>(p + 8),  LoadLE<uint64_t>(p + 16), LoadLE<uint64_t>(p + 24),
          LoadLE<uint64_t>(p + 32), LoadLE<uint64_t>(p + 40), LoadLE<uint32_t>(p + 48)};
}

// Where the entries of the index begin.
std::vector<size_t> IndexOf(std::string_view table) {
  const Footer footer = FooterOf(table);
  std::vector<size_t> entries;
  for (size_t at = footer.index_offset; at < footer.index_offset + footer.index_bytes;
       at += kIndexHeader + LoadLE<uint32_t>(&table[at + 16])) {
    entries.push_back(at);
  }
  return entries;
}

// `table` with this footer: only its content can be refused then.
std::string Reseal(std::string table, const Footer& footer) {
  table.resize(table.size() - kFooterBytes);
  return table + FooterBytes(footer, table.size());
}

std::string WithIndex(const std::string& table, const std::string& index) {
  Footer footer = FooterOf(table);
  const std::string image = table.substr(footer.filter_offset, footer.filter_bytes);
  footer.index_bytes = index.size();
  footer.index_check = Check(index, footer.index_offset);
  std::string changed = table.substr(0, footer.index_offset) + index;
  footer.filter_offset = AlignUp(changed.size());
  changed.resize(footer.filter_offset);
  changed += image;
  return changed + FooterBytes(footer, changed.size());
}

std::string WithImage(const std::string& table, std::string_view image) {
  Footer footer = FooterOf(table);
  footer.filter_bytes = image.size();
  footer.filter_end = LoadLE<uint64_t>(image.data() + image.size() - 8);
  std::string changed = table.substr(0, footer.filter_offset).append(image);
  return changed + FooterBytes(footer, changed.size());
}

// Whole in itself, of as many keys: nothing but the rest of the table can tell.
TEST(SstDamage, PartsOfAnotherTableLoseNoKey) {
  for (const Layout layout : Layouts()) {
    for (const size_t n : {40u, 5000u}) {  // an image whose check covers its body, and one of chunk checks
      const Pairs pairs = SomePairs(n);
      Pairs others;
      for (size_t i = 0; i < n; ++i) others.emplace_back(Absent(i), pairs[i].second);
      const std::string bytes = TableBytes(pairs, Options(layout, 200)),
                        other = TableBytes(others, Options(layout, 200));
      const Footer footer = FooterOf(bytes);
      ASSERT_EQ(bytes.size(), other.size());
      ASSERT_EQ(footer.filter_offset, FooterOf(other).filter_offset);
      Survey filter, block, unchanged;
      unchanged.Take(WithImage(bytes, std::string_view(bytes).substr(footer.filter_offset, footer.filter_bytes)),
                     pairs);
      EXPECT_EQ(unchanged.filters_lost + unchanged.refused, 0u);
      std::string mixed = bytes;
      mixed.replace(footer.filter_offset, footer.filter_bytes, other, footer.filter_offset, footer.filter_bytes);
      filter.Take(mixed, pairs);
      EXPECT_EQ(filter.filters_lost, 1u);
      EXPECT_EQ(filter.errors + filter.refused, 0u);
      mixed = bytes;
      const size_t block_bytes = LoadLE<uint32_t>(&bytes[footer.index_offset + 8]);
      mixed.replace(0, block_bytes, other, 0, block_bytes);
      block.Take(mixed, pairs);
      EXPECT_EQ(block.errors, 1u);
      EXPECT_EQ(block.filters_lost + block.refused, 0u);
    }
  }
}

TEST(SstDamage, AFilterOfNoKeysIsNoFilter) {
  const Pairs pairs = SomePairs(40);
  linefilter::FilterBuilder builder(TableOptions().filter);
  std::string image;
  ASSERT_TRUE(builder.Finish(&image).ok());
  Survey survey;
  survey.Take(WithImage(TableBytes(pairs, TableOptions()), image), pairs);
  EXPECT_EQ(survey.filters_lost, 1u);
}

// The checks fit: a writer with a fault made it.
TEST(SstDamage, AnIndexThatWouldLoseKeysIsRefused) {
  const Pairs pairs = SomePairs(40);
  const std::string bytes = TableBytes(pairs, Options(Layout::kRetrieval, 200));
  const Footer footer = FooterOf(bytes);
  const std::string index = bytes.substr(footer.index_offset, footer.index_bytes);
  ASSERT_EQ(WithIndex(bytes, index), bytes);
  const std::vector<size_t> entries = IndexOf(bytes);
  ASSERT_GT(entries.size(), 3u);
  const size_t entry_bytes = entries[1] - entries[0], key_bytes = entry_bytes - kIndexHeader;
  std::string swapped = index, twice = index;
  swapped.replace(kIndexHeader, key_bytes, index, entry_bytes + kIndexHeader, key_bytes);
  twice.replace(kIndexHeader, key_bytes, index, entry_bytes + kIndexHeader, key_bytes);
  swapped.replace(entry_bytes + kIndexHeader, key_bytes, index, kIndexHeader, key_bytes);
  Survey survey;
  survey.Take(WithIndex(bytes, swapped), pairs);
  survey.Take(WithIndex(bytes, twice), pairs);
  survey.Take(WithIndex(bytes, index.substr(0, entries.back() - entries[0])), pairs);
  survey.Take(WithIndex(bytes, ""), pairs);
  EXPECT_EQ(survey.refused, 4u);
}

TEST(SstDamage, ABatchAnswersTheErrorOfItsFirstKeys) {
  const Pairs pairs = SomePairs(600);  // MultiGet asks in groups of 256
  std::string bytes = TableBytes(pairs, Options(Layout::kRetrieval, 200));
  bytes[10] = static_cast<char>(bytes[10] ^ 1);
  Survey survey;
  survey.Take(bytes, pairs);
  EXPECT_EQ(survey.errors, 1u);
}

// What opens is read as a whole, for the sanitizer to see.
Status Open(const std::string& table) {
  const std::unique_ptr<char[]> exact(new char[table.size()]);
  memcpy(exact.get(), table.data(), table.size());
  TableReader reader;
  const Status status = reader.OpenBytes(exact.get(), table.size());
  if (!status.ok()) return status;
  Lookup lookup;
  uint64_t sum = 0;
  for (size_t i = 0; i < 80; ++i) {
    if (reader.Get(KeyOf(i), &lookup).ok()) sum += linefilter::HashKey(std::string(lookup.value));
  }
  TableIterator it(reader);
  for (it.SeekToFirst(); it.Valid(); it.Next()) sum += linefilter::HashKey(std::string(it.key()).append(it.value()));
  [[maybe_unused]] volatile uint64_t keep = sum;
  return status;
}

TEST(SstDamage, ReadsNothingOutsideWhateverTheBytesSay) {
  const Pairs pairs = SomePairs(40);
  const std::string bytes = TableBytes(pairs, Options(Layout::kRetrieval, 200));
  const Footer good = FooterOf(bytes);
  const std::vector<size_t> entries = IndexOf(bytes);
  ASSERT_EQ(Reseal(bytes, good), bytes);
  ASSERT_GT(entries.size(), 3u);
  constexpr uint64_t kMost = ~uint64_t{0};
  const uint64_t extremes[] = {0,          1,          63,         64,         bytes.size(), 0x7fffffff, 0xfffffffb,
                               0xfffffffc, 0xffffffff, kMost >> 1, kMost - 63, kMost - 4,    kMost};
  for (uint64_t Footer::*field :
       {&Footer::index_offset, &Footer::index_bytes, &Footer::filter_offset, &Footer::filter_bytes}) {
    for (const uint64_t value : extremes) {
      Footer footer = good;
      if (footer.*field == value) continue;
      footer.*field = value;
      EXPECT_FALSE(Open(Reseal(bytes, footer)).ok()) << value;
    }
  }
  Random random(1);
  uint64_t opened = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string table = bytes;
    for (uint64_t writes = 1 + random.Below(2); writes != 0; --writes) {
      const size_t width = random.Below(2) == 0 ? 4 : 8;
      const size_t at = random.Below(good.filter_offset - width);
      const uint64_t value =
          random.Below(3) == 0 ? random() : extremes[random.Below(std::size(extremes))] + random.Below(3);
      std::string little_endian;
      AppendLE(value, &little_endian);
      table.replace(at, width, little_endian, 0, width);
    }
    for (const size_t entry : entries) {
      const size_t offset = LoadLE<uint64_t>(&bytes[entry]), size = LoadLE<uint32_t>(&bytes[entry + 8]);
      std::string check;
      AppendLE(Check(std::string_view(table).substr(offset, size), offset), &check);
      table.replace(entry + 12, check.size(), check);
    }
    Footer footer = good;
    footer.index_check = Check({&table[good.index_offset], static_cast<size_t>(good.index_bytes)}, good.index_offset);
    opened += Open(Reseal(table, footer)).ok();
  }
  EXPECT_GT(opened, 1000u) << "damage inside data blocks was reached";
}

// Its filter, its checks and what its keys hash to may all be others than now.
TEST(SstDamage, ATableOfAnotherVersionIsRefused) {
  std::string bytes = TableBytes(SomePairs(1000), {});
  TableReader table;
  ASSERT_TRUE(table.OpenBytes(bytes.data(), bytes.size()).ok());
  ASSERT_EQ(bytes.substr(bytes.size() - 8), "LFTABLE3");
  for (const char version : {'1', '2', '4'}) {
    bytes.back() = version;
    const Status status = table.OpenBytes(bytes.data(), bytes.size());
    EXPECT_EQ(status.code(), linefilter::StatusCode::kUnsupported);
    EXPECT_TRUE(SaysWhatToDo(status)) << status.message();
    EXPECT_NE(std::string_view(status.message()).find(std::string("version ") + version), std::string_view::npos);
    Lookup lookup;
    EXPECT_FALSE(table.Get(Member(1), &lookup).ok());
    EXPECT_EQ(lookup.outcome, Outcome::kError);
  }
}

}  // namespace
}  // namespace sst::test
