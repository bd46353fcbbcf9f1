// Memory that runs out, at each allocation of each operation: kOutOfMemory with a sentence, or success by another way;
// nothing is leaked; no key is lost; and the object works as soon as there is memory again.
//
// Here the default memory: malloc and its like, mmap, what libc allocates for us, and operator new behind a
// std::string. The first allocation of an operation fails, the second, ..., until it makes no more; alone, and with all
// after it. (The host's hooks fail in memory_test, as_it_was_test, tests/c/memory.c and others.)
#include "tests/filters/alloc_faults_test.h"

#include <cstdio>
#include <tuple>
#include <utility>

#include "linefilter/concurrent.h"
#include "linefilter/many.h"
#include "linefilter/rotating.h"
#include "linefilter/swappable.h"

namespace linefilter::test {
namespace {

// Just below and well above 2 MiB: on the heap, and mapped.
constexpr uint64_t kFewKeys = 1000, kManyKeys = 4000000;

template <class Filter>
class FiltersThatTakeKeys : public testing::Test {};
using Filters = testing::Types<BlockedFilter, ClassicFilter, ConcurrentFilter>;
TYPED_TEST_SUITE(FiltersThatTakeKeys, Filters, );

TYPED_TEST(FiltersThatTakeKeys, AreCreatedOrAreAsTheyWere) {
  for (const uint64_t num_keys : {kFewKeys, kManyKeys}) {
    const uint64_t allocations = FailEach("Create", [&](Attempt* attempt) {
      TypeParam filter;
      ASSERT_TRUE(filter.Create(10, BitsPerKey(10)).ok()) << "a filter that is made anew";
      filter.InsertKey("old");
      const Status status = attempt->Run([&] { return filter.Create(num_keys, BitsPerKey(10)); });
      if (!status.ok()) {
        EXPECT_TRUE(filter.MayContainKey("old"));
        EXPECT_LT(filter.body_bytes(), 100u);
        ASSERT_TRUE(filter.Create(num_keys, BitsPerKey(10)).ok());
      }
      EXPECT_FALSE(filter.MayContainKey("old"));
      EXPECT_FALSE(filter.MayContainKey("x"));
      EXPECT_TRUE(filter.InsertKey("x"));
      EXPECT_TRUE(filter.MayContainKey("x"));
    });
    EXPECT_EQ(allocations, 1u);
  }
}

TYPED_TEST(FiltersThatTakeKeys, AreMadeOfAnImageOrSayMaybe) {
  TypeParam original;
  ASSERT_TRUE(original.Create(kFewKeys, BitsPerKey(10)).ok());
  original.InsertKey("x");
  const std::string image = ImageOf(original);
  const uint64_t allocations = FailEach("CreateFromImage", [&](Attempt* attempt) {
    TypeParam filter;
    const Status status = attempt->Run([&] { return filter.CreateFromImage(image.data(), image.size()); });
    EXPECT_TRUE(filter.MayContainKey("x"));
    EXPECT_EQ(filter.MayContainKey("y"), !status.ok());
  });
  EXPECT_EQ(allocations, 1u);
}

// Snapshots too: the third type is ConcurrentFilter.
TYPED_TEST(FiltersThatTakeKeys, WriteTheirImageOrNothing) {
  const std::vector<uint64_t> hashes = RandomHashes(100000, 1);
  TypeParam filter;
  ASSERT_TRUE(filter.Create(hashes.size(), BitsPerKey(10)).ok());
  filter.InsertHashes(hashes.data(), hashes.size());
  const std::string expected = ImageOf(filter);
  uint64_t allocations = FailEach("AppendImage", [&](Attempt* attempt) {
    std::string text = "before";
    const Status status = attempt->Run([&] { return filter.AppendImage(&text); });
    EXPECT_TRUE(text == (status.ok() ? "before" + expected : "before"));
  });
  EXPECT_EQ(allocations, 1u) << "the string's";
  allocations = FailEach("WriteImage", [&](Attempt* attempt) {
    Collector collector;
    collector.bytes.reserve(expected.size());
    const Status status = attempt->Run([&] { return filter.WriteImage(collector.sink()); });
    EXPECT_TRUE(collector.bytes == (status.ok() ? expected : ""));
  });
  EXPECT_GE(allocations, 1u);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

TEST(Living, ARotatingFilterIsMadeOrSaysMaybe) {
  for (const uint64_t num_keys : {kFewKeys, kManyKeys}) {
    RotatingFilter original;
    ASSERT_TRUE(IsOk(original.Create(num_keys, 4, BitsPerKey(10))));
    original.InsertKey("x");
    const std::string image = ImageOf(original);
    const uint64_t created = FailEach("Create", [&](Attempt* attempt) {
      RotatingFilter filter;
      const Status status = attempt->Run([&] { return filter.Create(num_keys, 4, BitsPerKey(10)); });
      EXPECT_EQ(filter.InsertKey("x"), status.ok());
      EXPECT_EQ(filter.MayContainKey("y"), !status.ok());
      EXPECT_EQ(filter.Rotate(), status.ok() ? 1u : 0u);
    });
    EXPECT_EQ(created, 2u) << "generations, and how they are asked";
    const uint64_t restored = FailEach("CreateFromImage", [&](Attempt* attempt) {
      RotatingFilter filter;
      const Status status = attempt->Run([&] { return filter.CreateFromImage(image.data(), image.size()); });
      EXPECT_TRUE(filter.MayContainKey("x"));
      EXPECT_EQ(filter.MayContainKey("y"), !status.ok());
    });
    EXPECT_EQ(restored, 2u);
    FailEach("WriteImage", [&](Attempt* attempt) {
      Collector collector;
      collector.bytes.reserve(image.size());
      const Status status = attempt->Run([&] { return original.WriteImage(collector.sink()); });
      EXPECT_TRUE(collector.bytes == (status.ok() ? image : ""));
    });
  }
}

TEST(Living, ASwapSucceedsOrTheOldOneStays) {
  const TempDir folder;
  const auto filter_of = [](const char* key) {
    BlockedFilter filter = Created<BlockedFilter>(10, BitsPerKey(10));
    filter.InsertKey(key);
    return filter;
  };
  const std::string path = folder.File("new");
  ASSERT_TRUE(filter_of("new").Save(path.c_str()).ok());
  const uint64_t swapped = FailEach("Load, Swap", [&](Attempt* attempt) {
    SwappableFilter filter;
    FilterFile file;
    ASSERT_TRUE(filter.Swap(filter_of("old")).ok());
    const Status status = attempt->Run([&] {
      const Status loaded = file.Load(path.c_str());
      return loaded.ok() ? filter.Swap(std::move(file)) : loaded;
    });
    EXPECT_EQ(filter.MayContainKey("old"), !status.ok());
    EXPECT_EQ(filter.MayContainKey("new"), status.ok());
    EXPECT_EQ(filter.num_swaps(), status.ok() ? 2u : 1u);
  });
  EXPECT_EQ(swapped, 3u) << "the file's bytes, their checks, the object";
}

// On the heap; mapped and small afterwards; mapped, which is folded where it lies.
TEST(Fold, MakesItSmallerOrLeavesItAsItWas) {
  FilterOptions options = BitsPerKey(10);
  options.foldable = true;
  for (const auto& [num_keys, factor, num_allocations] :
       std::vector<std::tuple<uint64_t, uint64_t, uint64_t>>{{1000, 4, 1}, {4000000, 64, 1}, {4000000, 2, 0}}) {
    const std::vector<uint64_t> hashes = RandomHashes(static_cast<size_t>(num_keys / 100), 1);
    const uint64_t by = factor;  // clang: a lambda cannot capture what is bound
    const uint64_t keys = num_keys;
    const uint64_t allocations = FailEach("Fold", [&](Attempt* attempt) {
      BlockedFilter filter = Created<BlockedFilter>(keys, options);
      filter.InsertHashes(hashes.data(), hashes.size());
      const uint64_t blocks = filter.num_blocks();
      const LiveMemory before = LiveMemoryNow();
      const Status status = attempt->Run([&] { return filter.Fold(by); });
      EXPECT_EQ(filter.num_blocks(), status.ok() ? blocks / by : blocks);
      EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
      if (!status.ok()) {
        EXPECT_EQ(LiveMemoryNow().mapped_bytes, before.mapped_bytes);
      } else if (keys > 1000) {
        EXPECT_LT(LiveMemoryNow().mapped_bytes, before.mapped_bytes) << "memory goes back";
      }
      filter.InsertKey("x");
      EXPECT_TRUE(filter.MayContainKey("x"));
    });
    EXPECT_EQ(allocations, num_allocations);
  }
}

TEST(WithoutAnyMemory, WhatOnlyLooksOrInsertsWorks) {
  const std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  const std::string image = test::Build(BitsPerKey(10, Layout::kBlocked), hashes), broken = image.substr(1);
  BlockedFilter filter, other;
  ConcurrentFilter shared;
  ASSERT_TRUE(filter.Create(5000, BitsPerKey(10)).ok() && other.Create(5000, BitsPerKey(10)).ok());
  ASSERT_TRUE(shared.Create(5000, BitsPerKey(10)).ok());
  std::vector<uint8_t> answers(hashes.size()), bytes(filter.ImageBytes());
  const FilterOptions no_options, options = BitsPerKey(10);
  const char* wrong = nullptr;
  const auto expect = [&](bool right, const char* what) { wrong = right || wrong != nullptr ? wrong : what; };
  bool one_failed;
  {
    const FailingMemory none(0, true);

    Layout layout;
    Sizing sizing;
    uint64_t image_bytes, peak;
    expect(ParseLayout("retrieval", &layout), "ParseLayout");
    expect(SizeForFpr(Layout::kRetrieval, 1000000, 0.001, &sizing).ok(), "SizeForFpr");
    expect(SizeForBitsPerKey(Layout::kAuto, 1000000, 10, &sizing).ok(), "SizeForBitsPerKey");
    expect(FilterBuilder::EstimateBytes(options, 1000000, &image_bytes, &peak).ok(), "EstimateBytes");
    expect(FilterBuilder(no_options).status().code() == StatusCode::kInvalidArgument, "options that are refused");
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole),
        refused(broken.data(), broken.size(), VerifyMode::kWhole);
    expect(view.status().ok() && view.Verify().ok(), "a view");
    expect(refused.status().code() == StatusCode::kCorrupt, "an image that is refused");
    expect(view.CountMaybes(hashes.data(), hashes.size()) == hashes.size(), "a batch");
    view.MayContainKeys(hashes.data(), hashes.size(), answers.data());
    const FilterBase* const many[] = {&view, &refused, &filter};
    expect(MayContainKey(many, 3, "x", answers.data()) >= 1, "a key asked of many filters");
    MayContainKeys(many, 3, hashes.data(), hashes.size() / 3, answers.data());
    expect(ImageMayContainKey(broken.data(), broken.size(), "x", VerifyMode::kLazy), "a lookup at once");
    expect(filter.InsertHashes(hashes.data(), hashes.size()) > 4000, "InsertHashes");
    expect(shared.InsertHashes(hashes.data(), hashes.size()) > 4000, "InsertHashes by many");
    expect(filter.MayContainHash(hashes[0]) && other.Union(filter).ok(), "Union");
    expect(filter.WriteImageTo(bytes.data(), bytes.size()).ok(), "WriteImageTo");
    expect(shared.WriteImageTo(bytes.data(), bytes.size()).ok(), "a snapshot");
    expect(view.ExpectedFpr() < 0.02 && view.ApproximateSize().keys > 4000, "statistics");
    other.Clear();
    one_failed = none.one_failed();
  }
  EXPECT_FALSE(one_failed) << "they allocate nothing";
  EXPECT_EQ(wrong, nullptr) << wrong;
}

// Ends the program with what it did.
class Total : public testing::Environment {
  void TearDown() override { std::printf("%llu failed allocations\n", static_cast<unsigned long long>(num_failed)); }
};
[[maybe_unused]] testing::Environment* const total = testing::AddGlobalTestEnvironment(new Total);

}  // namespace
}  // namespace linefilter::test
