// A target that is slower than a lower one is not offered (lib/layouts/target.cc). This program has that file of its
// own, in which CMakeLists.txt plants targets as slow: some of x86 and of Arm, and all that may be the lowest.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "lib/layouts/cpu_targets.h"
#include "linefilter/filter.h"
#include "linefilter/target.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter {
namespace {

constexpr int64_t kSlow = LINEFILTER_SLOW_TARGETS;

std::vector<std::string> Names() {
  const TargetList list = SupportedTargets();
  return {list.names, list.names + list.size};
}

TEST(SlowTarget, IsNotOfferedUnlessItIsTheLowest) {
  std::set<std::string> slow;
  for (int64_t bits = kSlow; bits != 0; bits &= bits - 1) slow.insert(hwy::TargetName(bits & -bits));
  const std::vector<std::string> names = Names();
  ASSERT_FALSE(names.empty());
  for (size_t i = 0; i + 1 < names.size(); ++i) EXPECT_EQ(slow.count(names[i]), 0u) << names[i];
  EXPECT_EQ(names.back(), hwy::TargetName(HWY_STATIC_TARGET)) << "it was planted, but nothing is below it";
  ASSERT_TRUE(ForceTarget(nullptr).ok());  // whatever LINEFILTER_TARGET says
  EXPECT_EQ(names.front(), ChosenTarget());
  for (const std::string& name : slow) {
    if (name == names.back()) continue;
    EXPECT_EQ(ForceTarget(name.c_str()).code(), StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(names.front(), ChosenTarget());
  }
}

TEST(SlowTarget, LeavesTheOthers) {
  const std::vector<std::string> offered = Names();
  const std::set<std::string> names(offered.begin(), offered.end());
  for (int64_t bits = internal::TargetsOfCpu() & HWY_TARGETS & ~kSlow; bits != 0; bits &= bits - 1) {
    const std::string name = hwy::TargetName(bits & -bits);
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  for (const std::string& name : offered) {
    ASSERT_TRUE(ForceTarget(name.c_str()).ok());
    BlockedFilter filter;
    ASSERT_TRUE(filter.Create(1000, test::BitsPerKey(10)).ok());
    EXPECT_EQ(filter.target(), name) << "what is left out moves no other";
    const std::vector<uint64_t> hashes = test::RandomHashes(1000, 1);
    filter.InsertHashes(hashes.data(), hashes.size());
    EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  }
  ASSERT_TRUE(ForceTarget(nullptr).ok());
}

}  // namespace
}  // namespace linefilter
