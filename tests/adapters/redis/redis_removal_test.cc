// Keys are removed from a filter in Redis while others insert and remove: no member is lost, whoever dies or loses his
// connection, and nothing is removed twice. (Each block that is emptied is all zero, so too few removals are seen,
// too.)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "linefilter/view.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

FilterOptions Removable(double bits_per_key) {
  FilterOptions options;
  options.layout = Layout::kQuotient;
  options.removable = true;
  options.bits_per_key = bits_per_key;
  return options;
}

class RedisRemovalTest : public RedisFilterTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisFilterTest::SetUp());
    options_ = Removable(12);
  }
};

std::vector<RedisRemove> RemoveAll(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  std::vector<RedisRemove> outcomes(hashes.size(), RedisRemove::kFailed);
  EXPECT_TRUE(IsOk(filter->RemoveHashes(hashes.data(), hashes.size(), outcomes.data())));
  return outcomes;
}

size_t CountOf(const std::vector<RedisRemove>& outcomes, RedisRemove wanted) {
  return static_cast<size_t>(std::count(outcomes.begin(), outcomes.end(), wanted));
}

std::string BodyOf(const Filter& filter) {
  return std::string(reinterpret_cast<const char*>(filter.body()), static_cast<size_t>(filter.body_bytes()));
}

std::vector<uint64_t> Part(const std::vector<uint64_t>& all, size_t begin, size_t n) {
  return std::vector<uint64_t>(all.begin() + static_cast<ptrdiff_t>(begin),
                               all.begin() + static_cast<ptrdiff_t>(begin + n));
}

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

TEST_F(RedisRemovalTest, CountersAreGivenBack) {
  options_ = BitsPerKey(44, Layout::kCounting);
  Filter local;
  ASSERT_TRUE(local.Create(1000, options_).ok());
  RedisFilter filter = Create("seen", 1000);
  const std::vector<uint64_t> hashes = RandomHashes(1000, 3);
  local.InsertHashes(hashes.data(), hashes.size());
  (void)InsertAll(&filter, hashes);
  local.RemoveHashes(hashes.data(), 600);
  EXPECT_EQ(CountOf(RemoveAll(&filter, Part(hashes, 0, 600)), RedisRemove::kRemoved), 600u);
  EXPECT_TRUE(Body() == BodyOf(local));
  EXPECT_EQ(CountMissing(&filter, Part(hashes, 600, 400)), 0u);
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
  const auto refuses = [&](RedisFilter* filter, const char* why) {
    outcome = RedisRemove::kRemoved;
    EXPECT_TRUE(IsOk(filter->InsertHash(hash, nullptr)));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter->RemoveHash(hash, &outcome), why));
    EXPECT_EQ(outcome, RedisRemove::kFailed);
    EXPECT_EQ(CountMissing(filter, {hash}), 0u);
  };
  RedisFilter removable = Create("removable", 100);
  EXPECT_TRUE(IsOk(removable.BeginGeneration(100, options_)));
  refuses(&removable, "between two generations");
  EXPECT_TRUE(IsOk(removable.SwitchGeneration()));
  EXPECT_EQ(RemoveAll(&removable, {hash})[0], RedisRemove::kRemoved);

  options_.removable = false;
  RedisFilter set = Create("set", 100);
  refuses(&set, "quotient (a set), which gives no key back");
  options_ = BitsPerKey(10, Layout::kBlocked);
  RedisFilter blocked = Create("blocked", 100);
  refuses(&blocked, "blocked, which gives no key back");
  client_->Do({"SET", "stages", redis_internal::FormatHeader(HeaderOfTwoStages(64 * 30))});
  client_->Do({"SET", "{stages:0000000000000abc:0}", std::string(64 * 30, '\0') + redis_internal::MarkOf(1)});
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

