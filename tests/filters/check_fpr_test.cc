// linefilter/testing.h: CheckFpr counts right, whatever the filter and the ranges of keys are, and names keys.
#include <array>
#include <cstdint>
#include <iterator>
#include <list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/testing.h"
#include "linefilter/view.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kMembers = 1000, kAbsent = 13000;

FprLimit AtMost(double rate) {
  FprLimit limit;
  limit.at_most = rate;
  return limit;
}

std::vector<std::string> Texts(const char* prefix, uint64_t n) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < n; ++i) texts.push_back(prefix + std::to_string(i));
  return texts;
}

std::vector<uint64_t> Numbers(uint64_t first, uint64_t n) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < n; ++i) numbers.push_back(first + i);
  return numbers;
}

template <class Keys>
BlockedFilter FilterOf(const Keys& keys, double bits_per_key = 10) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  BlockedFilter filter;
  EXPECT_TRUE(IsOk(filter.Create(std::size(keys), options)));
  for (const auto& key : keys) filter.InsertKey(key);
  return filter;
}

// The same answers, one by one.
template <class Filter>
auto OneByOne(const Filter& filter) {
  return [&filter](const auto& key) { return filter.MayContainKey(key); };
}

void ExpectSame(const FprResult& a, const FprResult& b) {
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.counts.num_members, b.counts.num_members);
  EXPECT_EQ(a.counts.num_lost, b.counts.num_lost);
  EXPECT_EQ(a.counts.num_queries, b.counts.num_queries);
  EXPECT_EQ(a.counts.false_positives, b.counts.false_positives);
  EXPECT_EQ(a.counts.num_absent_members, b.counts.num_absent_members);
  EXPECT_STREQ(a.sentence, b.sentence);
}

TEST(CheckFpr, CountsTextsInBatchesAsOneByOne) {
  const std::vector<std::string> members = Texts("member ", kMembers), absent = Texts("absent ", kAbsent);
  const BlockedFilter filter = FilterOf(members);
  uint64_t maybes = 0;
  for (const std::string& key : absent) maybes += filter.MayContainKey(key);
  ASSERT_GT(maybes, 50u);
  const FprResult result = CheckFpr(filter, members, absent, AtMost(0.012));
  EXPECT_TRUE(result.ok()) << result.sentence;
  EXPECT_EQ(result.counts.num_members, kMembers);
  EXPECT_EQ(result.counts.num_queries, kAbsent);
  EXPECT_EQ(result.counts.false_positives, maybes);
  ExpectSame(result, CheckFpr(OneByOne(filter), members, absent, AtMost(0.012)));
  EXPECT_EQ(CheckFpr(filter, members, absent, AtMost(0.004)).verdict, FprVerdict::kAbove);
}

TEST(CheckFpr, CountsNumbersInBatchesAsOneByOne) {
  const std::vector<uint64_t> members = Numbers(0, kMembers), absent = Numbers(uint64_t{1} << 40, kAbsent);
  const BlockedFilter filter = FilterOf(members);
  const FprResult result = CheckFpr(filter, members, absent, AtMost(0.012));
  EXPECT_TRUE(result.ok()) << result.sentence;
  ExpectSame(result, CheckFpr(OneByOne(filter), members, absent, AtMost(0.012)));
}

// The last batch may be full, or have one key.
TEST(CheckFpr, AsksEveryKeyOnce) {
  for (const size_t n : {1u, 255u, 256u, 257u, 512u, 513u}) {
    const std::vector<std::string> members = Texts("member ", n), absent = Texts("absent ", n);
    const BlockedFilter filter = FilterOf(members);
    ExpectSame(CheckFpr(filter, members, absent, AtMost(0.01)),
               CheckFpr(OneByOne(filter), members, absent, AtMost(0.01)));
    std::multiset<std::string> asked;
    const auto remembers = [&asked](const std::string& key) { return asked.insert(key), true; };
    EXPECT_EQ(CheckFpr(remembers, members, absent, AtMost(0.01)).counts.num_queries, n);
    std::multiset<std::string> all(members.begin(), members.end());
    all.insert(absent.begin(), absent.end());
    EXPECT_EQ(asked, all);
  }
}

TEST(CheckFpr, HoldsAFilterOfAnotherLibrary) {
  std::set<std::string> exact;
  const std::vector<std::string> members = Texts("member ", kMembers), absent = Texts("absent ", kAbsent);
  exact.insert(members.begin(), members.end());
  EXPECT_TRUE(
      CheckFpr([&](const std::string& key) { return exact.count(key) != 0; }, members, absent, AtMost(0.01)).ok());
}

