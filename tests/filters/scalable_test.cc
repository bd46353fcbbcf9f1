// linefilter/scalable.h: a filter that grows, keeps its bound whatever comes, and never loses a key.
#include "linefilter/scalable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/filters/growth.h"
#include "lib/image/container_writer.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"

namespace linefilter {
namespace {

using test::RandomHashes;
using test::TestAllocator;

FilterOptions Fpr(double fpr) {
  FilterOptions options;
  options.fpr = fpr;
  return options;
}

GrowthOptions UpTo(uint64_t max_growth) {
  GrowthOptions growth;
  growth.max_growth = max_growth;
  return growth;
}

ScalableFilter Make(uint64_t first_capacity, const FilterOptions& options, uint64_t max_growth = 0) {
  ScalableFilter filter;
  const Status status = filter.Create(first_capacity, options, UpTo(max_growth));
  EXPECT_TRUE(status.ok()) << status.message();
  return filter;
}

std::string ImageOf(const ScalableFilter& filter) {
  std::string image;
  const Status status = filter.AppendImage(&image);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

uint64_t BytesOfOne(uint64_t num_keys, double fpr) {
  Sizing sizing;
  EXPECT_TRUE(SizeForFpr(Layout::kBlocked, num_keys, fpr, &sizing).ok());
  return sizing.body_bytes;
}

void ExpectBroken(ScalableFilter& filter) {
  EXPECT_TRUE(filter.MayContainKey("anything"));
  EXPECT_TRUE(filter.MayContainHash(0));
  EXPECT_EQ(filter.CountMaybes(RandomHashes(100, 1).data(), 100), 100u);
  EXPECT_TRUE(filter.Probe(filter.Prepare(MixHash(5)))) << "nothing is touched";
  EXPECT_FALSE(filter.InsertKey("anything"));
  EXPECT_FALSE(filter.InsertHash(7));
  EXPECT_EQ(filter.InsertHashes(RandomHashes(100, 1).data(), 100), 0u);
  filter.Clear();
  EXPECT_EQ(filter.layout(), Layout::kAuto);
  EXPECT_EQ(filter.num_stages(), 0u);
  EXPECT_EQ(filter.stage(0).capacity, 0u);
  EXPECT_EQ(filter.num_keys(), 0u);
  EXPECT_EQ(filter.body_bytes(), 0u);
  EXPECT_EQ(filter.ImageBytes(), 0u);
  EXPECT_EQ(filter.MemoryUse(), sizeof(ScalableFilter));
  EXPECT_EQ(filter.growth_status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(filter.KeyStatus().ok());
  std::string image = "x";
  EXPECT_FALSE(filter.AppendImage(&image).ok()) << "a broken filter has no image that could say absent";
  EXPECT_EQ(image, "x");
  EXPECT_FALSE(filter.Save("/no/such/folder/image").ok());
}

TEST(ScalableFilterTest, AnswersMaybeBeforeCreate) {
  ScalableFilter filter;
  ExpectBroken(filter);
}

TEST(ScalableFilterTest, RefusesWhatIsNoBound) {
  ScalableFilter filter;
  const auto refuses = [&](const FilterOptions& options, StatusCode code, uint64_t max_growth = 0) {
    const Status status = filter.Create(100, options, UpTo(max_growth));
    EXPECT_EQ(status.code(), code) << status.message();
    ExpectBroken(filter);
  };
  refuses(FilterOptions(), StatusCode::kInvalidArgument);
  refuses(test::BitsPerKey(10), StatusCode::kInvalidArgument);
  refuses(Fpr(1), StatusCode::kInvalidArgument);
  refuses(Fpr(-0.1), StatusCode::kInvalidArgument);
  refuses(Fpr(1e-12), StatusCode::kInvalidArgument);
  refuses(Fpr(2e-8), StatusCode::kInvalidArgument, 1000);  // one filter can be so fine, the tenth stage cannot
  refuses(Fpr(2.5e-6), StatusCode::kInvalidArgument);      // nor the twentieth, where growth has no end
  FilterOptions options = Fpr(0.01);
  options.num_probes = 7;
  refuses(options, StatusCode::kInvalidArgument);
  options = Fpr(0.01);
  options.layout = Layout::kClassic;
  refuses(options, StatusCode::kInvalidArgument);
  options = Fpr(0.01);
  options.foldable = true;
  refuses(options, StatusCode::kInvalidArgument);  // what is made of stages cannot be folded
  options = Fpr(0.01);
  options.hash_id = HashId::kKeyed;
  refuses(options, StatusCode::kInvalidArgument);  // without a secret
  options = Fpr(0.01);
  options.memory_limit = 1000;
  refuses(options, StatusCode::kOverLimit);
  EXPECT_TRUE(filter.Create(0, Fpr(0.01)).ok()) << "0 keys count as 1";
  EXPECT_EQ(filter.stage(0).capacity, 1u);
  EXPECT_EQ(filter.Create(UINT64_MAX, Fpr(0.01)).code(), StatusCode::kInvalidArgument);
}

// A bound that ends the growth early is refused, and one that ends it late says so then: what to do is max_growth.
TEST(ScalableFilterTest, SaysHowFarAFineBoundGrows) {
  ScalableFilter filter;
  for (const double fpr : {1e-7, 2.5e-6}) {
    const std::string why = filter.Create(1, Fpr(fpr)).message();
    EXPECT_NE(why.find("set max_growth"), std::string::npos) << why;
    EXPECT_EQ(why.find(" of 1 "), std::string::npos) << why;
  }
  EXPECT_TRUE(filter.Create(1, Fpr(1e-7), UpTo(3)).ok());
  EXPECT_TRUE(filter.Create(1, Fpr(2.5e-6), UpTo(1 << 20)).ok());
  const std::string limited = filter.Create(1, Fpr(1e-7), UpTo(1000)).message();
  EXPECT_NE(limited.find("of 10 "), std::string::npos) << limited;
  EXPECT_NE(limited.find("set a lower max_growth"), std::string::npos) << limited;

  // Of an image whose newest stage is full: without an end, but no further.
  std::vector<uint8_t> bodies(64 * 64);
  for (const bool is_fine : {true, false}) {
    internal::GrowthPlan plan;
    plan.fpr = is_fine ? 1e-7 : 0.01;
    uint8_t growth[internal::kScalableGrowthBytes];
    internal::StoreGrowth(plan, growth);
    internal::ContainerStage stages[64];
    internal::Container container;
    container.stages = stages;
    container.num_stages = is_fine ? 2 : 64;
    for (uint32_t i = 0; i < container.num_stages; ++i) stages[i] = {bodies.data() + 64 * i, 1, i == 1 ? 2u : 0u, 7};
    container.growth = growth;
    container.growth_bytes = sizeof(growth);
    std::string image(internal::ContainerBytes(container), 'x');
    ASSERT_TRUE(internal::WriteContainerTo(container, &image[0], image.size()).ok());
    ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
    EXPECT_TRUE(filter.growth_status().ok());
    EXPECT_TRUE(filter.InsertHash(MixHash(1)));
    const std::string why = filter.growth_status().message();
    EXPECT_EQ(why.find("set max_growth") != std::string::npos, is_fine) << why;
  }
}

TEST(ScalableFilterTest, DoublesWhenItIsFullAndNotSooner) {
  ScalableFilter filter = Make(100, Fpr(0.01));
  const std::vector<uint64_t> hashes = RandomHashes(3000, 1);
  uint64_t num_new = 0;
  for (const uint64_t hash : hashes) {
    const uint64_t keys = filter.num_keys();
    const bool known = filter.MayContainHash(hash);
    ASSERT_EQ(filter.InsertHash(hash), !known);
    num_new += !known;
    ASSERT_EQ(filter.num_keys(), num_new);
    ASSERT_TRUE(filter.MayContainHash(hash));
    uint32_t stages = 1;  // for so many keys: 100, 300, 700, ...
    while (100 * ((uint64_t{1} << stages) - 1) < num_new) ++stages;
    ASSERT_EQ(filter.num_stages(), stages) << keys;
  }
  EXPECT_EQ(filter.layout(), Layout::kContainer);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < filter.num_stages(); ++i) {
    const StageFacts facts = filter.stage(i);
    EXPECT_EQ(facts.capacity, uint64_t{100} << i);
    EXPECT_EQ(facts.num_keys, i + 1 < filter.num_stages() ? facts.capacity : num_new - 100 * ((1u << i) - 1));
    EXPECT_LE(ExpectedFpr(Layout::kBlocked, facts.capacity, 64 * facts.num_blocks, facts.num_probes), facts.fpr);
    bytes += 64 * facts.num_blocks;
  }
  EXPECT_EQ(filter.body_bytes(), bytes);
  EXPECT_GT(filter.MemoryUse(), bytes);
  EXPECT_TRUE(filter.growth_status().ok());
  EXPECT_EQ(filter.fpr(), 0.01);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

// Keys that were seen before fill nothing, be they in the newest stage or in the oldest.
TEST(ScalableFilterTest, CountsOnlyKeysThatAreCertainlyNew) {
  ScalableFilter filter = Make(1000, Fpr(0.001));
  const std::vector<uint64_t> hashes = RandomHashes(2500, 2);
  filter.InsertHashes(hashes.data(), hashes.size());
  const std::string image = ImageOf(filter);
  const uint64_t keys = filter.num_keys();
  for (int again = 0; again < 20; ++again) {
    EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size()), 0u);
    for (size_t i = 0; i < 100; ++i) ASSERT_FALSE(filter.InsertHash(hashes[i]));
  }
  EXPECT_EQ(filter.num_keys(), keys);
  EXPECT_EQ(filter.num_stages(), 2u);
  EXPECT_TRUE(ImageOf(filter) == image) << "not a bit is set by them";
}

// In groups of any size, with repeated keys, while stages of 1, 2, 4, ... keys open within a group.
TEST(ScalableFilterTest, InsertsABatchAsIfOneByOne) {
  for (const uint64_t first : {1u, 3u, 100u, 5000u}) {
    for (const uint64_t max_growth : {0u, 7u}) {  // the latter ends within the batch
      const size_t n = 20000;
      std::vector<uint64_t> hashes = RandomHashes(n, first);
      for (size_t i = 5; i < n; i += 5) hashes[i] = hashes[i % 3 == 0 ? i - i % 4 : i / 2];
      ScalableFilter single = Make(first, Fpr(0.02), max_growth), batch = Make(first, Fpr(0.02), max_growth),
                     pieces = Make(first, Fpr(0.02), max_growth);
      std::vector<uint8_t> expected(n + 1, 7), were_new(n + 1, 7);
      uint64_t num_new = 0, in_pieces = 0;
      for (size_t i = 0; i < n; ++i) num_new += expected[i] = single.InsertHash(hashes[i]);
      EXPECT_EQ(batch.InsertHashes(hashes.data(), n, were_new.data()), num_new);
      EXPECT_EQ(were_new, expected) << first << ", and no byte more";
      for (size_t done = 0, size = 0; done < n; done += size, size = size * 3 + 1) {
        size = std::min(size, n - done);
        in_pieces += pieces.InsertHashes(hashes.data() + done, size);
      }
      EXPECT_EQ(in_pieces, num_new);
      EXPECT_TRUE(ImageOf(batch) == ImageOf(single)) << first;
      EXPECT_TRUE(ImageOf(pieces) == ImageOf(single)) << first;
      EXPECT_EQ(single.num_keys(), num_new);
      EXPECT_EQ(single.growth_status().ok(), max_growth == 0 || first == 5000);
      EXPECT_EQ(batch.CountMaybes(hashes.data(), n), n) << "nothing is lost";
    }
  }
}

// The promise: a thousandfold, at any bound, with room left in the bound, in ten stages, and no more memory than said.
TEST(ScalableFilterTest, KeepsItsBoundGrownAThousandfold) {
  struct Case {
    double fpr;
    uint64_t first_capacity, max_growth;
  };
  for (const Case& c : {Case{1e-2, 1000, 1000}, Case{1e-2, 1000, 0}, Case{1e-3, 300, 1000}, Case{1e-4, 300, 1000},
                        Case{1e-1, 50, 0}, Case{1e-2, 1, 0}}) {
    // An emulator gets smaller ones, of which whole blocks take more than was promised.
    const bool is_fast = test::Effort() == 1;
    const uint64_t first_capacity = is_fast ? c.first_capacity : (c.first_capacity + 9) / 10;
    ScalableFilter filter = Make(first_capacity, Fpr(c.fpr), c.max_growth);
    // Members have the lowest bit set, absent keys have not: XXH3 makes hashes of both.
    const uint64_t most = 1023 * first_capacity;
    double worst = 0;
    uint32_t stages = 1;
    uint64_t key = 1;
    for (; filter.num_keys() < most; key += 2) {
      filter.InsertKey(key);
      if (filter.num_stages() == stages) continue;
      stages = filter.num_stages();  // the worst moment: room for twice as many
      worst = std::max(
          worst, static_cast<double>(filter.body_bytes()) / static_cast<double>(BytesOfOne(filter.num_keys(), c.fpr)));
    }
    EXPECT_EQ(filter.num_stages(), 10u);
    EXPECT_TRUE(filter.growth_status().ok());
    for (uint64_t member = 1; member < key; member += 2) ASSERT_TRUE(filter.MayContainKey(member)) << member;
    if (is_fast && c.max_growth == 1000) {
      EXPECT_LE(static_cast<double>(filter.body_bytes()),
                1.9 * static_cast<double>(BytesOfOne(filter.num_keys(), c.fpr)));
      EXPECT_LE(worst, 4);
    }
    double passes = 1;
    for (uint32_t i = 0; i < filter.num_stages(); ++i) {
      const StageFacts facts = filter.stage(i);
      EXPECT_EQ(facts.num_keys, facts.capacity);
      passes *= 1 - ExpectedFpr(Layout::kBlocked, facts.num_keys, 64 * facts.num_blocks, facts.num_probes);
    }
    EXPECT_LE(1 - passes, c.fpr);

    // Measured: the rate is below the bound by kSigmas of the questions, and about what the model says.
    const uint64_t questions = static_cast<uint64_t>(std::max(1000.0, 3000 / c.fpr * test::Effort()));
    uint64_t maybes = 0;
    for (uint64_t i = 0; i < questions; ++i) maybes += filter.MayContainKey((i + 1) << 20);
    const double measured = static_cast<double>(maybes) / static_cast<double>(questions),
                 error = test::kSigmas * std::sqrt(c.fpr / static_cast<double>(questions));
    EXPECT_LE(measured, filter.ExpectedFpr() * 1.0001 + error) << c.fpr;
    EXPECT_GE(measured, filter.ExpectedFpr() * 0.9999 - error) << c.fpr;
    EXPECT_LE(measured, c.fpr + error) << c.fpr;
  }
}

// The bits of the first stages, which have most of the bound, scatter: so the mean of many filters, each full.
TEST(ScalableFilterTest, ItsMeanRateIsBelowTheBound) {
  struct Case {
    double fpr;
    uint64_t first_capacity, max_growth;
  };
  for (const Case& c : {Case{0.3, 2000, 7}, Case{0.1, 2000, 7}, Case{1e-2, 2000, 7}, Case{1e-3, 2000, 7}}) {
    test::MeanOfTrials rate;
    const int trials = test::Effort() == 1 ? 64 : 8;
    for (int trial = 0; trial < trials; ++trial) {
      ScalableFilter filter = Make(c.first_capacity, Fpr(c.fpr), c.max_growth);
      const uint64_t most = c.first_capacity * c.max_growth;
      test::Random random(1000 + static_cast<uint64_t>(trial));
      while (filter.num_keys() < most) filter.InsertHash(random());
      EXPECT_TRUE(filter.growth_status().ok());
      rate.Add(filter.ExpectedFpr());
    }
    EXPECT_LE(rate.mean(), c.fpr + (c.fpr < 0.1 ? 3 * rate.error() : 0)) << c.fpr;
    EXPECT_GE(rate.mean(), 0.9 * c.fpr) << c.fpr << ": and no bits are wasted";
  }
}

TEST(ScalableFilterTest, AtTheEndOfMaxGrowthItTakesKeysStill) {
  ScalableFilter filter = Make(64, Fpr(0.01), 3);  // 64 + 128
  const std::vector<uint64_t> hashes = RandomHashes(1000, 5);
  size_t i = 0;
  while (filter.num_keys() < 192) filter.InsertHash(hashes[i++]);
  EXPECT_TRUE(filter.growth_status().ok()) << "full, and every key had room";
  while (!filter.InsertHash(hashes[i++])) {
  }
  EXPECT_EQ(filter.growth_status().code(), StatusCode::kOverLimit);
  EXPECT_NE(std::string(filter.growth_status().message()).find("max_growth"), std::string::npos);
  filter.InsertHashes(hashes.data() + i, hashes.size() - i);
  EXPECT_EQ(filter.num_stages(), 2u);
  EXPECT_GT(filter.stage(1).num_keys, filter.stage(1).capacity);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_EQ(filter.growth().max_growth, 3u);
  const std::string image = ImageOf(filter);
  ScalableFilter opened;
  ASSERT_TRUE(opened.CreateFromImage(image.data(), image.size()).ok());
  EXPECT_EQ(opened.growth_status().code(), StatusCode::kOverLimit) << "before the next key, too";
}

TEST(ScalableFilterTest, GrowsWithinItsMemoryLimit) {
  const ScalableFilter unlimited = Make(1000, Fpr(0.01));
  FilterOptions options = Fpr(0.01);
  const std::vector<uint64_t> hashes = RandomHashes(20000, 6);
  ScalableFilter grown = Make(1000, options);
  for (size_t i = 0; grown.num_stages() < 4; ++i) grown.InsertHash(hashes[i]);
  for (const uint64_t less : {0u, 1u}) {
    options.memory_limit = grown.MemoryUse() - less;
    ScalableFilter filter = Make(1000, options);
    filter.InsertHashes(hashes.data(), hashes.size());
    EXPECT_EQ(filter.num_stages(), 4 - less);
    EXPECT_LE(filter.MemoryUse(), options.memory_limit);
    EXPECT_EQ(filter.growth_status().code(), StatusCode::kOverLimit) << filter.growth_status().message();
    EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
    ScalableFilter single = Make(1000, options);
    for (const uint64_t hash : hashes) single.InsertHash(hash);
    EXPECT_TRUE(ImageOf(single) == ImageOf(filter));
  }
  EXPECT_EQ(grown.memory_limit(), kNoMemoryLimit);
  EXPECT_EQ(Make(1000, options).memory_limit(), options.memory_limit);
  const Status over = [&] {
    ScalableFilter filter = Make(1000, options);
    filter.InsertHashes(hashes.data(), hashes.size());
    return filter.growth_status();
  }();
  EXPECT_EQ(std::string(over.message()).find("bits per key"), std::string::npos) << over.message();
  options.memory_limit = unlimited.MemoryUse() - 1;
  ScalableFilter filter;
  EXPECT_EQ(filter.Create(1000, options).code(), StatusCode::kOverLimit);
  ExpectBroken(filter);
}

TEST(ScalableFilterTest, LosesNothingWhenMemoryRunsOut) {
  const std::vector<uint64_t> hashes = RandomHashes(12000, 7);
  for (uint64_t fail_from = 0; fail_from < 6; ++fail_from) {
    TestAllocator memory;
    FilterOptions options = Fpr(0.01);
    options.allocator = memory.hooks();
    ScalableFilter filter;
    memory.FailFrom(fail_from);
    const Status created = filter.Create(500, options);
    if (fail_from < 2) {
      EXPECT_EQ(created.code(), StatusCode::kOutOfMemory);
      ExpectBroken(filter);
      EXPECT_EQ(memory.live_bytes(), 0u);
      continue;
    }
    ASSERT_TRUE(created.ok());
    // 500, 1500, 3500, 7500 keys are the ends of stages; the first stage that cannot be opened comes after them.
    const size_t room = 500 * ((size_t{1} << (fail_from - 1)) - 1), over = room + room / 5, all = room + room / 2;
    filter.InsertHashes(hashes.data(), over);
    EXPECT_EQ(filter.num_stages(), fail_from - 1);
    EXPECT_EQ(filter.growth_status().code(), StatusCode::kOutOfMemory) << filter.growth_status().message();
    EXPECT_EQ(filter.CountMaybes(hashes.data(), over), over);
    EXPECT_EQ(filter.MemoryUse(), memory.live_bytes() + sizeof(filter));
    EXPECT_LT(memory.num_allocations(), 20u) << "memory is not asked for with every key";
    // It is there again: the next stage is opened before another sixteenth of the stage has come.
    memory.FailFrom(TestAllocator::kNever);
    filter.InsertHashes(hashes.data() + over, all - over);
    EXPECT_EQ(filter.num_stages(), fail_from);
    EXPECT_EQ(filter.CountMaybes(hashes.data(), all), all);
    // The stage before took too many: the bound is not kept, however much room there is now.
    const Status status = filter.growth_status();
    EXPECT_EQ(status.code(), StatusCode::kOverLimit);
    const StageFacts overfull = filter.stage(static_cast<uint32_t>(fail_from) - 2);
    EXPECT_GT(overfull.num_keys, overfull.capacity);
    const std::string why = status.message();
    EXPECT_NE(why.find("stage " + std::to_string(fail_from - 1) + " of"), std::string::npos) << why;
    EXPECT_NE(why.find(std::to_string(overfull.num_keys) + " keys"), std::string::npos) << why;
    EXPECT_NE(why.find(std::to_string(overfull.capacity)), std::string::npos) << why;
    const std::string image = ImageOf(filter);
    ScalableFilter opened;
    ASSERT_TRUE(opened.CreateFromImage(image.data(), image.size()).ok());
    EXPECT_EQ(opened.growth_status().message(), why) << "nor by who opens its image";
    filter.Clear();
    EXPECT_TRUE(filter.growth_status().ok());
  }
}

TEST(ScalableFilterTest, ClearsToTheFirstStage) {
  TestAllocator memory;
  FilterOptions options = Fpr(0.01);
  options.allocator = memory.hooks();
  ScalableFilter filter = Make(100, options, 4);
  const std::string fresh = ImageOf(filter);
  const uint64_t bytes = memory.live_bytes();
  const std::vector<uint64_t> hashes = RandomHashes(5000, 8);
  filter.InsertHashes(hashes.data(), hashes.size());
  const std::string full = ImageOf(filter);
  filter.Clear();
  EXPECT_EQ(filter.num_stages(), 1u);
  EXPECT_EQ(filter.num_keys(), 0u);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), 0u);
  EXPECT_EQ(memory.live_bytes(), bytes);
  EXPECT_TRUE(filter.growth_status().ok());
  EXPECT_TRUE(ImageOf(filter) == fresh);
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_TRUE(ImageOf(filter) == full);
}

