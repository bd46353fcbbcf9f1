// Keys are removed from a filter in Redis while others insert and remove: no member is lost, whoever dies. Each block
// that is emptied is all zero, so too few removals are seen, too.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/adapters/redis/redis_removal_test.h"

namespace linefilter::test {
namespace {

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

std::vector<uint64_t> Failed(const std::vector<uint64_t>& hashes, const std::vector<RedisRemove>& outcomes) {
  std::vector<uint64_t> failed;
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (outcomes[i] == RedisRemove::kFailed) failed.push_back(hashes[i]);
  }
  return failed;
}

// Removals fail while a generation is begun or left, and are right again behind it.
TEST_F(RedisRemovalTest, LosesNothingWhileGenerationsAreSwitched) {
  constexpr size_t kMembers = 2000, kSwitches = 12;
  RedisFilter rebuilder = Create("seen", kMembers, {64 * 100});
  const std::vector<uint64_t> members = RandomHashes(kMembers, 11);
  (void)InsertAll(&rebuilder, members);
  std::atomic<bool> stops{false}, is_between{false};
  std::atomic<size_t> lost{0}, removed{0}, failed{0}, unknown{0}, absent{0}, wrong{0};
  std::vector<std::thread> writers;
  for (size_t w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      RedisFilter filter = Open("seen");
      for (uint64_t round = 0; !stops; ++round) {
        std::vector<uint64_t> guests = RandomHashes(50, 1000000 * (w + 1) + round);
        (void)InsertAll(&filter, guests);
        lost += CountMissing(&filter, guests);
        const uint64_t generation = filter.generation();
        // What failed is still there, and is removed again, if the same generation goes on.
        for (int tries = 0; tries < 100 && !guests.empty(); ++tries) {
          while (tries != 0 && is_between) std::this_thread::yield();
          std::vector<RedisRemove> outcomes(guests.size());
          const Status status = filter.RemoveHashes(guests.data(), guests.size(), outcomes.data(), generation);
          const std::vector<uint64_t> failing = Failed(guests, outcomes);
          const size_t unknowns = CountOf(outcomes, RedisRemove::kUnknown);
          wrong += status.ok() != (failing.size() + unknowns == 0);
          removed += CountOf(outcomes, RedisRemove::kRemoved);
          absent += CountOf(outcomes, RedisRemove::kAbsent);
          failed += failing.size();
          unknown += unknowns;
          guests = failing;
        }
        lost += CountMissing(&filter, members);
      }
    });
  }
  for (size_t i = 0; i < kSwitches; ++i) {
    const size_t before = removed;
    EXPECT_TRUE(WaitUntil([&] { return removed > before + 500; }));
    is_between = true;
    EXPECT_TRUE(IsOk(rebuilder.BeginGeneration(kMembers, options_, {64 * (50 + 20 * i)})));
    EXPECT_TRUE(IsOk(rebuilder.InsertHashesIntoNext(members.data(), members.size())));
    EXPECT_TRUE(IsOk(i % 2 == 0 ? rebuilder.AbandonGeneration() : rebuilder.SwitchGeneration()));
    is_between = false;
  }
  stops = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(absent, 0u) << "of " << failed << " that failed some had been removed";
  EXPECT_GT(unknown, 0u) << "no removal met two generations";
  EXPECT_EQ(CountMissing(&rebuilder, members), 0u);
}

}  // namespace
}  // namespace linefilter::test
