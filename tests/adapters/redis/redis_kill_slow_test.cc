// Four writer processes put a million keys into a filter in Redis, which syncs each of them to its file (appendfsync
// always) and is killed in the middle. Every key that was acknowledged is found when it is back, and every one that was
// not was reported to its writer. Nobody was told "new" of a key that another one was told so.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/status.h"

namespace linefilter {
namespace {

using test::Fpr;
using test::RandomHashes;
using test::RedisServer;

constexpr size_t kNumKeys = 1000000;
constexpr size_t kNumWriters = 4;
constexpr size_t kBatch = 500;
constexpr size_t kOwnKeys = kNumKeys / kNumWriters;
constexpr size_t kSharedKeys = kOwnKeys / 5;  // of the next writer, which both insert

// In memory that all processes share.
struct Board {
  std::atomic<uint64_t> num_acknowledged, num_failed, num_wrong_status, num_kills;
  std::atomic<uint8_t> acknowledged[kNumKeys];
  std::atomic<uint8_t> told_new[kNumKeys];
};

// How many kills there must have been before a writer comes so far. None is at the end before the last one, and each
// kill, which comes earlier, finds all at work (unless this machine is so slow that they wait for it here).
uint64_t KillsBefore(size_t done) {
  const size_t twentieths = 20 * done / (kOwnKeys + kSharedKeys);
  return (twentieths >= 8 ? 1u : 0u) + (twentieths >= 13 ? 1u : 0u) + (twentieths >= 19 ? 1u : 0u);
}

// Does not come back. Keys that failed are inserted again until they are acknowledged, as the manual says.
[[noreturn]] void Write(const RedisServers& servers, size_t writer, const std::vector<uint64_t>& hashes, Board* board) {
#ifdef __linux__  // it ends with this test, however that ends
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  RedisFilter filter;
  if (!test::WaitUntil([&] { return filter.Open(servers, "killed").ok(); })) _exit(2);
  std::vector<RedisInsert> outcomes(kBatch);
  for (size_t done = 0; done < kOwnKeys + kSharedKeys; done += kBatch) {
    const size_t begin = (writer * kOwnKeys + done) % kNumKeys;
    if (!test::WaitUntil([&] { return board->num_kills >= KillsBefore(done); })) _exit(4);
    for (int tries = 0;; ++tries) {
      if (tries == 1000) _exit(3);
      const Status status = filter.InsertHashes(hashes.data() + begin, kBatch, outcomes.data());
      uint64_t num_failed = 0;
      for (size_t i = 0; i < kBatch; ++i) {
        if (outcomes[i] == RedisInsert::kFailed) {
          ++num_failed;
          continue;
        }
        board->acknowledged[begin + i] = 1;
        if (outcomes[i] == RedisInsert::kNew) ++board->told_new[begin + i];
      }
      board->num_acknowledged += kBatch - num_failed;
      board->num_failed += num_failed;
      if (status.ok() != (num_failed == 0)) ++board->num_wrong_status;
      if (num_failed == 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  _exit(0);
}

// Three times, so that it is killed at various moments of a write. `at_kill` tells how many keys it had acknowledged.
void KillAndRestart(RedisServer* server, Board* board, std::vector<uint64_t>* at_kill) {
  for (const uint64_t after : {kNumKeys / 5, kNumKeys / 2, 4 * kNumKeys / 5}) {
    EXPECT_TRUE(test::WaitUntil([&] { return board->num_acknowledged >= after; }));
    const uint64_t failed_before = board->num_failed;
    server->Kill();
    at_kill->push_back(board->num_acknowledged);
    ++board->num_kills;
    EXPECT_TRUE(test::WaitUntil([&] { return board->num_failed > failed_before; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_TRUE(server->Restart()) << server->why();
  }
}

TEST(RedisKill, NoAcknowledgedKeyIsLost) {
  test::RedisServerOptions options;
  options.append_only = true;
  options.append_fsync = "always";
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = test::PatientServers(server.address());
  test::SetPatience(200, &servers);  // shorter than the server is away, so that insertions fail
  const std::vector<uint64_t> hashes = RandomHashes(kNumKeys, 1);
  RedisFilter filter;
  ASSERT_TRUE(test::IsOk(filter.Create(servers, "killed", kNumKeys, Fpr(0.001), {256 * 1024})));

  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Board* const board = new (memory) Board();
  std::vector<pid_t> writers;
  for (size_t i = 0; i < kNumWriters; ++i) {
    writers.push_back(fork());
    ASSERT_GE(writers.back(), 0);
    if (writers.back() == 0) Write(servers, i, hashes, board);
  }
  std::vector<uint64_t> at_kill;
  ASSERT_NO_FATAL_FAILURE(KillAndRestart(&server, board, &at_kill));
  for (const pid_t writer : writers) {
    int ended = -1;
    EXPECT_EQ(waitpid(writer, &ended, 0), writer);
    EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
  }

  test::SetPatience(test::kLongMs, &servers);
  ASSERT_TRUE(filter.Open(servers, "killed").ok());
  std::vector<uint8_t> answers(kNumKeys);
  ASSERT_TRUE(test::IsOk(filter.MayContainHashes(hashes.data(), kNumKeys, answers.data())));
  size_t num_missing = 0, num_acknowledged = 0, num_told_twice = 0;
  for (size_t i = 0; i < kNumKeys; ++i) {
    num_acknowledged += board->acknowledged[i];
    num_missing += board->acknowledged[i] != 0 && answers[i] == 0;
    num_told_twice += board->told_new[i] > 1;
  }
  EXPECT_EQ(num_missing, 0u);
  EXPECT_EQ(num_acknowledged, kNumKeys);
  EXPECT_EQ(num_told_twice, 0u);
  EXPECT_EQ(board->num_wrong_status, 0u);
  EXPECT_GT(board->num_failed, 0u);
  for (const uint64_t n : at_kill) EXPECT_LT(n, kNumKeys + kNumWriters * kSharedKeys);
  printf("acknowledged when it was killed: %llu, %llu, %llu; insertions reported as failed: %llu; lost: %zu\n",
         static_cast<unsigned long long>(at_kill[0]), static_cast<unsigned long long>(at_kill[1]),
         static_cast<unsigned long long>(at_kill[2]), static_cast<unsigned long long>(board->num_failed), num_missing);
  munmap(memory, sizeof(Board));
}

}  // namespace
}  // namespace linefilter
