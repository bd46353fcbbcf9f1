// A breaker by itself, at times that the test sets: when it opens, how long it stays so, and what closes it.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/calls/maybe_limit.h"
#include "lib/adapters/redis/servers/breaker.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {
namespace {

using std::chrono::milliseconds;

constexpr uint32_t kPauseMs = 100;

class RedisBreaker : public testing::Test {
 protected:
  static Failure Of(Sign sign) { return {Verdict::kRetry, Status::Error(StatusCode::kUnavailable, "it is ill"), sign}; }
  // Fails so often, each a millisecond later; returns how often that opened it.
  int FailTimes(int n, Sign sign) {
    int num_opened = 0;
    for (int i = 0; i < n; ++i) {
      num_opened += breaker_.Fail(Of(sign), now_);
      now_ += milliseconds(1);
    }
    return num_opened;
  }
  // Goes on to the moment of the trial; returns the pause, in ms.
  uint32_t GoToTrial() {
    const uint32_t ms = breaker_.MsToTrial(now_);
    now_ += milliseconds(ms);
    return ms;
  }

  Breaker breaker_{{"127.0.0.1", 6379}, kPauseMs};
  Breaker::Time now_ = Breaker::Time() + std::chrono::hours(1);
};

TEST_F(RedisBreaker, OpensAtOnceWhereAConnectionIsRefused) {
  EXPECT_TRUE(breaker_.LetsThrough(now_));
  EXPECT_EQ(FailTimes(1, Sign::kRefused), 1);
  EXPECT_TRUE(breaker_.is_open());
  EXPECT_FALSE(breaker_.LetsThrough(now_));
}

TEST_F(RedisBreaker, OpensAfterThreeSilencesInARow) {
  for (const Sign sign : {Sign::kSilent, Sign::kLost}) {
    Breaker breaker({"127.0.0.1", 6379}, kPauseMs);
    for (int round = 0; round < 5; ++round) {  // a success in between begins anew
      EXPECT_FALSE(breaker.Fail(Of(sign), now_));
      EXPECT_FALSE(breaker.Fail(Of(sign), now_));
      EXPECT_FALSE(breaker.Succeed());
    }
    EXPECT_FALSE(breaker.Fail(Of(sign), now_));
    EXPECT_FALSE(breaker.Fail(Of(sign), now_));
    EXPECT_TRUE(breaker.Fail(Of(sign), now_));
    EXPECT_EQ(breaker.num_failures(), 13u);
    EXPECT_EQ(breaker.num_opened(), 1u);
  }
}

TEST_F(RedisBreaker, PausesGrowAndAreCutByChance) {
  FailTimes(1, Sign::kRefused);
  uint32_t longest = kPauseMs;
  for (int trial = 0; trial < 8; ++trial) {
    const uint32_t pause = GoToTrial();
    EXPECT_GE(pause, longest / 2 - 1) << trial;
    EXPECT_LE(pause, longest + 1) << trial;
    EXPECT_TRUE(breaker_.LetsThrough(now_));
    EXPECT_EQ(FailTimes(1, Sign::kSilent), 0) << "it was open: once is enough, and nothing new is said";
    longest = std::min(2 * longest, 8 * kPauseMs);
  }
  EXPECT_EQ(breaker_.num_opened(), 1u);
}

TEST_F(RedisBreaker, TheFirstSuccessClosesIt) {
  FailTimes(1, Sign::kRefused);
  for (int i = 0; i < 3; ++i) {
    GoToTrial();
    FailTimes(1, Sign::kRefused);
  }
  GoToTrial();
  EXPECT_TRUE(breaker_.Succeed());
  EXPECT_FALSE(breaker_.Succeed()) << "said once";
  EXPECT_TRUE(breaker_.LetsThrough(now_));
  EXPECT_EQ(FailTimes(1, Sign::kRefused), 1);
  EXPECT_LE(breaker_.MsToTrial(now_), kPauseMs) << "the first pause again";
}

TEST_F(RedisBreaker, OfFourTrialsTheFirstHasItsCallsWholeTime) {
  FailTimes(3, Sign::kSilent);
  FailTimes(1, Sign::kSilent);  // no trial: of administration, within the pause
  for (int trial = 0; trial < 9; ++trial) {
    EXPECT_EQ(breaker_.IsWholeTrial(), trial % 4 == 0) << trial;
    GoToTrial();
    FailTimes(1, Sign::kSilent);
  }
  GoToTrial();
  EXPECT_FALSE(breaker_.IsWholeTrial());
  EXPECT_TRUE(breaker_.Succeed());
  FailTimes(3, Sign::kSilent);
  EXPECT_TRUE(breaker_.IsWholeTrial()) << "it begins anew";
}

TEST_F(RedisBreaker, ATrialEndsOnce) {
  FailTimes(1, Sign::kRefused);
  const std::chrono::milliseconds lasts(25);
  for (int trial = 0; trial < 3; ++trial) {
    GoToTrial();
    const Breaker::Time end = breaker_.EndOfTrial(now_, lasts);
    EXPECT_EQ(end, now_ + lasts);
    EXPECT_EQ(breaker_.EndOfTrial(now_ + lasts / 2, lasts), end) << "a reply that comes late gives it no more time";
    EXPECT_EQ(breaker_.EndOfTrial(end, lasts), end + lasts) << "another call's, if nobody said how that ended";
    FailTimes(1, Sign::kSilent);
  }
}

TEST_F(RedisBreaker, SaysWhyAndCountsWhomItRejects) {
  FailTimes(1, Sign::kRefused);
  const Failure failure = breaker_.Reject(now_);
  EXPECT_EQ(failure.verdict, Verdict::kBroken);
  EXPECT_TRUE(test::Says(StatusCode::kUnavailable, failure.status, "127.0.0.1:6379"));
  EXPECT_TRUE(test::Says(StatusCode::kUnavailable, failure.status, "it is ill"));
  EXPECT_EQ(breaker_.num_rejected(), 1u);
}

TEST_F(RedisBreaker, WithoutAPauseItNeverOpens) {
  Breaker breaker({"127.0.0.1", 6379}, 0);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(breaker.Fail(Of(Sign::kRefused), now_));
  EXPECT_TRUE(breaker.LetsThrough(now_));
  EXPECT_EQ(breaker.num_failures(), 10u);
}

TEST(RedisMaybeLimit, LetsSoManyPassInASecond) {
  MaybeLimit limit;
  MaybeLimit::Time now = MaybeLimit::Time() + std::chrono::hours(1);
  const auto passed = [&](double per_second, int calls, milliseconds apart) {
    int count = 0;
    for (int i = 0; i < calls; ++i) {
      count += limit.Allows(per_second, now);
      now += apart;
    }
    return count;
  };
  EXPECT_EQ(passed(10, 100, milliseconds(0)), 10) << "those of a second, at once";
  EXPECT_NEAR(passed(10, 1000, milliseconds(10)), 100, 1) << "ten seconds";
  now += std::chrono::hours(1);
  EXPECT_EQ(passed(10, 100, milliseconds(0)), 10) << "what was not used is gone";
  MaybeLimit none;
  EXPECT_FALSE(none.Allows(0, now));
  MaybeLimit seldom;
  EXPECT_TRUE(seldom.Allows(0.5, now));
  EXPECT_FALSE(seldom.Allows(0.5, now + milliseconds(1900)));
  EXPECT_TRUE(seldom.Allows(0.5, now + milliseconds(2100)));
}

}  // namespace
}  // namespace linefilter::redis_internal
