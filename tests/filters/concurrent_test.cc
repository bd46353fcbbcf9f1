// linefilter/concurrent.h: the bits and the answers of a Filter. (Threads: concurrent_test_threads.cc.)
#include "tests/filters/concurrent_test.h"

#include "lib/layouts/layout_changes.h"
#include "linefilter/fold.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Layouts, Concurrent, testing::ValuesIn(EverySharedLayout()), NameOfLayout);

TEST(ConcurrentFilter, AnswersMaybeBeforeCreate) {
  ConcurrentFilter filter;
  ExpectTakesNothing(&filter);
}

TEST(ConcurrentFilter, IsBlockedUnlessALayoutIsTold) {
  for (const uint64_t num_keys : {1u, 1000u}) {  // of one key a Filter is `classic`
    ConcurrentFilter filter;
    MustCreate(&filter, num_keys, BitsPerKey(10));
    EXPECT_EQ(filter.layout(), Layout::kBlocked);
  }
}

TEST(ConcurrentFilter, SharesTheLayoutsThatHaveChangesForThreads) {
  for (const Layout layout : SupportedLayouts()) {
    const internal::LayoutChanges& changes = *internal::FindChanges(layout);
    const bool shares = FactsOf(layout).shares;
    EXPECT_EQ(changes.shared_changes != nullptr, shares) << LayoutName(layout);
    EXPECT_EQ(changes.shared_kernels != nullptr, shares) << LayoutName(layout);
  }
  EXPECT_GE(EverySharedLayout().size(), 2u);
}

// A sentence names those that could be taken, and the filter is as it was.
TEST(ConcurrentFilter, RefusesLayoutsThatThreadsCannotShare) {
  ConcurrentFilter filter;
  MustCreate(&filter, 100, BitsPerKey(10));
  filter.InsertKey("a");
  const std::string before = ImageOf(filter);
  for (const Layout layout : EveryLayout()) {
    if (FactsOf(layout).shares) continue;
    const std::string image = Build(BitsPerKey(10, layout), RandomHashes(100, 1));
    const Status created = filter.Create(100, BitsPerKey(10, layout));
    const Status copied = filter.CreateFromImage(image.data(), image.size());
    for (const Layout other : EverySharedLayout()) {
      EXPECT_TRUE(Says(StatusCode::kInvalidArgument, created, LayoutName(other)));
      EXPECT_TRUE(Says(StatusCode::kIncompatible, copied, LayoutName(other)));
    }
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, created, "or auto"));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, copied, LayoutName(layout)));
    EXPECT_EQ(ImageOf(filter), before);
  }
  EXPECT_EQ(filter.Create(100, BitsPerKey(10, Layout::kContainer)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(filter.Create(100, BitsPerKey(10, static_cast<Layout>(99))).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ImageOf(filter), before);
}

TEST_P(Concurrent, IsNotMadeOfAnImageOfAnotherLayoutThanTheOptionsTell) {
  const std::string image = SequentialImage(100, Options(10), RandomHashes(100, 1));
  ConcurrentFilter filter;
  for (const Layout layout : EverySharedLayout()) {
    FilterOptions options;
    options.layout = layout;
    const Status status = filter.CreateFromImage(image.data(), image.size(), options);
    EXPECT_EQ(status.code(), layout == GetParam() ? StatusCode::kOk : StatusCode::kIncompatible) << status.message();
  }
}

TEST_P(Concurrent, HasTheBitsAndAnswersOfAFilterOnEveryTarget) {
  for (const uint64_t num_keys : {1u, 50u, 1000u, 30000u}) {
    for (const double bits_per_key : {1.0, 10.0, 23.0, 64.0}) {
      const std::vector<uint64_t> hashes = RandomHashes(num_keys, num_keys);
      std::vector<uint64_t> questions = RandomHashes(5000, 2);
      questions.insert(questions.end(), hashes.begin(), hashes.end());
      OnEveryTarget([&](const char* target) {
        Filter expected;
        ConcurrentFilter filter;
        ASSERT_TRUE(expected.Create(num_keys, Options(bits_per_key)).ok());
        MustCreate(&filter, num_keys, Options(bits_per_key));
        EXPECT_STREQ(filter.target(), target);
        const size_t half = hashes.size() / 2;
        for (size_t i = 0; i < half; ++i) EXPECT_EQ(filter.InsertHash(hashes[i]), expected.InsertHash(hashes[i])) << i;
        std::vector<uint8_t> were_new(hashes.size() - half), should(were_new.size());
        EXPECT_EQ(filter.InsertHashes(hashes.data() + half, were_new.size(), were_new.data()),
                  expected.InsertHashes(hashes.data() + half, should.size(), should.data()));
        EXPECT_EQ(were_new, should);
        EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size()), 0u) << "again";
        EXPECT_EQ(ImageOf(filter), ImageOf(expected));
        EXPECT_EQ(filter.FillRatio(), expected.FillRatio());
        EXPECT_EQ(filter.ApproximateSize().keys, expected.ApproximateSize().keys);
        EXPECT_EQ(filter.ExpectedFpr(), expected.ExpectedFpr());
        uint64_t factor = 0, should_factor = 0;
        EXPECT_EQ(FoldFactorForFpr(filter, 0.5, &factor).code(),
                  FoldFactorForFpr(expected, 0.5, &should_factor).code());
        EXPECT_EQ(factor, should_factor);

        std::vector<uint8_t> bytes(questions.size()), should_bytes(questions.size());
        filter.MayContainHashes(questions.data(), questions.size(), bytes.data());
        expected.MayContainHashes(questions.data(), questions.size(), should_bytes.data());
        EXPECT_EQ(bytes, should_bytes);
        filter.MayContainHashesToBits(questions.data(), questions.size(), bytes.data());
        expected.MayContainHashesToBits(questions.data(), questions.size(), should_bytes.data());
        EXPECT_EQ(bytes, should_bytes);
        EXPECT_EQ(filter.CountMaybes(questions.data(), questions.size()),
                  expected.CountMaybes(questions.data(), questions.size()));
        for (const uint64_t question : questions) {
          filter.Prepare(question);
          ASSERT_EQ(filter.MayContainHash(question), expected.MayContainHash(question));
        }
      });
    }
  }
}

