// linefilter/target.h: which instructions do the work can be asked for and forced.
#include "linefilter/target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/run_program.h"

namespace linefilter {
namespace {

std::vector<std::string> Names() {
  const TargetList list = SupportedTargets();
  return {list.names, list.names + list.size};
}

BlockedFilter MakeFilter() {
  BlockedFilter filter;
  EXPECT_TRUE(filter.Create(1000, test::BitsPerKey(10)).ok());
  return filter;
}

class TargetTest : public ::testing::Test {
 protected:
  TargetTest() { EXPECT_TRUE(ForceTarget(nullptr).ok()); }  // whatever the environment says
  ~TargetTest() override { EXPECT_TRUE(ForceTarget(nullptr).ok()); }
};

TEST_F(TargetTest, ListsWhatThisCpuRuns) {
  const std::vector<std::string> names = Names();
  ASSERT_GE(names.size(), 1u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << "each once";
  for (const std::string& name : names) {
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find("Unknown"), std::string::npos) << name;
  }
  EXPECT_EQ(names.front(), ChosenTarget()) << "the best one is chosen";
#if defined(__x86_64__) && !defined(__SSE3__)  // not where -march makes more the least there is
  EXPECT_GE(names.size(), __builtin_cpu_supports("ssse3") ? 2u : 1u) << "SSSE3 if there is, and plain code";
  EXPECT_TRUE(names.back() == "SCALAR" || names.back() == "EMU128" || names.back() == "SSE2") << names.back();
#endif
}

// Who runs this on a certain CPU (tools/lib/cpus.sh) says which targets it has, no less and no more; `plain` is one of
// the two kinds of code without vectors. One that is missing, because Highway withholds it or an emulator lacks it,
// must not look green, nor a CPU that is another than the one that was meant.
TEST_F(TargetTest, AreThoseThatAreExpectedOfThisCpu) {
  std::printf("targets:");
  for (const std::string& name : Names()) std::printf(" %s", name.c_str());
  std::printf("\n");
  const char* const given = std::getenv("LINEFILTER_EXPECTED_TARGETS");
  if (given == nullptr) GTEST_SKIP() << "LINEFILTER_EXPECTED_TARGETS is not set";
  std::istringstream words(given);
  const std::set<std::string> expected{std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
  std::set<std::string> found;
  for (const std::string& name : Names()) {
    const bool is_plain = expected.count("plain") != 0 && (name == "SCALAR" || name == "EMU128");
    found.insert(is_plain ? "plain" : name);
  }
  EXPECT_EQ(found, expected);
}

TEST_F(TargetTest, ForcesEachForFiltersToCome) {
  const BlockedFilter before = MakeFilter();
  const std::string best = ChosenTarget();
  std::string image;
  ASSERT_TRUE(before.AppendImage(&image).ok());
  for (const std::string& name : Names()) {
    ASSERT_TRUE(ForceTarget(name.c_str()).ok());
    EXPECT_EQ(ChosenTarget(), name);
    const BlockedFilter filter = MakeFilter();
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    EXPECT_EQ(filter.target(), name);
    EXPECT_EQ(view.target(), name);
    EXPECT_EQ(before.target(), best) << "filters that exist keep theirs";
    const std::vector<uint64_t> hashes = test::RandomHashes(1000, 1);
    BlockedFilter full = MakeFilter();
    full.InsertHashes(hashes.data(), hashes.size());
    EXPECT_EQ(full.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  }
  ASSERT_TRUE(ForceTarget(Names().back().c_str()).ok());
  ASSERT_TRUE(ForceTarget(nullptr).ok());
  EXPECT_EQ(ChosenTarget(), best);
  ASSERT_TRUE(ForceTarget(Names().back().c_str()).ok());
  ASSERT_TRUE(ForceTarget("").ok());
  EXPECT_EQ(ChosenTarget(), best);
}

TEST_F(TargetTest, RefusesOthersWithTheListOfWhatThereIs) {
  ASSERT_TRUE(ForceTarget(Names().back().c_str()).ok());
  const std::string forced = ChosenTarget();
  for (const std::string& name : {std::string("AVX9"), std::string("avx2"), forced + "x", std::string(10000, 'A'),
                                  std::string("%s%n"), std::string(" ")}) {
    const Status status = ForceTarget(name.c_str());
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    for (const std::string& known : Names()) {
      EXPECT_NE(std::strstr(status.message(), known.c_str()), nullptr)
          << known << " is missing in: " << status.message();
    }
    EXPECT_EQ(ChosenTarget(), forced) << "nothing has changed";
  }
}

// What the tests below start: this program again, with another environment.
TEST(TargetChild, DISABLED_PrintsTheChosenTarget) { std::printf("chosen=%s.\n", ChosenTarget()); }

std::string ChosenWith(const test::Environment& environment) {
  std::vector<std::string> arguments = test::OurProgram(std::filesystem::read_symlink("/proc/self/exe"));
  arguments.push_back("--gtest_also_run_disabled_tests");
  arguments.push_back("--gtest_filter=TargetChild.*");
  const test::RunResult result = test::RunProgram(arguments, "", environment);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const size_t begin = result.out.find("chosen=") + 7;
  return result.out.substr(begin, result.out.find('.', begin) - begin);
}

TEST_F(TargetTest, TheEnvironmentChoosesAtFirstUse) {
  for (const std::string& name : Names()) EXPECT_EQ(ChosenWith({{"LINEFILTER_TARGET", name}}), name);
  for (const char* nonsense : {"", "AVX9", "avx2", "SCALAR,SSE4"}) {
    EXPECT_EQ(ChosenWith({{"LINEFILTER_TARGET", nonsense}}), Names().front()) << "ignored: " << nonsense;
  }
}

}  // namespace
}  // namespace linefilter
