// Whoever watches the calls of filters in Redis is told of each, once; RedisMetrics counts and times them.
#include "linefilter/redis_metrics.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

struct Heard {
  RedisVerb verb;
  StatusCode code;
  std::string filter, node, message;
  uint64_t num_keys, ns;
};

class RedisCalls : public RedisFilterTest {
 protected:
  // Filters of servers_ tell heard_ of their calls.
  void Hear() {
    servers_.on_call = [](void* context, const RedisCall& call) noexcept {
      static_cast<std::vector<Heard>*>(context)->push_back(
          {call.verb, call.code, call.filter, call.node, call.message, call.num_keys, call.ns});
    };
    servers_.on_call_context = &heard_;
  }
  std::vector<Heard> heard_;
};

TEST_F(RedisCalls, EachIsToldOnceWithVerbServerTimeAndStatus) {
  Hear();
  RedisFilter filter = Create("seen", 1000);
  EXPECT_TRUE(heard_.empty()) << "nothing is open before";
  const std::vector<uint64_t> hashes = RandomHashes(300, 1);
  (void)InsertAll(&filter, hashes);
  (void)AskAll(&filter, hashes);
  bool maybe = false;
  ASSERT_TRUE(IsOk(filter.MayContainKey("bob", &maybe)));
  RedisRemove outcome;
  EXPECT_FALSE(filter.RemoveKey("bob", &outcome).ok());
  RedisInfo info;
  ASSERT_TRUE(IsOk(filter.Info(&info)));
  ASSERT_EQ(heard_.size(), 5u);
  const RedisVerb verbs[] = {RedisVerb::kInsert, RedisVerb::kMayContain, RedisVerb::kMayContain, RedisVerb::kRemove,
                             RedisVerb::kInfo};
  const uint64_t keys[] = {300, 300, 1, 1, 0};
  for (size_t i = 0; i < heard_.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(heard_[i].verb, verbs[i]);
    EXPECT_EQ(heard_[i].num_keys, keys[i]);
    EXPECT_EQ(heard_[i].filter, "seen");
    EXPECT_EQ(heard_[i].code, i == 3 ? StatusCode::kIncompatible : StatusCode::kOk);
    EXPECT_GT(heard_[i].ns, i == 3 ? 0u : 1000u);
    EXPECT_LT(heard_[i].ns, 60000000000u);
    EXPECT_EQ(heard_[i].node, i == 3 ? "" : server_->address());
  }
  EXPECT_NE(heard_[3].message.find("gives no key back"), std::string::npos) << heard_[3].message;
}

// A generation's steps have verbs of their own.
TEST_F(RedisCalls, StepsOfGenerationsAreTold) {
  Hear();
  RedisFilter filter = Create("seen", 1000);
  ASSERT_TRUE(IsOk(filter.BeginGeneration(1000, options_)));
  const std::vector<uint64_t> hashes = RandomHashes(10, 1);
  ASSERT_TRUE(IsOk(filter.InsertHashesIntoNext(hashes.data(), hashes.size())));
  ASSERT_TRUE(IsOk(filter.SwitchGeneration()));
  EXPECT_FALSE(filter.AbandonGeneration().ok());
  ASSERT_TRUE(IsOk(filter.Expire(100000)));
  std::string told;
  for (const Heard& heard : heard_) told += std::string(RedisVerbName(heard.verb)) + " ";
  EXPECT_EQ(told, "begin fill switch abandon expire ");
  EXPECT_STREQ(RedisVerbName(static_cast<RedisVerb>(kNumRedisVerbs)), "unknown");
}

// The answer is "maybe" without an error, but the server did not answer.
TEST_F(RedisCalls, ACallThatOnUnavailableMadeGoodIsToldAsItWas) {
  Hear();
  (void)Create("seen", 1000);
  servers_.addresses = server_->address();
  servers_.on_unavailable = OnUnavailable::kMaybe;
  servers_.deadlines.request_ms = 50;
  RedisFilter filter = Open("seen");
  server_->Pause();
  bool maybe = false;
  const Status status = filter.MayContainKey("bob", &maybe);
  server_->Resume();
  EXPECT_TRUE(IsOk(status));
  EXPECT_TRUE(maybe);
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_EQ(heard_[0].code, StatusCode::kUnavailable);
  EXPECT_EQ(heard_[0].node, server_->address()) << "it failed last";
  EXPECT_GE(heard_[0].ns, 25000000u);
}

