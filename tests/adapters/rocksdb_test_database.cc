// The policy in real databases: no key is lost, whatever policy was there before and whatever is damaged, and absent
// keys and prefixes hardly pass.
#include <filesystem>
#include <fstream>
#include <set>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/slice_transform.h"
#include "tests/adapters/rocksdb_test.h"

namespace linefilter::test {
namespace {

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
    for (uint64_t i = first; i < first + n; ++i) ASSERT_TRUE(db_->Put({}, EngineKey(i), EngineKey(i)).ok());
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
      lost += !db_->Get(read, EngineKey(i), &value).ok() || value != EngineKey(i);
    }
    ForEachMultiGet(first, n, [&](const rocksdb::Status& status) { lost += !status.ok(); });
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read));
    for (uint64_t i = first; i < first + n; i += 7) {
      iterator->Seek(EngineKey(i));
      lost += !iterator->Valid() || iterator->key() != EngineKey(i);
      iterator->SeekForPrev(EngineKey(i));
      lost += !iterator->Valid() || iterator->key() != EngineKey(i);
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
      for (uint64_t i = 0; i < n; ++i) EXPECT_TRUE(db_->Get(read, EngineKey(kAbsent + i), &value).IsNotFound());
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
      for (uint64_t i = 0; i < count; ++i) keys.push_back(EngineKey(first + i));
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

  const TempDir dir_;
  std::unique_ptr<rocksdb::DB> db_;
};

void Partition(RocksDB* db) {
  db->table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  db->table.partition_filters = true;
  db->table.metadata_block_size = 1024;
}

uint64_t NumKeys() { return static_cast<uint64_t>(10000 * std::max(0.2, Effort())); }

TEST(RocksDBDatabase, LosesNoKeyAndSparesReads) {
  const uint64_t num_keys = NumKeys();
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const bool partitioned : {false, true}) {
      const double bits_per_key = BitsPerKeyLikeBlocked(layout, 10);
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
        const Policy policy = New(BitsPerKey(BitsPerKeyLikeBlocked(layout, 12), layout));
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
        for (uint64_t i = 0; i < kKeys; ++i) prefixes.insert(EngineKey(i).substr(0, 3));
        rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
        rocksdb::get_perf_context()->Reset();
        const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(db.read));
        uint64_t absent = 0;
        for (uint64_t i = 0; i < 5000; ++i) {
          const std::string key = EngineKey(kAbsent + i), prefix = key.substr(0, 3);
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
      const std::string bytes = ReadFile(files[0]), filter = Filter(*policy, Keys(0, num_keys));
      const size_t at = bytes.find(filter);
      ASSERT_NE(at, std::string::npos) << "the same keys give the same image";
      Random random(num_keys);
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

}  // namespace
}  // namespace linefilter::test
