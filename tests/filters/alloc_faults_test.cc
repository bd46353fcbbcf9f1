// Memory that runs out, at each allocation of each operation: kOutOfMemory with a sentence, or success by another way;
// nothing is leaked; no key is lost; and the object works as soon as there is memory again.
//
// Here the default memory: malloc and its like, mmap, what libc allocates for us, and operator new behind a
// std::string. The first allocation of an operation fails, the second, ..., until it makes no more; alone, and with all
// after it. (The host's hooks fail in memory_test, builder_test, bulk_test and others.)
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/build/bulk.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/fold.h"
#include "linefilter/rotating.h"
#include "linefilter/swappable.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/failing_memory.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/savers.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/threads.h"

namespace linefilter {
namespace {

using test::BitsPerKey;
using test::Collector;
using test::FailingMemory;
using test::LiveMemory;
using test::LiveMemoryNow;
using test::RandomHashes;
using test::Saver;
using test::TempDir;

// One run of an operation with one of its allocations failing.
class Attempt {
 public:
  Attempt(uint64_t nth, bool stays) : nth_(nth), stays_(stays) {}

  // To be called once, with the operation alone. It succeeds, or it says that memory ran out.
  template <class Operation>
  Status Run(const Operation& operation) {
    Status status;
    {
      const FailingMemory memory(nth_, stays_);
      status = operation();
      one_failed_ = memory.one_failed();
    }
    if (status.ok()) return status;
    EXPECT_TRUE(one_failed_) << "there was memory: " << status.message();
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << status.message();
    EXPECT_GT(std::strlen(status.message()), 20u);
    return status;
  }
  bool one_failed() const { return one_failed_; }

