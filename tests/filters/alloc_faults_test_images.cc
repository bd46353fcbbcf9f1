// Where images are made, and files are written and read, a status says that memory ran out, and nothing else is lost.
#include <filesystem>
#include <string_view>
#include <tuple>

#include "linefilter/bulk.h"
#include "linefilter/file.h"
#include "linefilter/fold.h"
#include "tests/filters/alloc_faults_test.h"
#include "tests/testing/layouts.h"
#include "tests/testing/savers.h"
#include "tests/testing/threads.h"

namespace linefilter::test {
namespace {

// Adding and Finish; a failure of either leaves a builder that can do it again.
uint64_t FailEachOfBuilding(const std::string& name, const FilterOptions& options,
                            const std::vector<uint64_t>& hashes) {
  const std::string expected = "head" + Build(options, hashes);
  return FailEach(name + ", " + LayoutName(options.layout), [&](Attempt* attempt) {
    FilterBuilder builder(options);
    std::string image = "head";
    const Status status = attempt->Run([&] {
      builder.AddHashes(hashes.data(), hashes.size());
      return builder.Finish(&image);
    });
    if (!status.ok()) {
      EXPECT_EQ(image, "head") << "no part of an image";
      if (builder.status().ok()) {
        EXPECT_EQ(builder.num_keys(), hashes.size()) << "Finish failed: the keys are kept";
      } else {
        EXPECT_EQ(builder.Finish(&image).code(), StatusCode::kOutOfMemory) << "a lost key is not forgotten";
        builder.Reset();
        builder.AddHashes(hashes.data(), hashes.size());
      }
      EXPECT_TRUE(IsOk(builder.Finish(&image)));
    }
    EXPECT_TRUE(image == expected);
  });
}

TEST(Builder, GivesTheImageOrKeepsTheKeys) {
  for (const Layout layout : EveryLayout()) {
    EXPECT_GE(FailEachOfBuilding("50 keys", BitsPerKey(10, layout), RandomHashes(50, 1)), 1u) << "the string's";
    EXPECT_GE(FailEachOfBuilding("300 keys", BitsPerKey(10, layout), RandomHashes(300, 1)), 2u);
    std::vector<uint64_t> hashes = RandomHashes(100000, 1);
    EXPECT_GE(FailEachOfBuilding("100000 keys", BitsPerKey(10, layout), hashes), 10u) << "nine chunks or more";
    std::copy_n(hashes.begin(), 50000, hashes.begin() + 50000);
    EXPECT_GE(FailEachOfBuilding("50000 keys twice", BitsPerKey(10, layout), hashes), 10u);
  }
}

TEST(Builder, InBulkGivesTheImageOrKeepsTheKeys) {
  const ScopedTuning tuning(0, 64);
  for (const Layout layout : EveryLayout()) {
    FilterOptions options = BitsPerKey(10, layout);
    options.executor = Backwards(2);
    EXPECT_GE(FailEachOfBuilding("in bulk", options, RandomHashes(100000, 1)), 10u);
  }
}

// From 32 MiB of hashes on, chunks are mapped, and threads fill several at once.
TEST(Builder, TakesManyHashesOrSaysThatItDidNot) {
  const std::vector<uint64_t> hashes = RandomHashes(5000000, 1);
  const size_t before = 4300000;
  FilterOptions options = BitsPerKey(10);
  options.executor = Backwards(2);
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

TEST(Builder, MakesASecondSmallImageWithoutMemoryOfItsOwn) {
  const std::vector<uint64_t> hashes = RandomHashes(4000, 1);
  for (const Layout layout : EveryLayout()) {
    const uint64_t allocations = FailEach(std::string("Finish again, ") + LayoutName(layout), [&](Attempt* attempt) {
      FilterBuilder builder(BitsPerKey(10, layout));
      builder.AddHashes(hashes.data(), hashes.size());
      const std::string expected = Finish(&builder);
      std::string image;
      const Status status = attempt->Run([&] {
        builder.AddHashes(hashes.data(), hashes.size());
        return builder.Finish(&image);
      });
      EXPECT_TRUE(image == (status.ok() ? expected : ""));
    });
    EXPECT_EQ(allocations, 1u) << "the string grows once";
  }
}

TEST(Builder, GivesASinkTheImageOrKeepsTheKeys) {
  for (const Layout layout : EveryLayout()) {
    for (const size_t num_keys : {size_t{3000}, size_t{2000000}}) {  // its body on the heap, and mapped
      if (num_keys > 3000 && layout != Layout::kBlocked) continue;
      const std::vector<uint64_t> hashes = RandomHashes(num_keys, 1);
      Collector collector;
      collector.bytes.reserve(3 * num_keys);
      const uint64_t allocations = FailEach(std::string("FinishToSink, ") + LayoutName(layout), [&](Attempt* attempt) {
        FilterBuilder builder(BitsPerKey(10, layout));
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
  const ScopedTuning tuning(0, 64);
  std::vector<uint64_t> hashes = RandomHashes(100000, 1);
  const auto fail_each = [&](Layout layout) {
    const std::string expected = Build(BitsPerKey(10, layout), hashes);
    Collector collector;
    collector.bytes.reserve(expected.size());
    const uint64_t allocations = FailEach(std::string("BuildFromSource, ") + LayoutName(layout), [&](Attempt* attempt) {
      collector.bytes.clear();
      HashesInMemory memory{&hashes};
      const Status status =
          attempt->Run([&] { return BuildFromSource(BitsPerKey(10, layout), memory.source(), collector.sink()); });
      EXPECT_EQ(collector.bytes.size() == expected.size(), status.ok());
      EXPECT_EQ(expected.compare(0, collector.bytes.size(), collector.bytes), 0);
    });
    EXPECT_GE(allocations, 3u);
  };
  for (const Layout layout : EveryLayout()) fail_each(layout);
  std::copy_n(hashes.begin(), 50000, hashes.begin() + 50000);  // repeats, which are counted
  for (const Layout layout : EveryLayout()) fail_each(layout);
}

TEST(FoldImage, WritesAllOrSaysWhy) {
  const std::string image = Build(BitsPerKey(10, Layout::kBlocked), RandomHashes(3000, 1));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
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

TEST(Files, AreSavedOrStayAsTheyWere) {
  constexpr char kOldBytes[] = "what stood there before";
  for (const bool by_link : {false, true}) {
    const TempDir dir(MemoryFolder());
    const std::string file = dir.File("file"), path = by_link ? dir.File("link") : file;
    if (by_link) std::filesystem::create_symlink("file", path);
    for (const Saver& saver : EverySaver(60, 1)) {
      const uint64_t allocations = FailEach(saver.name, [&](Attempt* attempt) {
        dir.Write("file", kOldBytes);
        const Status status = attempt->Run([&] { return saver.save(path.c_str()); });
        EXPECT_TRUE(ReadFile(file) == (status.ok() ? saver.image : kOldBytes));
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
  const TempDir dir(MemoryFolder());
  const std::string path = dir.File("file");
  for (const size_t num_keys : {100u, 2000000u}) {
    const Saver saver = SaverOfFilter<BlockedFilter>("BlockedFilter::Save", num_keys, 1);
    ASSERT_TRUE(saver.save(path.c_str()).ok());
    for (const auto& [name, verify, num_allocations] :
         {std::tuple("Load", VerifyMode::kAuto, 2u), std::tuple("Map", VerifyMode::kWhole, 1u),
          std::tuple("Map lazily", VerifyMode::kLazy, num_keys == 100 ? 1u : 2u)}) {
      const bool load = name == std::string_view("Load");
      const VerifyMode mode = verify;
      const uint64_t allocations = FailEach(name, [&](Attempt* attempt) {
        FilterFile file;
        const Status status =
            attempt->Run([&] { return load ? file.Load(path.c_str()) : file.Map(path.c_str(), mode); });
        EXPECT_EQ(file.view().status().ok(), status.ok());
        EXPECT_EQ(file.view().CountMaybes(saver.hashes.data(), saver.hashes.size()), saver.hashes.size());
        if (!status.ok()) {
          EXPECT_TRUE(file.view().MayContainKey("a key that is in no filter"));
          const std::string_view says = status.message();
          EXPECT_TRUE(mode != VerifyMode::kLazy || says.find("cannot map") == 0 ||
                      says.find("open it whole or trusted, which need none") != says.npos)
              << says;
        }
        EXPECT_TRUE(file.Load(path.c_str()).ok());
      });
      EXPECT_EQ(allocations, num_allocations) << name;
    }
  }
}

}  // namespace
}  // namespace linefilter::test