// A layout may take the bits of a hash otherwise by its id.
TEST_P(Concurrent, HasTheBitsOfEveryHash) {
  const std::vector<uint64_t> hashes = RandomHashes(3000, 12), strangers = RandomHashes(3000, 13);
  for (const HashId hash_id : {HashId::kXxh3, HashId::kCaller, HashId::kParquet}) {
    FilterOptions options = Options(10);
    options.hash_id = hash_id;
    Filter expected = Created<Filter>(hashes.size(), options);
    expected.InsertHashes(hashes.data(), hashes.size());
    OnEveryTarget([&](const char*) {
      ConcurrentFilter filter;
      MustCreate(&filter, hashes.size(), options);
      for (size_t i = 0; i < 100; ++i) filter.InsertHash(hashes[i]);
      filter.InsertHashes(hashes.data(), hashes.size());
      EXPECT_EQ(ImageOf(filter), ImageOf(expected));
      for (const uint64_t hash : hashes) ASSERT_TRUE(filter.MayContainHash(hash));
      for (const uint64_t hash : strangers) ASSERT_EQ(filter.MayContainHash(hash), expected.MayContainHash(hash));
      EXPECT_EQ(filter.CountMaybes(strangers.data(), strangers.size()),
                expected.CountMaybes(strangers.data(), strangers.size()));
    });
  }
}

TEST_P(Concurrent, SnapshotsComeByEveryWayOut) {
  // Beyond one piece of 1 MiB, and not a multiple of it.
  const std::vector<uint64_t> hashes = RandomHashes(1500000, 7);
  const std::string expected = SequentialImage(hashes.size(), Options(10), hashes);
  ConcurrentFilter filter;
  MustCreate(&filter, hashes.size(), Options(10));
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.MemoryUse(), filter.body_bytes() + sizeof(filter));
  EXPECT_TRUE(ImageByEveryWayOut(filter) == expected);
}

