// What tests of the policy for LevelDB share: policies, and filters of theirs without a database.
#ifndef LINEFILTER_TESTS_ADAPTERS_LEVELDB_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_LEVELDB_TEST_H_

#include <algorithm>
#include <cstdint>
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
#include "tests/testing/leveldb.h"
#include "tests/testing/measure_fpr.h"

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

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_LEVELDB_TEST_H_
