// What a request costs while its server is ill: it fails by its deadline, then at once by the breaker, and says nothing
// wrong. Attempts are counted; no time is asserted but that a call ends at all.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_relay.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

class RedisDeadlines : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.ok()) << server_.why();
    servers_ = PatientServers(server_.address());
    servers_.deadlines.request_ms = 100;
    servers_.deadlines.pause_ms = 60000;  // no trial comes by itself
    servers_.notice = [](void* context, const char* sentence) {
      static_cast<std::vector<std::string>*>(context)->emplace_back(sentence);
    };
    servers_.notice_context = &notices_;
    FilterOptions options;
    options.bits_per_key = 10;
    RedisFilter made;
    ASSERT_TRUE(IsOk(made.Create(PatientServers(server_.address()), "seen", 1000, options)));
    ASSERT_TRUE(IsOk(made.InsertKey("a", nullptr)));
  }
  // A slow machine may be silent, too: it begins with a closed breaker.
  void OpenFilter() {
    ASSERT_TRUE(WaitUntil([&] {
      bool maybe = false;
      return filter_.Open(servers_, "seen").ok() && filter_.MayContainKey("a", &maybe).ok() && !filter_.node(0).is_open;
    }));
    notices_.clear();
  }
  Status Ask(const char* key, bool* maybe) { return filter_.MayContainKey(key, maybe); }

  RedisServerOptions persistent_{[] {
    RedisServerOptions options;
    options.append_only = true;
    return options;
  }()};
  RedisServer server_{persistent_};
  RedisServers servers_;
  RedisFilter filter_;
  std::vector<std::string> notices_;
};

TEST_F(RedisDeadlines, AServerThatHangsIsWaitedForOnceAndThenNotAsked) {
  servers_.deadlines.request_ms = 600;  // the third try has a sixteenth of it, on a busy machine, too
  OpenFilter();
  server_.Pause();
  bool maybe = false;
  const Status first = Ask("a", &maybe);
  EXPECT_TRUE(Says(StatusCode::kUnavailable, first, "127.0.0.1")) << first.message();
  EXPECT_TRUE(maybe);
  ASSERT_EQ(filter_.num_nodes(), 1u);
  const RedisNode ill = filter_.node(0);
  EXPECT_TRUE(ill.is_open);
  EXPECT_EQ(ill.num_opened, 1u);
  EXPECT_GE(ill.num_failures, 3u) << "one slow reply cuts nobody off";
  for (int i = 0; i < 1000; ++i) {
    maybe = false;
    EXPECT_TRUE(Says(StatusCode::kUnavailable, Ask("nobody's", &maybe), "the breaker is open"));
    EXPECT_TRUE(maybe);
  }
  RedisInsert outcome = RedisInsert::kNew;
  EXPECT_TRUE(Says(StatusCode::kUnavailable, filter_.InsertKey("b", &outcome), "the breaker is open"));
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  EXPECT_EQ(filter_.node(0).num_failures, ill.num_failures) << "it was not asked";
  EXPECT_GE(filter_.node(0).num_rejected, ill.num_rejected + 1001);
  ASSERT_EQ(notices_.size(), 1u) << "never per call";
  EXPECT_NE(notices_[0].find("OPENED"), std::string::npos) << notices_[0];
  server_.Resume();
}

TEST_F(RedisDeadlines, ARefusedConnectionOpensTheBreakerAtOnce) {
  OpenFilter();
  server_.Kill();
  bool maybe = false;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Ask("nobody's", &maybe).code(), StatusCode::kUnavailable);
    EXPECT_TRUE(maybe);
  }
  EXPECT_TRUE(filter_.node(0).is_open);
  EXPECT_GE(filter_.node(0).num_rejected, 9u);
  EXPECT_EQ(notices_.size(), 1u);
}

// What it says it waited for is what its call was given, however late the machine is.
TEST_F(RedisDeadlines, ThreeOfFourTrialsEndAfterAQuarterOfTheirCallsTime) {
  servers_.deadlines.request_ms = 400;
  servers_.deadlines.pause_ms = 1;
  OpenFilter();
  server_.Pause();
  std::vector<int> waited_ms;
  ASSERT_TRUE(WaitUntil([&] {
    bool maybe = false;
    const bool was_open = filter_.node(0).is_open;
    const std::string message = Ask("a", &maybe).message();
    const size_t at = message.find("did not answer within ");
    if (was_open && at != std::string::npos) waited_ms.push_back(std::stoi(message.substr(at + 22)));
    return waited_ms.size() == 8;
  }));
  for (const size_t i : std::vector<size_t>{1, 2, 3, 5, 6, 7}) EXPECT_LE(waited_ms[i], 100) << i;
  for (const size_t i : std::vector<size_t>{0, 4}) EXPECT_GT(waited_ms[i], 100) << i;
  server_.Resume();
  bool maybe = false;
  EXPECT_TRUE(WaitUntil([&] { return Ask("a", &maybe).ok(); })) << "one of them closes it";
}

