// The policy in real databases: no key is lost, whatever policy was there before and whatever is damaged, and absent
// keys and prefixes hardly pass.
#include <fstream>
#include <set>

#include "rocksdb/slice_transform.h"
#include "tests/adapters/rocksdb_test.h"

namespace linefilter::test {
namespace {

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
