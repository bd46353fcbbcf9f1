// examples/sst_reader: a damaged table is refused, answers an error or answers right. It never loses a key.
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
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
    for (const size_t more : {1, 56, 4096}) survey.Take(bytes + std::string(more, '\0'), pairs);
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

// Makes the checks of `table` right again after somebody wrote into it: only its content can be refused then.
std::string Reseal(std::string table, const Footer& footer, const std::vector<std::pair<size_t, size_t>>& data_blocks) {
  for (const auto& [offset, size] : data_blocks) {
    std::string check;
    AppendLE(Check(std::string_view(table).substr(offset, size), offset), &check);
    table.replace(offset + size, kCheckBytes, check);
  }
  table.resize(table.size() - kFooterBytes);
  return table + FooterBytes(footer, table.size());
}

TEST(SstDamage, ReadsNothingOutsideWhateverTheBytesSay) {
  const Pairs pairs = SomePairs(40);
  const std::string bytes = TableBytes(pairs, Options(Layout::kRetrieval, 200));
  const char* const end = bytes.data() + bytes.size() - kFooterBytes;
  const Footer good{LoadLE<uint64_t>(end),      LoadLE<uint64_t>(end + 8),  LoadLE<uint64_t>(end + 16),
                    LoadLE<uint64_t>(end + 24), LoadLE<uint64_t>(end + 32), LoadLE<uint32_t>(end + 40)};
  std::vector<std::pair<size_t, size_t>> data_blocks;
  for (size_t at = good.index_offset; at < good.index_offset + good.index_bytes;
       at += kIndexHeader + LoadLE<uint32_t>(&bytes[at + 12])) {
    data_blocks.emplace_back(LoadLE<uint64_t>(&bytes[at]), LoadLE<uint32_t>(&bytes[at + 8]));
  }
  ASSERT_EQ(Reseal(bytes, good, data_blocks), bytes);
  ASSERT_GT(data_blocks.size(), 3u);

  const auto open = [](const std::string& table) {  // and reads it all, for the sanitizer to see
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
  };
  constexpr uint64_t kMost = ~uint64_t{0};
  const uint64_t extremes[] = {0,          1,          63,         64,         bytes.size(), 0x7fffffff, 0xfffffffb,
                               0xfffffffc, 0xffffffff, kMost >> 1, kMost - 63, kMost - 4,    kMost};
  for (uint64_t Footer::*field :
       {&Footer::index_offset, &Footer::index_bytes, &Footer::filter_offset, &Footer::filter_bytes}) {
    for (const uint64_t value : extremes) {
      Footer footer = good;
      if (footer.*field == value) continue;
      footer.*field = value;
      EXPECT_FALSE(open(Reseal(bytes, footer, {})).ok()) << value;
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
    Footer footer = good;
    footer.index_check = Check({&table[good.index_offset], good.index_bytes}, good.index_offset);
    opened += open(Reseal(table, footer, data_blocks)).ok();
  }
  EXPECT_GT(opened, 1000u) << "damage inside data blocks was reached";
}

}  // namespace
}  // namespace sst::test
