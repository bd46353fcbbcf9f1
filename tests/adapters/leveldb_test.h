// What tests of the policy for LevelDB share: policies, filters of theirs without a database, and a database.
#ifndef LINEFILTER_TESTS_ADAPTERS_LEVELDB_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_LEVELDB_TEST_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/filter_policy.h"
#include "linefilter/leveldb.h"
#include "linefilter/view.h"
#include "tests/testing/engine.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/temp_dir.h"
#include "tools/measure/counted_leveldb.h"

namespace linefilter::test {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

inline Policy New(const EngineFilterOptions& options) {
  Status status;
  Policy policy(NewLevelDBFilterPolicy(options, &status));
  EXPECT_TRUE(IsOk(status));
  EXPECT_NE(policy, nullptr);
  return policy;
}
inline Policy New(double bits_per_key, Layout layout = Layout::kAuto) { return New(BitsPerKey(bits_per_key, layout)); }

inline Policy NewTrusting(Layout layout) {
  EngineFilterOptions options = BitsPerKey(10, layout);
  options.verify = false;
  return New(options);
}

inline std::string Filter(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string filter;
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  return filter;
}

inline uint64_t CountMatches(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys,
                             std::string_view filter) {
  uint64_t matches = 0;
  for (const std::string& key : keys) matches += policy.KeyMayMatch(key, leveldb::Slice(filter.data(), filter.size()));
  return matches;
}

// tools::CountedLevelDB in a folder of its own, with numbered keys that tests fill in and ask for.
// The folder is a base so that it is there before the database and until it is gone.
class LevelDB : private TempDir, public tools::CountedLevelDB {
 public:
  LevelDB() : CountedLevelDB(File("db")) {}

  // Keys [first, first + n), and all into sorted tables of one level.
  void Fill(uint64_t first, uint64_t n, size_t value_size) {
    for (uint64_t i = first; i < first + n; ++i) Put(EngineKey(i), ValueOf(i, value_size));
    Compact();
    ExpectNoError();
  }
  // How many of those keys are not found with their value.
  uint64_t CountLost(uint64_t first, uint64_t n, size_t value_size) {
    uint64_t lost = 0;
    for (uint64_t i = first; i < first + n; ++i) lost += !Contains(EngineKey(i)) || value() != ValueOf(i, value_size);
    ExpectNoError();
    return lost;
  }
  // Blocks read by n Gets of absent keys. Fill or CountLost has opened the tables.
  uint64_t CountReadsOfAbsent(uint64_t n) {
    constexpr uint64_t kAbsent = uint64_t{1} << 40;
    const uint64_t before = reads();
    for (uint64_t i = kAbsent; i < kAbsent + n; ++i) EXPECT_FALSE(Contains(EngineKey(i)));
    ExpectNoError();
    return reads() - before;
  }

  void Overwrite(const std::string& table, std::string_view bytes) const {
    Write("db/" + std::filesystem::path(table).filename().string(), bytes);
  }

 private:
  void ExpectNoError() const { EXPECT_TRUE(status().ok()) << status().ToString(); }
  static std::string ValueOf(uint64_t i, size_t size) {
    std::string value = std::to_string(i);
    value.resize(size, 'v');
    return value;
  }
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_LEVELDB_TEST_H_
