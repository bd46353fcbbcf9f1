// linefilter/rocksdb.h: the policy by itself, and in real databases.
#include "linefilter/rocksdb.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/rocksdb_interface.h"
#include "linefilter/hash.h"
#include "linefilter/view.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

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

namespace linefilter {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;
using Reader = std::unique_ptr<rocksdb::FilterBitsReader>;
using Builder = std::unique_ptr<rocksdb::FilterBitsBuilder>;

EngineFilterOptions BitsPerKey(double bits_per_key, Layout layout = Layout::kAuto) {
  EngineFilterOptions options;
  options.bits_per_key = bits_per_key;
  options.layout = layout;
  return options;
}

Policy New(const EngineFilterOptions& options) {
  Status status;
  Policy policy(NewRocksDBFilterPolicy(options, &status));
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_NE(policy, nullptr);
  return policy;
}

std::vector<Layout> AutoAndEveryLayout() {
  std::vector<Layout> layouts = test::EveryLayout();
  layouts.insert(layouts.begin(), Layout::kAuto);
  return layouts;
}

// 16 hex digits in no order, so that absent keys lie between those that are there.
std::string Key(uint64_t i) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(MixHash(i)));
  return text;
}
constexpr uint64_t kAbsent = uint64_t{1} << 40;

std::vector<std::string> Keys(uint64_t first, size_t n) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < first + n; ++i) keys.push_back(Key(i));
  std::sort(keys.begin(), keys.end());
  return keys;
}

Builder NewBuilder(const rocksdb::FilterPolicy& policy, const rocksdb::BlockBasedTableOptions& table = {}) {
  return Builder(policy.GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
}

std::string Finish(rocksdb::FilterBitsBuilder* builder) {
  std::unique_ptr<const char[]> memory;
  rocksdb::Status status = rocksdb::Status::Busy();
  const rocksdb::Slice filter = builder->Finish(&memory, &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());
  return filter.ToString();
}

std::string Filter(const rocksdb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const Builder builder = NewBuilder(policy);
  for (const std::string& key : keys) builder->AddKey(key);
  return Finish(builder.get());
}

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

TEST(RocksDBPolicy, RefusesOptionsThatMakeNoSense) {
  EngineFilterOptions both = BitsPerKey(10), bad_fpr;
  both.fpr = 0.01;
  bad_fpr.fpr = 1;
  for (const EngineFilterOptions& options :
       {EngineFilterOptions(), both, bad_fpr, BitsPerKey(10, Layout::kContainer), BitsPerKey(0.5), BitsPerKey(65),
        BitsPerKey(std::numeric_limits<double>::quiet_NaN())}) {
    Status status;
    EXPECT_EQ(NewRocksDBFilterPolicy(options, &status), nullptr);
    EXPECT_GT(std::string_view(status.message()).size(), 30u) << status.message();
    EXPECT_EQ(NewRocksDBFilterPolicy(options), nullptr) << "without a status";
  }
}

TEST(RocksDBPolicy, MakesFiltersThatHoldEveryKey) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {1.0, 10.0, 22.5}) {
      const Policy policy = New(BitsPerKey(test::BitsPerKeyLikeBlocked(layout, bits_per_key), layout));
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
    EXPECT_LE(FilterView(filter.data(), filter.size()).ExpectedFpr(), 0.005 * 1.03) << "3 %: the fill of one filter";
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
        if (layout != Layout::kCounting) builder->AddKey(key);  // which would count it twice
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
      EXPECT_NEAR(static_cast<double>(builder->ApproximateNumEntries(size_t{1} << 36)), 0x8p36 / bits_per_key,
                  0x8p36 / bits_per_key / 1000);
    }
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
    test::Random random(1);
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

// A database in a folder of its own, one file after each Fill.
class RocksDB {
 public:
  RocksDB() {
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.fail_if_options_file_error = true;  // the policy's name stands in that file
    table.no_block_cache = false;
  }
  ~RocksDB() { Close(); }

  // With the policy and whatever was set in `options` and `table`.
  void Open(const Policy& policy) {
    Close();
    table.filter_policy = policy;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(options, dir_.File("db"), &db);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }
  void Close() { db_.reset(); }

