// The policy of linefilter/rocksdb.h by itself holds every key and answers "maybe" to whatever is broken; versions of
// RocksDB that nobody looked up are refused.
#include "tests/adapters/rocksdb_test.h"

#include <filesystem>
#include <new>
#include <string_view>
#include <thread>
#include <tuple>

#include "linefilter/view.h"
#include "tests/testing/engine_demands.h"
#include "tests/testing/run_program.h"

namespace {
bool refuse_memory = false;  // of new (std::nothrow) char[n]
}

void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  if (refuse_memory) return nullptr;
  try {
    return operator new[](size);
  } catch (...) {
    return nullptr;
  }
}

namespace linefilter::test {
namespace {

// Asked one by one and in batches of many sizes, which must agree.
uint64_t CountMatches(const rocksdb::FilterPolicy& policy, const std::vector<std::string>& keys,
                      const std::string& filter) {
  const Reader reader(policy.GetFilterBitsReader(filter));
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  uint64_t matches = 0;
  bool answers[80];
  rocksdb::Slice* pointers[80];
  for (size_t first = 0, count = 0; first < keys.size(); first += count) {
    count = std::min(keys.size() - first, 1 + first % 80);
    for (size_t i = 0; i < count; ++i) pointers[i] = &slices[first + i];
    reader->MayMatch(static_cast<int>(count), pointers, answers);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(answers[i], reader->MayMatch(slices[first + i]));
      matches += answers[i];
    }
  }
  return matches;
}

// (All of them: leveldb_test.)
TEST(RocksDBPolicy, RefusesOptionsThatMakeNoSense) {
  Status status;
  EXPECT_EQ(NewRocksDBFilterPolicy(BitsPerKey(0.5), &status), nullptr);
  EXPECT_GT(std::string_view(status.message()).size(), 30u) << status.message();
  EXPECT_EQ(NewRocksDBFilterPolicy(BitsPerKey(0.5)), nullptr) << "without a status";
  EXPECT_EQ(NewRocksDBFilterPolicy(0.5, &status), nullptr);
  EXPECT_NE(Policy(NewRocksDBFilterPolicy(10)), nullptr) << "as rocksdb::NewBloomFilterPolicy is called";
}

TEST(RocksDBPolicy, MakesFiltersThatHoldEveryKey) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {1.0, 10.0, 22.5}) {
      const Policy policy = New(BitsPerKey(BitsPerKeyLikeBlocked(layout, bits_per_key), layout));
      for (const size_t n : {0u, 1u, 2u, 50u, 3000u, 60000u}) {
        const std::vector<std::string> keys = Keys(n, n);
        const std::string filter = Filter(*policy, keys);
        ASSERT_EQ(CountMatches(*policy, keys, filter), n) << LayoutName(layout) << " " << bits_per_key;
        if (bits_per_key == 10) {
          EXPECT_LT(CountMatches(*policy, Keys(kAbsent, 10000), filter), 170u);
        }
      }
      EXPECT_EQ(CountMatches(*policy, Keys(1, 100), Filter(*policy, {})), 0u) << "no keys: nothing matches";
    }
  }
}

TEST(RocksDBPolicy, KeepsAnFpr) {
  for (const Layout layout : AutoAndEveryLayout()) {
    EngineFilterOptions options;
    options.fpr = 0.005;
    options.layout = layout;
    const Policy policy = New(options);
    const std::string filter = Filter(*policy, Keys(0, 50000));
    EXPECT_LE(FilterView(filter.data(), filter.size(), VerifyMode::kWhole).ExpectedFpr(), 0.005 * 1.03)
        << "3 %: the fill of one filter";
  }
}

TEST(RocksDBPolicy, MakesOneFilterAfterTheOther) {
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    const Builder builder = NewBuilder(*policy);
    for (uint64_t part = 0; part < 5; ++part) {
      const std::vector<std::string> keys = Keys(part << 20, 1000 * part);
      for (const std::string& key : keys) {
        builder->AddKey(key);
        builder->AddKey(key);
      }
      EXPECT_EQ(builder->EstimateEntriesAdded(), keys.size()) << "repeated ones once";
      EXPECT_EQ(Finish(builder.get()), Filter(*policy, keys));
    }
    std::unique_ptr<const char[]> memory;
    builder->AddKey("x");
    EXPECT_EQ(builder->Finish(&memory).ToString(), Filter(*policy, {"x"})) << "without a status";
  }
}

// The most keys whose filter is no larger: partitions get as many.
TEST(RocksDBPolicy, KnowsHowManyKeysASizeHolds) {
  const std::vector<std::string> keys = Keys(0, 60000);
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {1.0, 10.0, 17.3}) {
      const Policy policy = New(BitsPerKey(bits_per_key, layout));
      const Builder builder = NewBuilder(*policy);
      for (const size_t size :
           {0u, 1u, 8u, 15u, 16u, 17u, 71u, 72u, 100u, 600u, 3687u, 4104u, 5000u, 65536u, 65600u, 66000u}) {
        const size_t n = builder->ApproximateNumEntries(size);
        if (n >= keys.size()) continue;
        if (n != 0) {
          EXPECT_LE(Filter(*policy, {keys.begin(), keys.begin() + static_cast<long>(n)}).size(), size) << n;
        }
        EXPECT_GT(Filter(*policy, {keys.begin(), keys.begin() + static_cast<long>(n) + 1}).size(), size) << n;
      }
      const double most = 8.0 * static_cast<double>(std::min(uint64_t{1} << 36, MostBodyBytes(layout))) / bits_per_key;
      EXPECT_NEAR(static_cast<double>(builder->ApproximateNumEntries(size_t{1} << 36)), most, most / 1000);
    }
  }
}

