// Keys are removed from a filter in Redis as from a local one. What would take other keys away is refused, and no
// script that removes runs twice.
#include "tests/adapters/redis/redis_removal_test.h"

#include <atomic>

#include "linefilter/view.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

TEST_F(RedisRemovalTest, IsThatOfTheLocalFilter) {
  constexpr size_t kKeys = 3000;
  Filter local;
  ASSERT_TRUE(local.Create(kKeys, options_).ok());
  RedisLayout layout;
  layout.shard_bytes = 64 * 7;
  RedisFilter filter = Create("seen", kKeys, layout);
  EXPECT_EQ(filter.num_probes(), 1u);
  std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 500);  // these twice
  local.InsertHashes(hashes.data(), hashes.size());
  (void)InsertAll(&filter, hashes);
  EXPECT_TRUE(Body() == BodyOf(local));

  const std::vector<uint64_t> absent = RandomHashes(kKeys, 2);
  std::vector<uint64_t> removed = Part(hashes, 0, kKeys / 2);
  for (const uint64_t hash : absent) {
    if (!local.MayContainHash(hash)) removed.push_back(hash);
  }
  std::vector<uint8_t> were_removed(removed.size());
  local.RemoveHashes(removed.data(), removed.size(), were_removed.data());
  const std::vector<RedisRemove> outcomes = RemoveAll(&filter, removed);
  for (size_t i = 0; i < removed.size(); ++i) {
    ASSERT_EQ(outcomes[i], were_removed[i] != 0 ? RedisRemove::kRemoved : RedisRemove::kAbsent) << i;
  }
  EXPECT_TRUE(Body() == BodyOf(local));
  const std::vector<uint64_t> rest = Part(hashes, kKeys / 2, hashes.size() - kKeys / 2);  // with the second ones of 500
  EXPECT_EQ(CountMissing(&filter, rest), 0u);

  EXPECT_EQ(CountOf(RemoveAll(&filter, rest), RedisRemove::kRemoved), rest.size());
  EXPECT_EQ(Body(), std::string(static_cast<size_t>(filter.body_bytes()), '\0'));
  RedisRemove outcome = RedisRemove::kUnknown;
  EXPECT_TRUE(IsOk(filter.InsertKey("alice", nullptr)));
  EXPECT_TRUE(IsOk(filter.RemoveKey("alice", &outcome)));
  EXPECT_EQ(outcome, RedisRemove::kRemoved);
  EXPECT_TRUE(IsOk(filter.RemoveKey("alice", &outcome)));
  EXPECT_EQ(outcome, RedisRemove::kAbsent);
}

TEST_F(RedisRemovalTest, ImagesOfBothKindsComeAndGo) {
  for (const bool removable : {false, true}) {
    options_.removable = removable;
    Filter local;
    ASSERT_TRUE(local.Create(2000, options_).ok());
    const std::vector<uint64_t> hashes = RandomHashes(2500, 4);
    local.InsertHashes(hashes.data(), 2000);
    const std::string image = ImageOf(local), name = removable ? "multiset" : "set";
    RedisFilter filter;
    ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, name, image.data(), image.size(), nullptr, {64 * 11})));
    EXPECT_EQ(filter.num_probes(), removable ? 1u : 0u);
    EXPECT_EQ(CountMissing(&filter, Part(hashes, 0, 2000)), 0u);
    (void)InsertAll(&filter, Part(hashes, 2000, 500));
    local.InsertHashes(hashes.data() + 2000, 500);
    const std::string back = Download(&filter);
    FilterView view;
    ASSERT_TRUE(IsOk(view.Open(back.data(), back.size(), VerifyMode::kWhole)));
    EXPECT_EQ(view.num_probes(), removable ? 1u : 0u);
    EXPECT_TRUE(std::string(reinterpret_cast<const char*>(view.body()), view.body_bytes()) == BodyOf(local));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Load(image.data(), image.size()), "no image can be loaded"));
    RedisInfo info;
    ASSERT_TRUE(IsOk(filter.Info(&info)));
    EXPECT_NEAR(info.approximate_size.keys, 2500, 100);
    EXPECT_DOUBLE_EQ(info.expected_fpr, local.ExpectedFpr());
  }
}

