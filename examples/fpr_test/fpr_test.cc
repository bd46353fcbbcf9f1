// Unit tests that hold filters to their false-positive rate, with GoogleTest. Copy this file, and put your filters and
// keys in place of these. The keys are always the same, so a test that passed passes until somebody changes the filter.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/testing.h"

namespace {

std::vector<std::string> Names(const std::string& kind, size_t n) {
  std::vector<std::string> names;
  for (size_t i = 0; i < n; ++i) names.push_back(kind + std::to_string(i) + "@example.org");
  return names;
}

linefilter::BlockedFilter FilterOf(const std::vector<std::string>& keys) {
  linefilter::FilterOptions options;
  options.fpr = 0.01;
  linefilter::BlockedFilter filter;
  EXPECT_TRUE(filter.Create(keys.size(), options).ok());
  for (const std::string& key : keys) filter.InsertKey(key);
  return filter;
}

TEST(Users, FilterKeepsToOnePercent) {
  const std::vector<std::string> users = Names("user", 100000);
  const linefilter::BlockedFilter filter = FilterOf(users);

  linefilter::FprLimit limit;
  limit.at_most = 0.01;
  const std::vector<std::string> strangers = Names("stranger", linefilter::QueriesForLimit(limit));
  const linefilter::FprResult result = linefilter::CheckFpr(filter, users, strangers, limit);
  EXPECT_TRUE(result.ok()) << result.sentence;
}

// What an earlier version counted, with as many bits per key. It is found if the rate grows by some percent.
TEST(Users, FilterIsAsGoodAsItWas) {
  const std::vector<std::string> users = Names("user", 100000), strangers = Names("stranger", 1000000);
  linefilter::FprBaseline baseline;
  baseline.num_queries = 1000000;
  baseline.false_positives = 10149;
  baseline.bits_per_key = 9.933;

  linefilter::FprLimit limit;
  limit.baseline = &baseline;
  limit.resolution = 1.1;
  const linefilter::FprResult result = linefilter::CheckFpr(FilterOf(users), users, strangers, limit);
  EXPECT_TRUE(result.ok()) << result.sentence;
}

// This stands for a filter of another library, whose lookup has a name of its own.
class OtherFilter {
 public:
  explicit OtherFilter(size_t num_bits) : bits_(num_bits) {}
  void add(const std::string& key) { bits_[std::hash<std::string>()(key) % bits_.size()] = true; }
  bool contains(const std::string& key) const { return bits_[std::hash<std::string>()(key) % bits_.size()]; }

 private:
  std::vector<bool> bits_;
};

TEST(OtherFilter, KeepsToFivePercent) {
  const std::vector<std::string> members = Names("member", 10000), absent = Names("absent", 20000);
  OtherFilter filter(24 * members.size());  // 1 - exp(-1 / 24) = 4.1 %
  for (const std::string& key : members) filter.add(key);

  linefilter::FprLimit limit;
  limit.at_most = 0.05;
  const auto may_contain = [&filter](const std::string& key) { return filter.contains(key); };
  const linefilter::FprResult result = linefilter::CheckFpr(may_contain, members, absent, limit);
  EXPECT_TRUE(result.ok()) << result.sentence;
}

}  // namespace