TEST_P(Concurrent, GoesOnFromAnImageAndEndsAsAFilter) {
  const std::vector<uint64_t> hashes = RandomHashes(2000, 8);
  const std::vector<uint64_t> first(hashes.begin(), hashes.begin() + 1000);
  FilterOptions options = Options(10);
  options.seed = 9;
  const std::string image = SequentialImage(2000, options, first);
  ConcurrentFilter filter;
  std::string damaged = image;
  damaged[0] = static_cast<char>(damaged[0] ^ 1);
  EXPECT_EQ(filter.CreateFromImage(damaged.data(), damaged.size()).code(), StatusCode::kCorrupt);
  ExpectTakesNothing(&filter);
  ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
  EXPECT_EQ(filter.seed(), 9u);
  EXPECT_EQ(filter.CountMaybes(first.data(), first.size()), first.size());
  filter.InsertHashes(hashes.data(), hashes.size());

  const Filter sealed = filter.Seal();
  EXPECT_EQ(sealed.layout(), GetParam());
  EXPECT_EQ(ImageOf(sealed), SequentialImage(2000, options, hashes));
  ExpectTakesNothing(&filter);
  MustCreate(&filter, 10, Options(10));
  EXPECT_TRUE(filter.InsertKey("again"));
}

// Only the words of the shared filter are aligned: a view may lie anywhere. UBSan looks at each load.
TEST_P(Concurrent, AUnionWithAViewAtAnyAddressIsPlanned) {
  const std::vector<uint64_t> hashes = RandomHashes(2000, 5);
  ConcurrentFilter shared;
  MustCreate(&shared, 1000, Options(10));
  shared.InsertHashes(hashes.data(), 1000);
  for (const uint64_t factor : {1u, 3u}) {  // as it is, and folded on the way
    FilterOptions options = FilterOptions::SameSizeAs(shared);
    options.body_bytes *= factor;
    Filter plain = Created<Filter>(1000, options);
    plain.InsertHashes(hashes.data() + 1000, 1000);
    const std::string image = ImageOf(plain);
    const Filter copy = FromImage<Filter>(ImageOf(shared));
    const FilterBase* const expected_of[] = {&copy, &plain};
    UnionPlan expected;
    ASSERT_TRUE(IsOk(PlanUnion(expected_of, 2, &expected)));
    for (size_t shift = 0; shift < 9; ++shift) {
      const std::string moved = std::string(shift, ' ') + image;
      const FilterView view(moved.data() + shift, image.size(), VerifyMode::kWhole);
      for (const auto& both : {std::vector<const FilterBase*>{&shared, &view}, {&view, &shared}}) {
        UnionPlan plan;
        ASSERT_TRUE(IsOk(PlanUnion(both.data(), both.size(), &plan)));
        EXPECT_EQ(plan.expected_fpr, expected.expected_fpr) << shift;
        EXPECT_EQ(plan.approximate_size, expected.approximate_size) << shift;
      }
    }
  }
}

TEST_P(Concurrent, NoImageIsBegunWhereMemoryRunsOut) {
  test::TestAllocator allocator;
  ConcurrentFilter filter;
  MustCreate(&filter, 100000, allocator.WithHooks(Options(10)));
  filter.InsertKey("a");
  for (uint64_t fail = 0; fail < 2; ++fail) {  // the trailer, the piece
    allocator.FailFrom(fail);
    test::Collector collector;
    EXPECT_EQ(filter.WriteImage(collector.sink()).code(), StatusCode::kOutOfMemory);
    EXPECT_TRUE(collector.bytes.empty());
  }
  EXPECT_EQ(allocator.live_blocks(), 1u) << "the body";
}

}  // namespace
}  // namespace linefilter::test