TEST(ScalableFilterTest, MovesWithAllItsStages) {
  TestAllocator memory;
  FilterOptions options = Fpr(0.01);
  options.allocator = memory.hooks();
  const std::vector<uint64_t> hashes = RandomHashes(1000, 9);
  ScalableFilter from = Make(10, options);
  from.InsertHashes(hashes.data(), hashes.size());
  const std::string image = ImageOf(from);
  ScalableFilter to(std::move(from));
  ExpectBroken(from);
  EXPECT_TRUE(ImageOf(to) == image);
  ScalableFilter other = Make(10, options);
  other = std::move(to);
  ExpectBroken(to);
  EXPECT_TRUE(ImageOf(other) == image);
  EXPECT_EQ(other.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_GT(other.InsertHashes(RandomHashes(1000, 10).data(), 1000), 900u) << "and grows on";
  ScalableFilter& same = other;
  other = std::move(same);
  EXPECT_EQ(other.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

TEST(ScalableFilterTest, TakesEveryHash) {
  FilterOptions keyed = Fpr(0.01), seeded = Fpr(0.01), caller = Fpr(0.01);
  keyed.hash_id = HashId::kKeyed;
  keyed.secret.bytes[3] = 1;
  seeded.seed = 99;
  caller.hash_id = HashId::kCaller;
  for (const FilterOptions& options : {keyed, seeded}) {
    ScalableFilter by_key = Make(10, options), by_hash = Make(10, options);
    for (uint64_t key = 0; key < 500; ++key) {
      const std::string name = "key " + std::to_string(key);
      const bool is_keyed = options.hash_id == HashId::kKeyed;
      EXPECT_EQ(by_key.InsertKey(name),
                by_hash.InsertHash(is_keyed ? KeyedHash(name, options.secret) : HashKey(name, options.seed)));
      EXPECT_EQ(by_key.InsertKey(key),
                by_hash.InsertHash(is_keyed ? KeyedHash(key, options.secret) : HashKey(key, options.seed)));
      ASSERT_TRUE(by_key.MayContainKey(name));
      ASSERT_TRUE(by_key.MayContainKey(key));
    }
    EXPECT_TRUE(by_key.KeyStatus().ok());
    EXPECT_TRUE(ImageOf(by_key) == ImageOf(by_hash));
  }
  ScalableFilter filter = Make(10, caller);
  EXPECT_FALSE(filter.InsertKey("key")) << "a filter of the caller's hashes ignores keys";
  EXPECT_EQ(filter.num_keys(), 0u);
  EXPECT_TRUE(filter.MayContainKey("key"));
  EXPECT_TRUE(filter.InsertHash(MixHash(1)));
}

TEST(ScalableFilterTest, WritesOneImageInEveryWay) {
  const test::TempDir dir;
  for (const size_t keys : {0u, 5u, 300u, 30000u}) {
    ScalableFilter filter = Make(20, Fpr(0.01));
    const std::vector<uint64_t> hashes = RandomHashes(keys, 11);
    filter.InsertHashes(hashes.data(), keys);
    std::string image = "head";
    ASSERT_TRUE(filter.AppendImage(&image).ok());
    ASSERT_EQ(image.substr(0, 4), "head");
    image.erase(0, 4);
    EXPECT_EQ(image.size(), filter.ImageBytes());
    std::string by_sink, by_buffer(image.size(), 'x');
    ASSERT_TRUE(filter
                    .WriteImage({[](void* to, const void* data, size_t size) noexcept {
                                   static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
                                   return true;
                                 },
                                 &by_sink})
                    .ok());
    ASSERT_TRUE(filter.WriteImageTo(&by_buffer[0], by_buffer.size()).ok());
    EXPECT_TRUE(by_sink == image);
    EXPECT_TRUE(by_buffer == image);
    EXPECT_EQ(filter.WriteImageTo(&by_buffer[0], image.size() - 1).code(), StatusCode::kInvalidArgument);
    ASSERT_TRUE(filter.Save(dir.File("image").c_str()).ok());
    EXPECT_TRUE(test::ReadFile(dir.File("image")) == image);

    const FilterView view(image.data(), image.size());
    ASSERT_TRUE(view.Verify().ok()) << view.Verify().message();
    EXPECT_EQ(view.layout(), Layout::kContainer);
    EXPECT_EQ(view.body_bytes(), filter.body_bytes());
    EXPECT_EQ(view.CountMaybes(hashes.data(), keys), keys);
    const std::vector<uint64_t> others = RandomHashes(10000, 12);
    std::vector<uint8_t> here(others.size()), there(others.size());
    filter.MayContainHashes(others.data(), others.size(), here.data());
    view.MayContainHashes(others.data(), others.size(), there.data());
    EXPECT_EQ(here, there);
    EXPECT_EQ(view.ExpectedFpr(), filter.ExpectedFpr());
    EXPECT_EQ(view.FillRatio(), filter.FillRatio());
    EXPECT_EQ(view.EstimatedKeys(), filter.EstimatedKeys());
    EXPECT_EQ(view.has_num_keys() ? view.num_keys() : filter.num_keys(), filter.num_keys());
  }
}

// Chunks that one stage has are written from where they lie: beside the trailer, one chunk is enough.
TEST(ScalableFilterTest, TakesLittleMemoryToWriteItsImage) {
  TestAllocator memory;
  FilterOptions options = Fpr(0.01);
  options.allocator = memory.hooks();
  ScalableFilter filter = Make(1000, options);
  const std::vector<uint64_t> hashes = RandomHashes(1000000, 21);
  filter.InsertHashes(hashes.data(), hashes.size());
  ASSERT_GT(filter.body_bytes(), uint64_t{2} << 20);
  const std::string image = ImageOf(filter);
  const uint64_t before = memory.peak_bytes();
  EXPECT_EQ(before, memory.live_bytes());
  struct To {
    std::string image;
    size_t largest = 0;
  } to;
  const Status written = filter.WriteImage({[](void* context, const void* data, size_t size) noexcept {
                                              To& into = *static_cast<To*>(context);
                                              into.image.append(static_cast<const char*>(data), size);
                                              into.largest = std::max(into.largest, size);
                                              return true;
                                            },
                                            &to});
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_TRUE(to.image == image);
  EXPECT_LE(to.largest, size_t{1} << 20);
  EXPECT_LE(memory.peak_bytes() - before, (64 << 10) + image.size() / 16384 + 4096);
}

TEST(ScalableFilterTest, ExpectsTheSmallestRateToo) {
  ScalableFilter filter = Make(10000, Fpr(1e-4));
  filter.InsertHash(MixHash(1));
  const double in_block_hashes = std::ldexp(1 / static_cast<double>(filter.stage(0).num_blocks), -32);
  EXPECT_GE(filter.ExpectedFpr(), in_block_hashes);
  EXPECT_LT(filter.ExpectedFpr(), in_block_hashes * 1.0001);
}

// Made of an image at any moment, it goes on as the original: the same answers, the same bytes.
TEST(ScalableFilterTest, GoesOnWhereItsImageStopped) {
  FilterOptions keyed = Fpr(0.01), plain = Fpr(0.003);
  keyed.hash_id = HashId::kKeyed;
  keyed.secret.bytes[0] = 7;
  for (const FilterOptions& options : {plain, keyed}) {
    for (const uint64_t max_growth : {0u, 12u}) {
      const std::vector<uint64_t> hashes = RandomHashes(2000, 13);
      for (const size_t before : {0u, 1u, 49u, 50u, 51u, 150u, 151u, 700u, 1500u}) {
        ScalableFilter original = Make(50, options, max_growth), copy;
        original.InsertHashes(hashes.data(), before);
        const std::string odd = "x" + ImageOf(original);
        FilterOptions opened;
        opened.hash_id = options.hash_id;
        opened.secret = options.secret;
        const Status made = copy.CreateFromImage(&odd[1], odd.size() - 1, opened);
        ASSERT_TRUE(made.ok()) << made.message();
        EXPECT_TRUE(ImageOf(copy) == odd.substr(1));
        EXPECT_EQ(copy.num_keys(), original.num_keys());
        EXPECT_EQ(copy.num_stages(), original.num_stages());
        EXPECT_EQ(copy.fpr(), original.fpr());
        EXPECT_EQ(copy.growth().max_growth, max_growth);
        EXPECT_EQ(copy.MemoryUse(), original.MemoryUse());
        std::vector<uint8_t> here(hashes.size() - before), there(hashes.size() - before);
        original.InsertHashes(hashes.data() + before, here.size(), here.data());
        copy.InsertHashes(hashes.data() + before, there.size(), there.data());
        EXPECT_EQ(here, there);
        EXPECT_TRUE(ImageOf(copy) == ImageOf(original)) << before;
        EXPECT_EQ(copy.growth_status().code(), original.growth_status().code());
      }
    }
  }
}

TEST(ScalableFilterTest, IsMadeOfItsOwnImagesOnly) {
  ScalableFilter grown = Make(100, Fpr(0.01));
  const std::vector<uint64_t> hashes = RandomHashes(20000, 14);
  grown.InsertHashes(hashes.data(), hashes.size());
  const std::string image = ImageOf(grown);
  ScalableFilter filter;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size() - 1).code(), StatusCode::kCorrupt);
  ExpectBroken(filter);
  std::string damaged = image;
  damaged[100] ^= 1;
  EXPECT_EQ(filter.CreateFromImage(damaged.data(), damaged.size()).code(), StatusCode::kCorrupt) << "it is verified";
  ExpectBroken(filter);
  BlockedFilter blocked;
  ASSERT_TRUE(blocked.Create(100, Fpr(0.01)).ok());
  std::string other;
  ASSERT_TRUE(blocked.AppendImage(&other).ok());
  EXPECT_EQ(filter.CreateFromImage(other.data(), other.size()).code(), StatusCode::kIncompatible);
  FilterOptions options;
  options.memory_limit = grown.MemoryUse() - 1;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), options).code(), StatusCode::kOverLimit);
  ExpectBroken(filter);
  options.memory_limit = grown.MemoryUse();
  EXPECT_TRUE(filter.CreateFromImage(image.data(), image.size(), options).ok());
  options.hash_id = HashId::kKeyed;
  options.secret.bytes[0] = 1;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), options).code(), StatusCode::kIncompatible);
  filter = ScalableFilter();
  for (uint64_t n = 0; n < 12; ++n) {
    TestAllocator memory;
    FilterOptions failing;
    failing.allocator = memory.hooks();
    memory.FailFrom(n);
    const Status made = filter.CreateFromImage(image.data(), image.size(), failing);
    if (made.ok()) {
      EXPECT_GE(n, 1u + grown.num_stages());
      EXPECT_TRUE(ImageOf(filter) == image);
    } else {
      EXPECT_EQ(made.code(), StatusCode::kOutOfMemory);
      ExpectBroken(filter);
      EXPECT_EQ(memory.live_bytes(), 0u);
    }
    filter = ScalableFilter();
  }
}