// Its size is known before all of it was written.
TEST_F(RedisDeadlines, ABatchThatGrowsHasTheTimeOfAllItsBytes) {
  constexpr size_t kKeys = 9000;  // of more than 562 shards: one batch, of 1.2 MB with its replies
  FilterOptions options;
  options.bits_per_key = 10;
  RedisFilter made;
  ASSERT_TRUE(IsOk(made.Create(PatientServers(server_.address()), "shards", 30000, options, {64})));
  ASSERT_TRUE(WaitUntil([&] { return filter_.Open(servers_, "shards").ok(); }));
  server_.Pause();
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  std::vector<uint8_t> answers(kKeys);
  EXPECT_TRUE(Says(StatusCode::kUnavailable, filter_.MayContainHashes(hashes.data(), kKeys, answers.data()), "120 ms"));
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(kKeys));
  server_.Resume();
}

TEST_F(RedisDeadlines, TheFirstSuccessOfATrialClosesIt) {
  servers_.deadlines.pause_ms = 5;
  OpenFilter();
  server_.Kill();
  bool maybe = false;
  EXPECT_EQ(Ask("a", &maybe).code(), StatusCode::kUnavailable);
  ASSERT_TRUE(server_.Restart()) << server_.why();
  EXPECT_TRUE(WaitUntil([&] { return Ask("a", &maybe).ok(); }));
  EXPECT_TRUE(maybe);
  EXPECT_FALSE(filter_.node(0).is_open);
  ASSERT_GE(notices_.size(), 2u);
  EXPECT_NE(notices_.back().find("CLOSED"), std::string::npos) << notices_.back();
  EXPECT_TRUE(IsOk(Ask("nobody's", &maybe)));
  EXPECT_FALSE(maybe) << "answers are right again";
}

TEST_F(RedisDeadlines, AdministrationGoesThroughAnOpenBreakerAndClosesIt) {
  OpenFilter();
  server_.Kill();
  bool maybe = false;
  EXPECT_EQ(Ask("a", &maybe).code(), StatusCode::kUnavailable);
  ASSERT_TRUE(server_.Restart()) << server_.why();
  EXPECT_EQ(Ask("a", &maybe).code(), StatusCode::kUnavailable) << "its pause is a minute";
  RedisInfo info;
  EXPECT_TRUE(IsOk(filter_.Info(&info)));
  EXPECT_TRUE(IsOk(Ask("a", &maybe)));
}

// That a server accepts connections is no success: what is stopped does so, too.
TEST_F(RedisDeadlines, AServerOfWhichReplicasMayAnswerIsNoExcuse) {
  servers_.replica_reads = true;
  OpenFilter();
  server_.Pause();
  bool maybe = false;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask("a", &maybe).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(filter_.node(0).is_open);
  EXPECT_TRUE(Says(StatusCode::kUnavailable, Ask("a", &maybe), "the breaker is open"));
  server_.Resume();
}

// Calls that give a server hardly any time open no breaker, and keep one open that others opened.
TEST_F(RedisDeadlines, HurriedCallsSayNothingOfAServerThatIsNotKnownToBeIll) {
  servers_.deadlines.request_ms = kLongMs;
  servers_.deadlines.pause_ms = 1;
  OpenFilter();
  server_.Pause();
  bool maybe = false;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(filter_.Within(10).MayContainKey("a", &maybe).ok());
  EXPECT_FALSE(filter_.node(0).is_open);
  EXPECT_EQ(filter_.node(0).num_failures, 0u);
  server_.Resume();
  ASSERT_TRUE(WaitUntil([&] { return Ask("a", &maybe).ok(); }));
  server_.Kill();
  EXPECT_FALSE(Ask("a", &maybe).ok());
  EXPECT_TRUE(filter_.node(0).is_open);
  ASSERT_TRUE(server_.Restart()) << server_.why();
  server_.Pause();
  EXPECT_TRUE(WaitUntil([&] {
    const uint64_t failures = filter_.node(0).num_failures;
    (void)filter_.Within(10).MayContainKey("a", &maybe).ok();
    return filter_.node(0).num_failures > failures;
  })) << "a trial that was not answered";
  EXPECT_TRUE(filter_.node(0).is_open);
  server_.Resume();
  EXPECT_TRUE(WaitUntil([&] { return Ask("a", &maybe).ok(); }));
}

