// What tests of generations in Redis share: filters, images that fit, the recipe of a rebuild, keys that must be there.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_GENERATIONS_H_
#define LINEFILTER_TESTS_TESTING_REDIS_GENERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/status.h"

namespace linefilter::test {

inline FilterOptions RedisOptions(double bits_per_key, Layout layout = Layout::kBlocked) {
  return BitsPerKey(bits_per_key, layout);
}

// Returns the ID that the names of its shards have: {NAME:ID:SHARD}.
inline std::string IdOf(uint64_t generation) {
  char id[17];
  snprintf(id, sizeof(id), "%016llx", static_cast<unsigned long long>(generation));
  return id;
}

// The image that fits into a generation of the same request.
inline std::string ImageOf(uint64_t num_keys, const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  const auto image = [&](auto filter) {
    EXPECT_TRUE(filter.Create(num_keys, options).ok());
    filter.InsertHashes(hashes.data(), hashes.size());
    return ImageOf(filter);
  };
  return options.layout == Layout::kClassic ? image(ClassicFilter()) : image(BlockedFilter());
}

inline RedisFilter Created(const RedisServers& servers, const std::string& name, uint64_t num_keys,
                           const FilterOptions& options, const RedisLayout& layout = {}) {
  RedisFilter filter;
  EXPECT_TRUE(IsOk(filter.Create(servers, name, num_keys, options, layout)));
  return filter;
}

inline RedisFilter Opened(const RedisServers& servers, const std::string& name) {
  RedisFilter filter;
  EXPECT_TRUE(IsOk(filter.Open(servers, name)));
  return filter;
}

inline std::vector<uint64_t> Part(const std::vector<uint64_t>& all, size_t begin, size_t n) {
  return std::vector<uint64_t>(all.begin() + static_cast<ptrdiff_t>(begin),
                               all.begin() + static_cast<ptrdiff_t>(begin + n));
}

inline void Insert(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  EXPECT_TRUE(IsOk(filter->InsertHashes(hashes.data(), hashes.size(), nullptr)));
}

inline size_t CountMissing(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> answers(hashes.size());
  EXPECT_TRUE(IsOk(filter->MayContainHashes(hashes.data(), hashes.size(), answers.data())));
  size_t missing = 0;
  for (const uint8_t answer : answers) missing += answer == 0;
  return missing;
}

inline std::string Download(RedisFilter* filter) {
  Collector collector;
  EXPECT_TRUE(IsOk(filter->WriteImage(collector.sink())));
  EXPECT_EQ(collector.bytes.size(), filter->ImageBytes());
  return collector.bytes;
}

// The recipe of doc/REDIS.md with the exact source `source`.
inline Status Rebuild(RedisFilter* filter, uint64_t num_keys, const FilterOptions& options, const RedisLayout& layout,
                      const std::vector<uint64_t>& source) {
  Status status = filter->BeginGeneration(num_keys, options, layout);
  const std::string image = ImageOf(num_keys, options, source);
  if (status.ok()) status = filter->LoadNext(image.data(), image.size());
  return status.ok() ? filter->SwitchGeneration() : status;
}

// A server for all tests of a program.
class RedisServerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new RedisServer; }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override {
    ASSERT_TRUE(server_->ok()) << server_->why();
    servers_ = PatientServers(server_->address());
  }

  static inline RedisServer* server_ = nullptr;
  RedisServers servers_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_GENERATIONS_H_