// With a right check: nothing but the field is wrong. (Its numbers: the next test.)
TEST(ScalableFilterTest, IsNotMadeOfAGrowthFieldOutOfRange) {
  const std::vector<uint8_t> body(64, 0);
  const internal::ContainerStage stage = {body.data(), 1, 0, 7};
  ScalableFilter filter;
  const auto expect = [&](const std::vector<uint8_t>& growth, uint32_t num_stages, StatusCode code, const char* what) {
    internal::Container container;
    container.stages = &stage;
    container.num_stages = num_stages;
    container.growth = growth.data();
    container.growth_bytes = growth.size();
    std::string image(static_cast<size_t>(internal::ContainerBytes(container)), 'x');
    ASSERT_TRUE(internal::WriteContainerTo(container, &image[0], image.size()).ok());
    EXPECT_TRUE(FilterView(image.data(), image.size()).Verify().ok()) << "a view can be had all the same: " << what;
    filter = ScalableFilter();
    EXPECT_EQ(filter.CreateFromImage(image.data(), image.size()).code(), code) << what;
    if (code != StatusCode::kOk) ExpectBroken(filter);
  };
  internal::GrowthPlan plan;
  plan.fpr = 0.01;
  plan.first_capacity = 10;
  std::vector<uint8_t> good(internal::kScalableGrowthBytes);
  internal::StoreGrowth(plan, good.data());
  expect(good, 1, StatusCode::kOk, "all right");
  expect(good, 0, StatusCode::kIncompatible, "no stage to go on from");
  for (const int kind : {0, 2, 3, 255}) {
    std::vector<uint8_t> growth = good;
    growth[0] = static_cast<uint8_t>(kind);
    expect(growth, 1, StatusCode::kIncompatible, "kind");
  }
  for (size_t at = 1; at < 8; ++at) {
    std::vector<uint8_t> growth = good;
    growth[at] = 1;
    expect(growth, 1, StatusCode::kIncompatible, "a byte that is to be 0");
  }
  for (const size_t size : {0u, 1u, 8u, 31u, 33u, 1024u}) {
    std::vector<uint8_t> growth = good;
    growth.resize(size);
    expect(growth, 1, StatusCode::kIncompatible, "length");
  }
}

