// An image is the same by every way out, and a filter goes on from it; whatever it claims, no key is lost.
#include <algorithm>
#include <cmath>

#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/filters/scalable_test.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

TEST(ScalableFilterTest, WritesOneImageInEveryWay) {
  for (const size_t keys : {0u, 5u, 300u, 30000u}) {
    ScalableFilter filter = Make(20, Fpr(0.01));
    const std::vector<uint64_t> hashes = RandomHashes(keys, 11);
    filter.InsertHashes(hashes.data(), keys);
    const std::string image = ImageByEveryWayOut(filter);

    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
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
    EXPECT_EQ(view.ApproximateSize().keys, filter.ApproximateSize().keys);
    EXPECT_EQ(view.has_num_keys() ? view.num_keys() : filter.num_keys(), filter.num_keys());
  }
}

// Chunks that one stage has are written from where they lie: beside the trailer, one chunk is enough.
TEST(ScalableFilterTest, TakesLittleMemoryToWriteItsImage) {
  TestAllocator memory;
  ScalableFilter filter = Make(1000, memory.WithHooks(Fpr(0.01)));
  const std::vector<uint64_t> hashes = RandomHashes(1000000, 21);
  filter.InsertHashes(hashes.data(), hashes.size());
  ASSERT_GT(filter.body_bytes(), uint64_t{2} << 20);
  const std::string image = ImageOf(filter);
  const uint64_t before = memory.peak_bytes();
  EXPECT_EQ(before, memory.live_bytes());
  Collector written;  // pieces of at most 1 MiB
  ASSERT_TRUE(IsOk(filter.WriteImage(written.sink())));
  EXPECT_TRUE(written.bytes == image);
  EXPECT_LE(memory.peak_bytes() - before, (64 << 10) + image.size() / 16384 + 4096);
}

// Made of an image at any moment, it goes on as the original: the same answers, the same bytes.
TEST(ScalableFilterTest, GoesOnWhereItsImageStopped) {
  for (const FilterOptions& options : {Fpr(0.003), Keyed(Fpr(0.01))}) {
    for (const uint64_t max_growth : {0u, 12u}) {
      const std::vector<uint64_t> hashes = RandomHashes(2000, 13);
      for (const size_t before : {0u, 1u, 49u, 50u, 51u, 150u, 151u, 700u, 1500u}) {
        ScalableFilter original = Make(50, options, max_growth), copy;
        original.InsertHashes(hashes.data(), before);
        const std::string odd = "x" + ImageOf(original);
        FilterOptions opened;
        opened.hash_id = options.hash_id;
        opened.secret = options.secret;
        ASSERT_TRUE(IsOk(copy.CreateFromImage(&odd[1], odd.size() - 1, opened)));
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

// (Of what else is refused: as_it_was_test.)
TEST(ScalableFilterTest, IsMadeOfAnImageOfManyStagesOrNotAtAll) {
  ScalableFilter grown = Make(100, Fpr(0.01)), filter;
  const std::vector<uint64_t> hashes = RandomHashes(20000, 14);
  grown.InsertHashes(hashes.data(), hashes.size());
  const std::string image = ImageOf(grown);
  for (uint64_t n = 0; n < 12; ++n) {
    TestAllocator memory;
    memory.FailFrom(n);
    const Status made = filter.CreateFromImage(image.data(), image.size(), memory.WithHooks());
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
  const auto expect = [&](const reference::Bytes& growth, size_t num_stages, StatusCode code, const char* what) {
    const reference::Bytes image = Claim(std::vector<uint64_t>(num_stages, 0), growth);
    EXPECT_TRUE(FilterView(image.data(), image.size(), VerifyMode::kWhole).Verify().ok())
        << "a view can be had all the same: " << what;
    ScalableFilter filter;
    EXPECT_EQ(filter.CreateFromImage(image.data(), image.size()).code(), code) << what;
    if (code != StatusCode::kOk) ExpectBroken(filter);
  };
  const reference::Bytes good = GrowthOf(0.01, 10);
  expect(good, 1, StatusCode::kOk, "all right");
  expect(good, 0, StatusCode::kIncompatible, "no stage to go on from");
  for (const int kind : {0, 2, 3, 255}) {
    reference::Bytes growth = good;
    growth[0] = static_cast<uint8_t>(kind);
    expect(growth, 1, StatusCode::kIncompatible, "kind");
  }
  for (size_t at = 1; at < 8; ++at) {
    reference::Bytes growth = good;
    growth[at] = 1;
    expect(growth, 1, StatusCode::kIncompatible, "a byte that is to be 0");
  }
  for (const size_t size : {0u, 1u, 8u, 31u, 33u, 1024u}) {
    reference::Bytes growth = good;
    growth.resize(size);
    expect(growth, 1, StatusCode::kIncompatible, "length");
  }
}

// Whatever plan and counts an image claims: it is refused, or goes on without losing a key.
TEST(ScalableFilterTest, GoesOnFromAnyPlanThatAnImageClaims) {
  const std::vector<uint64_t> hashes = RandomHashes(3000, 15);
  const double bounds[] = {0.01, 1e-300, 0.999999, 0, 1, -1, HUGE_VAL, std::nan("")};
  const uint64_t numbers[] = {0, 1, 2, 512, 513, uint64_t{1} << 40, UINT64_MAX - 1, UINT64_MAX};
  int made = 0, refused = 0;
  for (const double bound : bounds) {
    for (const uint64_t first_capacity : numbers) {
      for (const uint64_t num_keys : numbers) {
        for (const size_t num_stages : {1u, 2u, 64u}) {
          const reference::Bytes image =
              Claim(std::vector<uint64_t>(num_stages, num_keys), GrowthOf(bound, first_capacity, num_keys % 3));
          FilterOptions options;
          options.memory_limit = 1 << 20;
          ScalableFilter filter;
          const bool is_plan = bound > 0 && bound < 1 && first_capacity != 0;
          const bool has_bits = num_keys <= 512;  // a body of one block has none for more
          const Status status = filter.CreateFromImage(image.data(), image.size(), options);
          ASSERT_EQ(status.code(), !has_bits ? StatusCode::kCorrupt
                                   : is_plan ? StatusCode::kOk
                                             : StatusCode::kIncompatible)
              << status.message();
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
    const reference::Bytes image = Claim(num_keys, num_keys);
    const StatusCode code = num_keys == 512 ? StatusCode::kOk : StatusCode::kCorrupt;
    EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).status().code(), code);
    reference::Filter read;
    EXPECT_EQ(reference::ReadImage(image.data(), image.size(), &read), code == StatusCode::kOk);
    TestAllocator memory;
    ScalableFilter filter;
    EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), memory.WithHooks()).code(), code);
    filter.InsertHash(MixHash(1));
    EXPECT_LE(memory.peak_bytes(), 10000u) << num_keys;
  }
}

}  // namespace
}  // namespace linefilter::test
