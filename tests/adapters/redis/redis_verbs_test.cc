// The verbs that users of RedisBloom know mean here what they mean there.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/options.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

using RedisVerbs = RedisFilterTest;

TEST_F(RedisVerbs, AddTellsWhetherAKeyIsNewAndExistsFindsIt) {
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.Reserve(servers_, "users", 1000, FilterOptions::AtFpr(0.01))));
  bool told = false;
  EXPECT_TRUE(IsOk(filter.Add("alice", &told)));
  EXPECT_TRUE(told);
  EXPECT_TRUE(IsOk(filter.Add("alice", &told)));
  EXPECT_FALSE(told);
  EXPECT_TRUE(IsOk(filter.Add(17)));
  EXPECT_TRUE(IsOk(filter.Exists("alice", &told)));
  EXPECT_TRUE(told);
  EXPECT_TRUE(IsOk(filter.Exists("bob", &told)));
  EXPECT_FALSE(told);
  EXPECT_TRUE(IsOk(filter.Exists(17, &told)));
  EXPECT_TRUE(told);
  uint64_t keys = 0;
  EXPECT_TRUE(IsOk(filter.Card(&keys)));
  EXPECT_EQ(keys, 2u);
}

TEST_F(RedisVerbs, ManyKeysGoInOnePipeline) {
  RedisFilter filter = Create("users", 1000);
  const Key keys[] = {"alice", std::string("bob"), 17, "alice"};
  RedisInsert outcomes[4] = {};
  ASSERT_TRUE(IsOk(filter.MAdd(keys, 3, outcomes)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcomes[i], RedisInsert::kNew) << i;
  ASSERT_TRUE(IsOk(filter.MAdd(keys + 2, 2)));
  const Key asked[] = {"alice", "carol", "bob", 17, 18};
  uint8_t answers[5] = {};
  ASSERT_TRUE(IsOk(filter.MExists(asked, 5, answers)));
  EXPECT_EQ(std::string(answers, answers + 5), std::string({1, 0, 1, 1, 0}));
  ASSERT_TRUE(IsOk(filter.MAdd(nullptr, 0)));
}

TEST_F(RedisVerbs, DelTakesOneEntryOut) {
  options_ = Removable(12);
  RedisFilter filter = Create("ids", 1000);
  bool deleted = true;
  EXPECT_TRUE(IsOk(filter.Del(17, &deleted)));
  EXPECT_FALSE(deleted);
  EXPECT_TRUE(IsOk(filter.Add(17)));
  EXPECT_TRUE(IsOk(filter.Add(17)));
  for (const bool expected : {true, true, false}) {
    EXPECT_TRUE(IsOk(filter.Del(17, &deleted)));
    EXPECT_EQ(deleted, expected);
  }
}

TEST_F(RedisVerbs, ErrorsAreThoseOfTheCallsBehind) {
  options_.hash_id = HashId::kCaller;
  RedisFilter filter = Create("hashes", 1000), closed;
  const Key keys[] = {"alice", "bob"};
  RedisInsert outcomes[2] = {};
  uint8_t answers[2] = {};
  EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.MAdd(keys, 2, outcomes), "the caller's own hashes"));
  EXPECT_EQ(outcomes[1], RedisInsert::kFailed);
  EXPECT_EQ(filter.MExists(keys, 2, answers).code(), StatusCode::kIncompatible);
  EXPECT_EQ(answers[0] + answers[1], 2) << "maybe";
  EXPECT_EQ(closed.MAdd(keys, 2).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(closed.Add("alice").code(), StatusCode::kInvalidArgument);
  bool told = false;
  EXPECT_EQ(closed.Exists("alice", &told).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(told);
  uint64_t count = 7;
  EXPECT_EQ(closed.Card(&count).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace linefilter::test
