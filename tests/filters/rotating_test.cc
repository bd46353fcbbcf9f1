// linefilter/rotating.h: each generation has the bits of a BlockedFilter of its keys; what is not older than G - 1
// rotations is there, what is older is forgotten. (Threads: rotating_threads_test.cc.)
#include "tests/filters/rotating_test.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/testing/targets.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

// Numbers of generations: fewer under an emulator.
std::vector<uint32_t> Few(const std::vector<uint32_t>& all) {
  const char* const effort = std::getenv("LINEFILTER_TEST_EFFORT");
  if (effort == nullptr || std::strtod(effort, nullptr) >= 1) return all;
  return {all[all.size() / 2]};
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
  for (const Layout layout : {Layout::kClassic, Layout::kRetrieval, Layout::kQuotient, Layout::kContainer}) {
    EXPECT_EQ(filter.Create(100, 4, BitsPerKey(10, layout)).code(), StatusCode::kInvalidArgument) << LayoutName(layout);
    ExpectTakesNothing(&filter);
  }
  FilterOptions options = BitsPerKey(10, Layout::kBlocked);
  options.foldable = true;
  EXPECT_EQ(filter.Create(100, 4, options).code(), StatusCode::kInvalidArgument) << "generations are not folded";
  ExpectTakesNothing(&filter);
}

bool AnyMayContain(const std::vector<BlockedFilter>& generations, uint64_t hash) {
  bool maybe = false;
  for (const BlockedFilter& one : generations) maybe |= one.MayContainHash(hash);
  return maybe;
}

// Every way of asking `filter` gives the answers of all generations together.
void ExpectAnswersOf(const std::vector<BlockedFilter>& expected, const RotatingFilter& filter,
                     const std::vector<uint64_t>& questions) {
  std::vector<uint8_t> answers(questions.size()), bits((questions.size() + 7) / 8);
  filter.MayContainHashes(questions.data(), questions.size(), answers.data());
  filter.MayContainHashesToBits(questions.data(), questions.size(), bits.data());
  uint64_t count = 0;
  for (size_t i = 0; i < questions.size(); ++i) {
    const bool maybe = AnyMayContain(expected, questions[i]);
    count += maybe;
    ASSERT_EQ(filter.MayContainHash(questions[i]), maybe);
    ASSERT_EQ(answers[i], maybe);
    ASSERT_EQ(bits[i >> 3] >> (i & 7) & 1, maybe);
  }
  EXPECT_EQ(filter.CountMaybes(questions.data(), questions.size()), count);
}

// The snapshot of `filter` has the bits of each generation.
void ExpectBitsOf(const std::vector<BlockedFilter>& expected, const RotatingFilter& filter) {
  const uint32_t generations = static_cast<uint32_t>(expected.size());
  const std::string image = ImageOf(filter);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.Verify().ok()) << view.Verify().message();
  ASSERT_EQ(view.num_stages(), generations);
  for (uint32_t i = 0; i < generations; ++i) {
    ASSERT_EQ(view.stage(i).num_blocks, expected[i].num_blocks());
    ASSERT_EQ(std::memcmp(view.stage(i).body, expected[i].body(), expected[i].body_bytes()), 0) << i;
    EXPECT_EQ(filter.FillRatioOfAge(generations - 1 - i), expected[i].FillRatio());
    EXPECT_EQ(filter.ApproximateSizeOfAge(generations - 1 - i).keys, expected[i].ApproximateSize().keys);
  }
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
      test::Random random(generations);
      std::vector<uint64_t> old;
      for (uint32_t rotations = 0; rotations < 2 * generations + 3 && rotations < 20; ++rotations) {
        std::vector<uint64_t> hashes = RandomHashes(290, random());
        if (!old.empty()) hashes.insert(hashes.end(), old.begin(), old.begin() + 10);  // again
        old = hashes;
        for (size_t i = 0; i < 100; ++i) {
          EXPECT_EQ(filter.InsertHash(hashes[i]), !AnyMayContain(expected, hashes[i])) << i;
          expected.back().InsertHash(hashes[i]);
        }
        std::vector<uint8_t> were_new(hashes.size() - 100);
        uint64_t num_new = 0;
        std::vector<uint8_t> should;
        for (size_t i = 100; i < hashes.size(); ++i) {
          should.push_back(!AnyMayContain(expected, hashes[i]));
          num_new += should.back();
          expected.back().InsertHash(hashes[i]);
        }
        EXPECT_EQ(filter.InsertHashes(hashes.data() + 100, were_new.size(), were_new.data()), num_new);
        EXPECT_EQ(were_new, should);

        std::vector<uint64_t> questions = RandomHashes(500, random());
        questions.insert(questions.end(), hashes.begin(), hashes.end());
        ExpectAnswersOf(expected, filter, questions);
        ExpectBitsOf(expected, filter);
        if (HasFatalFailure()) return;
        EXPECT_EQ(filter.generation(), rotations);
        EXPECT_EQ(filter.Rotate(), rotations + 1);
        expected.erase(expected.begin());
        expected.emplace_back();
        create(&expected.back());
      }
    }
  });
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
        EXPECT_LT(filter.ApproximateSizeOfAge(age).keys, 1.05 * static_cast<double>(each))
            << "none takes more than it is made for";
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

TEST(Rotating, KeepsWhatCameInTheNewerGenerations) {
  RotatingFilter filter;
  MustCreate(&filter, 1000, 3, BitsPerKey(16));
  EXPECT_TRUE(filter.InsertKey("alice@example.org"));
  EXPECT_TRUE(filter.InsertKey(42));
  filter.Rotate();
  EXPECT_FALSE(filter.InsertKey(42)) << "it was there before";
  filter.Rotate();
  EXPECT_TRUE(filter.MayContainKey("alice@example.org"));
  filter.Rotate();
  EXPECT_FALSE(filter.MayContainKey("alice@example.org")) << "three rotations ago";
  EXPECT_TRUE(filter.MayContainKey(42)) << "two rotations ago, the second time";
}

TEST(Rotating, TakesTheMemoryOfTheHost) {
  test::TestAllocator allocator;
  RotatingFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(1000, 4, allocator.WithHooks(BitsPerKey(10)))));
  EXPECT_GE(filter.MemoryUse(), sizeof(filter) + filter.body_bytes() / 4 * 5);
  EXPECT_EQ(allocator.live_bytes() + sizeof(filter), filter.MemoryUse());
  EXPECT_FALSE(filter.MayContainHash(1)) << "the memory of the host is not zero by itself";
}

}  // namespace
}  // namespace linefilter::test
