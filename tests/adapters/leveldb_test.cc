// The policy of linefilter/leveldb.h by itself holds every key, keeps any rate, and refuses what makes no sense.
#include "tests/adapters/leveldb_test.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <thread>

#include "lib/adapters/engine_filter.h"
#include "linefilter/sizing.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/test_allocator.h"

#if defined(__GLIBC__) && !defined(__arm__)  // (whose code without exceptions none passes through)
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define LINEFILTER_TEST_COUNTS_MALLOC
#endif
#endif

// LevelDB's strings allocate by operator new: above this many bytes it fails, while a test asks for that.
// (Not inlined, so that no compiler sees a pointer of malloc in a delete expression.)
static size_t largest_new = ~size_t{0};
__attribute__((noinline)) void* operator new(size_t size) {
  void* const pointer = size > largest_new ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
__attribute__((noinline)) void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return size > largest_new ? nullptr : std::malloc(size == 0 ? 1 : size);
}
__attribute__((noinline)) void operator delete(void* pointer) noexcept { std::free(pointer); }
__attribute__((noinline)) void operator delete(void* pointer, size_t) noexcept { std::free(pointer); }

namespace linefilter::test {
namespace {

TEST(LevelDBPolicy, RefusesOptionsThatMakeNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EngineFilterOptions both = BitsPerKey(10);
  both.fpr = 0.01;
  std::vector<EngineFilterOptions> bad = {EngineFilterOptions(), both, BitsPerKey(10, Layout::kContainer),
                                          BitsPerKey(10, static_cast<Layout>(77))};
  for (const double bits_per_key : {0.9, 64.1, -1.0, 1e9, nan}) bad.push_back(BitsPerKey(bits_per_key));
  for (const double fpr : {-0.1, 1.0, 2e-13, 1e-300, nan}) {
    bad.emplace_back();
    bad.back().fpr = fpr;
  }
  for (const EngineFilterOptions& options : bad) {
    Status status;
    EXPECT_EQ(Policy(NewLevelDBFilterPolicy(options, &status)), nullptr) << options.bits_per_key << " " << options.fpr;
    EXPECT_FALSE(status.ok());
    EXPECT_GT(std::string_view(status.message()).size(), 30u) << status.message();
    EXPECT_EQ(Policy(NewLevelDBFilterPolicy(options)), nullptr) << "without a status";
  }
  Status status = Status::Error(StatusCode::kIoError, "of an earlier call");
  EXPECT_NE(Policy(NewLevelDBFilterPolicy(BitsPerKey(10), &status)), nullptr);
  EXPECT_TRUE(status.ok());
  EXPECT_NE(Policy(NewLevelDBFilterPolicy(10)), nullptr) << "as leveldb::NewBloomFilterPolicy is called";
  EXPECT_EQ(Policy(NewLevelDBFilterPolicy(0.5, &status)), nullptr);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST(LevelDBPolicy, AppendsAnImageThatHoldsEveryKey) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {1.0, 4.5, 10.0, 20.0, 64.0}) {
      const Policy policy = New(BitsPerKey(bits_per_key, layout));
      for (const size_t n : {0u, 1u, 2u, 3u, 8u, 50u, 300u, 5000u, 60000u}) {
        const std::vector<std::string> keys = Keys(n, n);
        const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
        std::string block = "what is there already";
        const std::string head = block;
        policy->CreateFilter(slices.data(), static_cast<int>(n), &block);
        ASSERT_EQ(block.substr(0, head.size()), head);
        const std::string_view filter = std::string_view(block).substr(head.size());
        ASSERT_EQ(CountMatches(*policy, keys, filter), n) << LayoutName(layout) << " " << bits_per_key;
        const FilterView view(filter.data(), filter.size(), VerifyMode::kWhole);
        ASSERT_TRUE(view.status().ok()) << view.status().message();
        if (n == 0) {
          EXPECT_FALSE(policy->KeyMayMatch("x", leveldb::Slice(filter.data(), filter.size())));
        }
      }
    }
  }
}

TEST(LevelDBPolicy, CountsRepeatedKeysOnce) {
  const Policy policy = New(BitsPerKey(10));
  const std::vector<std::string> keys = Keys(1, 40);
  std::vector<std::string> repeated;
  for (const std::string& key : keys) repeated.insert(repeated.end(), 1 + repeated.size() % 5, key);
  EXPECT_EQ(Filter(*policy, repeated), Filter(*policy, keys));
}

TEST(LevelDBPolicy, TakesKeysOfAnyBytes) {
  const Policy policy = New(BitsPerKey(12));
  const std::vector<std::string> keys = {"", std::string(1, '\0'), std::string(2, '\0'), "a", std::string(5000, 'z')};
  EXPECT_EQ(CountMatches(*policy, keys, Filter(*policy, keys)), keys.size());
}

