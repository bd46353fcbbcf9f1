// What tests of the policy for RocksDB share: policies, filters of theirs without a database, and a database.
#ifndef LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/rocksdb_interface.h"
#include "linefilter/rocksdb.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/table.h"
#include "tests/testing/engine.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;
using Builder = std::unique_ptr<rocksdb::FilterBitsBuilder>;
using Reader = std::unique_ptr<rocksdb::FilterBitsReader>;

inline Policy New(const EngineFilterOptions& options) {
  Status status;
  Policy policy(NewRocksDBFilterPolicy(options, &status));
  EXPECT_TRUE(IsOk(status));
  EXPECT_NE(policy, nullptr);
  return policy;
}
inline Policy New(double bits_per_key, Layout layout = Layout::kAuto) { return New(BitsPerKey(bits_per_key, layout)); }

inline constexpr uint64_t kAbsent = uint64_t{1} << 40;

inline Builder NewBuilder(const rocksdb::FilterPolicy& policy, const rocksdb::BlockBasedTableOptions& table = {}) {
  return Builder(policy.GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
}

inline std::string Finish(rocksdb::FilterBitsBuilder* builder) {
  std::unique_ptr<const char[]> memory;
  rocksdb::Status status = rocksdb::Status::Busy();
  const rocksdb::Slice filter = builder->Finish(&memory, &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(builder->MaybePostVerify(filter).ok());
  return filter.ToString();
}

inline std::string Filter(const rocksdb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const Builder builder = NewBuilder(policy);
  for (const std::string& key : keys) builder->AddKey(key);
  return Finish(builder.get());
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

inline void Partition(RocksDB* db) {
  db->table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  db->table.partition_filters = true;
  db->table.metadata_block_size = 1024;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_
