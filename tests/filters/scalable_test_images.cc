// An image is the same by every way out, and a filter goes on from it; whatever it claims, no key is lost.
#include <algorithm>
#include <cmath>

#include "lib/image/container_writer.h"
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
  ScalableFilter filter = Make(1000, memory.WithHooks(Fpr(0.01)));
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
  ASSERT_TRUE(IsOk(written));
  EXPECT_TRUE(to.image == image);
  EXPECT_LE(to.largest, size_t{1} << 20);
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
  BlockedFilter blocked = Created<BlockedFilter>(100, Fpr(0.01));
  const std::string other = ImageOf(blocked);
  EXPECT_EQ(filter.CreateFromImage(other.data(), other.size()).code(), StatusCode::kIncompatible);
  FilterOptions options;
  options.memory_limit = grown.MemoryUse() - 1;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), options).code(), StatusCode::kOverLimit);
  ExpectBroken(filter);
  options.memory_limit = grown.MemoryUse();
  EXPECT_TRUE(filter.CreateFromImage(image.data(), image.size(), options).ok());
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), Keyed(options)).code(), StatusCode::kIncompatible);
  filter = ScalableFilter();
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
    const reference::Bytes image = Claim(num_keys, num_keys);
    const StatusCode code = num_keys == 512 ? StatusCode::kOk : StatusCode::kCorrupt;
    EXPECT_EQ(FilterView(image.data(), image.size()).status().code(), code);
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
