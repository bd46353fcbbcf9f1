// linefilter/concurrent.h: the bits and the answers of a BlockedFilter. (Threads: concurrent_test_threads.cc.)
#include "tests/filters/concurrent_test.h"

#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

TEST(Concurrent, AnswersMaybeBeforeCreate) {
  ConcurrentFilter filter;
  ExpectTakesNothing(&filter);
}

TEST(Concurrent, HasTheBitsAndAnswersOfABlockedFilterOnEveryTarget) {
  for (const uint64_t num_keys : {1u, 50u, 1000u, 30000u}) {
    for (const double bits_per_key : {1.0, 10.0, 23.0, 64.0}) {
      const std::vector<uint64_t> hashes = RandomHashes(num_keys, num_keys);
      std::vector<uint64_t> questions = RandomHashes(5000, 2);
      questions.insert(questions.end(), hashes.begin(), hashes.end());
      OnEveryTarget([&](const char* target) {
        BlockedFilter expected;
        ConcurrentFilter filter;
        ASSERT_TRUE(expected.Create(num_keys, BitsPerKey(bits_per_key)).ok());
        MustCreate(&filter, num_keys, BitsPerKey(bits_per_key));
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

TEST(Concurrent, SnapshotsComeByEveryWayOut) {
  // Beyond one piece of 1 MiB, and not a multiple of it.
  const std::vector<uint64_t> hashes = RandomHashes(1500000, 7);
  const std::string expected = SequentialImage(hashes.size(), BitsPerKey(10), hashes);
  ConcurrentFilter filter;
  MustCreate(&filter, hashes.size(), BitsPerKey(10));
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.MemoryUse(), filter.body_bytes() + sizeof(filter));
  EXPECT_TRUE(ImageByEveryWayOut(filter) == expected);
}

TEST(Concurrent, GoesOnFromAnImageAndEndsAsABlockedFilter) {
  const std::vector<uint64_t> hashes = RandomHashes(2000, 8);
  const std::vector<uint64_t> first(hashes.begin(), hashes.begin() + 1000);
  FilterOptions options = BitsPerKey(10);
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

  const BlockedFilter sealed = filter.Seal();
  EXPECT_EQ(ImageOf(sealed), SequentialImage(2000, options, hashes));
  ExpectTakesNothing(&filter);
  MustCreate(&filter, 10, BitsPerKey(10));
  EXPECT_TRUE(filter.InsertKey("again"));
}

TEST(Concurrent, NoImageIsBegunWhereMemoryRunsOut) {
  test::TestAllocator allocator;
  ConcurrentFilter filter;
  MustCreate(&filter, 100000, allocator.WithHooks(BitsPerKey(10)));
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