  // Keys [first, first + n), each its own value, and all into one level.
  void Fill(uint64_t first, uint64_t n) {
    for (uint64_t i = first; i < first + n; ++i) ASSERT_TRUE(db_->Put({}, Key(i), Key(i)).ok());
    ASSERT_TRUE(db_->Flush({}).ok());
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db_->CompactRange(all, nullptr, nullptr).ok());
  }
  // How many of those keys are not found by Get, MultiGet and iterators, each counted.
  uint64_t CountLost(uint64_t first, uint64_t n) {
    uint64_t lost = 0;
    std::string value;
    for (uint64_t i = first; i < first + n; ++i) {
      lost += !db_->Get(read, Key(i), &value).ok() || value != Key(i);
    }
    ForEachMultiGet(first, n, [&](const rocksdb::Status& status) { lost += !status.ok(); });
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read));
    for (uint64_t i = first; i < first + n; i += 7) {
      iterator->Seek(Key(i));
      lost += !iterator->Valid() || iterator->key() != Key(i);
      iterator->SeekForPrev(Key(i));
      lost += !iterator->Valid() || iterator->key() != Key(i);
    }
    return lost;
  }
  // Absent keys that the filters let pass. *asked: how many they were asked for.
  uint64_t CountPassing(uint64_t n, bool by_multi_get, uint64_t* asked) {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::PerfContext* const perf = rocksdb::get_perf_context();
    perf->Reset();
    std::string value;
    if (by_multi_get) {
      ForEachMultiGet(kAbsent, n, [](const rocksdb::Status& status) { EXPECT_TRUE(status.IsNotFound()); });
    } else {
      for (uint64_t i = 0; i < n; ++i) EXPECT_TRUE(db_->Get(read, Key(kAbsent + i), &value).IsNotFound());
    }
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    *asked = perf->bloom_sst_hit_count + perf->bloom_sst_miss_count;
    return perf->bloom_sst_hit_count;
  }
  rocksdb::DB* operator->() { return db_.get(); }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.File("db"))) {
      if (entry.path().extension() == ".sst") files.push_back(entry.path());
    }
    return files;
  }

  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  rocksdb::ReadOptions read;

 private:
  template <class OnStatus>
  void ForEachMultiGet(uint64_t first, uint64_t n, const OnStatus& on_status) {
    for (uint64_t end = first + n, count = 1; first < end; first += count, count = std::min<uint64_t>(100, 2 * count)) {
      count = std::min(count, end - first);
      std::vector<std::string> keys;
      for (uint64_t i = 0; i < count; ++i) keys.push_back(Key(first + i));
      const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
      std::vector<rocksdb::PinnableSlice> values(count);
      std::vector<rocksdb::Status> statuses(count);
      db_->MultiGet(read, db_->DefaultColumnFamily(), count, slices.data(), values.data(), statuses.data());
      for (uint64_t i = 0; i < count; ++i) {
        on_status(statuses[i]);
        if (statuses[i].ok()) {
          EXPECT_EQ(values[i], keys[i]);
        }
      }
    }
  }

  const test::TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
};

void Partition(RocksDB* db) {
  db->table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  db->table.partition_filters = true;
  db->table.metadata_block_size = 1024;
}

uint64_t NumKeys() { return static_cast<uint64_t>(10000 * std::max(0.2, test::Effort())); }

TEST(RocksDBDatabase, LosesNoKeyAndSparesReads) {
  const uint64_t num_keys = NumKeys();
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const bool partitioned : {false, true}) {
      const double bits_per_key = test::BitsPerKeyLikeBlocked(layout, 10);
      const Policy policy = New(BitsPerKey(bits_per_key, layout));
      RocksDB db;
      if (partitioned) Partition(&db);
      db.table.detect_filter_construct_corruption = true;
      db.Open(policy);
      db.Fill(0, num_keys);
      EXPECT_EQ(db.CountLost(0, num_keys), 0u) << LayoutName(layout) << partitioned;
      db.Open(policy);
      EXPECT_EQ(db.CountLost(0, num_keys), 0u) << "opened again";
      for (const bool by_multi_get : {false, true}) {
        uint64_t asked = 0;
        EXPECT_LT(db.CountPassing(num_keys, by_multi_get, &asked), 20 + num_keys * 13 / 1000) << by_multi_get;
        EXPECT_GT(asked, num_keys * 99 / 100);
      }
      rocksdb::TablePropertiesCollection properties;
      ASSERT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
      ASSERT_EQ(properties.size(), 1u);
      const rocksdb::TableProperties& of_file = *properties.begin()->second;
      EXPECT_EQ(of_file.filter_policy_name, policy->Name());
      EXPECT_NEAR(static_cast<double>(of_file.num_filter_entries), static_cast<double>(num_keys), 2);
      constexpr double kRounding = 128;  // to whole blocks, and a trailer
      const double expected_size = static_cast<double>(num_keys) * bits_per_key / 8;
      EXPECT_NEAR(static_cast<double>(of_file.filter_size), expected_size,
                  expected_size * (partitioned ? 0.16 : 0.008) + kRounding);
    }
  }
}

