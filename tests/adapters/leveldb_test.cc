// linefilter/leveldb.h: the policy by itself, and in real databases.
#include "linefilter/leveldb.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/filter_policy.h"
#include "lib/adapters/engine_filter.h"
#include "linefilter/hash.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/layouts.h"
#include "tests/testing/leveldb.h"
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

namespace linefilter {
namespace {

using test::EngineKey;
using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

EngineFilterOptions BitsPerKey(double bits_per_key, Layout layout = Layout::kAuto) {
  EngineFilterOptions options;
  options.bits_per_key = bits_per_key;
  options.layout = layout;
  return options;
}

Policy New(const EngineFilterOptions& options) {
  Status status;
  Policy policy(NewLevelDBFilterPolicy(options, &status));
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_NE(policy, nullptr);
  return policy;
}

std::vector<Layout> AutoAndEveryLayout() {
  std::vector<Layout> layouts = test::EveryLayout();
  layouts.insert(layouts.begin(), Layout::kAuto);
  return layouts;
}

// Keys first, first + 1, ..., sorted as LevelDB hands them over.
std::vector<std::string> Keys(uint64_t first, size_t n) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < first + n; ++i) keys.push_back(EngineKey(i));
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string Filter(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string filter;
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  return filter;
}

uint64_t CountMatches(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys,
                      std::string_view filter) {
  uint64_t matches = 0;
  for (const std::string& key : keys) matches += policy.KeyMayMatch(key, leveldb::Slice(filter.data(), filter.size()));
  return matches;
}

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
        const FilterView view(filter.data(), filter.size());
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
    const Policy writer = New(BitsPerKey(test::BitsPerKeyLikeBlocked(layout, 20), layout));
    const std::string filter = Filter(*writer, keys);
    EXPECT_EQ(CountMatches(*reader, keys, filter), keys.size());
    const unsigned limit = layout == Layout::kCounting ? 100 : 40;  // 0.5 %, 0.2 %
    EXPECT_LT(CountMatches(*reader, others, filter), limit) << "it is the writer's filter, of 20 bits per key";
  }
}

TEST(LevelDBPolicy, AnswersMaybeToWhateverIsBroken) {
  const Policy bloom(leveldb::NewBloomFilterPolicy(10));
  const std::vector<std::string> keys = Keys(1, 100), absent = Keys(1000, 20);
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    const std::string filter = Filter(*policy, keys);
    const auto expect_maybe = [&](const std::string& broken, const char* what) {
      EXPECT_EQ(CountMatches(*policy, absent, broken), absent.size()) << what << ", " << broken.size() << " bytes";
    };
    for (size_t size = 0; size < filter.size(); ++size) {
      expect_maybe(filter.substr(0, size), "the end is missing");
      expect_maybe(filter.substr(filter.size() - size), "the beginning is missing");
    }
    for (size_t bit = 0; bit < 8 * filter.size(); ++bit) {
      std::string flipped = filter;
      flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
      expect_maybe(flipped, "a bit is flipped");
    }
    expect_maybe(filter + filter, "two filters");
    expect_maybe(std::string(filter.size(), '\0'), "zeros");
    expect_maybe(std::string(filter.size(), '\xff'), "ones");
    expect_maybe(Filter(*bloom, keys), "LevelDB's own filter");
  }
}

// The body of a large filter is not verified when it is opened, so at each lookup.
TEST(LevelDBPolicy, AnswersMaybeWhereALargeFilterIsDamaged) {
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    EngineFilterOptions trusting_options = BitsPerKey(10, layout);
    trusting_options.verify = false;
    const Policy trusting = New(trusting_options);
    for (const size_t n : {4000u, 120000u}) {  // 5 KB: one chunk; 150 KB: three
      const std::vector<std::string> keys = Keys(1, n);
      const std::string filter = Filter(*policy, keys);
      ASSERT_EQ(CountMatches(*policy, keys, filter), n);
      test::Random random(n);
      uint64_t lost_by_trust = 0;
      for (int round = 0; round < (n > 10000 ? 2 : 20); ++round) {
        std::string damaged = filter;
        for (int i = 0; i < 64; ++i) damaged[random.Below(filter.size() - 32)] = static_cast<char>(random());
        ASSERT_EQ(CountMatches(*policy, keys, damaged), n) << LayoutName(layout);
        lost_by_trust += n - CountMatches(*trusting, keys, damaged);
      }
      EXPECT_GT(lost_by_trust, 0u) << "so the damage was one that counts";
      for (const size_t size : {size_t{0}, size_t{1}, filter.size() / 2, filter.size() - 1}) {
        EXPECT_EQ(CountMatches(*trusting, keys, std::string_view(filter).substr(0, size)), n);
      }
    }
  }
}