// What others write between the read and the write of a block is not undone; the reply brings it, and it is changed.
TEST_F(RedisRemovalTest, WhatOthersWroteMeanwhileStays) {
  RedisFilter other = Create("seen", 20);  // a few blocks
  const std::vector<uint64_t> hashes = RandomHashes(20, 7);
  Filter local;
  ASSERT_TRUE(local.Create(20, options_).ok());
  RedisRelay relay(server_->port());
  size_t next = 10;
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

constexpr size_t kWriters = 8;

// Eight writers have keys of their own, and some that all of them insert; most fit into few blocks, where they meet.
TEST_F(RedisRemovalTest, EightWritersLoseNothing) {
  constexpr size_t kOwn = 400, kShared = 200, kRounds = 6, kGuests = 100;
  options_ = Removable(20);
  (void)Create("seen", kWriters * kOwn + kShared, {64 * 40});
  const std::vector<uint64_t> hashes = RandomHashes(kWriters * kOwn, 8), shared = RandomHashes(kShared, 9);
  Filter local;
  ASSERT_TRUE(local.Create(kWriters * kOwn + kShared, options_).ok());
  local.InsertHashes(hashes.data(), hashes.size());
  for (size_t w = 0; w < kWriters; ++w) local.InsertHashes(shared.data(), shared.size());
  const auto all_write = [&](const auto& work) {
    std::vector<std::thread> writers;
    for (size_t w = 0; w < kWriters; ++w) {
      writers.emplace_back([&, w] {
        RedisFilter filter = Open("seen");
        work(&filter, w);
      });
    }
    for (std::thread& writer : writers) writer.join();
  };
  all_write([&](RedisFilter* filter, size_t w) {
    (void)InsertAll(filter, Part(hashes, w * kOwn, kOwn));
    (void)InsertAll(filter, shared);
  });
  EXPECT_TRUE(Body() == BodyOf(local)) << "nothing was removed, so the bytes depend on the insertions alone";

  std::atomic<size_t> lost{0}, refused{0};
  all_write([&](RedisFilter* filter, size_t w) {
    const std::vector<uint64_t> own = Part(hashes, w * kOwn, kOwn);
    for (size_t round = 0; round < kRounds; ++round) {
      const std::vector<uint64_t> guests = RandomHashes(kGuests, 100 + w * kRounds + round);
      (void)InsertAll(filter, guests);
      if (round == 2 && w != 0) refused += kShared - CountOf(RemoveAll(filter, shared), RedisRemove::kRemoved);
      lost += CountMissing(filter, own) + CountMissing(filter, shared) + CountMissing(filter, guests);
      refused += kGuests - CountOf(RemoveAll(filter, guests), RedisRemove::kRemoved);
    }
  });
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(refused, 0u);
  RedisFilter filter = Open("seen");
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  EXPECT_EQ(CountMissing(&filter, shared), 0u);
  all_write([&](RedisFilter* last, size_t w) {
    refused += kOwn - CountOf(RemoveAll(last, Part(hashes, w * kOwn, kOwn)), RedisRemove::kRemoved);
    if (w == 0) refused += kShared - CountOf(RemoveAll(last, shared), RedisRemove::kRemoved);
  });
  EXPECT_EQ(refused, 0u);
  EXPECT_EQ(Body(), std::string(static_cast<size_t>(filter.body_bytes()), '\0')) << "each entry was taken out";
}

// Does not come back: keys come and go until it is killed.
[[noreturn]] void ComeAndGo(const RedisServers& servers, uint64_t seed) {
  RedisFilter filter;
  for (uint64_t round = 0; filter.is_open() || filter.Open(servers, "seen").ok(); ++round) {
    const std::vector<uint64_t> guests = RandomHashes(300, seed + round);
    if (!filter.InsertHashes(guests.data(), guests.size(), nullptr).ok()) _exit(1);
    if (!filter.RemoveHashes(guests.data(), guests.size(), nullptr).ok()) _exit(1);
  }
  _exit(1);
}

// Whoever is killed in the midst of a batch leaves entries at most: no member goes.
TEST_F(RedisRemovalTest, WritersThatAreKilledLoseNothing) {
  constexpr size_t kMembers = 5000, kRounds = 5;
  RedisFilter filter = Create("seen", kMembers);
  const std::vector<uint64_t> members = RandomHashes(kMembers, 10);
  (void)InsertAll(&filter, members);
  for (size_t round = 0; round < kRounds; ++round) {
    std::vector<pid_t> writers;
    for (size_t w = 0; w < kWriters; ++w) {
      writers.push_back(fork());
      ASSERT_GE(writers.back(), 0);
      if (writers.back() == 0) ComeAndGo(servers_, 1000000 * (1 + round * kWriters + w));
    }
    const int64_t before = NumCalls("eval");
    EXPECT_TRUE(WaitUntil([&] { return NumCalls("eval") > before + 200; }));
    EXPECT_EQ(CountMissing(&filter, members), 0u);
    for (const pid_t writer : writers) {
      kill(writer, SIGKILL);
      int ended = 0;
      EXPECT_EQ(waitpid(writer, &ended, 0), writer);
      EXPECT_TRUE(WIFSIGNALED(ended)) << "it ended by itself: " << ended;
    }
  }
  EXPECT_EQ(CountMissing(&filter, members), 0u);
}

// Removals fail while a generation is begun or left, and are right again behind it.
TEST_F(RedisRemovalTest, LosesNothingWhileGenerationsAreSwitched) {
  constexpr size_t kMembers = 2000, kSwitches = 6;
  RedisFilter rebuilder = Create("seen", kMembers, {64 * 100});
  const std::vector<uint64_t> members = RandomHashes(kMembers, 11);
  (void)InsertAll(&rebuilder, members);
  std::atomic<bool> stops{false};
  std::atomic<size_t> lost{0}, removed{0}, not_removed{0}, wrong{0};
  std::vector<std::thread> writers;
  for (size_t w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      RedisFilter filter = Open("seen");
      for (uint64_t round = 0; !stops; ++round) {
        const std::vector<uint64_t> guests = RandomHashes(50, 1000000 * (w + 1) + round);
        (void)InsertAll(&filter, guests);
        lost += CountMissing(&filter, guests);
        std::vector<RedisRemove> outcomes(guests.size());
        const Status status = filter.RemoveHashes(guests.data(), guests.size(), outcomes.data());
        const size_t undecided = CountOf(outcomes, RedisRemove::kFailed) + CountOf(outcomes, RedisRemove::kUnknown);
        wrong += status.ok() != (undecided == 0);
        removed += CountOf(outcomes, RedisRemove::kRemoved);
        not_removed += undecided;
        lost += CountMissing(&filter, members);
      }
    });
  }
  for (size_t i = 0; i < kSwitches; ++i) {
    const size_t before = removed;
    EXPECT_TRUE(WaitUntil([&] { return removed > before + 500; }));
    EXPECT_TRUE(IsOk(rebuilder.BeginGeneration(kMembers, options_, {64 * (50 + 20 * i)})));
    EXPECT_TRUE(IsOk(rebuilder.InsertHashesIntoNext(members.data(), members.size())));
    EXPECT_TRUE(IsOk(rebuilder.SwitchGeneration()));
  }
  stops = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(not_removed, 0u);
  EXPECT_EQ(CountMissing(&rebuilder, members), 0u);
}

}  // namespace
}  // namespace linefilter::test
