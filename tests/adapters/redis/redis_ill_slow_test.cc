// Servers that hang, die, come back, give slots away and are replaced while they are asked, one call after the other:
// no member is "absent", whatever calls do that are not answered in time. By night these are 1e6 calls to a lone server
// and as many to a cluster, on each change a twentieth of that.
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/nightly.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

void WaitMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// It answers, hangs, answers, dies and comes back with all that it had.
void HangAndDie(RedisServer* server) {
  WaitMs(200);
  server->Pause();
  WaitMs(150);
  server->Resume();
  WaitMs(200);
  server->Kill();
  WaitMs(50);
  EXPECT_TRUE(server->Restart()) << server->why();
}

// The slot of each key goes to another master, which then hangs. Each second time a replica takes a master's place.
void MoveAndFailOver(RedisCluster* cluster, const std::vector<std::string>& keys, size_t round) {
  const size_t to = cluster->MasterOf(round % RedisCluster::kNumNodes);
  for (const std::string& key : keys) {
    const uint32_t slot = cluster->SlotOf(key);
    if (cluster->OwnerOf(slot) == to) continue;
    cluster->StartMove(slot, to);
    WaitMs(20);
    cluster->MoveKeys(slot, to, 100);
    WaitMs(20);
    cluster->FinishMove(slot, to);
  }
  WaitMs(200);
  cluster->node(to).Pause();
  WaitMs(150);
  cluster->node(to).Resume();
  WaitMs(200);
  if (round % 2 != 0) return;
  const size_t i = round / 2 % RedisCluster::kNumNodes, replica = RedisCluster::kNumNodes + i;
  EXPECT_TRUE(cluster->FailOver(cluster->MasterOf(i) == i ? replica : i));
}

struct Counts {
  uint64_t failed = 0, absent_members = 0, absent_others = 0, lost = 0;

  void operator+=(const Counts& other) {
    failed += other.failed;
    absent_members += other.absent_members;
    absent_others += other.absent_others;
    lost += other.lost;
  }
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
    counts.failed += !status.ok();
  }
  return counts;
}

uint64_t NumCalls() { return IsNightly() ? 500000 : 25000; }

// Calls the filter "seen" while its servers are ill, round after round.
void ExpectNoMemberAbsent(RedisServers servers, OnUnavailable on_unavailable, const std::function<void()>& ill) {
  RedisFilter made = Opened(servers, "seen");
  const std::vector<uint64_t> members = RandomHashes(1000, 1);
  Insert(&made, members);
  servers.deadlines.request_ms = 100;
  servers.deadlines.pause_ms = 20;
  servers.on_unavailable = on_unavailable;
  RedisFilter filter = Opened(servers, "seen");
  std::atomic<bool> stops{false};
  std::atomic<size_t> num_rounds{0};
  std::thread illness([&] {
    for (; !stops; ++num_rounds) ill();
  });
  Counts counts;
  do {  // calls that fail at once are many
    counts += Call(&filter, NumCalls(), members);
  } while (num_rounds == 0);
  stops = true;
  illness.join();
  EXPECT_EQ(counts.absent_members, 0u);
  EXPECT_EQ(counts.lost, 0u) << "an outcome that its Status does not tell";
  EXPECT_GT(counts.absent_others, NumCalls() / 1000) << "nothing was answered: calls that fail at once are many";
  EXPECT_GT(counts.failed, 0u) << "the server was never ill";
}

constexpr OnUnavailable kEachWay[] = {OnUnavailable::kError, OnUnavailable::kMaybe};

TEST(RedisIll, NoMemberIsAbsentWhateverACallDoes) {
  for (const OnUnavailable way : kEachWay) {
    RedisServerOptions persistent;
    persistent.append_only = true;
    RedisServer server(persistent);  // it ends with the thread that starts it again
    ASSERT_TRUE(server.ok()) << server.why();
    const RedisServers servers = PatientServers(server.address());
    (void)Created(servers, "seen", 1000000, RedisOptions(10));
    ExpectNoMemberAbsent(servers, way, [&] { HangAndDie(&server); });
  }
}

TEST(RedisIll, NoMemberIsAbsentWhileSlotsMoveAndReplicasTakeOver) {
  RedisCluster cluster({}, true);
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  const RedisServers servers = PatientServers(cluster.addresses());
  RedisFilter filter;
  ASSERT_TRUE(filter.Create(servers, "seen", 1000000, RedisOptions(10), {262144}).ok());  // five shards
  std::vector<std::string> keys;
  for (size_t i = 0; i < RedisCluster::kNumNodes; ++i) {
    for (const auto& key : cluster.client(i).Do({"KEYS", "*seen*"}).items) keys.push_back(key.text);
  }
  ASSERT_GE(keys.size(), 6u) << "the shards and the record";
  size_t round = 0;
  for (const OnUnavailable way : kEachWay) {
    ExpectNoMemberAbsent(servers, way, [&] { MoveAndFailOver(&cluster, keys, round++); });
  }
}

}  // namespace
}  // namespace linefilter::test
