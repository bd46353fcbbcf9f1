// Filters are written as Parquet has them, by every way, and read back; what cannot be written says what to do. Sizes
// are those that were asked for.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "linefilter/sizing.h"
#include "linefilter/swappable.h"
#include "linefilter/view.h"
#include "tests/parquet/parquet_test.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

std::string Written(const FilterBase& filter) {
  std::string file = "in front";
  EXPECT_TRUE(IsOk(AppendParquetFilter(filter, &file)));
  EXPECT_EQ(file.substr(0, 8), "in front");
  EXPECT_EQ(file.size() - 8, ParquetFilterBytes(filter));
  return file.substr(8);
}

Filter FilterOf(const std::vector<uint64_t>& hashes, const FilterOptions& options) {
  Filter filter = Created<Filter>(hashes.size(), options);
  filter.InsertHashes(hashes.data(), hashes.size());
  return filter;
}

TEST(ParquetWrite, IsTheHeaderAndTheBody) {
  const std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  const Filter filter = FilterOf(hashes, ParquetFilterOptions(0.01));
  const std::string file = Written(filter), body(reinterpret_cast<const char*>(filter.body()), filter.body_bytes());
  EXPECT_EQ(file, Header(static_cast<int64_t>(filter.body_bytes())) + body);
  const ParquetFilterView view(file.data(), file.size());
  ASSERT_TRUE(IsOk(view.status()));
  EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  const std::vector<uint64_t> others = RandomHashes(5000, 2);
  EXPECT_EQ(view.CountMaybes(others.data(), others.size()), filter.CountMaybes(others.data(), others.size()));
  EXPECT_EQ(view.ExpectedFpr(), filter.ExpectedFpr());
  EXPECT_EQ(Written(view), file);
}

// The bytes of parquet-mr are those that we write of the same strings.
TEST(ParquetWrite, IsWhatParquetMrWrites) {
  Filter filter = Created<Filter>(4, ParquetFilterOptionsOfBytes(1024));
  for (const char* const key : {"hello", "parquet", "bloom", "filter"}) filter.InsertKey(key);
  EXPECT_EQ(Written(filter), FileOfParquetMr());
}

TEST(ParquetWrite, IsTheSameByEveryWay) {
  const std::vector<uint64_t> hashes = RandomHashes(200000, 3);
  const FilterOptions options = ParquetFilterOptionsOfBytes(3 << 20);
  const Filter filter = FilterOf(hashes, options);
  const std::string file = Written(filter);
  std::vector<char> buffer(file.size() + 1, 'x');
  EXPECT_TRUE(IsOk(WriteParquetFilterTo(filter, buffer.data(), buffer.size())));
  EXPECT_EQ(std::string(buffer.data(), file.size()), file);
  EXPECT_EQ(buffer.back(), 'x');
  std::string sunk;
  const auto take = [](void* context, const void* data, size_t size) noexcept {
    EXPECT_LE(size, size_t{1} << 20);
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
    return true;
  };
  EXPECT_TRUE(IsOk(WriteParquetFilter(filter, {take, &sunk})));
  EXPECT_EQ(sunk, file);

  const std::string image = Build(options, hashes);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  ASSERT_TRUE(IsOk(view.status()));
  EXPECT_EQ(Written(view), file);
}

// A filter that threads share is written while they insert: what was in before is in the file.
TEST(ParquetWrite, IsASnapshotOfWhatThreadsShare) {
  const std::vector<uint64_t> before = RandomHashes(20000, 4), meanwhile = RandomHashes(20000, 5);
  ConcurrentFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(40000, ParquetFilterOptions(0.01))));
  filter.InsertHashes(before.data(), before.size());
  EXPECT_EQ(Written(filter), Written(FilterOf(before, ParquetFilterOptionsOfBytes(filter.body_bytes()))));
  std::thread inserter([&] {
    for (const uint64_t hash : meanwhile) filter.InsertHash(hash);
  });
  std::string sunk;
  const auto take = [](void* context, const void* data, size_t size) noexcept {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
    return true;
  };
  for (int i = 0; i < 20; ++i) {
    sunk.clear();
    EXPECT_TRUE(IsOk(WriteParquetFilter(filter, {take, &sunk})));
    for (const std::string& file : {Written(filter), sunk}) {
      const ParquetFilterView view(file.data(), file.size());
      ASSERT_TRUE(IsOk(view.status()));
      EXPECT_EQ(view.CountMaybes(before.data(), before.size()), before.size());
    }
  }
  inserter.join();
  sunk.clear();
  EXPECT_TRUE(IsOk(WriteParquetFilter(filter, {take, &sunk})));
  EXPECT_EQ(sunk, Written(filter));
}

