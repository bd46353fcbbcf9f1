#include "linefilter/leveldb.h"

#include <utility>

#include "bench/engines/engine.h"
#include "bench/engines/keys.h"
#include "bench/peer.h"
#include "linefilter/view.h"
#include "tools/measure/counted_leveldb.h"

namespace linefilter::bench {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

bool IsOurs(const EngineFilter& filter) { return filter.name.rfind("leveldb_bloom", 0) != 0; }

Policy NewPolicy(const EngineFilter& filter) {
  if (filter.name == "none") return nullptr;
  if (!IsOurs(filter)) {
    return Policy(leveldb::NewBloomFilterPolicy(static_cast<int>(filter.bits_per_key)));
  }
  EngineFilterOptions options;
  options.bits_per_key = filter.bits_per_key;
  options.layout = LayoutOf(filter);
  options.verify = filter.verify;
  Status status;
  Policy policy(NewLevelDBFilterPolicy(options, &status));
  if (policy == nullptr) Die("LevelDB, %s: %s", filter.name.c_str(), status.message());
  return policy;
}

class LevelDBDatabase : public EngineDatabase {
 public:
  LevelDBDatabase(const EngineFilter& filter, const EngineShape& shape, const std::string& folder)
      : policy_(NewPolicy(filter)), db_(folder) {
    db_.options.block_size = static_cast<size_t>(shape.block_bytes);
    db_.options.paranoid_checks = !filter.verify;
    db_.Open(policy_.get());
    for (uint64_t i = 0; i < shape.num_keys; ++i) db_.Put(EngineKey(i), EngineValue(i, shape.value_bytes));
    db_.Compact();
    Check();
    LookIntoFilters(shape.num_keys, IsOurs(filter));
    opening_reads_ = db_.reads();
  }

  void Get(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) {
      if (db_.Contains(key)) Die("LevelDB found an absent key");
    }
    Check();
  }
  uint64_t CountLost(uint64_t num_keys) override {
    const uint64_t before = db_.reads();
    uint64_t lost = 0;
    for (uint64_t i = 0; i < num_keys; ++i) lost += !db_.Contains(EngineKey(i));
    Check();
    opening_reads_ += db_.reads() - before;
    return lost;
  }
  uint64_t FalsePositives() const override { return db_.reads() - opening_reads_; }
  uint64_t FilterBytes() const override { return filter_bytes_; }

 private:
  void Check() {
    if (!db_.status().ok()) Die("LevelDB: %s", db_.status().ToString().c_str());
  }
  // Absent keys lie between members, so each filter is asked as often as it has keys: nearly all have equally many.
  void LookIntoFilters(uint64_t num_keys, bool are_ours) {
    uint64_t num_filters = 0;
    double sum = 0;
    db_.ForEachFilter([&](std::string_view filter) {
      ++num_filters;
      filter_bytes_ += filter.size();
      if (are_ours) sum += FilterView(filter.data(), filter.size(), VerifyMode::kTrusted).ExpectedFpr();
    });
    if (num_filters == 0) return;
    keys_per_filter = static_cast<double>(num_keys) / static_cast<double>(num_filters);
    expected_fpr = sum / static_cast<double>(num_filters);
  }

  const Policy policy_;
  tools::CountedLevelDB db_;
  uint64_t filter_bytes_ = 0, opening_reads_ = 0;
};

}  // namespace

Engine LevelDBEngine() {
  Engine engine;
  engine.name = "leveldb";
  engine.origin = "LevelDB " + std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);
  engine.make = [](const EngineFilter& filter, const EngineShape& shape, const std::string& folder) {
    return std::make_unique<LevelDBDatabase>(filter, shape, folder);
  };
  return engine;
}

}  // namespace linefilter::bench
