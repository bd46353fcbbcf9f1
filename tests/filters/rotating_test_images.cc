// Snapshots of a RotatingFilter come by every way out and go on as it does; what is no snapshot of one is refused.
#include <thread>

#include "tests/filters/rotating_test.h"
#include "tests/reference/reference.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

TEST(Rotating, ASnapshotGoesOn) {
  const std::vector<uint64_t> hashes = RandomHashes(30000, 11);
  FilterOptions options = BitsPerKey(12);
  options.seed = 9;
  for (const FilterOptions& each : {options, Keyed(BitsPerKey(12))}) {
    for (const uint64_t window : {uint64_t{60}, uint64_t{9000}}) {  // a body of 4 KiB at most, and a large one
      RotatingFilter filter, copy;
      MustCreate(&filter, window, 4, each, Rotation::kByCount);
      filter.InsertHashes(hashes.data(), hashes.size());
      const std::string image = ImageOf(filter);
      EXPECT_EQ(image.size(), filter.ImageBytes());
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole,
                            each.hash_id == HashId::kKeyed ? &each.secret : nullptr);
      ASSERT_TRUE(view.Verify().ok()) << view.Verify().message();
      EXPECT_EQ(view.layout(), Layout::kContainer);
      EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), filter.CountMaybes(hashes.data(), hashes.size()));
      ASSERT_TRUE(IsOk(copy.CreateFromImage(image.data(), image.size(), each)));
      EXPECT_EQ(copy.generation(), filter.generation());
      EXPECT_EQ(copy.num_generations(), 4u);
      EXPECT_EQ(copy.keys_per_generation(), filter.keys_per_generation());
      EXPECT_EQ(copy.rotation(), Rotation::kByCount);
      EXPECT_EQ(copy.seed(), filter.seed());
      EXPECT_EQ(copy.hash_id(), each.hash_id);
      EXPECT_EQ(ImageOf(copy), image);
      const std::vector<uint64_t> more = RandomHashes(window / 2, 12);  // both rotate at the same key
      EXPECT_EQ(copy.InsertHashes(more.data(), more.size()), filter.InsertHashes(more.data(), more.size()));
      EXPECT_EQ(copy.Rotate(), filter.Rotate());
      EXPECT_EQ(ImageOf(copy), ImageOf(filter));
    }
  }
}

// With kByCount. Nothing waits for the sink: the newest generation takes more than it is made for, and the first
// insertion behind the snapshot rotates.
TEST(Rotating, WhileASnapshotIsWrittenTheNewestGenerationTakesAll) {
  RotatingFilter filter;
  MustCreate(&filter, 2000, 3, BitsPerKey(16), Rotation::kByCount);
  const std::vector<uint64_t> hashes = RandomHashes(20000, 6);
  struct Inserter {
    RotatingFilter* filter;
    const std::vector<uint64_t>& hashes;
    bool has_inserted = false;
    static bool Write(void* context, const void*, size_t) noexcept {
      auto* const self = static_cast<Inserter*>(context);
      if (self->has_inserted) return true;
      self->has_inserted = true;
      std::thread([&] { self->filter->InsertHashes(self->hashes.data(), self->hashes.size()); }).join();
      return true;
    }
  } inserter{&filter, hashes};
  ASSERT_TRUE(filter.WriteImage(Sink{&Inserter::Write, &inserter}).ok());
  EXPECT_EQ(filter.generation(), 0u);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  const std::vector<uint64_t> more = RandomHashes(10, 7);
  filter.InsertHashes(more.data(), more.size());
  EXPECT_EQ(filter.generation(), 1u) << "before they went in";
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_NEAR(filter.ApproximateSizeOfAge(0).keys, 10, 1);
}

TEST(Rotating, SnapshotsComeByEveryWayOut) {
  RotatingFilter filter;
  MustCreate(&filter, 1500000, 3);  // a generation is no multiple of a piece of 1 MiB
  const std::vector<uint64_t> hashes = RandomHashes(1000000, 7);
  filter.InsertHashes(hashes.data(), 500000);
  filter.Rotate();
  filter.InsertHashes(hashes.data() + 500000, 500000);
  EXPECT_GT(ImageByEveryWayOut(filter).size(), 1500000u);
}

// A snapshot whose check is right, whatever else is not: of empty generations of so many blocks and probes.
struct Claim {
  std::vector<uint64_t> num_blocks = {2, 2, 2};
  std::vector<uint32_t> num_probes = {7, 7, 7};
  reference::Bytes growth = reference::Bytes(32, 0);