TEST(RocksDBPolicy, MakesGoodFiltersOfEveryLength) {
  for (const Layout layout : AutoAndEveryLayout()) {
    SCOPED_TRACE(LayoutName(layout));
    const double bits_per_key = BitsPerKeyLikeBlocked(layout, 10);
    const Policy policy = New(bits_per_key, layout);
    ExpectGoodFiltersOfEveryLength(
        bits_per_key, [&](const std::vector<std::string>& keys) { return Filter(*policy, keys); },
        [&](const std::vector<std::string>& keys, const std::string& filter) {
          return CountMatches(*policy, keys, filter);
        });
    EXPECT_LE(Filter(*policy, {"a", "b"}).size(), 24u) << "few keys take the smallest form";
  }
}

TEST(RocksDBPolicy, AnswersMaybeToWhateverIsBroken) {
  const std::vector<std::string> keys = Keys(1, 100), absent = Keys(kAbsent, 20);
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    const std::string filter = Filter(*policy, keys);
    for (size_t size = 0; size < filter.size(); ++size) {
      EXPECT_EQ(CountMatches(*policy, absent, filter.substr(0, size)), absent.size());
      std::string flipped = filter;
      flipped[size] ^= static_cast<char>(1 << size % 8);
      EXPECT_EQ(CountMatches(*policy, absent, flipped), absent.size());
    }
    const Policy bloom(rocksdb::NewBloomFilterPolicy(10));
    EXPECT_EQ(CountMatches(*policy, absent, Filter(*bloom, keys)), absent.size()) << "RocksDB's own filter";
  }
}

// The body of a large filter is verified when the reader is made.
TEST(RocksDBPolicy, AnswersMaybeIfALargeFilterIsDamaged) {
  const std::vector<std::string> keys = Keys(1, 120000);
  for (const Layout layout : AutoAndEveryLayout()) {
    EngineFilterOptions trusting_options = BitsPerKey(10, layout);
    trusting_options.verify = false;
    const Policy policy = New(BitsPerKey(10, layout)), trusting = New(trusting_options);
    const std::string filter = Filter(*policy, keys);
    Random random(1);
    std::string damaged = filter;
    for (int i = 0; i < 200; ++i) damaged[random.Below(filter.size() - 40)] = static_cast<char>(random());
    EXPECT_EQ(CountMatches(*policy, keys, damaged), keys.size());
    EXPECT_LT(CountMatches(*trusting, keys, damaged), keys.size()) << "so the damage was one that counts";
    EXPECT_EQ(CountMatches(*trusting, keys, filter), keys.size());
  }
}

TEST(RocksDBPolicy, WritesWhatAnswersMaybeWhereMemoryRunsOut) {
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = true;
  const Policy policy = New(BitsPerKey(10));
  const Builder builder = NewBuilder(*policy, table);
  const std::vector<std::string> keys = Keys(0, 1000);
  for (const std::string& key : keys) builder->AddKey(key);
  refuse_memory = true;
  std::unique_ptr<const char[]> memory;
  rocksdb::Status status;
  const rocksdb::Slice filter = builder->Finish(&memory, &status);
  refuse_memory = false;
  EXPECT_TRUE(status.ok()) << "RocksDB would stop writing";
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());
  EXPECT_FALSE(filter.empty());
  EXPECT_EQ(CountMatches(*policy, keys, filter.ToString()), keys.size());
  builder->AddKey("x");
  EXPECT_EQ(Finish(builder.get()), Filter(*policy, {"x"})) << "the next one is right again";
}

TEST(RocksDBPolicy, IsUsedByManyThreads) {
  const Policy policy = New(BitsPerKey(10, Layout::kRetrieval));
  const std::vector<std::string> keys = Keys(1, 5000);
  const std::string filter = Filter(*policy, keys);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(Filter(*policy, keys), filter);
        EXPECT_EQ(CountMatches(*policy, keys, filter), keys.size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The header, preprocessed as if another version were installed.
TEST(RocksDBInterface, IsRefusedInVersionsThatWereNotLookedUp) {
  const TempDir dir;
  ASSERT_TRUE(std::filesystem::create_directory(dir.File("rocksdb")));
  const std::string source = dir.Write("source.cc", "#include \"lib/adapters/rocksdb_interface.h\"\n");
  for (const auto& [major, minor, is_known] : std::vector<std::tuple<int, int, bool>>{
           {6, 29, false}, {7, 0, true}, {7, 8, true}, {8, 11, true}, {9, 5, true}, {9, 6, false}, {10, 0, false}}) {
    dir.Write("rocksdb/version.h", "#define ROCKSDB_MAJOR " + std::to_string(major) + "\n#define ROCKSDB_MINOR " +
                                       std::to_string(minor) + "\n#include \"rocksdb/rocksdb_namespace.h\"\n");
    const RunResult result = RunProgram({LINEFILTER_CXX, "-std=c++17", "-fsyntax-only", "-I" + dir.path(),
                                         std::string("-I") + LINEFILTER_SOURCE_DIR, source});
    EXPECT_EQ(result.exit_code == 0, is_known) << major << "." << minor << result.err;
    EXPECT_EQ(result.err.find("fits RocksDB 7.0 to 9.5") != std::string::npos, !is_known) << result.err;
  }
}

}  // namespace
}  // namespace linefilter::test
