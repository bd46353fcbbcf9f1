// A server that hangs, dies and comes back while it is asked, one call after the other: no member is "absent", whatever
// calls do that are not answered in time. By night these are 1e6 calls, on each change a twentieth of that.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/nightly.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

// Until it is told to stop: it answers, hangs, answers, dies and comes back with all that it had.
void BeIllNowAndThen(RedisServer* server, const std::atomic<bool>& stops) {
  const auto wait = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  while (!stops) {
    wait(200);
    server->Pause();
    wait(150);
    server->Resume();
    wait(200);
    server->Kill();
    wait(50);
    EXPECT_TRUE(server->Restart()) << server->why();
  }
}

struct Counts {
  uint64_t answered = 0, failed = 0, absent_members = 0, absent_others = 0, lost = 0;
};

// Asks for a member, asks for a key that is none, and inserts one, in turns.
Counts Call(RedisFilter* filter, uint64_t num_calls, std::vector<uint64_t> members) {
  const std::vector<uint64_t> others = RandomHashes(1000, 2), more = RandomHashes(num_calls / 3 + 1, 3);
  Counts counts;
  for (uint64_t i = 0; i < num_calls; ++i) {
    Status status;
    if (i % 3 == 2) {
      RedisInsert outcome = RedisInsert::kKnown;
      status = filter->InsertHash(more[i / 3], &outcome);
      if (status.ok()) members.push_back(more[i / 3]);
      counts.lost += status.ok() != (outcome != RedisInsert::kFailed);
    } else {
      const bool is_member = i % 3 == 0;
      bool maybe = false;
      status = filter->MayContainHash(is_member ? members[i % members.size()] : others[i % others.size()], &maybe);
      (is_member ? counts.absent_members : counts.absent_others) += !maybe;
      EXPECT_TRUE(status.ok() || maybe) << status.message();
    }
    ++(status.ok() ? counts.answered : counts.failed);
  }
  return counts;
}

TEST(RedisIll, NoMemberIsAbsentWhateverACallDoes) {
  const uint64_t num_calls = IsNightly() ? 500000 : 25000;
  for (const OnUnavailable on_unavailable : {OnUnavailable::kError, OnUnavailable::kMaybe}) {
    RedisServerOptions persistent;
    persistent.append_only = true;
    RedisServer server(persistent);
    ASSERT_TRUE(server.ok()) << server.why();
    RedisServers servers = PatientServers(server.address());
    RedisFilter made = Created(servers, "seen", 1000000, RedisOptions(10));
    const std::vector<uint64_t> members = RandomHashes(1000, 1);
    Insert(&made, members);
    servers.deadlines.request_ms = 100;
    servers.deadlines.pause_ms = 20;
    servers.on_unavailable = on_unavailable;
    RedisFilter filter = Opened(servers, "seen");
    std::atomic<bool> stops{false};
    std::thread illness([&] { BeIllNowAndThen(&server, stops); });
    const Counts counts = Call(&filter, num_calls, members);
    stops = true;
    illness.join();
    EXPECT_EQ(counts.absent_members, 0u);
    EXPECT_EQ(counts.lost, 0u) << "an outcome that its Status does not tell";
    EXPECT_GT(counts.absent_others, num_calls / 1000) << "nothing was answered: calls that fail at once are many";
    EXPECT_GT(counts.failed, 0u) << "the server was never ill";
  }
}

}  // namespace
}  // namespace linefilter::test