TEST(CheckFpr, NamesTheMembersThatAreLost) {
  std::vector<std::string> members = Texts("member ", kMembers);
  const BlockedFilter filter = FilterOf(members);
  for (int i = 0; i < 3000; ++i) members.push_back("stranger " + std::to_string(i));
  const FprResult result = CheckFpr(filter, members, Texts("absent ", kAbsent), AtMost(0.012));
  EXPECT_EQ(result.verdict, FprVerdict::kAbove);
  EXPECT_GT(result.counts.num_lost, 2900u);
  ASSERT_EQ(result.lost.size, FprKeys::kMost);
  for (size_t i = 0; i < result.lost.size; ++i) {
    const uint64_t position = result.lost.named[i].position;
    ASSERT_GE(position, kMembers);
    EXPECT_EQ(result.lost.named[i].text, "\"" + members[position] + "\"");
    EXPECT_NE(std::string(result.sentence).find(members[position]), std::string::npos);
  }
}

// Text of a filter of numbers: nearly all are lost.
TEST(CheckFpr, FindsKeysOfTheWrongKind) {
  const BlockedFilter filter = FilterOf(Numbers(0, kMembers));
  std::vector<std::string> members;
  for (uint64_t i = 0; i < kMembers; ++i) members.push_back(std::to_string(i));
  EXPECT_EQ(CheckFpr(filter, members, Texts("absent ", kAbsent), AtMost(0.012)).verdict, FprVerdict::kAbove);
}

TEST(CheckFpr, FindsMembersAmongTheAbsentKeys) {
  std::vector<std::string> members = Texts("member ", kMembers), absent = Texts("absent ", kAbsent);
  const BlockedFilter filter = FilterOf(members);
  const FprResult clean = CheckFpr(filter, members, absent, AtMost(0.012));
  members.push_back("member 17");  // a member that comes twice
  absent.insert(absent.begin() + 5, "member 17");
  absent.push_back("member 999");
  absent.push_back("member 17");  // as does an absent key
  const FprResult result = CheckFpr(filter, members, absent, AtMost(0.012));
  EXPECT_EQ(result.verdict, FprVerdict::kUndecided);
  EXPECT_EQ(result.counts.num_absent_members, 3u);
  EXPECT_EQ(result.counts.num_queries, clean.counts.num_queries);
  EXPECT_EQ(result.counts.false_positives, clean.counts.false_positives);
  ASSERT_EQ(result.absent_members.size, 3u);
  std::set<uint64_t> positions;
  for (size_t i = 0; i < 3; ++i) positions.insert(result.absent_members.named[i].position);
  EXPECT_EQ(positions, (std::set<uint64_t>{5, kAbsent + 1, kAbsent + 2}));
  EXPECT_NE(std::string(result.sentence).find("\"member 999\""), std::string::npos) << result.sentence;

  const std::vector<uint64_t> numbers = Numbers(0, 100);
  const FprResult all = CheckFpr(FilterOf(numbers), numbers, numbers, AtMost(0.01));
  EXPECT_EQ(all.counts.num_absent_members, 100u);
  EXPECT_NE(std::string(all.sentence).find("100 absent keys are members: 0 (position 0)"), std::string::npos)
      << all.sentence;
}

TEST(CheckFpr, ABrokenFilterIsAbove) {
  const FilterView broken;
  const FprResult result = CheckFpr(broken, Numbers(0, 10), Numbers(100, kAbsent), AtMost(0.01));
  EXPECT_EQ(result.verdict, FprVerdict::kAbove);
  EXPECT_NE(std::string(result.sentence).find("look at the Status"), std::string::npos) << result.sentence;
}

TEST(CheckFpr, MisuseIsToldAndNothingIsThrown) {
  const std::vector<std::string> none;
  const BlockedFilter filter = FilterOf(Texts("member ", 10));
  EXPECT_EQ(CheckFpr(filter, Texts("member ", 10), none, AtMost(0.01)).verdict, FprVerdict::kUndecided);
  EXPECT_EQ(CheckFpr(filter, none, none, AtMost(0.01)).verdict, FprVerdict::kUndecided);
  EXPECT_EQ(CheckFpr(filter, Texts("member ", 10), Texts("absent ", 10), AtMost(2)).verdict, FprVerdict::kUndecided);
  EXPECT_TRUE(CheckFpr(filter, none, Texts("absent ", kAbsent), AtMost(0.5)).ok()) << "nothing can be lost";
}

