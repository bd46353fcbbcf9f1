// A LevelDB database in a folder of its own that tests open again and again, and whose reads of blocks are counted.
#ifndef LINEFILTER_TESTS_TESTING_LEVELDB_H_
#define LINEFILTER_TESTS_TESTING_LEVELDB_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "linefilter/hash.h"
#include "tests/testing/temp_dir.h"
#include "tools/counted_leveldb.h"

namespace linefilter::test {

// Key i of a database: 16 hex digits in no order, so that absent keys lie between those that are there.
inline std::string EngineKey(uint64_t i) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(MixHash(i)));
  return text;
}

// Blocks are neither compressed nor cached: a block that is needed is read from its file. Tables of 32 MB.
class LevelDB {
 public:
  LevelDB() {
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    options.max_file_size = size_t{32} << 20;
    options.write_buffer_size = size_t{32} << 20;
    options.env = &env_;
    options.block_cache = cache_.get();
  }
  ~LevelDB() { Close(); }

  // With the policy and whatever was set in `options`.
  void Open(const leveldb::FilterPolicy* policy) {
    Close();
    options.filter_policy = policy;
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, path(), &db);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }
  void Close() { db_.reset(); }

  // Keys [first, first + n), and all into sorted tables of one level.
  void Fill(uint64_t first, uint64_t n, size_t value_size) {
    for (uint64_t i = first; i < first + n; ++i) {
      ASSERT_TRUE(db_->Put({}, EngineKey(i), ValueOf(i, value_size)).ok());
    }
    db_->CompactRange(nullptr, nullptr);
  }
  // How many of those keys are not found with their value.
  uint64_t CountLost(uint64_t first, uint64_t n, size_t value_size) {
    uint64_t lost = 0;
    std::string value;
    for (uint64_t i = first; i < first + n; ++i) {
      lost += !db_->Get({}, EngineKey(i), &value).ok() || value != ValueOf(i, value_size);
    }
    return lost;
  }
  // Blocks read by n Gets of absent keys. The first ones, not counted, open the tables.
  uint64_t CountReadsOfAbsent(uint64_t n) {
    constexpr uint64_t kAbsent = uint64_t{1} << 40, kOpening = 200;
    std::string value;
    uint64_t before = 0;
    for (uint64_t i = 0; i < kOpening + n; ++i) {
      if (i == kOpening) before = env_.reads();
      EXPECT_TRUE(db_->Get({}, EngineKey(kAbsent + i), &value).IsNotFound());
    }
    return env_.reads() - before;
  }

  std::vector<std::string> Tables() const {
    std::vector<std::string> tables;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().extension() == ".ldb") tables.push_back(entry.path());
    }
    return tables;
  }

  leveldb::Options options;

 private:
  std::string path() const { return dir_.File("db"); }
  static std::string ValueOf(uint64_t i, size_t size) {
    std::string value = std::to_string(i);
    value.resize(size, 'v');
    return value;
  }

  const TempDir dir_;
  tools::CountingEnv env_;
  const std::unique_ptr<leveldb::Cache> cache_{leveldb::NewLRUCache(0)};
  std::unique_ptr<leveldb::DB> db_;
};

inline void Overwrite(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  EXPECT_TRUE(out.good()) << path;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_LEVELDB_H_