// Whatever plan and counts an image claims: it is refused, or goes on without losing a key.
TEST(ScalableFilterTest, GoesOnFromAnyPlanThatAnImageClaims) {
  const std::vector<uint64_t> hashes = RandomHashes(3000, 15);
  const double bounds[] = {0.01, 1e-300, 0.999999, 0, 1, -1, HUGE_VAL, std::nan("")};
  const uint64_t numbers[] = {0, 1, 2, 512, 513, uint64_t{1} << 40, UINT64_MAX - 1, UINT64_MAX};
  std::vector<uint8_t> bodies(64 * internal::kMaxStages);
  int made = 0, refused = 0;
  for (const double bound : bounds) {
    for (const uint64_t first_capacity : numbers) {
      for (const uint64_t num_keys : numbers) {
        for (const uint32_t num_stages : {1u, 2u, internal::kMaxStages}) {
          internal::GrowthPlan plan;
          plan.fpr = bound;
          plan.first_capacity = first_capacity;
          plan.max_growth = num_keys % 3;
          uint8_t growth[internal::kScalableGrowthBytes];
          internal::StoreGrowth(plan, growth);
          internal::ContainerStage stages[internal::kMaxStages];
          for (uint32_t i = 0; i < num_stages; ++i) stages[i] = {bodies.data() + 64 * i, 1, num_keys, 7};
          internal::Container container;
          container.stages = stages;
          container.num_stages = num_stages;
          container.growth = growth;
          container.growth_bytes = sizeof(growth);
          std::string image(internal::ContainerBytes(container), 'x');
          ASSERT_EQ(internal::WriteContainerTo(container, &image[0], image.size()).ok(), num_keys <= 512);
          if (num_keys > 512) continue;  // a body of one block has no bits for more: no image (states_test.cc)
          FilterOptions options;
          options.memory_limit = 1 << 20;
          ScalableFilter filter;
          const bool is_plan = bound > 0 && bound < 1 && first_capacity != 0;
          const Status status = filter.CreateFromImage(image.data(), image.size(), options);
          ASSERT_EQ(status.code(), is_plan ? StatusCode::kOk : StatusCode::kIncompatible) << status.message();
          (status.ok() ? made : refused) += 1;
          filter.InsertHashes(hashes.data(), hashes.size());
          ASSERT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
          ASSERT_LE(filter.body_bytes(), options.memory_limit);
        }
      }
    }
  }
  EXPECT_GT(made, 200);
  EXPECT_GT(refused, 100);
}

