// tools::CountedLevelDB in a folder of its own, with numbered keys that tests fill in and ask for.
#ifndef LINEFILTER_TESTS_TESTING_LEVELDB_H_
#define LINEFILTER_TESTS_TESTING_LEVELDB_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tests/testing/engine.h"
#include "tests/testing/temp_dir.h"
#include "tools/measure/counted_leveldb.h"

namespace linefilter::test {

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

#endif  // LINEFILTER_TESTS_TESTING_LEVELDB_H_