TEST(LevelDBPolicy, ReadsFiltersOfAnyOtherOptions) {
  const Policy reader = New(BitsPerKey(3, Layout::kBlocked));
  const std::vector<std::string> keys = Keys(1, 300), others = Keys(1000, 20000);
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy writer = New(BitsPerKey(BitsPerKeyLikeBlocked(layout, 20), layout));
    const std::string filter = Filter(*writer, keys);
    EXPECT_EQ(CountMatches(*reader, keys, filter), keys.size());
    EXPECT_LT(CountMatches(*reader, others, filter), 40u) << "0.2 %: it is the writer's filter, of 20 bits per key";
  }
}

TEST(LevelDBPolicy, StoresWhatAnswersMaybeWhereMemoryRunsOut) {
  for (const Layout layout : AutoAndEveryLayout()) {
    FilterOptions options;
    ASSERT_TRUE(internal::ToFilterOptions(BitsPerKey(10, layout), &options).ok());
    TestAllocator allocator;
    options.allocator = allocator.hooks();
    internal::EngineSizes sizes;
    ASSERT_TRUE(sizes.Create(options, FprForBitsPerKey(layout, 10)).ok());
    internal::EngineBuilder builder(sizes);
    allocator.FailFrom(0);
    builder.AddKey("lost");
    for (uint64_t i = 0; i < 200; ++i) builder.AddHash(MixHash(i));  // the builder has room for 120 by itself
    std::string block = "before";
    internal::AppendImage(&builder, &block);
    EXPECT_EQ(block, std::string("before\0", 7)) << "a byte: none is how LevelDB stores that there are no keys";
    EXPECT_TRUE(internal::AskImage(std::string_view(block).substr(6), "lost", false));
    allocator.FailFrom(TestAllocator::kNever);
    builder.AddKey("kept");
    block.clear();
    internal::AppendImage(&builder, &block);
    EXPECT_EQ(block, Filter(*New(BitsPerKey(10, layout)), {"kept"})) << "and works again";
  }
}

// The growth of LevelDB's string is LevelDB's allocation and fails as such, while nothing of ours is held.
TEST(LevelDBPolicy, LeaksNothingWhereLevelDBsStringCannotGrow) {
#ifdef LINEFILTER_TEST_COUNTS_MALLOC
  const auto in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::vector<std::string> keys = Keys(1, 100000);
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    std::string block = "before";
    const size_t before = in_use();
    for (int i = 0; i < 5; ++i) {
      bool has_thrown = false;
      largest_new = 100000;
      try {
        policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &block);
      } catch (const std::bad_alloc&) {
        has_thrown = true;
      }
      largest_new = ~size_t{0};
      EXPECT_TRUE(has_thrown);
      EXPECT_EQ(block, "before");
    }
    EXPECT_LT(in_use(), before + 100000) << LayoutName(layout);
  }
#else
  GTEST_SKIP() << "no mallinfo2";
#endif
}

TEST(LevelDBPolicy, MakesRoomForAnImageOfAnySize) {
  const uint64_t parts = Effort() < 1 ? 4 : 50;
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {1.0, 3.3, 10.0, 29.9, 64.0}) {
      FilterOptions options;
      ASSERT_TRUE(internal::ToFilterOptions(BitsPerKey(bits_per_key, layout), &options).ok());
      for (uint64_t n = 0; n < 1000000; n += 1 + n / parts) {
        std::string block = "before";
        internal::MakeRoomForImage(options, n, &block);
        ASSERT_EQ(block, "before");
        uint64_t image_bytes = 0;
        ASSERT_TRUE(FilterBuilder::EstimateBytes(options, n, &image_bytes).ok());
        ASSERT_GE(block.capacity(), block.size() + image_bytes) << LayoutName(layout) << ", " << n << " keys";
      }
    }
  }
}