  Claim() {
    growth[0] = 2;
    Put(8, 100);
  }
  Claim& Put(size_t at, uint64_t value, int bytes = 8) {
    reference::PutLittleEndian(value, bytes, &growth.at(at));
    return *this;
  }
  Claim& Resize(size_t size) {
    growth.resize(size);
    return *this;
  }
  Claim& Stages(const std::vector<uint64_t>& blocks, const std::vector<uint32_t>& probes) {
    num_blocks = blocks, num_probes = probes;
    return *this;
  }
  std::string Image() const {
    std::vector<reference::Filter> stages(num_blocks.size());
    for (size_t i = 0; i < stages.size(); ++i) {
      stages[i].num_probes = static_cast<int>(num_probes[i]);
      stages[i].body.resize(static_cast<size_t>(64 * num_blocks[i]));
    }
    reference::Filter container = reference::MakeContainer(stages, std::vector<uint64_t>(stages.size(), 0));
    container.extensions.push_back({reference::kGrowth, growth});
    const reference::Bytes bytes = reference::WriteImage(container);
    const std::string image(bytes.begin(), bytes.end());
    EXPECT_TRUE(FilterView(image.data(), image.size(), VerifyMode::kWhole).Verify().ok())
        << "a view can be had all the same";
    return image;
  }
};

TEST(Rotating, ASnapshotWithAFieldOutOfRangeIsRefused) {
  RotatingFilter filter;
  const auto expect = [&](const Claim& claim, const std::string& what) {
    const std::string image = claim.Image();
    EXPECT_EQ(filter.CreateFromImage(image.data(), image.size()).code(), StatusCode::kIncompatible) << what;
    ExpectTakesNothing(&filter);
  };
  for (const uint64_t kind : {0u, 1u, 3u, 255u}) expect(Claim().Put(0, kind, 1), "kind " + std::to_string(kind));
  for (const uint64_t rotation : {2u, 3u, 128u, 255u}) expect(Claim().Put(1, rotation, 1), std::to_string(rotation));
  for (size_t at = 2; at < 8; ++at) expect(Claim().Put(at, 1, 1), "byte " + std::to_string(at));
  expect(Claim().Put(8, 0), "a generation for no key");
  for (const uint64_t generation : {uint64_t{1} << 48, uint64_t{1} << 56, uint64_t{1} << 63, ~uint64_t{0}}) {
    expect(Claim().Put(16, generation), "generation " + std::to_string(generation));
  }
  for (const uint64_t keys : {uint64_t{1025}, uint64_t{1} << 32, ~uint64_t{0}}) {
    expect(Claim().Put(8, keys), "for more keys than bits: " + std::to_string(keys));
    expect(Claim().Put(1, 1, 1).Put(24, keys), "more keys than bits: " + std::to_string(keys));
  }
  for (const size_t size : {0u, 1u, 8u, 31u, 33u, 64u, 1024u})
    expect(Claim().Resize(size), std::to_string(size) + " bytes");
  expect(Claim().Stages({}, {}), "no generation");
  expect(Claim().Stages({2}, {7}), "one generation");
  for (size_t i = 0; i < 3; ++i) {
    Claim other_blocks, other_probes;
    other_blocks.num_blocks[i] = 3;
    expect(other_blocks, "another size");
    other_probes.num_probes[i] = 8;
    expect(other_probes, "other probes");
  }
}

// Whatever is within the ranges: it goes on, and what was inserted last is there.
TEST(Rotating, GoesOnFromAnySnapshotThatIsInRange) {
  const std::vector<uint64_t> hashes = RandomHashes(600, 21);
  const std::vector<uint64_t> numbers = {1, 2, 100, 511, 512};
  for (const uint64_t rotation : {0u, 1u}) {
    for (const uint64_t each : numbers) {
      for (const uint64_t in_newest : numbers) {
        for (const size_t generations : {2u, 3u, 64u}) {
          const uint64_t generation = kLastGeneration - 1000;
          const Claim claim =
              Claim()
                  .Put(1, rotation, 1)
                  .Put(8, each)
                  .Put(16, generation)
                  .Put(24, in_newest)
                  .Stages(std::vector<uint64_t>(generations, 1), std::vector<uint32_t>(generations, 16));
          const std::string image = claim.Image();
          RotatingFilter filter;
          ASSERT_TRUE(IsOk(filter.CreateFromImage(image.data(), image.size())));
          EXPECT_EQ(filter.generation(), generation);
          EXPECT_EQ(filter.keys_per_generation(), each);
          EXPECT_EQ(ImageOf(filter), image);
          for (size_t i = 0; i < 300; ++i) {
            filter.InsertHash(hashes[i]);
            ASSERT_TRUE(filter.MayContainHash(hashes[i]));
          }
          filter.InsertHashes(hashes.data() + 300, 300);
          EXPECT_TRUE(filter.MayContainHash(hashes.back()));
          const uint64_t before = filter.generation();
          if (rotation == 0) {
            EXPECT_EQ(before, generation);
          } else if (each <= 100) {
            EXPECT_GT(before, generation) << "by count it rotates";
          }
          EXPECT_EQ(filter.Rotate(), before + 1);
          if (generations > 2) {  // it may have rotated behind the last insertion by itself
            EXPECT_TRUE(filter.MayContainHash(hashes.back()));
          }
          for (size_t i = 0; i < generations; ++i) filter.Rotate();
          EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), 0u) << "and forgets";
        }
      }
    }
  }
}

}  // namespace
}  // namespace linefilter::test