TEST_F(RedisRemovalTest, IsRefusedWhereItWouldTakeOtherKeysAway) {
  const uint64_t hash = 7;
  RedisRemove outcome = RedisRemove::kRemoved;
  RedisFilter closed;
  EXPECT_EQ(closed.RemoveHash(hash, &outcome).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(outcome, RedisRemove::kFailed);
  const auto refuses = [&](RedisFilter* filter, const char* why, RedisRemove expected = RedisRemove::kFailed) {
    outcome = RedisRemove::kRemoved;
    EXPECT_TRUE(IsOk(filter->InsertHash(hash, nullptr)));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter->RemoveHash(hash, &outcome), why));
    EXPECT_EQ(outcome, expected);
    EXPECT_EQ(CountMissing(filter, {hash}), 0u);
  };
  RedisFilter removable = Create("removable", 100), early = Open("removable");
  EXPECT_TRUE(IsOk(removable.BeginGeneration(100, options_)));
  refuses(&removable, "between two generations", RedisRemove::kUnknown);
  RedisFilter late = Open("removable");
  const uint64_t before = late.generation();
  EXPECT_TRUE(IsOk(removable.SwitchGeneration()));
  for (RedisFilter* filter : {&early, &late}) {  // the one that it saw last is another one
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter->RemoveHash(hash, &outcome), "another generation"));
    EXPECT_EQ(outcome, RedisRemove::kUnknown);
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter->RemoveHash(hash, &outcome, before), "another generation"));
    EXPECT_EQ(CountMissing(filter, {hash}), 0u);
  }
  std::vector<RedisRemove> many(1000, RedisRemove::kFailed);  // several batches
  EXPECT_FALSE(late.RemoveHashes(RandomHashes(1000, 12).data(), 1000, many.data(), before).ok());
  EXPECT_EQ(CountOf(many, RedisRemove::kUnknown), 1000u);
  EXPECT_EQ(RemoveAll(&late, {hash})[0], RedisRemove::kRemoved);
  EXPECT_TRUE(IsOk(early.RemoveHash(hash, &outcome, removable.generation())));
  EXPECT_EQ(outcome, RedisRemove::kAbsent);

  options_.removable = false;
  RedisFilter set = Create("set", 100);
  refuses(&set, "quotient (a set), which gives no key back");
  options_ = BitsPerKey(10, Layout::kBlocked);
  RedisFilter blocked = Create("blocked", 100);
  refuses(&blocked, "blocked, which gives no key back");
  client_->Do({"SET", "stages", redis_internal::FormatHeader(HeaderOfTwoStages(64 * 30))});
  client_->Do({"SET", "{stages:0000000000000abc:0}", std::string(64 * 10, '\0') + redis_internal::MarkOf(1)});
  client_->Do({"SET", "{stages:0000000000000def:0}", std::string(64 * 20, '\0') + redis_internal::MarkOf(1)});
  RedisFilter stages = Open("stages");
  refuses(&stages, "has stages");
}

