// linefilter/rotating.h: each generation has the bits of a BlockedFilter of its keys; what is not older than G - 1
// rotations is there, what is older is forgotten; a snapshot goes on. (Threads: rotating_threads_test.cc.)
#include "linefilter/rotating.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/image/container_writer.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"

namespace linefilter {
namespace {

using test::BitsPerKey;
using test::OnEveryTarget;
using test::RandomHashes;

// Numbers of generations: fewer under an emulator.
std::vector<uint32_t> Few(const std::vector<uint32_t>& all) {
  const char* const effort = std::getenv("LINEFILTER_TEST_EFFORT");
  if (effort == nullptr || std::strtod(effort, nullptr) >= 1) return all;
  return {all[all.size() / 2]};
}

FilterOptions Fpr(double fpr) {
  FilterOptions options;
  options.fpr = fpr;
  return options;
}

void MustCreate(RotatingFilter* filter, uint64_t window_keys, uint32_t num_generations,
                const FilterOptions& options = BitsPerKey(12), Rotation rotation = Rotation::kByCaller) {
  const Status status = filter->Create(window_keys, num_generations, options, rotation);
  ASSERT_TRUE(status.ok()) << status.message();
}

std::string ImageOf(const RotatingFilter& filter) {
  std::string image;
  const Status status = filter.AppendImage(&image);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

void ExpectTakesNothing(RotatingFilter* filter) {
  EXPECT_TRUE(filter->MayContainKey("anything") && filter->MayContainHash(7));
  EXPECT_FALSE(filter->InsertKey("anything") || filter->InsertHash(7));
  EXPECT_EQ(filter->InsertHashes(RandomHashes(1000, 1).data(), 1000), 0u);
  EXPECT_EQ(filter->CountMaybes(RandomHashes(1000, 1).data(), 1000), 1000u);
  EXPECT_EQ(filter->Rotate(), 0u);
  EXPECT_EQ(filter->generation(), 0u);
  EXPECT_EQ(filter->layout(), Layout::kAuto);
  EXPECT_EQ(filter->ImageBytes(), 0u);
  EXPECT_EQ(filter->body_bytes(), 0u);
  EXPECT_EQ(filter->MemoryUse(), sizeof(*filter));
  EXPECT_EQ(filter->FillRatio(0), 0);
  EXPECT_EQ(filter->EstimatedKeys(0), 0);
  EXPECT_EQ(filter->ExpectedFpr(), 1);
  EXPECT_FALSE(filter->KeyStatus().ok());
  std::string image = "x";
  EXPECT_FALSE(filter->AppendImage(&image).ok());
  EXPECT_EQ(image, "x");
  test::Collector collector;
  EXPECT_FALSE(filter->WriteImage(collector.sink()).ok());
  EXPECT_FALSE(filter->Save("/no/such/folder/image").ok());
}

TEST(Rotating, AnswersMaybeBeforeCreateAndAfterARefusedRequest) {
  RotatingFilter filter;
  ExpectTakesNothing(&filter);
  for (const uint32_t generations : {0u, 1u, 65u, ~0u}) {
    EXPECT_EQ(filter.Create(100, generations, BitsPerKey(10)).code(), StatusCode::kInvalidArgument);
    ExpectTakesNothing(&filter);
  }
  EXPECT_EQ(filter.Create(100, 4, BitsPerKey(0.5)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(filter.Create(100, 4, Fpr(0)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(filter.Create(100, 4, Fpr(1.5)).code(), StatusCode::kInvalidArgument) << "a share of it is a rate";
  const Status too_fine = filter.Create(100, 64, Fpr(1e-7));
  EXPECT_EQ(too_fine.code(), StatusCode::kInvalidArgument);
  for (const char* const part : {"fpr 1e-07", "64 generations", "1.5625e-09"}) {
    EXPECT_NE(std::string(too_fine.message()).find(part), std::string::npos) << too_fine.message();
  }
  EXPECT_EQ(filter.Create(100, 4, BitsPerKey(10), static_cast<Rotation>(2)).code(), StatusCode::kInvalidArgument);
  ExpectTakesNothing(&filter);
  for (const Layout layout : {Layout::kClassic, Layout::kRetrieval, Layout::kCounting, Layout::kContainer}) {
    FilterOptions options = BitsPerKey(10);
    options.layout = layout;
    EXPECT_EQ(filter.Create(100, 4, options).code(), StatusCode::kInvalidArgument) << LayoutName(layout);
    ExpectTakesNothing(&filter);
  }
  FilterOptions options = BitsPerKey(10);
  options.layout = Layout::kBlocked;
  options.foldable = true;
  EXPECT_EQ(filter.Create(100, 4, options).code(), StatusCode::kInvalidArgument) << "generations are not folded";
  ExpectTakesNothing(&filter);
}

// Beside one BlockedFilter per generation: the same bits, stage by stage, and the answers of all together.
TEST(Rotating, IsTheLastGenerationsOnEveryTarget) {
  OnEveryTarget([&](const char* target) {
    for (const uint32_t generations : Few({2, 4, 3, 8, 64})) {
      SCOPED_TRACE(generations);
      const uint64_t window = 300 * (generations - 1);
      RotatingFilter filter;
      MustCreate(&filter, window, generations);
      ASSERT_STREQ(filter.target(), target);
      ASSERT_EQ(filter.keys_per_generation(), 300u);
      std::vector<BlockedFilter> expected(generations);  // the oldest first
      const auto create = [](BlockedFilter* one) { ASSERT_TRUE(one->Create(300, BitsPerKey(12)).ok()); };
      for (BlockedFilter& one : expected) create(&one);
      const auto may = [&](uint64_t hash) {
        bool maybe = false;
        for (const BlockedFilter& one : expected) maybe |= one.MayContainHash(hash);
        return maybe;
      };
      test::Random random(generations);
      std::vector<uint64_t> old;
      for (uint32_t rotations = 0; rotations < 2 * generations + 3 && rotations < 20; ++rotations) {
        std::vector<uint64_t> hashes = RandomHashes(290, random());
        if (!old.empty()) hashes.insert(hashes.end(), old.begin(), old.begin() + 10);  // again
        old = hashes;
        for (size_t i = 0; i < 100; ++i) {
          EXPECT_EQ(filter.InsertHash(hashes[i]), !may(hashes[i])) << i;
          expected.back().InsertHash(hashes[i]);
        }
        std::vector<uint8_t> were_new(hashes.size() - 100);
        uint64_t num_new = 0;
        std::vector<uint8_t> should;
        for (size_t i = 100; i < hashes.size(); ++i) {
          should.push_back(!may(hashes[i]));
          num_new += should.back();
          expected.back().InsertHash(hashes[i]);
        }
        EXPECT_EQ(filter.InsertHashes(hashes.data() + 100, were_new.size(), were_new.data()), num_new);
        EXPECT_EQ(were_new, should);

        std::vector<uint64_t> questions = RandomHashes(500, random());
        questions.insert(questions.end(), hashes.begin(), hashes.end());
        std::vector<uint8_t> answers(questions.size()), bits((questions.size() + 7) / 8);
        filter.MayContainHashes(questions.data(), questions.size(), answers.data());
        filter.MayContainHashesToBits(questions.data(), questions.size(), bits.data());
        uint64_t count = 0;
        for (size_t i = 0; i < questions.size(); ++i) {
          const bool maybe = may(questions[i]);
          count += maybe;
          ASSERT_EQ(filter.MayContainHash(questions[i]), maybe);
          ASSERT_EQ(answers[i], maybe);
          ASSERT_EQ(bits[i >> 3] >> (i & 7) & 1, maybe);
        }
        EXPECT_EQ(filter.CountMaybes(questions.data(), questions.size()), count);

        const std::string image = ImageOf(filter);
        const FilterView view(image.data(), image.size());
        ASSERT_TRUE(view.Verify().ok()) << view.Verify().message();
        ASSERT_EQ(view.num_stages(), generations);
        for (uint32_t i = 0; i < generations; ++i) {
          ASSERT_EQ(view.stage(i).num_blocks, expected[i].num_blocks());
          ASSERT_EQ(std::memcmp(view.stage(i).body, expected[i].body(), expected[i].body_bytes()), 0) << i;
          EXPECT_EQ(filter.FillRatio(generations - 1 - i), expected[i].FillRatio());
          EXPECT_EQ(filter.EstimatedKeys(generations - 1 - i), expected[i].EstimatedKeys());
        }
        EXPECT_EQ(filter.generation(), rotations);
        EXPECT_EQ(filter.Rotate(), rotations + 1);
        expected.erase(expected.begin());
        expected.emplace_back();
        create(&expected.back());
      }
    }
  });
}

TEST(Rotating, KeysOfAnyKind) {
  RotatingFilter filter;
  FilterOptions options = BitsPerKey(16);
  options.seed = 5;
  MustCreate(&filter, 1000, 3, options);
  EXPECT_TRUE(filter.InsertKey("alice@example.org"));
  EXPECT_TRUE(filter.InsertKey(uint64_t{42}));
  filter.Rotate();
  EXPECT_FALSE(filter.InsertKey(42)) << "it was there before";
  filter.Rotate();
  EXPECT_TRUE(filter.MayContainKey("alice@example.org") && filter.MayContainHash(HashKey(42, 5)));
  filter.Rotate();
  EXPECT_FALSE(filter.MayContainKey("alice@example.org")) << "three rotations ago";
  EXPECT_TRUE(filter.MayContainKey(42)) << "two rotations ago, the second time";
  const std::string_view keys[2] = {"alice@example.org", "bob"};
  const uint64_t numbers[2] = {41, 42};
  uint8_t answers[2] = {9, 9};
  filter.MayContainKeys(keys, 2, answers);
  EXPECT_EQ(answers[0] + answers[1], 0);
  filter.MayContainKeys(numbers, 2, answers);
  EXPECT_EQ(answers[0], 0);
  EXPECT_EQ(answers[1], 1);

  options.hash_id = HashId::kCaller;
  MustCreate(&filter, 1000, 3, options);
  EXPECT_FALSE(filter.InsertKey("alice@example.org"));
  EXPECT_TRUE(filter.MayContainKey("bob@example.org") && !filter.MayContainHash(42));
  filter.MayContainKeys(keys, 2, answers);
  EXPECT_EQ(answers[0] + answers[1], 2);
  EXPECT_EQ(filter.KeyStatus().code(), StatusCode::kIncompatible);

  options.hash_id = HashId::kKeyed;
  options.secret.bytes[3] = 7;
  options.seed = 0;
  MustCreate(&filter, 1000, 3, options);
  EXPECT_TRUE(filter.InsertKey("alice@example.org") && filter.KeyStatus().ok());
  EXPECT_TRUE(filter.MayContainHash(KeyedHash("alice@example.org", options.secret)));
  filter.MayContainKeys(keys, 2, answers);
  EXPECT_EQ(answers[0], 1);
}

// The rate when all generations are full is what was asked for, whatever their number.
TEST(Rotating, AllGenerationsTogetherKeepTheRate) {
  for (const uint32_t generations : Few({2, 4, 8})) {
    for (const double fpr : {0.01, 0.001}) {
      constexpr uint64_t kEach = 20000;
      RotatingFilter filter;
      MustCreate(&filter, kEach * (generations - 1), generations, Fpr(fpr));
      for (uint32_t i = 0; i < generations; ++i) {
        if (i != 0) filter.Rotate();
        filter.InsertHashes(RandomHashes(kEach, 100 * generations + i).data(), kEach);
      }
      EXPECT_LE(filter.ExpectedFpr(), 1.02 * fpr);
      EXPECT_GE(filter.ExpectedFpr(), 0.9 * fpr);
      constexpr uint64_t kQuestions = 400000;
      const double expected = filter.ExpectedFpr() * kQuestions;
      const double found =
          static_cast<double>(filter.CountMaybes(RandomHashes(kQuestions, 9 + generations).data(), kQuestions));
      EXPECT_NEAR(found, expected, 6 * std::sqrt(expected) + 0.03 * expected) << generations << " " << fpr;
    }
  }
}

// A window in keys: as long as fewer new keys than it holds came after a key, it is there; soon after, it is not.
TEST(Rotating, ByCountTheWindowHasSoManyKeys) {
  for (const size_t batch : {size_t{1}, size_t{1000}}) {
    for (const uint32_t generations : {2u, 4u, 7u}) {
      constexpr uint64_t kWindow = 3000;
      RotatingFilter filter;
      MustCreate(&filter, kWindow, generations, BitsPerKey(24), Rotation::kByCount);
      const uint64_t each = filter.keys_per_generation();
      ASSERT_EQ(each, (kWindow + generations - 2) / (generations - 1));
      const std::vector<uint64_t> hashes = RandomHashes(6 * kWindow, generations);
      uint64_t num_new = 0;
      for (size_t i = 0; i < hashes.size(); i += batch) {
        for (size_t j = 0; j < batch; ++j) num_new += batch == 1 && filter.InsertHash(hashes[i]);
        if (batch != 1) num_new += filter.InsertHashes(hashes.data() + i, batch);
        const size_t end = i + batch, begin = end < kWindow ? 0 : end - kWindow;
        if (end % 500 == 0 || batch != 1) {
          ASSERT_EQ(filter.CountMaybes(hashes.data() + begin, end - begin), end - begin) << end;
        }
      }
      const uint64_t rotations = filter.generation();  // a false positive of an older one fills the newest, too
      EXPECT_GE(rotations, num_new / each);
      EXPECT_LE(rotations, hashes.size() / each);
      EXPECT_EQ(filter.Rotate(), rotations + 1) << "and by hand";
      EXPECT_LT(filter.CountMaybes(hashes.data(), hashes.size() - 2 * kWindow), 30u) << "what is old is forgotten";
      for (uint32_t age = 1; age + 1 < generations; ++age) {
        EXPECT_LT(filter.EstimatedKeys(age), 1.05 * static_cast<double>(each)) << "none takes more than it is made for";
      }
    }
  }
}

TEST(Rotating, KeysThatComeAgainDoNotFillAGeneration) {
  RotatingFilter filter;
  MustCreate(&filter, 1000, 2, BitsPerKey(20), Rotation::kByCount);
  const std::vector<uint64_t> hashes = RandomHashes(900, 3);
  for (int i = 0; i < 20; ++i) filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.generation(), 0u);
}

// Each generation counts its keys anew: a cycle of as many keys as one takes drives out what came before it, as three
// times as many different ones do, and not sooner.
TEST(Rotating, ACycleOfKeysCountsInEachGeneration) {
  for (const uint64_t period : {1000u, 3000u, 100000u}) {
    RotatingFilter filter;
    MustCreate(&filter, 3000, 4, BitsPerKey(30), Rotation::kByCount);
    const std::vector<uint64_t> cycle = RandomHashes(period, 4);
    const uint64_t first = RandomHashes(1, 5)[0];
    filter.InsertHash(first);
    uint64_t after = 0;
    for (; filter.MayContainHash(first) && after < 10000; ++after) filter.InsertHash(cycle[after % period]);
    EXPECT_GE(after, 3000u) << period;
    EXPECT_LE(after, 4010u) << period << " (a false positive does not count)";
  }
}

TEST(Rotating, ASnapshotGoesOn) {
  const std::vector<uint64_t> hashes = RandomHashes(30000, 11);
  FilterOptions options = BitsPerKey(12), keyed = BitsPerKey(12);
  options.seed = 9;
  keyed.hash_id = HashId::kKeyed;
  keyed.secret.bytes[0] = 3;
  for (const FilterOptions& each : {options, keyed}) {
    for (const uint64_t window : {uint64_t{60}, uint64_t{9000}}) {  // a body of 4 KiB at most, and a large one
      RotatingFilter filter, copy;
      MustCreate(&filter, window, 4, each, Rotation::kByCount);
      filter.InsertHashes(hashes.data(), hashes.size());
      const std::string image = ImageOf(filter);
      EXPECT_EQ(image.size(), filter.ImageBytes());
      const FilterView view(image.data(), image.size(), each.hash_id == HashId::kKeyed ? &each.secret : nullptr);
      ASSERT_TRUE(view.Verify().ok()) << view.Verify().message();
      EXPECT_EQ(view.layout(), Layout::kContainer);
      EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), filter.CountMaybes(hashes.data(), hashes.size()));
      const Status status = copy.CreateFromImage(image.data(), image.size(), each);
      ASSERT_TRUE(status.ok()) << status.message();
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
  EXPECT_NEAR(filter.EstimatedKeys(0), 10, 1);
}

TEST(Rotating, SnapshotsComeByEveryWayOut) {
  RotatingFilter filter;
  MustCreate(&filter, 1500000, 3);  // a generation is no multiple of a piece of 1 MiB
  const std::vector<uint64_t> hashes = RandomHashes(1000000, 7);
  filter.InsertHashes(hashes.data(), 500000);
  filter.Rotate();
  filter.InsertHashes(hashes.data() + 500000, 500000);
  const std::string expected = ImageOf(filter);
  test::Collector collector, full;
  EXPECT_TRUE(filter.WriteImage(collector.sink()).ok());
  EXPECT_EQ(collector.bytes, expected);
  full.refuse_from = 1500000;
  EXPECT_EQ(filter.WriteImage(full.sink()).code(), StatusCode::kIoError);
  std::string buffer(expected.size() + 3, 'x');
  EXPECT_EQ(filter.WriteImageTo(buffer.data(), expected.size() - 1).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(filter.WriteImageTo(buffer.data(), buffer.size()).ok());
  EXPECT_EQ(buffer, expected + "xxx");
  const test::TempDir folder;
  EXPECT_TRUE(filter.Save(folder.File("image").c_str()).ok());
  EXPECT_EQ(test::ReadFile(folder.File("image")), expected);
}

TEST(Rotating, WhatIsNoSnapshotOfOneIsRefused) {
  RotatingFilter source, filter;
  MustCreate(&source, 1000, 3);
  const std::string image = ImageOf(source);
  for (size_t i = 0; i < image.size(); i += 97) {
    std::string damaged = image;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(filter.CreateFromImage(damaged.data(), damaged.size()).code(), StatusCode::kCorrupt) << i;
  }
  ExpectTakesNothing(&filter);
  BlockedFilter blocked;
  ASSERT_TRUE(blocked.Create(100, BitsPerKey(10)).ok());
  std::string other;
  ASSERT_TRUE(blocked.AppendImage(&other).ok());
  const Status status = filter.CreateFromImage(other.data(), other.size());
  EXPECT_EQ(status.code(), StatusCode::kIncompatible);
  EXPECT_NE(std::string(status.message()).find("rotating"), std::string::npos);
  FilterOptions keyed;
  keyed.hash_id = HashId::kKeyed;
  keyed.secret.bytes[0] = 1;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), keyed).code(), StatusCode::kIncompatible);
  ExpectTakesNothing(&filter);
  ASSERT_TRUE(blocked.CreateFromImage(image.data(), image.size()).code() == StatusCode::kIncompatible);
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
    const std::vector<uint8_t> body(1024, 0);
    std::vector<internal::ContainerStage> stages;
    for (size_t i = 0; i < num_blocks.size(); ++i) stages.push_back({body.data(), num_blocks[i], 0, num_probes[i]});
    internal::Container container;
    container.stages = stages.data();
    container.num_stages = static_cast<uint32_t>(stages.size());
    container.growth = growth.data();
    container.growth_bytes = growth.size();
    std::string image(static_cast<size_t>(internal::ContainerBytes(container)), 'x');
    EXPECT_TRUE(internal::WriteContainerTo(container, &image[0], image.size()).ok());
    EXPECT_TRUE(FilterView(image.data(), image.size()).Verify().ok()) << "a view can be had all the same";
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
          ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
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

TEST(Rotating, MemoryIsLimitedAndMayRunOut) {
  FilterOptions options = BitsPerKey(10);
  RotatingFilter filter;
  MustCreate(&filter, 1000, 4, options);
  const std::string image = ImageOf(filter);
  const uint64_t needed = filter.MemoryUse();
  EXPECT_GE(needed, sizeof(filter) + filter.body_bytes() / 4 * 5);
  for (const uint64_t limit : {needed - 1, uint64_t{0}}) {
    options.memory_limit = limit;
    RotatingFilter limited;
    EXPECT_EQ(limited.Create(1000, 4, options).code(), StatusCode::kOverLimit);
    ExpectTakesNothing(&limited);
    EXPECT_EQ(limited.CreateFromImage(image.data(), image.size(), options).code(), StatusCode::kOverLimit);
    ExpectTakesNothing(&limited);
  }
  options.memory_limit = needed;
  EXPECT_TRUE(filter.Create(1000, 4, options).ok());
  EXPECT_TRUE(filter.CreateFromImage(image.data(), image.size(), options).ok());

  test::TestAllocator allocator;
  options = BitsPerKey(10);
  options.allocator = allocator.hooks();
  for (uint64_t fail = 0; fail < 2; ++fail) {
    allocator.FailFrom(fail);
    RotatingFilter failing;
    EXPECT_EQ(failing.Create(1000, 4, options).code(), StatusCode::kOutOfMemory);
    ExpectTakesNothing(&failing);
    EXPECT_EQ(allocator.live_blocks(), 0u);
  }
  allocator.FailFrom(test::TestAllocator::kNever);
  RotatingFilter hooked;
  ASSERT_TRUE(hooked.Create(1000, 4, options).ok());
  EXPECT_EQ(allocator.live_bytes() + sizeof(hooked), hooked.MemoryUse());
  EXPECT_FALSE(hooked.MayContainHash(1)) << "the memory of the host is not zero by itself";
}

}  // namespace
}  // namespace linefilter
