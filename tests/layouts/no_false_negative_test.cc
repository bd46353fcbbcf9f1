// A key that was inserted is never "absent": over 1e7 keys in all, and in every small size.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kKeysInAll = 10000000;

std::vector<Layout> LayoutsOfBuilders() {
  std::vector<Layout> layouts = EveryLayout();
  layouts.push_back(Layout::kAuto);
  return layouts;
}

FilterOptions Options(Layout layout, double bits_per_key, uint64_t seed) {
  FilterOptions options = BitsPerKey(bits_per_key, layout);
  options.seed = seed;
  return options;
}

// The keys that one of the ways of asking does not find.
uint64_t Missing(const FilterBase& filter, const std::vector<uint64_t>& keys) {
  std::vector<uint64_t> hashes(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) hashes[i] = HashKey(keys[i], filter.seed());
  std::vector<uint8_t> answers(keys.size()), bits((keys.size() + 7) / 8);
  filter.MayContainKeys(keys.data(), keys.size(), answers.data());
  filter.MayContainHashesToBits(hashes.data(), hashes.size(), bits.data());
  uint64_t missing = keys.size() - filter.CountMaybes(hashes.data(), hashes.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    missing += answers[i] != 1 || !filter.MayContainHash(hashes[i]) || (bits[i / 8] >> (i % 8) & 1) == 0;
  }
  return missing;
}

std::string Build(const FilterOptions& options, const std::vector<uint64_t>& keys) {
  FilterBuilder builder(options);
  for (const uint64_t key : keys) builder.AddKey(key);
  return Finish(&builder);
}

TEST(NoFalseNegative, OverTenMillionKeys) {
  // Every filter on the next target: size, density and target have no common period.
  const TargetList targets = SupportedTargets();
  const double densities[] = {1, 2.5, 4, 6, 8, 10, 12, 16, 20, 24, 64};
  const std::vector<Layout> layouts = EveryLayout();
  const size_t sizes[] = {1000, 30000, 100, 250000, 7777, 600000, 64};
  const uint64_t keys_in_all = static_cast<uint64_t>(static_cast<double>(kKeysInAll) * std::min(1.0, 10 * Effort()));
  uint64_t tested = 0, missing = 0;
  for (uint64_t round = 0; tested < keys_in_all; ++round) {
    const ScopedTarget forced(targets.names[round % targets.size]);
    const FilterOptions options = Options(layouts[round % layouts.size()], densities[round % 11], round);
    const std::vector<uint64_t> keys = RandomHashes(sizes[round % 7], round);
    if (round % 2 == 0 || !IsMutable(options.layout)) {
      const std::string image = Build(options, keys);
      missing += Missing(FilterView(image.data(), image.size(), VerifyMode::kWhole), keys);
    } else if (options.layout == Layout::kBlocked) {
      BlockedFilter filter = Created<BlockedFilter>(keys.size(), options);
      for (const uint64_t key : keys) filter.InsertKey(key);
      missing += Missing(filter, keys);
    } else {
      ClassicFilter filter = Created<ClassicFilter>(keys.size(), options);
      for (const uint64_t key : keys) filter.InsertKey(key);
      missing += Missing(filter, keys);
    }
    tested += keys.size();
  }
  EXPECT_EQ(missing, 0u) << "of " << tested;
}

TEST(NoFalseNegative, InBuildersOfEverySize) {
  OnEveryTarget([](const char*) {
    for (const Layout layout : LayoutsOfBuilders()) {
      for (size_t size = 0; size <= 300; size += size < 70 ? 1 : 23) {
        const std::vector<uint64_t> keys = RandomHashes(size, size);
        const std::string image = Build(Options(layout, 10, size), keys);
        const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
        ASSERT_TRUE(view.status().ok()) << view.status().message();
        EXPECT_EQ(Missing(view, keys), 0u) << size;
        EXPECT_EQ(view.empty_set(), size == 0);
        EXPECT_TRUE(size != 0 || !view.MayContainKey(1));
      }
    }
  });
}

TEST(NoFalseNegative, OfStringsOfEveryLength) {
  for (const Layout layout : LayoutsOfBuilders()) {
    FilterBuilder builder(Options(layout, 12, 5));
    std::string text;
    std::vector<std::string> keys;
    for (int length = 0; length <= 600; ++length) {
      keys.push_back(text);
      text.push_back(static_cast<char>(length * 7));
    }
    for (const std::string& key : keys) builder.AddKey(key);
    const std::string image = Finish(&builder);
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    for (const std::string& key : keys) EXPECT_TRUE(view.MayContainKey(key)) << key.size();
  }
}

}  // namespace
}  // namespace linefilter::test