TEST(LevelDBPolicy, IsUsedByManyThreads) {
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&policy, t] {
        for (uint64_t round = 0; round < 20; ++round) {
          const std::vector<std::string> keys = Keys(1000000 * t + round, 1 + 40 * round);
          EXPECT_EQ(CountMatches(*policy, keys, Filter(*policy, keys)), keys.size());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(LevelDBPolicy, OfATinySetCostsEightBytesMoreThanLevelDBs) {
  for (int bits_per_key = 1; bits_per_key <= 64; ++bits_per_key) {
    const Policy bloom(leveldb::NewBloomFilterPolicy(bits_per_key)), ours = New(BitsPerKey(bits_per_key));
    for (size_t n = 1; n <= 60; ++n) {
      const std::vector<std::string> keys = Keys(1000 * n, n);
      EXPECT_LE(Filter(*ours, keys).size(), Filter(*bloom, keys).size() + 8) << n << " keys at " << bits_per_key;
    }
  }
}

// The same keys, the same questions. The difference of two counts has at most the standard deviation of their sum's
// root, but for the filters' fill, which adds less: 5.5 of them over 84 comparisons give a false alarm in 1e6.
TEST(LevelDBPolicy, OfATinySetIsNoWorseThanLevelDBs) {
  const uint64_t num_filters = static_cast<uint64_t>(200 * std::max(0.05, Effort()));
  const std::vector<std::string> absent = Keys(uint64_t{1} << 40, 1000);
  uint64_t ours_in_all = 0, theirs_in_all = 0;
  for (const int bits_per_key : {4, 7, 10, 13, 16, 20, 24}) {
    const Policy bloom(leveldb::NewBloomFilterPolicy(bits_per_key)), policy = New(BitsPerKey(bits_per_key));
    for (const size_t n : {1u, 2u, 5u, 8u, 13u, 20u, 30u, 40u, 50u, 51u, 55u, 60u}) {
      uint64_t ours = 0, theirs = 0;
      for (uint64_t f = 0; f < num_filters; ++f) {
        const std::vector<std::string> keys = Keys(1000000 * n + 100 * f, n);
        ours += CountMatches(*policy, absent, Filter(*policy, keys));
        theirs += CountMatches(*bloom, absent, Filter(*bloom, keys));
      }
      EXPECT_LE(static_cast<double>(ours),
                static_cast<double>(theirs) + 5.5 * std::sqrt(static_cast<double>(ours + theirs) + 1))
          << n << " keys at " << bits_per_key << " bits per key";
      ours_in_all += ours;
      theirs_in_all += theirs;
    }
  }
  EXPECT_LT(ours_in_all, theirs_in_all);
}

// The highest expected rate of filters of any number of keys: every one up to 400; fewer of the larger, among them the
// fullest of up to 200 blocks; the limit; 2^32 keys, the most that are promised: of `classic` it alone has more equal
// hashes.
double HighestFpr(const FilterOptions& options) {
  double highest =
      FprForBitsPerKey(options.layout == Layout::kAuto ? Layout::kBlocked : options.layout, options.bits_per_key);
  const auto visit = [&](uint64_t num_keys) {
    Sizing sizing;
    const double bytes = static_cast<double>(num_keys) * options.bits_per_key / 8;
    if (bytes > static_cast<double>(MostBodyBytes(options.layout))) return;
    EXPECT_TRUE(SizeForBitsPerKey(options.layout, num_keys, options.bits_per_key, &sizing).ok());
    highest = std::max(highest, sizing.expected_fpr);
  };
  for (uint64_t n = 1; n < 300000; n += n < 400 ? 1 : n / 10) visit(n);
  for (uint64_t blocks = 1; blocks < 200; blocks += 1 + blocks / 10) {
    visit(std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(512 * blocks) / options.bits_per_key)));
  }
  visit(uint64_t{1} << 32);
  return highest;
}

std::vector<double> ManyFprs() {
  std::vector<double> fprs = {0.0007, 0.0016, 0.0026, 1.7e-5, 0.36, 0.201585, 0.45, 0.3, 0.1, 0.01, 1e-3, 1e-6, 1e-9};
  const double step = Effort() < 1 ? 0.7 : 0.93;
  for (double fpr = 0.997; fpr > 2e-13; fpr *= step) fprs.push_back(fpr);
  return fprs;
}

// An fpr is a bound for filters of any number of keys: by the model of the very size, which fpr_test proves. It costs
// few bits, and none is refused that the most bits reach.
TEST(LevelDBPolicy, KeepsAnyFprForEveryNumberOfKeys) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double fpr : ManyFprs()) {
      SCOPED_TRACE(std::string(LayoutName(layout)) + ", " + std::to_string(1e9 * fpr) + "e-9");
      EngineFilterOptions wanted;
      wanted.fpr = fpr;
      wanted.layout = layout;
      FilterOptions options, most;
      const Status status = internal::ToFilterOptions(wanted, &options);
      if (!status.ok()) {
        most.bits_per_key = kMaxBitsPerKey;
        most.layout = layout == Layout::kAuto ? Layout::kClassic : layout;
        EXPECT_GT(HighestFpr(most), fpr) << status.message();
        const std::string_view message = status.message();
        const size_t reach = message.find("keys reach ");
        if (reach == std::string_view::npos) continue;
        wanted.fpr = std::strtod(status.message() + reach + 11, nullptr);
        EXPECT_TRUE(internal::ToFilterOptions(wanted, &options).ok()) << status.message();
        EXPECT_LE(wanted.fpr, 1.02 * HighestFpr(most)) << status.message();
        continue;
      }
      EXPECT_EQ(options.fpr, 0) << "sizing by fpr costs too much for each filter";
      EXPECT_LE(HighestFpr(options), fpr) << options.bits_per_key;
      options.bits_per_key *= 0.999;
      if (options.bits_per_key >= kMinBitsPerKey && options.bits_per_key < 0.998 * kMaxBitsPerKey) {
        EXPECT_GT(HighestFpr(options), fpr) << "0.1 percent fewer bits are not enough";
      }
    }
  }
  EngineFilterOptions low;
  low.fpr = 1e-9;
  FilterOptions options;
  ASSERT_TRUE(internal::ToFilterOptions(low, &options).ok());
  EXPECT_EQ(options.layout, Layout::kClassic) << "`blocked` does not reach it";
}

}  // namespace
}  // namespace linefilter::test
