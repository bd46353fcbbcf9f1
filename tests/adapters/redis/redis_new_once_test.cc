// While generations are begun, loaded and switched, of several writers of a key at most one is told that it is new, and
// nearly always one is; and what was acknowledged is never absent.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/redis_switching.h"

namespace linefilter::test {
namespace {

constexpr size_t kKeys = 12000, kWriters = 3;

// Writers insert all keys, each in an order of its own, while one rebuilds.
struct Insertions {
  RedisServers servers;
  FilterOptions options;
  RedisLayout layout = {1 << 16};
  std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  SharedKeys source;  // a key is there before it is inserted
  std::atomic<int> told[kKeys] = {};
  std::atomic<size_t> working{kWriters}, wrong{0};
  std::atomic<int> switches{0};
  std::atomic<bool> gives_up{false};
  std::atomic<size_t> num_done[kWriters] = {};

  void Write(size_t w) {
    RedisFilter filter = Opened(servers, "seen");
    std::vector<size_t> order(kKeys);
    std::iota(order.begin(), order.end(), size_t{0});
    Random mine(2 + w / 2);  // two of them in one order, at the same time
    for (size_t i = kKeys - 1; i > 0; --i) std::swap(order[i], order[mine() % (i + 1)]);
    const size_t at_once = 20 + 30 * w;
    for (size_t begin = 0; begin < kKeys; begin += at_once) {
      const size_t n = std::min(at_once, kKeys - begin);
      // No quarter before as many switches, even where the rebuilder is slow.
      EXPECT_TRUE(WaitUntil([&] { return gives_up || switches >= static_cast<int>(4 * begin / kKeys); }));
      std::vector<uint64_t> part(n);
      for (size_t i = 0; i < n; ++i) part[i] = hashes[order[begin + i]];
      source.Add(part);
      std::vector<RedisInsert> outcomes(n);
      EXPECT_TRUE(IsOk(filter.InsertHashes(part.data(), n, outcomes.data())));
      for (size_t i = 0; i < n; ++i) told[order[begin + i]] += outcomes[i] == RedisInsert::kNew ? 1 : 0;
      std::vector<uint8_t> answers(n);
      EXPECT_TRUE(IsOk(filter.MayContainHashes(part.data(), n, answers.data())));
      wrong += static_cast<size_t>(std::count(answers.begin(), answers.end(), 0));
      num_done[w] = begin + n;
    }
    --working;
  }
  Status Rebuild(RedisFilter* rebuilder) {
    Status status = rebuilder->BeginGeneration(kKeys, options, layout);
    const std::string image = ImageOf(kKeys, options, source.All());
    if (status.ok()) status = rebuilder->LoadNext(image.data(), image.size());
    if (status.ok()) status = rebuilder->SwitchGeneration();
    switches += status.ok();
    return status;
  }
};

TEST(RedisNewOnceTest, WhileGenerationsAreSwitched) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  Insertions all;
  all.servers = PatientServers(server.address());
  all.options.bits_per_key = 64;  // hardly a false positive among them
  RedisFilter rebuilder;
  Status status = rebuilder.Create(all.servers, "seen", kKeys, all.options, all.layout);
  ASSERT_TRUE(IsOk(status));
  std::vector<std::thread> writers;
  for (size_t w = 0; w < kWriters; ++w) writers.emplace_back(&Insertions::Write, &all, w);
  while (all.working != 0) {
    const std::vector<size_t> before(all.num_done, all.num_done + kWriters);
    status = all.Rebuild(&rebuilder);
    EXPECT_TRUE(IsOk(status));
    if (!status.ok()) break;
    // And where the writers are slow, not all of their keys are inserted in the midst of a switch.
    EXPECT_TRUE(WaitUntil([&] {
      for (size_t w = 0; w < kWriters; ++w) {
        if (all.num_done[w] < std::min(before[w] + kKeys / 50, kKeys)) return false;
      }
      return true;
    }));
  }
  all.gives_up = true;
  for (std::thread& writer : writers) writer.join();
  size_t once = 0, more = 0;
  for (const int times : all.told) {
    once += times == 1 ? 1u : 0u;
    more += times > 1 ? 1u : 0u;
  }
  EXPECT_EQ(all.wrong, 0u);
  EXPECT_EQ(more, 0u);
  EXPECT_GT(once, kKeys / 2) << "of " << all.switches << " switches";
  EXPECT_GE(all.switches, 3);
  RecordProperty("switches", all.switches.load());
  RecordProperty("once", static_cast<int>(once));
}

}  // namespace
}  // namespace linefilter::test
