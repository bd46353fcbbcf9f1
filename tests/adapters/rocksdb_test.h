// What the parts of rocksdb_test share: policies, and filters of theirs without a database.
#ifndef LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/rocksdb_interface.h"
#include "linefilter/hash.h"
#include "linefilter/rocksdb.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;
using Builder = std::unique_ptr<rocksdb::FilterBitsBuilder>;

inline EngineFilterOptions BitsPerKey(double bits_per_key, Layout layout = Layout::kAuto) {
  EngineFilterOptions options;
  options.bits_per_key = bits_per_key;
  options.layout = layout;
  return options;
}

inline Policy New(const EngineFilterOptions& options) {
  Status status;
  Policy policy(NewRocksDBFilterPolicy(options, &status));
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_NE(policy, nullptr);
  return policy;
}

inline std::vector<Layout> AutoAndEveryLayout() {
  std::vector<Layout> layouts = test::EveryLayout();
  layouts.insert(layouts.begin(), Layout::kAuto);
  return layouts;
}

// 16 hex digits in no order, so that absent keys lie between those that are there.
inline std::string Key(uint64_t i) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(MixHash(i)));
  return text;
}

inline constexpr uint64_t kAbsent = uint64_t{1} << 40;

inline std::vector<std::string> Keys(uint64_t first, size_t n) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < first + n; ++i) keys.push_back(Key(i));
  std::sort(keys.begin(), keys.end());
  return keys;
}

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

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_
