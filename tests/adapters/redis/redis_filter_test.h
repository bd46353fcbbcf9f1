// What the parts of redis_filter_test share: a server with filters on it, and calls of many hashes that must succeed.
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_FILTER_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_FILTER_TEST_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/record/shards.h"
#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"

namespace linefilter::test {

using redis_internal::Header;

// One server for all; each test begins with nothing in it.
class RedisFilterTest : public RedisServerTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisServerTest::SetUp());
    client_ = std::make_unique<RedisClient>(server_->address());
    client_->Do({"FLUSHALL"});
    options_.bits_per_key = 10;
  }

  RedisFilter Create(const std::string& name, uint64_t num_keys, const RedisLayout& layout = {}) {
    RedisFilter filter;
    EXPECT_TRUE(IsOk(filter.Create(servers_, name, num_keys, options_, layout)));
    return filter;
  }
  RedisFilter Open(const std::string& name) {
    RedisFilter filter;
    EXPECT_TRUE(IsOk(filter.Open(servers_, name)));
    return filter;
  }
  Header HeaderOf(const std::string& name) {
    Header header;
    EXPECT_TRUE(IsOk(redis_internal::ParseHeader(name, client_->Text({"GET", name}), &header)));
    return header;
  }
  // All keys but header records, in the order of their names.
  std::vector<std::string> Shards() {
    std::vector<std::string> names;
    for (const RedisReply& key : client_->Do({"KEYS", "{*"}).items) names.push_back(key.text);
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return names;
  }
  // The bits of all shards, without their marks.
  std::string Body() {
    std::string body;
    for (const std::string& shard : Shards()) {
      const std::string bytes = client_->Text({"GET", shard});
      EXPECT_GE(bytes.size(), 16u);
      EXPECT_EQ(bytes.substr(bytes.size() - 16, 8), "lfshard1");
      body += bytes.substr(0, bytes.size() - 16);
    }
    return body;
  }

  // A container by hand, of HeaderOfTwoStages(64 * 8).
  void WriteTwoStages(const std::string& body);

  int64_t NumCalls(const std::string& command) {
    const std::string fact = client_->Fact({"INFO", "commandstats"}, "cmdstat_" + command);  // calls=...
    return fact.empty() ? 0 : std::stoll(fact.substr(fact.find('=') + 1));
  }
  int64_t NumBitfields() { return NumCalls("bitfield"); }

  FilterOptions options_;
  std::unique_ptr<RedisClient> client_;
};

inline FilterOptions Removable(double bits_per_key) {
  FilterOptions options = RedisOptions(bits_per_key, Layout::kQuotient);
  options.removable = true;
  return options;
}

// The suite of what is asked of each layout; redis_filter_test.cc names them.
class RedisLayoutTest : public RedisFilterTest, public testing::WithParamInterface<FilterOptions> {};

inline std::vector<RedisInsert> InsertAll(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kFailed);
  EXPECT_TRUE(IsOk(filter->InsertHashes(hashes.data(), hashes.size(), outcomes.data())));
  return outcomes;
}

inline size_t CountOf(const std::vector<RedisInsert>& outcomes, RedisInsert wanted) {
  return static_cast<size_t>(std::count(outcomes.begin(), outcomes.end(), wanted));
}

inline std::vector<uint8_t> AskAll(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> answers(hashes.size(), 7);
  EXPECT_TRUE(IsOk(filter->MayContainHashes(hashes.data(), hashes.size(), answers.data())));
  return answers;
}

// A container of 30 blocks: a stage of 10 with 100 keys, whose id is 0xabc, then one of 20, whose id is 0xdef.
inline Header HeaderOfTwoStages(uint64_t shard_bytes) {
  Header header;
  header.version = 1;
  header.current.id = 0xabc;
  header.current.layout = Layout::kContainer;
  header.current.stages = {{0xabc, 10, 100, 7, shard_bytes}, {0xdef, 20, 0, 9, shard_bytes}};
  header.current.body_bytes = 64 * 30;
  return header;
}

inline void RedisFilterTest::WriteTwoStages(const std::string& body) {
  client_->Do({"SET", "seen", redis_internal::FormatHeader(HeaderOfTwoStages(64 * 8))});
  const struct {
    const char* name;
    size_t begin, bytes;
  } shards[] = {{"{seen:0000000000000abc:0}", 0, 512},
                {"{seen:0000000000000abc:1}", 512, 128},
                {"{seen:0000000000000def:0}", 640, 512},
                {"{seen:0000000000000def:1}", 1152, 512},
                {"{seen:0000000000000def:2}", 1664, 256}};
  for (const auto& shard : shards) {
    client_->Do({"SET", shard.name, body.substr(shard.begin, shard.bytes) + redis_internal::MarkOf(1)});
  }
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_FILTER_TEST_H_
