// What tests of the policy for RocksDB share: policies, and filters of theirs without a database.
#ifndef LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/rocksdb_interface.h"
#include "linefilter/rocksdb.h"
#include "rocksdb/filter_policy.h"
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

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_ROCKSDB_TEST_H_