// Each chunk by itself, wholly: what a lookup reads is verified, and of the layouts of blocks no more.
TEST(LevelDBPolicy, VerifiesTheChunksThatALookupReads) {
  constexpr size_t kChunk = 65536;
  for (const Layout layout : test::EveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    EngineFilterOptions trusting_options = BitsPerKey(10, layout);
    trusting_options.verify = false;
    const Policy trusting = New(trusting_options);
    const std::vector<std::string> all_keys = Keys(0, 200000), absent = Keys(uint64_t{1} << 40, 4000);
    const std::string filter = Filter(*policy, all_keys);
    std::vector<std::string> keys;
    for (size_t i = 0; i < all_keys.size(); i += 50) keys.push_back(all_keys[i]);
    const FilterView view(filter.data(), filter.size());
    ASSERT_EQ(view.num_chunks(), 4u);
    for (uint64_t chunk = 0; chunk < view.num_chunks(); ++chunk) {
      SCOPED_TRACE(std::string(LayoutName(layout)) + ", chunk " + std::to_string(chunk));
      std::string damaged = filter;
      const size_t end = std::min<size_t>((chunk + 1) * kChunk, view.body_bytes());
      test::Random random(chunk);  // not zeros, for which `retrieval` answers "maybe"
      for (size_t i = chunk * kChunk; i < end; ++i) {
        damaged[i] = static_cast<char>(layout == Layout::kCounting ? 0 : random());  // few random counters are 0
      }
      EXPECT_EQ(CountMatches(*policy, keys, damaged), keys.size());
      EXPECT_LT(CountMatches(*trusting, keys, damaged), keys.size() * 9 / 10) << "so the damage was one that counts";
      if (view.num_blocks() == 0) continue;
      std::vector<std::string> elsewhere;
      for (const std::string& key : absent) {
        const uint64_t block = BlockIndex(HashKey(key, view.seed()), view.num_blocks());
        if (block * 64 / kChunk != chunk) elsewhere.push_back(key);
      }
      EXPECT_GT(elsewhere.size(), absent.size() / 2);
      EXPECT_EQ(CountMatches(*policy, elsewhere, damaged), CountMatches(*policy, elsewhere, filter));
    }
  }
}

TEST(LevelDBPolicy, StoresWhatAnswersMaybeWhereMemoryRunsOut) {
  for (const Layout layout : AutoAndEveryLayout()) {
    FilterOptions options;
    ASSERT_TRUE(internal::ToFilterOptions(BitsPerKey(10, layout), &options).ok());
    test::TestAllocator allocator;
    options.allocator = allocator.hooks();
    FilterBuilder builder(options);
    allocator.FailFrom(0);
    builder.AddKey("lost");
    std::string block = "before";
    internal::AppendImage(&builder, &block);
    EXPECT_EQ(block, std::string("before\0", 7)) << "a byte: none is how LevelDB stores that there are no keys";
    EXPECT_TRUE(internal::AskImage(std::string_view(block).substr(6), "lost", false));
    allocator.FailFrom(test::TestAllocator::kNever);
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
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {1.0, 3.3, 10.0, 29.9, 64.0}) {
      FilterOptions options;
      ASSERT_TRUE(internal::ToFilterOptions(BitsPerKey(bits_per_key, layout), &options).ok());
      for (uint64_t n = 0; n < 1000000; n += 1 + n / 50) {
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
  const uint64_t num_filters = static_cast<uint64_t>(200 * std::max(0.05, test::Effort()));
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
  const double step = test::Effort() < 1 ? 0.7 : 0.93;
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

constexpr uint64_t kFewKeys = 3000;

TEST(LevelDBDatabase, LosesNoKey) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {2.0, 10.0, 24.0}) {
      for (const size_t value_size : {0u, 100u, 1000u}) {
        const Policy policy = New(BitsPerKey(test::BitsPerKeyLikeBlocked(layout, bits_per_key), layout));
        test::LevelDB db;
        db.Open(policy.get());
        db.Fill(0, kFewKeys, value_size);
        EXPECT_EQ(db.CountLost(0, kFewKeys, value_size), 0u);
        db.Open(policy.get());
        EXPECT_EQ(db.CountLost(0, kFewKeys, value_size), 0u) << "opened again";
        // 2 bits per key: 40 %, of a few hundred filters.
        EXPECT_LT(db.CountReadsOfAbsent(1000), bits_per_key == 2 ? 600u : 50u) << LayoutName(layout);
      }
    }
  }
}