// 140 bytes that ask for gigabytes: a body of one block which claims to be a full stage of 2^31 keys. To a view it is
// what it is to the filter.
TEST(ScalableFilterTest, OpensNoHugeStageForATinyImage) {
  for (const uint64_t num_keys : {uint64_t{512}, uint64_t{513}, uint64_t{1} << 31, ~uint64_t{0}}) {
    internal::GrowthPlan plan;
    plan.fpr = 0.01;
    plan.first_capacity = num_keys;
    reference::Bytes growth(internal::kScalableGrowthBytes);
    internal::StoreGrowth(plan, growth.data());
    reference::Filter stage;
    stage.num_probes = 7;
    stage.body.resize(64);
    reference::Filter container = reference::MakeContainer({stage}, {num_keys});
    container.extensions.push_back({reference::kGrowth, growth});
    const reference::Bytes image = reference::WriteImage(container);
    const StatusCode code = num_keys == 512 ? StatusCode::kOk : StatusCode::kCorrupt;
    EXPECT_EQ(FilterView(image.data(), image.size()).status().code(), code);
    reference::Filter read;
    EXPECT_EQ(reference::ReadImage(image.data(), image.size(), &read), code == StatusCode::kOk);
    TestAllocator memory;
    FilterOptions options;
    options.allocator = memory.hooks();
    ScalableFilter filter;
    EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), options).code(), code);
    filter.InsertHash(MixHash(1));
    EXPECT_LE(memory.peak_bytes(), 10000u) << num_keys;
  }
}

}  // namespace
}  // namespace linefilter