TEST(ParquetWrite, RefusesWithWords) {
  std::string file = "as before";
  const auto refuses = [&](StatusCode code, const FilterBase& filter, const char* words) {
    EXPECT_TRUE(Says(code, AppendParquetFilter(filter, &file), words));
    EXPECT_EQ(file, "as before");
    EXPECT_EQ(ParquetFilterBytes(filter), 0u);
    EXPECT_TRUE(Says(code, WriteParquetFilter(filter, {}), words));
  };
  refuses(StatusCode::kInvalidArgument, Filter(), "never created");
  refuses(StatusCode::kInvalidArgument, ParquetFilterView(), "broken");
  refuses(StatusCode::kInvalidArgument, SwappableFilter(), "lease");
  FilterOptions options = FilterOptions::AtFpr(0.01);
  options.hash_id = HashId::kParquet;
  refuses(StatusCode::kIncompatible, Created<BlockedFilter>(100, options), "layout blocked");
  options = ParquetFilterOptions(0.01);
  options.hash_id = HashId::kXxh3;
  refuses(StatusCode::kIncompatible, Created<Filter>(100, options), "hash xxh3");

  const Filter filter = Created<Filter>(100, ParquetFilterOptions(0.01));
  char buffer[64];
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, WriteParquetFilterTo(filter, buffer, sizeof(buffer)), "64 bytes"));
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, WriteParquetFilter(filter, {}), "sink"));
  const auto refuse = [](void*, const void*, size_t) noexcept { return false; };
  EXPECT_TRUE(Says(StatusCode::kIoError, WriteParquetFilter(filter, {refuse, nullptr}), "refused"));
}

// Parquet has no filter of 0 bytes.
TEST(ParquetWrite, TheEmptySetIsABlockOfZeros) {
  const std::string image = Build(ParquetFilterOptions(0.01), {});
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  ASSERT_TRUE(IsOk(view.status()));
  EXPECT_TRUE(view.empty_set());
  const std::string file = Written(view);
  EXPECT_EQ(file, Header(32) + std::string(32, '\0'));
  const ParquetFilterView read(file.data(), file.size());
  EXPECT_FALSE(read.MayContainKey("x"));
}

// What is written is known by its blocks of 32 bytes.
TEST(ParquetWrite, OneLayoutHasBlocksOf32Bytes) {
  for (const Layout layout : SupportedLayouts()) {
    EXPECT_EQ(FactsOf(layout).block_bytes == 32, layout == Layout::kSplitBlock) << LayoutName(layout);
  }
}

TEST(ParquetSizes, AreTheLeastForTheRate) {
  for (const double fpr : {0.05, 0.01, 0.001}) {
    for (const uint64_t values : {uint64_t{1}, uint64_t{100}, uint64_t{10000}, uint64_t{1000000}}) {
      const uint64_t bytes = ParquetBitsetBytes(values, fpr);
      EXPECT_EQ(bytes % 32, 0u);
      EXPECT_LE(ExpectedFpr(Layout::kSplitBlock, values, bytes, 0), fpr);
      EXPECT_TRUE(bytes == 32 || ExpectedFpr(Layout::kSplitBlock, values, bytes - 32, 0) > fpr);
      EXPECT_EQ(Created<Filter>(values, ParquetFilterOptions(fpr)).body_bytes(), bytes);
      const uint64_t power = ParquetBitsetBytes(values, fpr, true);
      EXPECT_EQ(power & (power - 1), 0u);
      EXPECT_TRUE(power >= bytes && power < 2 * bytes) << power << " " << bytes;
    }
  }
  EXPECT_EQ(ParquetBitsetBytes(0, 0.01), 32u);
  EXPECT_EQ(ParquetBitsetBytes(100, 0), 0u);
  EXPECT_EQ(ParquetBitsetBytes(100, 1.5), 0u);
  EXPECT_EQ(ParquetBitsetBytes(UINT64_MAX, 0.01), 0u);
}