TEST(LevelDBDatabase, OpensWithAnyPolicyAndWithNone) {
  const Policy ours = New(BitsPerKey(10)), other = New(BitsPerKey(20, Layout::kRetrieval)),
               bloom(leveldb::NewBloomFilterPolicy(10));
  test::LevelDB db;
  uint64_t num_keys = 0;
  for (const leveldb::FilterPolicy* const policy :
       {ours.get(), other.get(), static_cast<const leveldb::FilterPolicy*>(nullptr), bloom.get(), ours.get()}) {
    db.Open(policy);
    EXPECT_EQ(db.CountLost(0, num_keys, 100), 0u) << "as the one before left it";
    if (policy == other.get()) {
      EXPECT_LT(db.CountReadsOfAbsent(1000), 30u) << "reads the other options' filters";
    }
    if (policy == bloom.get() || policy == nullptr) {
      EXPECT_GT(db.CountReadsOfAbsent(1000), 950u) << "without filters";
    }
    db.Fill(num_keys, kFewKeys, 100);
    num_keys += kFewKeys;
    EXPECT_EQ(db.CountLost(0, num_keys, 100), 0u) << "written anew";
  }
}

// A database of one table whose filter block is damaged.
class DamagedFilters : public testing::Test {
 protected:
  static constexpr size_t kValueSize = 100;

  void Create(const EngineFilterOptions& options, size_t block_size, uint64_t num_keys, bool paranoid_checks) {
    if (test::Effort() < 1) num_keys /= 4;
    num_keys_ = num_keys;
    db_.reset();
    policy_ = New(options);
    db_ = std::make_unique<test::LevelDB>();
    db_->options.block_size = block_size;
    db_->options.paranoid_checks = paranoid_checks;
    db_->Open(policy_.get());
    db_->Fill(0, num_keys, kValueSize);
    db_->Close();
    const std::vector<std::string> tables = db_->Tables();
    ASSERT_EQ(tables.size(), 1u);
    path_ = tables[0];
    table_ = test::ReadFile(path_);
    block_ = tools::FilterBlockOf(table_);
    ASSERT_EQ(block_.policy_name, policy_->Name());
    ASSERT_GT(block_.size, num_keys);
  }
  template <class Damage>
  uint64_t CountLostAfter(const Damage& damage) {
    std::string damaged = table_;
    damage(&damaged);
    db_->Overwrite(path_, damaged);
    db_->Open(policy_.get());
    const uint64_t lost = db_->CountLost(0, num_keys_, kValueSize);
    db_->Close();
    return lost;
  }

  Policy policy_;
  std::unique_ptr<test::LevelDB> db_;
  uint64_t num_keys_ = 0;
  std::string path_, table_;
  tools::FilterBlock block_;
};

// But for the last bytes of the block, which say where LevelDB's directory of filters begins: the next test.
TEST_F(DamagedFilters, LoseNoKeyWhereTheEndOfTheBlockIsIntact) {
  const int rounds = test::Effort() < 1 ? 1 : 8;
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const auto& [block_size, num_keys] :
         {std::pair<size_t, uint64_t>{4 << 10, 3000}, {64 << 10, 3000}, {1 << 20, 8000}}) {
      ASSERT_NO_FATAL_FAILURE(Create(BitsPerKey(10, layout), block_size, num_keys, false));
      test::Random random(block_size);
      const auto flip_bit = [&](std::string* table, size_t first, size_t n) {
        (*table)[first + random.Below(n)] ^= static_cast<char>(1 << random.Below(8));
      };
      EXPECT_EQ(CountLostAfter([&](std::string* table) {
                  tools::ForEachFilter(table_, [&](std::string_view filter) {
                    flip_bit(table, static_cast<size_t>(filter.data() - table_.data()), filter.size());
                  });
                }),
                0u)
          << "a bit of each filter";
      const size_t size = block_.size - tools::kFilterBlockEnd;
      for (int round = 0; round < rounds; ++round) {
        EXPECT_EQ(CountLostAfter([&](std::string* table) { flip_bit(table, block_.offset, size); }), 0u)
            << "a bit of the filters or of their offsets";
        const size_t first = random.Below(size);
        EXPECT_EQ(CountLostAfter([&](std::string* table) {
                    for (size_t i = first; i < size; ++i) (*table)[block_.offset + i] = '\0';
                  }),
                  0u)
            << "zeros from byte " << first << " on";
      }
    }
  }
}