// The reply is lost, before the script ran or after it: nobody knows which, and it is not run again.
TEST_F(RedisRemovalTest, AScriptThatHadNoReplyIsNotRunAgain) {
  for (const RedisRelay::Act::Do last : {RedisRelay::Act::kRunAndClose, RedisRelay::Act::kClose}) {
    client_->Do({"FLUSHALL"});
    const std::vector<uint64_t> hashes = RandomHashes(10, 5);
    RedisFilter direct = Create("seen", 100);
    (void)InsertAll(&direct, hashes);
    (void)InsertAll(&direct, hashes);  // a second removal would find something
    Filter local;
    ASSERT_TRUE(local.Create(100, options_).ok());
    local.InsertHashes(hashes.data(), hashes.size());
    if (last == RedisRelay::Act::kClose) local.InsertHashes(hashes.data(), hashes.size());

    RedisRelay relay(server_->port());
    std::atomic<int> scripts{0};
    relay.before = [&](const RedisRelay::Words& words) {
      return words[0] == "EVAL" && ++scripts == 1 ? RedisRelay::Act(last) : RedisRelay::Act();
    };
    RedisServers servers = servers_;
    servers.addresses = relay.address();
    RedisFilter filter = Opened(servers, "seen");
    scripts = 0;
    std::vector<RedisRemove> outcomes(hashes.size());
    EXPECT_EQ(filter.RemoveHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kUnavailable);
    EXPECT_EQ(CountOf(outcomes, RedisRemove::kUnknown), hashes.size());
    EXPECT_EQ(scripts, 1);
    EXPECT_TRUE(Body() == BodyOf(local));
    EXPECT_EQ(CountMissing(&filter, hashes), 0u);

    // An insertion is sent again, and is acknowledged: it may count twice.
    scripts = 0;
    const std::vector<uint64_t> more = RandomHashes(10, 6);
    std::vector<RedisInsert> inserted(more.size());
    EXPECT_TRUE(IsOk(filter.InsertHashes(more.data(), more.size(), inserted.data())));
    EXPECT_GE(scripts, 2);
    EXPECT_EQ(CountMissing(&filter, more), 0u);
  }
}

// The server did not say behind the script that it is still the master: its reply does not count, nor does the script
// run again on the master that is there now.
TEST_F(RedisRemovalTest, AReplyThatDoesNotCountIsNotAskedForAgain) {
  const std::vector<uint64_t> hashes = RandomHashes(10, 13);
  RedisFilter direct = Create("seen", 100);
  for (int times = 0; times < 2; ++times) (void)InsertAll(&direct, hashes);
  RedisRelay relay(server_->port());
  std::atomic<int> scripts{0};
  std::atomic<bool> was_closed{false};
  relay.before = [&](const RedisRelay::Words& words) {
    scripts += words[0] == "EVAL";
    if (words[0] != "ROLE" || scripts == 0 || was_closed) return RedisRelay::Act();
    was_closed = true;
    return RedisRelay::Act(RedisRelay::Act::kClose);
  };
  RedisServers servers = servers_;
  servers.addresses = relay.address();
  RedisFilter filter = Opened(servers, "seen");
  scripts = 0;
  was_closed = false;
  std::vector<RedisRemove> outcomes(hashes.size());
  EXPECT_EQ(filter.RemoveHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kUnavailable);
  EXPECT_EQ(CountOf(outcomes, RedisRemove::kUnknown), hashes.size());
  EXPECT_TRUE(was_closed);
  EXPECT_EQ(scripts, 1);
  EXPECT_EQ(CountMissing(&direct, hashes), 0u);
}

// What others write between the read and the write of a block is not undone; the reply brings it, and it is changed.
TEST_F(RedisRemovalTest, WhatOthersWroteMeanwhileStays) {
  RedisFilter other = Create("seen", 20);  // a few blocks
  const std::vector<uint64_t> hashes = RandomHashes(20, 7);
  Filter local;
  ASSERT_TRUE(local.Create(20, options_).ok());
  RedisRelay relay(server_->port());
  std::atomic<size_t> next{10};
  relay.before = [&](const RedisRelay::Words& words) {
    if (words[0] == "EVAL" && next < 20) (void)InsertAll(&other, {hashes[next++]});
    return RedisRelay::Act();
  };
  RedisServers servers = servers_;
  servers.addresses = relay.address();
  RedisFilter filter = Opened(servers, "seen");
  next = 10;
  (void)InsertAll(&filter, Part(hashes, 0, 10));
  EXPECT_GT(next, 11u) << "a script was answered by another block";
  local.InsertHashes(hashes.data(), next);
  EXPECT_TRUE(Body() == BodyOf(local));
}

}  // namespace
}  // namespace linefilter::test
