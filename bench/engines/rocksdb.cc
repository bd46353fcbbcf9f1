#include "linefilter/rocksdb.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bench/engines/engine.h"
#include "bench/engines/keys.h"
#include "bench/peer.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"

namespace linefilter::bench {
namespace {

const rocksdb::FilterPolicy* NewPolicy(const EngineFilter& filter) {
  if (filter.name == "none") return nullptr;
  if (filter.name.rfind("rocksdb_bloom", 0) == 0) return rocksdb::NewBloomFilterPolicy(filter.bits_per_key);
  if (filter.name == "rocksdb_ribbon") return rocksdb::NewRibbonFilterPolicy(filter.bits_per_key, -1);  // on all levels
  EngineFilterOptions options;
  options.bits_per_key = filter.bits_per_key;
  options.layout = LayoutOf(filter);
  Status status;
  const rocksdb::FilterPolicy* const policy = NewRocksDBFilterPolicy(options, &status);
  if (policy == nullptr) Die("RocksDB, %s: %s", filter.name.c_str(), status.message());
  return policy;
}

void Must(const rocksdb::Status& status) {
  if (!status.ok()) Die("RocksDB: %s", status.ToString().c_str());
}

// Everything but the first read of a block comes from the block cache: what is left of a Get is RocksDB and the filter.
class RocksDBDatabase : public EngineDatabase {
 public:
  RocksDBDatabase(const EngineFilter& filter, const EngineShape& shape, const std::string& folder) : folder_(folder) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(NewPolicy(filter));
    table.block_size = static_cast<size_t>(shape.block_bytes);
    table.block_cache = rocksdb::NewLRUCache(size_t{2} << 30);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.error_if_exists = true;
    options.compression = rocksdb::kNoCompression;
    options.target_file_size_base = uint64_t{1} << 30;
    options.write_buffer_size = size_t{1} << 30;
    options.statistics = rocksdb::CreateDBStatistics();
    options.statistics->set_stats_level(rocksdb::StatsLevel::kExceptTimers);
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    statistics_ = options.statistics;
    rocksdb::DB* db = nullptr;
    Must(rocksdb::DB::Open(options, folder, &db));
    db_.reset(db);
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (uint64_t i = 0; i < shape.num_keys; ++i) {
      Must(db_->Put(write, EngineKey(i), EngineValue(i, shape.value_bytes)));
    }
    rocksdb::CompactRangeOptions compact;
    compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    Must(db_->CompactRange(compact, nullptr, nullptr));
    rocksdb::TablePropertiesCollection all;
    Must(db_->GetPropertiesOfAllTables(&all));
    uint64_t num_filters = 0;
    for (const auto& [name, properties] : all) {
      filter_bytes_ += properties->filter_size;
      num_filters += properties->filter_size != 0;
    }
    if (num_filters != 0) keys_per_filter = static_cast<double>(shape.num_keys) / static_cast<double>(num_filters);
  }
  ~RocksDBDatabase() override {
    db_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void Get(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) {
      if (Contains(key)) Die("RocksDB found an absent key");
    }
  }
  void MultiGet(const std::vector<std::string>& keys) override {
    constexpr size_t kBatch = 32;
    rocksdb::Slice batch[kBatch];
    rocksdb::PinnableSlice values[kBatch];
    rocksdb::Status statuses[kBatch];
    for (size_t done = 0; done < keys.size(); done += kBatch) {
      const size_t count = std::min(kBatch, keys.size() - done);
      for (size_t i = 0; i < count; ++i) batch[i] = keys[done + i];
      db_->MultiGet({}, db_->DefaultColumnFamily(), count, batch, values, statuses);
      for (size_t i = 0; i < count; ++i) {
        if (!statuses[i].IsNotFound()) Die("RocksDB, an absent key: %s", statuses[i].ToString().c_str());
      }
    }
  }
  uint64_t CountLost(uint64_t num_keys) override {
    uint64_t lost = 0;
    for (uint64_t i = 0; i < num_keys; ++i) lost += !Contains(EngineKey(i));
    return lost;
  }
  uint64_t FalsePositives() const override {
    return statistics_->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE) -
           statistics_->getTickerCount(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  }
  uint64_t FilterBytes() const override { return filter_bytes_; }

 private:
  bool Contains(const std::string& key) {
    const rocksdb::Status status = db_->Get({}, db_->DefaultColumnFamily(), key, &value_);
    value_.Reset();
    if (!status.ok() && !status.IsNotFound()) Must(status);
    return status.ok();
  }

  const std::string folder_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::PinnableSlice value_;
  uint64_t filter_bytes_ = 0;
};

}  // namespace

Engine RocksDBEngine() {
  Engine engine;
  engine.name = "rocksdb";
  engine.origin = "RocksDB " + rocksdb::GetRocksVersionAsString();
  engine.has_multi_get = true;
  engine.make = [](const EngineFilter& filter, const EngineShape& shape, const std::string& folder) {
    return std::make_unique<RocksDBDatabase>(filter, shape, folder);
  };
  return engine;
}

}  // namespace linefilter::bench
