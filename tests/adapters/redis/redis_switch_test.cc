// A filter in Redis is made anew again and again, each time of another size. Meanwhile readers see the old generation
// or the new one, never a mixture, and no acknowledged key is lost.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_switching.h"

namespace linefilter {
namespace {

using RedisSwitch = test::RedisServerTest;

TEST_F(RedisSwitch, UnderReadersAndWriters) { test::SwitchUnderUse(servers_, "used", 9); }

constexpr uint64_t kNumKeys = 30000;

// One writer and several who rebuild share this.
struct Several {
  const FilterOptions options = test::RedisOptions(16);
  test::SharedKeys source;
  std::atomic<bool> done{false};
  std::atomic<int> num_switched{0}, num_refused{0}, num_batches{0};

  void Rebuild(const RedisServers& servers, uint64_t seed) {
    test::Random random(seed);
    // One round of each for a batch: on a slow machine generations would change faster than any batch is done.
    for (int seen = -1; !done; seen = num_batches) {
      do {
        std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(40)));
      } while (num_batches == seen && !done);
      RedisFilter filter = test::Opened(servers, "several");
      Status status = filter.BeginGeneration(kNumKeys, options, {4096 * (1 + random.Below(8))});
      if (status.ok()) {
        const std::string image = test::ImageOf(kNumKeys, options, source.All());
        std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(20)));
        status = filter.LoadNext(image.data(), image.size());
        if (status.ok()) status = filter.SwitchGeneration();
        num_switched += status.ok();
      } else if (random.Below(4) == 0) {
        status = filter.AbandonGeneration();
      }
      if (status.ok()) continue;
      ++num_refused;
      // kCorrupt: the shards of the next one, which somebody abandoned, went.
      EXPECT_TRUE(status.code() == StatusCode::kIncompatible || status.code() == StatusCode::kUnavailable ||
                  status.code() == StatusCode::kCorrupt)
          << status.message();
    }
  }
};

// Several who rebuild at once, and abandon what the others began: each step is refused or right.
TEST_F(RedisSwitch, OfSeveralRebuildersAtOnce) {
  Several several;
  RedisFilter writer = test::Created(servers_, "several", kNumKeys, several.options, {8192});
  std::vector<std::thread> rebuilders;
  for (uint64_t i = 0; i < 2; ++i) rebuilders.emplace_back(&Several::Rebuild, &several, servers_, i);
  test::Random random(100);
  std::vector<uint64_t> hashes(50);
  const auto enough = [&] { return several.num_switched >= 2 && several.num_refused >= 2; };
  for (int i = 0; i < 200 || (i < 20000 && !enough()); ++i, ++several.num_batches) {
    for (uint64_t& hash : hashes) hash = random();
    several.source.Add(hashes);
    // Two changes of the generation within a batch: that is said, and done again.
    Status status;
    do {
      status = writer.InsertHashes(hashes.data(), hashes.size(), nullptr);
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kUnavailable) << status.message();
    } while (status.code() == StatusCode::kUnavailable);
    if (i % 20 != 0) continue;
    const std::vector<uint64_t> asked = several.source.All();
    std::vector<uint8_t> answers(asked.size());
    do {
      status = writer.MayContainHashes(asked.data(), asked.size(), answers.data());
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kUnavailable) << status.message();
      EXPECT_EQ(std::count(answers.begin(), answers.end(), 0), 0);
    } while (status.code() == StatusCode::kUnavailable);
  }
  several.done = true;
  for (std::thread& rebuilder : rebuilders) rebuilder.join();
  EXPECT_EQ(test::CountMissing(&writer, several.source.All()), 0u);
  EXPECT_GT(several.num_switched, 0);
  EXPECT_GT(several.num_refused, 0);
}

}  // namespace
}  // namespace linefilter