// What no policy can see at the end of the block: LevelDB asks the filters of other keys. Its own checksum finds it.
TEST_F(DamagedFilters, LoseNoKeyWithParanoidChecksWhereverTheDamage) {
  EngineFilterOptions options = BitsPerKey(10, Layout::kBlocked);
  options.verify = false;
  for (const size_t block_size : {size_t{4} << 10, size_t{1} << 20}) {
    ASSERT_NO_FATAL_FAILURE(Create(options, block_size, 8000, true));
    std::vector<size_t> positions = {0, block_.size / 3};
    for (size_t back = 1; back <= tools::kFilterBlockEnd + 9; ++back) positions.push_back(block_.size - back);
    for (const size_t position : positions) {
      EXPECT_EQ(CountLostAfter([&](std::string* table) { (*table)[block_.offset + position] ^= 1; }), 0u) << position;
    }
  }
}

TEST(LevelDBDatabase, ReadsFewBlocksForAbsentKeys) {
  const uint64_t num_keys = static_cast<uint64_t>(50000 * std::max(0.1, test::Effort())), questions = num_keys;
  uint64_t without = 0, with_bloom = 0;
  const Policy bloom(leveldb::NewBloomFilterPolicy(10));
  for (const leveldb::FilterPolicy* const policy : {static_cast<const leveldb::FilterPolicy*>(nullptr), bloom.get()}) {
    test::LevelDB db;
    db.Open(policy);
    db.Fill(0, num_keys, 20);
    (policy == nullptr ? without : with_bloom) = db.CountReadsOfAbsent(questions);
  }
  EXPECT_GT(without, questions * 99 / 100) << "else the counts mean nothing";
  EXPECT_LT(with_bloom, questions / 50) << "else the counts mean nothing";
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(test::BitsPerKeyLikeBlocked(layout, 10), layout));
    test::LevelDB db;
    db.Open(policy.get());
    db.Fill(0, num_keys, 20);
    EXPECT_LT(db.CountReadsOfAbsent(questions), questions / 60) << LayoutName(layout);
  }
}

// Reads of absent keys against what the filters in the table say of themselves, weighted by their size. 4.9 standard
// deviations of a binomial count: 1e-6 each.
TEST(LevelDBDatabase, LargeBlocksHaveTheExpectedFalsePositives) {
  const double effort = std::max(0.1, test::Effort());
  const uint64_t num_keys = static_cast<uint64_t>(100000 * effort), questions = static_cast<uint64_t>(200000 * effort);
  for (const size_t block_size : {size_t{64} << 10, size_t{1} << 20}) {
    for (const Layout layout : AutoAndEveryLayout()) {
      const Policy policy = New(BitsPerKey(8, layout));
      test::LevelDB db;
      db.options.block_size = block_size;
      db.Open(policy.get());
      db.Fill(0, num_keys, 60);
      const double reads = static_cast<double>(db.CountReadsOfAbsent(questions));
      ASSERT_EQ(db.Tables().size(), 1u);
      double bytes = 0, expected = 0;
      db.ForEachFilter([&](std::string_view filter) {
        const FilterView view(filter.data(), filter.size());
        bytes += static_cast<double>(view.body_bytes());
        expected += static_cast<double>(view.body_bytes()) * view.ExpectedFpr();
      });
      expected *= static_cast<double>(questions) / bytes;
      EXPECT_NEAR(reads, expected, 4.9 * std::sqrt(expected) + 0.01 * expected)
          << LayoutName(layout) << ", blocks of " << block_size;
    }
  }
}

}  // namespace
}  // namespace linefilter