TEST(CheckFpr, ComparesTheBitsPerKeyOfOurFiltersWithABaseline) {
  const std::vector<std::string> members = Texts("member ", 100000), absent = Texts("absent ", kAbsent);
  FprBaseline baseline;
  baseline.num_queries = baseline.false_positives = kAbsent;
  baseline.bits_per_key = 10;
  FprLimit limit;
  limit.baseline = &baseline;
  const FprResult ten = CheckFpr(FilterOf(members), members, absent, limit);
  EXPECT_TRUE(ten.ok()) << ten.sentence;
  EXPECT_NEAR(ten.counts.bits_per_key, 10, 0.01);
  const std::vector<std::string> sample(members.begin(), members.begin() + 1000);
  const std::string of_sample = CheckFpr(FilterOf(members), sample, absent, limit).sentence;
  EXPECT_NE(of_sample.find("if all of its members were counted"), std::string::npos) << of_sample;
  const BlockedFilter larger = FilterOf(members, 11);
  EXPECT_EQ(CheckFpr(larger, members, absent, limit).verdict, FprVerdict::kAbove);
  EXPECT_TRUE(CheckFpr(OneByOne(larger), members, absent, limit).ok()) << "nobody knows its bytes";
}

enum class Color : int16_t { kRed = -1, kGreen = 5 };

TEST(CheckFpr, TakesAnyRangeOfKeys) {
  const BlockedFilter texts = FilterOf(Texts("", 10));
  const char* const c_strings[] = {"1", "2", "3"};
  const std::list<std::string_view> views = {"4", "5"};
  EXPECT_EQ(CheckFpr(texts, c_strings, views, AtMost(0.01)).counts.num_absent_members, 0u)
      << "maybes of keys that are no members here";
  EXPECT_EQ(CheckFpr(texts, c_strings, c_strings, AtMost(0.01)).counts.num_absent_members, 3u);
  EXPECT_EQ(CheckFpr(texts, Texts("", 10), views, AtMost(0.01)).counts.num_absent_members, 2u);

  const std::vector<std::array<uint8_t, 4>> bytes = {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}};
  EXPECT_EQ(CheckFpr(FilterOf(bytes), bytes, bytes, AtMost(0.01)).counts.num_absent_members, 2u);

  const int32_t negatives[] = {-1, -2, -3};
  const std::set<int64_t> wider = {-3, -2};
  EXPECT_EQ(CheckFpr(FilterOf(negatives), negatives, wider, AtMost(0.01)).counts.num_absent_members, 2u);
  const std::vector<Color> colors = {Color::kRed, Color::kGreen};
  EXPECT_EQ(CheckFpr(FilterOf(colors), colors, negatives, AtMost(0.01)).counts.num_absent_members, 1u) << "-1";
}

// A range that can be read once, whose keys go with the next one.
struct Lines {
  std::istringstream in;
  auto begin() { return std::istream_iterator<std::string>(in); }
  auto end() { return std::istream_iterator<std::string>(); }
};

TEST(CheckFpr, ReadsEachRangeOnce) {
  std::string all_members, all_absent;
  for (const std::string& key : Texts("member", kMembers)) all_members += key + "\n";
  for (const std::string& key : Texts("absent", kAbsent)) all_absent += key + "\n";
  const BlockedFilter filter = FilterOf(Texts("member", kMembers));
  Lines members{std::istringstream(all_members)}, absent{std::istringstream(all_absent + "member7\n")};
  const FprResult result = CheckFpr(filter, members, absent, AtMost(0.012));
  EXPECT_EQ(result.counts.num_members, kMembers);
  EXPECT_EQ(result.counts.num_queries, kAbsent);
  EXPECT_EQ(result.counts.num_absent_members, 1u);
  EXPECT_EQ(result.counts.num_lost, 0u);
}

TEST(CheckFpr, ACallableMayChangeItselfAndReturnAnyTruth) {
  uint64_t calls = 0;
  auto counts = [calls](uint64_t key) mutable { return ++calls, static_cast<int>(key & 4); };
  const FprResult result = CheckFpr(counts, std::vector<uint64_t>{4, 5}, std::vector<uint64_t>{1, 12}, AtMost(0.01));
  EXPECT_EQ(result.counts.num_lost, 0u);
  EXPECT_EQ(result.counts.false_positives, 1u);
}

}  // namespace
}  // namespace linefilter::test