// The table of the guide. Arrow has m = -8 n / ln(1 - p^(1/8)) bits, rounded up to a power of two.
TEST(ParquetSizes, AreThoseOfTheGuide) {
  std::string guide = ReadFile(std::string(LINEFILTER_SOURCE_DIR) + "/doc/guide/parquet.md");
  guide.erase(std::remove(guide.begin(), guide.end(), ','), guide.end());
  const std::regex row(R"(\| (\d+) \| ([\d.]+) % \| (\d+) \| ([\d.]+) % \| (\d+) \| ([\d.]+) times \|)");
  int rows = 0;
  for (std::sregex_iterator it(guide.begin(), guide.end(), row), end; it != end; ++it, ++rows) {
    SCOPED_TRACE(it->str());
    const auto number = [&](size_t i) { return std::stod((*it)[i]); };
    const double values = number(1), fpr = number(2) / 100, ours = number(5);
    const double bits = -8 * values / std::log(1 - std::pow(fpr, 1.0 / 8));
    const double arrow = std::pow(2, std::ceil(std::log2(bits))) / 8;
    EXPECT_EQ(number(3), arrow);
    const double real =
        ExpectedFpr(Layout::kSplitBlock, static_cast<uint64_t>(values), static_cast<uint64_t>(arrow), 0);
    EXPECT_NEAR(number(4) / 100, real, 0.04 * real);
    EXPECT_EQ(static_cast<uint64_t>(ours), ParquetBitsetBytes(static_cast<uint64_t>(values), fpr));
    EXPECT_NEAR(number(6), arrow / ours, 0.0051);
  }
  EXPECT_EQ(rows, 8);
}

TEST(ParquetSizes, OfABudget) {
  const auto bytes_of = [](uint64_t budget, ParquetSize size) {
    return ParquetFilterOptionsOfBytes(budget, size).body_bytes;
  };
  for (const uint64_t budget : {uint64_t{0}, uint64_t{31}, uint64_t{32}, uint64_t{1000}, uint64_t{100000},
                                uint64_t{1} << 20, uint64_t{12345678}, uint64_t{1} << 29, uint64_t{1} << 40}) {
    const uint64_t exact = bytes_of(budget, ParquetSize::kExact);
    EXPECT_EQ(exact, budget < 32 ? 32 : budget > (1u << 29) ? uint64_t{1} << 29 : budget / 32 * 32);
    const uint64_t power = bytes_of(budget, ParquetSize::kPowerOfTwo);
    EXPECT_EQ(power & (power - 1), 0u);
    EXPECT_TRUE(power <= exact && 2 * power > exact);
    const uint64_t foldable = bytes_of(budget, ParquetSize::kFoldable);
    EXPECT_LE(foldable, exact);
    EXPECT_GE(static_cast<double>(foldable), 0.9 * static_cast<double>(exact));
  }
  // From 120 blocks on all factors up to 6 divide it.
  for (uint64_t blocks = 120; blocks < 100000; blocks += 97) {
    const uint64_t foldable = bytes_of(32 * blocks, ParquetSize::kFoldable) / 32;
    for (const uint64_t factor : {2u, 3u, 4u, 6u}) EXPECT_EQ(foldable % factor, 0u) << blocks;
  }
  EXPECT_EQ(bytes_of(1 << 20, ParquetSize::kFoldable), 1048320u);
}