 private:
  uint64_t nth_;
  bool stays_, one_failed_ = false;
};

uint64_t num_failed;  // allocations, in the whole program

// Calls test(attempt) for each allocation that the operation in it makes, and once more; returns how many these are.
// All that the test makes must be gone when it returns.
template <class Test>
uint64_t FailEach(const std::string& name, const Test& test) {
  uint64_t num_allocations = 0;
  Attempt undisturbed(~uint64_t{0}, false);  // makes, too, what libraries allocate once for ever
  test(&undisturbed);
  for (const bool stays : {false, true}) {
    for (uint64_t nth = 0;; ++nth) {
      SCOPED_TRACE(name + ": allocation " + std::to_string(nth) + (stays ? " and all after it" : ""));
      const LiveMemory before = LiveMemoryNow();
      Attempt attempt(nth, stays);
      test(&attempt);
      const LiveMemory after = LiveMemoryNow();
      EXPECT_EQ(after.blocks, before.blocks) << "leaked";
      EXPECT_EQ(after.mapped_bytes, before.mapped_bytes) << "leaked";
      if (testing::Test::HasFailure()) return num_allocations;
      if (!attempt.one_failed()) break;
      ++num_failed;
      num_allocations += !stays;
    }
  }
  return num_allocations;
}

// Just below and well above 2 MiB: on the heap, and mapped.
constexpr uint64_t kFewKeys = 1000, kManyKeys = 4000000;

template <class Filter>
class MutableFilters : public testing::Test {};
using Filters = testing::Types<BlockedFilter, ClassicFilter, ConcurrentBlockedFilter>;
TYPED_TEST_SUITE(MutableFilters, Filters, );

TYPED_TEST(MutableFilters, AreCreatedOrAreAsTheyWere) {
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

TYPED_TEST(MutableFilters, AreMadeOfAnImageOrSayMaybe) {
  TypeParam original;
  ASSERT_TRUE(original.Create(kFewKeys, BitsPerKey(10)).ok());
  original.InsertKey("x");
  std::string image;
  ASSERT_TRUE(original.AppendImage(&image).ok());
  const uint64_t allocations = FailEach("CreateFromImage", [&](Attempt* attempt) {
    TypeParam filter;
    const Status status = attempt->Run([&] { return filter.CreateFromImage(image.data(), image.size()); });
    EXPECT_TRUE(filter.MayContainKey("x"));
    EXPECT_EQ(filter.MayContainKey("y"), !status.ok());
  });
  EXPECT_EQ(allocations, 1u);
}

// Snapshots too: the third type is ConcurrentBlockedFilter.
TYPED_TEST(MutableFilters, WriteTheirImageOrNothing) {
  const std::vector<uint64_t> hashes = RandomHashes(100000, 1);
  TypeParam filter;
  ASSERT_TRUE(filter.Create(hashes.size(), BitsPerKey(10)).ok());
  filter.InsertHashes(hashes.data(), hashes.size());
  std::string expected;
  ASSERT_TRUE(filter.AppendImage(&expected).ok());
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

// --- Sets that change -----------------------------------------------------------------------------------------------

TEST(Living, ARotatingFilterIsMadeOrSaysMaybe) {
  for (const uint64_t num_keys : {kFewKeys, kManyKeys}) {
    RotatingFilter original;
    ASSERT_TRUE(original.Create(num_keys, 4, BitsPerKey(10)).ok());
    original.InsertKey("x");
    std::string image;
    ASSERT_TRUE(original.AppendImage(&image).ok());
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
    BlockedFilter filter;
    EXPECT_TRUE(filter.Create(10, BitsPerKey(10)).ok());
    filter.InsertKey(key);
    return filter;
  };
  ASSERT_TRUE(filter_of("new").Save(folder.File("new").c_str()).ok());
  const std::string path = folder.File("new");
  const auto swap = [&](const char* name, const auto& work) {
    return FailEach(name, [&](Attempt* attempt) {
      SwappableFilter filter;
      ASSERT_TRUE(filter.Swap(filter_of("old")).ok());
      BlockedFilter next = filter_of("new");
      const Status status = attempt->Run([&] { return work(&filter, &next); });
      EXPECT_EQ(filter.MayContainKey("old"), !status.ok());
      EXPECT_EQ(filter.MayContainKey("new"), status.ok());
      EXPECT_EQ(filter.num_swaps(), status.ok() ? 2u : 1u);
    });
  };
  EXPECT_EQ(swap("Swap", [](SwappableFilter* filter, BlockedFilter* next) { return filter->Swap(std::move(*next)); }),
            1u);
  EXPECT_EQ(
      swap("SwapFromFile", [&](SwappableFilter* filter, BlockedFilter*) { return filter->SwapFromFile(path.c_str()); }),
      3u)
      << "the file's object, its bytes, their checks";
}

// --- Building -----------------------------------------------------------------------------------------------------

FilterOptions Options(Layout layout) {
  FilterOptions options = BitsPerKey(10);
  options.layout = layout;
  return options;
}

// Adding and Finish; a failure of either leaves a builder that can do it again.
uint64_t FailEachOfBuilding(const std::string& name, const FilterOptions& options,
                            const std::vector<uint64_t>& hashes) {
  const std::string expected = test::Build(options, hashes);
  return FailEach(name + ", " + LayoutName(options.layout), [&](Attempt* attempt) {
    FilterBuilder builder(options);
    std::string image;
    const Status status = attempt->Run([&] {
      builder.AddHashes(hashes.data(), hashes.size());
      return builder.Finish(&image);
    });
    if (!status.ok()) {
      EXPECT_TRUE(image.empty()) << "no part of an image";
      if (builder.status().ok()) {
        EXPECT_EQ(builder.num_keys(), hashes.size()) << "Finish failed: the keys are kept";
      } else {
        EXPECT_EQ(builder.Finish(&image).code(), StatusCode::kOutOfMemory) << "a lost key is not forgotten";
        builder.Reset();
        builder.AddHashes(hashes.data(), hashes.size());
      }
      const Status again = builder.Finish(&image);
      EXPECT_TRUE(again.ok()) << again.message();
    }
    EXPECT_TRUE(image == expected);
  });
}

// For its lifetime any set is built in bulk, in ranges of 64 blocks.
class ScopedBulk {
 public:
  ScopedBulk() : before_(internal::Tuning()) {
    internal::BulkTuning tuning;
    tuning.min_body_bytes = 0;
    tuning.range_blocks = 64;
    internal::SetTuningForTests(tuning);
  }
  ~ScopedBulk() { internal::SetTuningForTests(before_); }
  ScopedBulk(const ScopedBulk&) = delete;
  ScopedBulk& operator=(const ScopedBulk&) = delete;

 private:
  const internal::BulkTuning before_;
};

TEST(Builder, GivesTheImageOrKeepsTheKeys) {
  for (const Layout layout : test::EveryLayout()) {
    EXPECT_GE(FailEachOfBuilding("50 keys", Options(layout), RandomHashes(50, 1)), 2u);
    EXPECT_GE(FailEachOfBuilding("100000 keys", Options(layout), RandomHashes(100000, 1)), 11u) << "ten chunks or more";
  }
}

TEST(Builder, InBulkGivesTheImageOrKeepsTheKeys) {
  const ScopedBulk bulk;
  for (const Layout layout : test::EveryLayout()) {
    FilterOptions options = Options(layout);
    options.executor = test::Backwards(2);
    EXPECT_GE(FailEachOfBuilding("in bulk", options, RandomHashes(100000, 1)), 11u);
  }
}

// From 32 MiB of hashes on, chunks are mapped, and threads fill several at once.
TEST(Builder, TakesManyHashesOrSaysThatItDidNot) {
  const std::vector<uint64_t> hashes = RandomHashes(5000000, 1);
  const size_t before = 4300000;
  FilterOptions options = BitsPerKey(10);
  options.executor = test::Backwards(2);
  const uint64_t allocations = FailEach("AddHashes", [&](Attempt* attempt) {
    FilterBuilder builder(options);
    builder.AddHashes(hashes.data(), before);
    ASSERT_TRUE(builder.status().ok());
    const Status status = attempt->Run([&] {
      builder.AddHashes(hashes.data() + before, hashes.size() - before);
      return builder.status();
    });
    if (status.ok()) {
      EXPECT_EQ(builder.num_keys(), hashes.size());
    } else {
      EXPECT_EQ(builder.ImageBytes(), 0u) << "no image of a part of the keys";
    }
  });
  EXPECT_GE(allocations, 3u);
}

TEST(Builder, GivesASinkTheImageOrKeepsTheKeys) {
  for (const Layout layout : test::EveryLayout()) {
    for (const size_t num_keys : {size_t{3000}, size_t{2000000}}) {  // its body on the heap, and mapped
      if (num_keys > 3000 && layout != Layout::kBlocked) continue;
      const std::vector<uint64_t> hashes = RandomHashes(num_keys, 1);
      Collector collector;
      collector.bytes.reserve(3 * num_keys);
      const uint64_t allocations = FailEach(std::string("FinishToSink, ") + LayoutName(layout), [&](Attempt* attempt) {
        FilterBuilder builder(Options(layout));
        builder.AddHashes(hashes.data(), hashes.size());
        const uint64_t image_bytes = builder.ImageBytes();
        collector.bytes.clear();
        const Status status = attempt->Run([&] { return builder.FinishToSink(collector.sink()); });
        EXPECT_EQ(collector.bytes.size(), status.ok() ? image_bytes : 0);
        EXPECT_EQ(builder.num_keys(), status.ok() ? 0 : hashes.size());
      });
      EXPECT_GE(allocations, 2u) << "the body, and what follows it";
    }
  }
}

TEST(BuildFromSource, GivesTheImageOrAPartOfItAndAnError) {
  const ScopedBulk bulk;
  const std::vector<uint64_t> hashes = RandomHashes(100000, 1);
  for (const Layout layout : test::EveryLayout()) {
    const std::string expected = test::Build(Options(layout), hashes);
    Collector collector;
    collector.bytes.reserve(expected.size());
    const uint64_t allocations = FailEach(std::string("BuildFromSource, ") + LayoutName(layout), [&](Attempt* attempt) {
      collector.bytes.clear();
      test::HashesInMemory memory{&hashes};
      const Status status =
          attempt->Run([&] { return BuildFromSource(Options(layout), memory.source(), collector.sink()); });
      EXPECT_EQ(collector.bytes.size() == expected.size(), status.ok());
      EXPECT_EQ(expected.compare(0, collector.bytes.size(), collector.bytes), 0);
    });
    EXPECT_GE(allocations, 3u);
  }
}

// --- Folding ------------------------------------------------------------------------------------------------------

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
      BlockedFilter filter;
      ASSERT_TRUE(filter.Create(keys, options).ok());
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

TEST(FoldImage, WritesAllOrSaysWhy) {
  const std::string image = test::Build(Options(Layout::kBlocked), RandomHashes(3000, 1));
  const FilterView view(image.data(), image.size());
  const FilterView* const both[] = {&view, &view};
  for (const bool fold : {false, true}) {
    Collector collector;
    collector.bytes.reserve(image.size());
    const uint64_t allocations = FailEach(fold ? "FoldImage" : "UniteImages", [&](Attempt* attempt) {
      collector.bytes.clear();
      const Status status = attempt->Run(
          [&] { return fold ? FoldImage(view, 1, collector.sink()) : UniteImages(both, 2, collector.sink()); });
      EXPECT_EQ(!collector.bytes.empty(), status.ok());
    });
    EXPECT_EQ(allocations, 2u) << "a piece, and what follows the body";
  }
}

// --- Files --------------------------------------------------------------------------------------------------------

TEST(Files, AreSavedOrStayAsTheyWere) {
  constexpr char kOldBytes[] = "what stood there before";
  for (const bool by_link : {false, true}) {
    const TempDir dir(test::MemoryFolder());
    const std::string file = dir.File("file"), path = by_link ? dir.File("link") : file;
    if (by_link) std::filesystem::create_symlink("file", path);
    for (const Saver& saver : test::EverySaver(60, 1)) {
      const uint64_t allocations = FailEach(saver.name, [&](Attempt* attempt) {
        dir.Write("file", kOldBytes);
        const Status status = attempt->Run([&] { return saver.save(path.c_str()); });
        EXPECT_TRUE(test::ReadFile(file) == (status.ok() ? saver.image : kOldBytes));
        EXPECT_EQ(dir.Names().size(), by_link ? 2u : 1u) << "a temporary file is left";
        if (!status.ok() && std::strstr(status.message(), "bytes") == nullptr) {
          EXPECT_NE(std::strstr(status.message(), dir.path().c_str()), nullptr) << status.message();
        }
      });
      EXPECT_GE(allocations, 3u) << "two names, and what follows the body";
    }
  }
}

TEST(Files, AreReadOrAnswerMaybe) {
  const TempDir dir(test::MemoryFolder());
  const std::string path = dir.File("file");
  for (const size_t num_keys : {100u, 2000000u}) {
    const Saver saver = test::SaverOfFilter<BlockedFilter>("BlockedFilter::Save", num_keys, 1);
    ASSERT_TRUE(saver.save(path.c_str()).ok());
    for (const bool load : {false, true}) {
      const uint64_t allocations = FailEach(load ? "Load" : "Map", [&](Attempt* attempt) {
        FilterFile file;
        const Status status = attempt->Run([&] { return load ? file.Load(path.c_str()) : file.Map(path.c_str()); });
        EXPECT_EQ(file.view().status().ok(), status.ok());
        EXPECT_EQ(file.view().CountMaybes(saver.hashes.data(), saver.hashes.size()), saver.hashes.size());
        if (!status.ok()) {
          EXPECT_TRUE(file.view().MayContainKey("a key that is in no filter"));
        }
        EXPECT_TRUE(file.Load(path.c_str()).ok());
      });
      EXPECT_EQ(allocations, load ? 2u : 1u);
    }
  }
}

// --- What needs no memory -----------------------------------------------------------------------------------------

TEST(WithoutAnyMemory, WhatOnlyLooksOrInsertsWorks) {
  const std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  const std::string image = test::Build(Options(Layout::kBlocked), hashes), broken = image.substr(1);
  BlockedFilter filter, other;
  ConcurrentBlockedFilter shared;
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
    const FilterView view(image.data(), image.size()), refused(broken.data(), broken.size());
    expect(view.status().ok() && view.Verify().ok(), "a view");
    expect(refused.status().code() == StatusCode::kCorrupt, "an image that is refused");
    expect(view.CountMaybes(hashes.data(), hashes.size()) == hashes.size(), "a batch");
    view.MayContainKeys(hashes.data(), hashes.size(), answers.data());
    expect(ImageMayContainKey(broken.data(), broken.size(), "x"), "a lookup at once");
    expect(filter.InsertHashes(hashes.data(), hashes.size()) > 4000, "InsertHashes");
    expect(shared.InsertHashes(hashes.data(), hashes.size()) > 4000, "InsertHashes by many");
    expect(filter.MayContainHash(hashes[0]) && other.Union(filter).ok(), "Union");
    expect(filter.WriteImageTo(bytes.data(), bytes.size()).ok(), "WriteImageTo");
    expect(shared.WriteImageTo(bytes.data(), bytes.size()).ok(), "a snapshot");
    expect(view.ExpectedFpr() < 0.02 && view.EstimatedKeys() > 4000, "statistics");
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
}  // namespace linefilter