TEST(RocksDBDatabase, OpensWithAnyPolicyAndWithNone) {
  const Policy ours = New(BitsPerKey(10)), other = New(BitsPerKey(20, Layout::kRetrieval)),
               bloom(rocksdb::NewBloomFilterPolicy(10)), ribbon(rocksdb::NewRibbonFilterPolicy(10));
  for (const bool partitioned : {false, true}) {
    RocksDB db;
    if (partitioned) Partition(&db);
    uint64_t num_keys = 0, asked = 0;
    for (const Policy& policy : {ours, other, bloom, ours, Policy(), ribbon, other}) {
      db.Open(policy);
      EXPECT_EQ(db.CountLost(0, num_keys), 0u) << "as the one before left it";
      db.CountPassing(1000, false, &asked);
      EXPECT_EQ(asked > 0, policy == other && num_keys == 3000) << "filters of our other policy, and no others";
      db.Fill(num_keys, 3000);
      num_keys += 3000;
      EXPECT_EQ(db.CountLost(0, num_keys), 0u) << "written anew";
      const uint64_t passing = db.CountPassing(1000, true, &asked);
      if (policy == ours || policy == other) {
        EXPECT_LT(passing, 30u);
      }
    }
  }
}

// Prefixes of 3 digits: half of them are there.
TEST(RocksDBDatabase, AnswersForPrefixes) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const bool partitioned : {false, true}) {
      for (const bool whole_keys : {false, true}) {
        const Policy policy = New(BitsPerKey(test::BitsPerKeyLikeBlocked(layout, 12), layout));
        RocksDB db;
        if (partitioned) Partition(&db);
        db.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
        db.table.whole_key_filtering = whole_keys;
        db.read.prefix_same_as_start = true;
        db.Open(policy);
        constexpr uint64_t kKeys = 3000;
        db.Fill(0, kKeys);
        EXPECT_EQ(db.CountLost(0, kKeys), 0u);
        std::set<std::string> prefixes;
        for (uint64_t i = 0; i < kKeys; ++i) prefixes.insert(Key(i).substr(0, 3));
        rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
        rocksdb::get_perf_context()->Reset();
        const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(db.read));
        uint64_t absent = 0;
        for (uint64_t i = 0; i < 5000; ++i) {
          const std::string key = Key(kAbsent + i), prefix = key.substr(0, 3);
          const bool is_there = prefixes.count(prefix) != 0;
          absent += !is_there;
          iterator->Seek(prefix);
          EXPECT_EQ(iterator->Valid(), is_there) << prefix;
        }
        EXPECT_GT(rocksdb::get_perf_context()->bloom_sst_miss_count, absent * 95 / 100) << LayoutName(layout);
        rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
      }
    }
  }
}

// RocksDB's checksums are off: what is damaged comes to the policy.
TEST(RocksDBDatabase, LosesNoKeyIfItsFilterIsDamaged) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const uint64_t num_keys : {1000u, 8000u}) {
      const Policy policy = New(BitsPerKey(10, layout));
      RocksDB db;
      db.table.checksum = rocksdb::kNoChecksum;
      db.Open(policy);
      db.Fill(0, num_keys);
      db.Close();
      const std::vector<std::string> files = db.Files();
      ASSERT_EQ(files.size(), 1u);
      const std::string bytes = test::ReadFile(files[0]), filter = Filter(*policy, Keys(0, num_keys));
      const size_t at = bytes.find(filter);
      ASSERT_NE(at, std::string::npos) << "the same keys give the same image";
      test::Random random(num_keys);
      for (int round = 0; round < 5; ++round) {
        std::string damaged = bytes;
        for (int i = 0; i < 1 + 8 * round; ++i)
          damaged[at + random.Below(filter.size())] ^= static_cast<char>(1 << i % 8);
        std::ofstream(files[0], std::ios::binary | std::ios::trunc) << damaged;
        db.Open(policy);
        EXPECT_EQ(db.CountLost(0, num_keys), 0u) << LayoutName(layout);
        db.Close();
      }
    }
  }
}

// The header, preprocessed as if another version were installed.
TEST(RocksDBInterface, IsRefusedInVersionsThatWereNotLookedUp) {
  const test::TempDir dir;
  ASSERT_TRUE(std::filesystem::create_directory(dir.File("rocksdb")));
  const std::string source = dir.Write("source.cc", "#include \"lib/adapters/rocksdb_interface.h\"\n");
  for (const auto& [major, minor, is_known] : std::vector<std::tuple<int, int, bool>>{
           {6, 29, false}, {7, 0, true}, {7, 8, true}, {8, 11, true}, {9, 5, true}, {9, 6, false}, {10, 0, false}}) {
    dir.Write("rocksdb/version.h", "#define ROCKSDB_MAJOR " + std::to_string(major) + "\n#define ROCKSDB_MINOR " +
                                       std::to_string(minor) + "\n#include \"rocksdb/rocksdb_namespace.h\"\n");
    const test::RunResult result = test::RunProgram({LINEFILTER_CXX, "-std=c++17", "-fsyntax-only", "-I" + dir.path(),
                                                     std::string("-I") + LINEFILTER_SOURCE_DIR, source});
    EXPECT_EQ(result.exit_code == 0, is_known) << major << "." << minor << result.err;
    EXPECT_EQ(result.err.find("fits RocksDB 7.0 to 9.5") != std::string::npos, !is_known) << result.err;
  }
}

}  // namespace
}  // namespace linefilter