// Where nobody knows the number of values, the filter is folded to little more than the least size.
TEST(ParquetSizes, AFilterOfABudgetFoldsToItsKeys) {
  for (const uint64_t values : {uint64_t{1000}, uint64_t{5000}, uint64_t{30000}, uint64_t{100000}}) {
    const std::vector<uint64_t> hashes = RandomHashes(values, values);
    Filter filter = FilterOf(hashes, ParquetFilterOptionsOfBytes(1 << 20, ParquetSize::kFoldable));
    EXPECT_TRUE(IsOk(filter.FoldToFpr(0.01)));
    EXPECT_LE(filter.ExpectedFpr(), 0.01);
    EXPECT_LT(static_cast<double>(filter.body_bytes()), 1.3 * static_cast<double>(ParquetBitsetBytes(values, 0.01)));
    const std::string file = Written(filter);
    const ParquetFilterView view(file.data(), file.size());
    EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  }
}

// The bits go from the file into the memory of the filter.
TEST(ParquetCopy, AllocatesTheFilterAlone) {
  const std::string file = FileOfParquetMr();
  const ParquetFilterView view(file.data(), file.size());
  TestAllocator memory;
  Filter filter;
  memory.FailFrom(0);
  EXPECT_TRUE(Says(StatusCode::kOutOfMemory, CopyParquetFilter(view, &filter, memory.WithHooks()), "1024"));
  EXPECT_EQ(filter.layout(), Layout::kAuto);
  memory.FailFrom(TestAllocator::kNever);
  const uint64_t before = memory.num_allocations();
  ASSERT_TRUE(IsOk(CopyParquetFilter(view, &filter, memory.WithHooks())));
  EXPECT_EQ(memory.num_allocations(), before + 1);
  EXPECT_EQ(memory.peak_bytes(), 1024u);
  EXPECT_TRUE(memory.Owns(filter.body()));
  EXPECT_EQ(Written(filter), file);
  EXPECT_EQ(filter.capacity(), 0u) << "nobody said";
  EXPECT_EQ(filter.key_kind(), KeyKind::kUnknown);
  FilterOptions options = memory.WithHooks();
  options.layout = Layout::kBlocked;
  EXPECT_TRUE(Says(StatusCode::kIncompatible, CopyParquetFilter(view, &filter, options), "layout split_block"));
  EXPECT_EQ(Written(filter), file) << "it is as it was";
}

TEST(ParquetCopy, TakesKeysAndUnites) {
  const std::string file = FileOfParquetMr();
  const ParquetFilterView view(file.data(), file.size());
  Filter filter;
  ASSERT_TRUE(IsOk(CopyParquetFilter(view, &filter)));
  EXPECT_EQ(Written(filter), file);
  EXPECT_TRUE(filter.InsertKey("another"));
  const std::string more = Written(filter);
  const ParquetFilterView read(more.data(), more.size());
  EXPECT_TRUE(read.MayContainKey("another") && read.MayContainKey("hello"));
  Filter other = Created<Filter>(4, ParquetFilterOptionsOfBytes(1024));
  other.InsertKey("united");
  EXPECT_TRUE(IsOk(filter.Union(other)));
  EXPECT_TRUE(filter.MayContainKey("united") && filter.MayContainKey("bloom"));

  EXPECT_TRUE(Says(StatusCode::kCorrupt, CopyParquetFilter(ParquetFilterView(), &filter), "Open"));
  FilterOptions options;
  options.memory_limit = 100;
  EXPECT_TRUE(Says(StatusCode::kOverLimit, CopyParquetFilter(view, &filter, options)));
  EXPECT_TRUE(filter.MayContainKey("united")) << "it is as it was";
  ParquetFilterView large;
  const uint64_t above = (uint64_t{1} << 29) + 32;  // nothing of it is read
  ASSERT_TRUE(IsOk(large.OpenBitset(file.data(), above)));
  EXPECT_TRUE(Says(StatusCode::kUnsupported, CopyParquetFilter(large, &filter), "2^24"));
}

}  // namespace
}  // namespace linefilter::test
