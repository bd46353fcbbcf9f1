// Growth ends where a bound, a limit or the memory does; no key is lost there, and the filter says that it is full. An
// image that claims more keys than came grows nevertheless.
#include "tests/filters/scalable_test.h"

namespace linefilter::test {
namespace {

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
  for (const bool is_fine : {true, false}) {
    std::vector<uint64_t> num_keys(is_fine ? 2 : 64, 0);
    num_keys[1] = 2;
    const reference::Bytes image = Claim(num_keys, GrowthOf(is_fine ? 1e-7 : 0.01, 1));
    ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
    EXPECT_TRUE(filter.growth_status().ok());
    EXPECT_TRUE(filter.InsertHash(MixHash(1)));
    const std::string why = filter.growth_status().message();
    EXPECT_EQ(why.find("set max_growth") != std::string::npos, is_fine) << why;
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
  ScalableFilter opened = FromImage<ScalableFilter>(image);
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
    ScalableFilter filter;
    memory.FailFrom(fail_from);
    const Status created = filter.Create(500, memory.WithHooks(Fpr(0.01)));
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
    ScalableFilter opened = FromImage<ScalableFilter>(image);
    EXPECT_EQ(opened.growth_status().message(), why) << "nor by who opens its image";
    filter.Clear();
    EXPECT_TRUE(filter.growth_status().ok());
  }
}

TEST(ScalableFilterTest, ClearsToTheFirstStage) {
  TestAllocator memory;
  ScalableFilter filter = Make(100, memory.WithHooks(Fpr(0.01)), 4);
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

// --- An image that claims more keys than came ---

TEST(ScalableClaims, AStageThatClaimsAllItsBitsGrows) {
  const std::vector<uint64_t> hashes = RandomHashes(3000, 1);
  for (const bool batch : {false, true}) {
    for (const uint64_t num_keys : {uint64_t{512}, uint64_t{511}}) {
      SCOPED_TRACE(num_keys);
      const reference::Bytes image = Claim(num_keys, 1000);
      ScalableFilter filter = FromImage<ScalableFilter>(image);
      if (batch) {
        filter.InsertHashes(hashes.data(), 2);
        filter.InsertHashes(hashes.data(), hashes.size());
      } else {
        for (const uint64_t hash : hashes) filter.InsertHash(hash);
      }
      EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
      EXPECT_EQ(filter.num_stages(), 3u) << "2,000 keys in the second stage, the others in the third";
      const std::vector<uint64_t> others = RandomHashes(20000, 2);
      EXPECT_LE(filter.CountMaybes(others.data(), others.size()), 300u);
      EXPECT_TRUE(filter.growth_status().ok()) << filter.growth_status().message();
    }
  }
}

// Keys that come together open it at the same one of them as one by one.
TEST(ScalableClaims, ABatchGoesOverTheLastBitAsSingleKeysDo) {
  const reference::Bytes image = Claim(492, 1000);
  ScalableFilter one_by_one = FromImage<ScalableFilter>(image);
  ScalableFilter together = FromImage<ScalableFilter>(image);
  const std::vector<uint64_t> hashes = RandomHashes(40, 1);
  for (const uint64_t hash : hashes) one_by_one.InsertHash(hash);
  together.InsertHashes(hashes.data(), hashes.size());
  for (const ScalableFilter* filter : {&one_by_one, &together}) {
    EXPECT_EQ(filter->num_stages(), 2u);
    EXPECT_EQ(filter->stage(0).num_keys, 512u);
    EXPECT_EQ(filter->stage(1).num_keys, 20u);
  }
}

// Memory that comes back is used, though such a stage counts no further key.
TEST(ScalableClaims, AFullStageAsksForMemoryAgain) {
  const reference::Bytes image = Claim(511, 1000);
  TestAllocator memory;
  ScalableFilter filter = FromImage<ScalableFilter>(image, memory.WithHooks());
  const std::vector<uint64_t> hashes = RandomHashes(200, 1);
  memory.FailFrom(0);
  const uint64_t asked_before = memory.num_allocations();
  filter.InsertHashes(hashes.data(), 30);
  EXPECT_EQ(filter.num_stages(), 1u);
  EXPECT_EQ(memory.num_allocations(), asked_before + 1) << "not with every key";
  EXPECT_EQ(filter.growth_status().code(), StatusCode::kOutOfMemory) << filter.growth_status().message();
  memory.FailFrom(TestAllocator::kNever);
  filter.InsertHashes(hashes.data() + 30, hashes.size() - 30);
  EXPECT_EQ(filter.num_stages(), 2u);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

// What cannot grow takes keys still, and says so.
TEST(ScalableClaims, AFullStageThatMayNotGrowTakesKeys) {
  const reference::Bytes image = Claim(512, 1000);
  FilterOptions options;
  options.memory_limit = 20000;
  ScalableFilter small = FromImage<ScalableFilter>(image, options);
  options.memory_limit = small.MemoryUse();
  ScalableFilter filter = FromImage<ScalableFilter>(image, options);
  const std::vector<uint64_t> hashes = RandomHashes(100, 1);
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_EQ(filter.num_stages(), 1u);
  EXPECT_EQ(filter.growth_status().code(), StatusCode::kOverLimit);
}

}  // namespace
}  // namespace linefilter::test