TEST_F(RedisCalls, MetricsCountThemByVerbServerAndCode) {
  RedisMetrics metrics(0);  // all are slow
  metrics.Watch(&servers_);
  RedisFilter filter = Create("seen", 1000);
  (void)InsertAll(&filter, RandomHashes(300, 1));
  for (int i = 0; i < 3; ++i) (void)AskAll(&filter, RandomHashes(10, 1));
  RedisRemove outcome;
  EXPECT_FALSE(filter.RemoveKey("bob", &outcome).ok());
  std::string text = "before\n";
  ASSERT_TRUE(IsOk(metrics.WritePrometheus(&text)));
  const std::string node = ",node=\"" + server_->address() + "\"";
  const std::vector<std::string> lines = {
      "before\n",
      "# TYPE linefilter_redis_calls_total counter\n",
      "linefilter_redis_calls_total{verb=\"may_contain\"" + node + ",code=\"ok\"} 3\n",
      "linefilter_redis_calls_total{verb=\"insert\"" + node + ",code=\"ok\"} 1\n",
      "linefilter_redis_keys_total{verb=\"may_contain\"" + node + "} 30\n",
      "linefilter_redis_keys_total{verb=\"insert\"" + node + "} 300\n",
      "linefilter_redis_slow_calls_total{verb=\"insert\"" + node + "} 1\n",
      "# TYPE linefilter_redis_call_seconds histogram\n",
      "linefilter_redis_call_seconds_bucket{verb=\"may_contain\"" + node + ",le=\"+Inf\"} 3\n",
      "linefilter_redis_call_seconds_count{verb=\"may_contain\"" + node + "} 3\n"};
  for (const std::string& line : lines) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nis not in\n" << text;
  }
  EXPECT_NE(text.find("code=\"incompatible\"} 1\n"), std::string::npos);
  EXPECT_EQ(metrics.num_calls(), 5u);
  EXPECT_EQ(metrics.num_slow(), 5u);
  SlowRedisCall slow;
  ASSERT_TRUE(metrics.slow_call(0, &slow));
  EXPECT_EQ(slow.verb, RedisVerb::kRemove);
  EXPECT_EQ(slow.code, StatusCode::kIncompatible);
  ASSERT_TRUE(metrics.slow_call(4, &slow));
  EXPECT_EQ(slow.verb, RedisVerb::kInsert);
  EXPECT_STREQ(slow.filter, "seen");
  EXPECT_EQ(slow.node, server_->address());
  EXPECT_EQ(slow.num_keys, 300u);
  EXPECT_FALSE(metrics.slow_call(5, &slow));
}

// Without a server: a histogram is cumulative, whatever came.
TEST(RedisMetrics, HistogramsAreCumulative) {
  RedisMetrics metrics(50);
  RedisCall call;
  call.node = "a\"b\\c";
  for (const uint64_t ns : {1u, 50000u, 50001u, 3000000u, 4000000000u}) {
    call.ns = ns;
    metrics.Count(call);
  }
  call.ns = 20000000000;
  metrics.Count(call);
  std::string text;
  ASSERT_TRUE(IsOk(metrics.WritePrometheus(&text)));
  const std::string labels = "{verb=\"may_contain\",node=\"a\\\"b\\\\c\"";
  const struct {
    const char *le, *count;
  } rows[] = {{"0.00005", "2"}, {"0.0001", "3"}, {"0.0025", "3"}, {"0.005", "4"},
              {"1", "4"},       {"10", "5"},     {"+Inf", "6"}};
  for (const auto& row : rows) {
    const std::string line =
        "linefilter_redis_call_seconds_bucket" + labels + ",le=\"" + row.le + "\"} " + row.count + "\n";
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_NE(text.find("linefilter_redis_call_seconds_sum" + labels + "} 24.003100002\n"), std::string::npos) << text;
  EXPECT_EQ(metrics.num_slow(), 2u);
}

TEST(RedisMetrics, KeepsTheLastSlowCalls) {
  RedisMetrics metrics(1);
  RedisCall call;
  for (uint64_t i = 1; i <= 100; ++i) {
    call.num_keys = i;
    call.ns = i % 2 == 0 ? 2000000 : 10;
    metrics.Count(call);
  }
  SlowRedisCall slow;
  for (size_t i = 0; i < 32; ++i) {
    ASSERT_TRUE(metrics.slow_call(i, &slow));
    EXPECT_EQ(slow.num_keys, 100 - 2 * i);
  }
  EXPECT_FALSE(metrics.slow_call(32, &slow));
  call.filter = call.node =
      "a name of more than sixty-four characters, which is not kept as a whole, but its beginning is";
  call.ns = 2000000;
  metrics.Count(call);
  ASSERT_TRUE(metrics.slow_call(0, &slow));
  EXPECT_EQ(std::string(slow.filter), std::string(call.filter).substr(0, 63));
}

TEST(RedisMetrics, ThreadsCountAtOnce) {
  RedisMetrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics, t] {
      RedisCall call;
      const std::string node = "node" + std::to_string(t);
      call.node = node.c_str();
      for (int i = 0; i < 1000; ++i) metrics.Count(call);
      std::string text;
      EXPECT_TRUE(metrics.WritePrometheus(&text).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(metrics.num_calls(), 4000u);
}

}  // namespace
}  // namespace linefilter::test
