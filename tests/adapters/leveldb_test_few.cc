// Filters of few keys are as small as may be, whatever layout was asked, and a policy makes what it needs when it is
// made.
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/adapters/engine_filter.h"
#include "linefilter/sizing.h"
#include "linefilter/target.h"
#include "tests/adapters/leveldb_test.h"

namespace linefilter::test {
namespace {

constexpr size_t kTrailer = 8;

// Suites of this name run first, so nothing has used the library before the program was forked.
TEST(LevelDBPolicyDeathTest, ChoosesTheTargetWhenItIsMade) {
  const char* const forced = std::getenv("LINEFILTER_TARGET");
  const TargetList targets = SupportedTargets();
  const std::string best = forced != nullptr ? forced : targets.names[0], worst = targets.names[targets.size - 1];
  EXPECT_EXIT(
      {
        const Policy policy = New(10, Layout::kRetrieval);
        setenv("LINEFILTER_TARGET", worst.c_str(), 1);
        std::exit(ChosenTarget() == best ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(LevelDBPolicy, OfOneOrTwoKeysTakesAtMost24Bytes) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (int bits_per_key = 1; bits_per_key <= 64; ++bits_per_key) {
      const Policy policy = New(bits_per_key, layout);
      EXPECT_LE(Filter(*policy, {"a"}).size(), 24u) << LayoutName(layout) << " " << bits_per_key;
      EXPECT_LE(Filter(*policy, {"a", "b"}).size(), 24u) << LayoutName(layout) << " " << bits_per_key;
    }
  }
}

// The sentence of linefilter/leveldb.h, for 1 to 64 keys; more have the layout and size that were asked.
TEST(LevelDBPolicy, OfFewKeysIsClassicWhereThatIsSmaller) {
  for (const Layout layout : EveryLayout()) {
    for (const double bits_per_key : {1.0, 4.5, 10.0, 20.0, 64.0}) {
      const Policy policy = New(bits_per_key, layout);
      const double fpr = FprForBitsPerKey(layout, bits_per_key);
      for (size_t n = 1; n <= 70; ++n) {
        SCOPED_TRACE(std::string(LayoutName(layout)) + ", " + std::to_string(n) + " keys, " +
                     std::to_string(bits_per_key));
        const std::string filter = Filter(*policy, Keys(n, n));
        const FilterView view(filter.data(), filter.size(), VerifyMode::kWhole);
        Sizing asked, classic;
        ASSERT_TRUE(SizeForBitsPerKey(layout, n, bits_per_key, &asked).ok());
        const bool reaches = SizeForFpr(Layout::kClassic, n, fpr, &classic).ok();
        const bool is_smaller = n <= 64 && reaches && classic.body_bytes < asked.body_bytes;
        const Sizing& expected = is_smaller ? classic : asked;
        EXPECT_EQ(view.layout(), expected.layout);
        EXPECT_EQ(view.body_bytes(), expected.body_bytes);
        EXPECT_EQ(view.num_probes(), expected.num_probes);
        if (expected.body_bytes <= 4096) {
          EXPECT_EQ(filter.size(), expected.body_bytes + kTrailer);
        }
      }
    }
  }
}

TEST(LevelDBPolicy, OfFewKeysKeepsAnFpr) {
  for (const Layout layout : AutoAndEveryLayout()) {
    EngineFilterOptions options;
    options.fpr = 0.004;
    options.layout = layout;
    const Policy policy = New(options);
    for (size_t n = 1; n <= 64; ++n) {
      const std::string filter = Filter(*policy, Keys(n, n));
      const FilterView view(filter.data(), filter.size(), VerifyMode::kWhole);
      EXPECT_LE(ExpectedFpr(view.layout(), n, view.body_bytes(), view.num_probes()), options.fpr) << LayoutName(layout);
    }
  }
}

// Measured: the rate of small filters is that of the density in large ones, or less. 5.5 standard deviations of a
// binomial count, twice as wide because the fill of small filters varies: a false alarm in 1e7.
TEST(LevelDBPolicy, OfFewKeysHasTheRateOfItsDensity) {
  const uint64_t num_filters = static_cast<uint64_t>(100 * std::max(0.05, Effort()));
  const std::vector<std::string> absent = Keys(uint64_t{1} << 40, 1000);
  for (const Layout layout : EveryLayout()) {
    const double bits_per_key = BitsPerKeyLikeBlocked(layout, 10), fpr = FprForBitsPerKey(layout, bits_per_key);
    const Policy policy = New(bits_per_key, layout);
    for (const size_t n : {1u, 2u, 8u, 20u, 40u, 60u, 64u}) {
      uint64_t maybes = 0;
      for (uint64_t f = 0; f < num_filters; ++f) {
        maybes += CountMatches(*policy, absent, Filter(*policy, Keys(1000000 * n + 100 * f, n)));
      }
      const double expected = fpr * static_cast<double>(num_filters * absent.size());
      EXPECT_LE(static_cast<double>(maybes), expected + 11 * std::sqrt(expected + 1))
          << LayoutName(layout) << ", " << n;
    }
  }
}

// Repeats do not make a set large: a memory table has each version of a key.
TEST(LevelDBPolicy, CountsDistinctKeysToKnowWhetherTheyAreFew) {
  for (const Layout layout : EveryLayout()) {
    const Policy policy = New(10, layout);
    const std::vector<std::string> versions(1000, "key");
    EXPECT_EQ(Filter(*policy, versions), Filter(*policy, {"key"})) << LayoutName(layout);
  }
}

}  // namespace
}  // namespace linefilter::test