// It connects and says its role, but answers nothing.
TEST_F(RedisDeadlines, AServerThatIsLoadingIsAskedThreeTimes) {
  RedisRelay relay(server_.port());
  std::atomic<bool> is_loading{false};
  std::atomic<int> asked{0};
  relay.before = [&](const RedisRelay::Words& words) {
    if (!is_loading || words[0] != "GETRANGE") return RedisRelay::Act();
    ++asked;
    return RedisRelay::Act("-LOADING Redis is loading the dataset in memory\r\n");
  };
  servers_.addresses = relay.address();
  servers_.deadlines.request_ms = kLongMs;
  OpenFilter();
  is_loading = true;
  bool maybe = false;
  EXPECT_EQ(Ask("a", &maybe).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(maybe);
  EXPECT_TRUE(filter_.node(0).is_open);
  EXPECT_EQ(filter_.node(0).num_failures, 3u);
  const int asked_at_first = asked;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Says(StatusCode::kUnavailable, Ask("a", &maybe), "the breaker is open"));
  EXPECT_EQ(asked, asked_at_first);
}

// That is no silence: it says that there is no filter, and the breaker stays closed.
TEST_F(RedisDeadlines, AServerThatCameBackEmptySaysSoAtOnce) {
  OpenFilter();
  RedisClient(server_.address()).Do({"FLUSHALL"});
  bool maybe = false;
  for (int i = 0; i < 3; ++i) {
    maybe = false;
    EXPECT_EQ(Ask("nobody's", &maybe).code(), StatusCode::kNotFound);
    EXPECT_TRUE(maybe);
  }
  RedisInsert outcome = RedisInsert::kNew;
  EXPECT_EQ(filter_.InsertKey("b", &outcome).code(), StatusCode::kNotFound);
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  EXPECT_FALSE(filter_.node(0).is_open);
}

TEST_F(RedisDeadlines, ACallMayHaveItsOwn) {
  servers_.deadlines.request_ms = kLongMs;
  OpenFilter();
  server_.Pause();
  bool maybe = false;
  EXPECT_TRUE(Says(StatusCode::kUnavailable, filter_.Within(30).MayContainKey("a", &maybe), "30 ms"));
  RedisInfo info;
  EXPECT_TRUE(Says(StatusCode::kUnavailable, filter_.Within(30).Info(&info), "127.0.0.1")) << "administration, too";
  server_.Resume();
  EXPECT_TRUE(WaitUntil([&] { return filter_.Info(&info).ok(); }));
  EXPECT_TRUE(IsOk(Ask("a", &maybe))) << "it was for one call";
}

TEST_F(RedisDeadlines, MaybeWithoutAnErrorIsLimited) {
  servers_.on_unavailable = OnUnavailable::kMaybe;
  servers_.maybes_per_second = 5e-6;
  OpenFilter();
  server_.Kill();
  bool maybe = false;
  EXPECT_TRUE(IsOk(Ask("nobody's", &maybe)));
  EXPECT_TRUE(maybe);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Ask("nobody's", &maybe).code(), StatusCode::kUnavailable);
    EXPECT_TRUE(maybe);
  }
  RedisInsert outcome = RedisInsert::kNew;
  EXPECT_EQ(filter_.InsertKey("b", &outcome).code(), StatusCode::kUnavailable) << "insertions fail";
  EXPECT_EQ(outcome, RedisInsert::kFailed);
}

TEST_F(RedisDeadlines, ABatchTellsWhichKeysWereNotWritten) {
  OpenFilter();
  std::vector<uint64_t> hashes(5000);
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = filter_.HashOf(Key(uint64_t{i}));
  server_.Pause();
  std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
  EXPECT_EQ(filter_.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kUnavailable);
  std::vector<uint64_t> failed;
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (outcomes[i] == RedisInsert::kFailed) failed.push_back(hashes[i]);
  }
  EXPECT_EQ(failed.size(), hashes.size());
  server_.Resume();
  RedisFilter patient;
  ASSERT_TRUE(IsOk(patient.Open(PatientServers(server_.address()), "seen")));
  EXPECT_TRUE(IsOk(patient.InsertHashes(failed.data(), failed.size(), nullptr)));
  std::vector<uint8_t> answers(hashes.size());
  EXPECT_TRUE(IsOk(patient.MayContainHashes(hashes.data(), hashes.size(), answers.data())));
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<std::ptrdiff_t>(hashes.size()));
}

}  // namespace
}  // namespace linefilter::test
