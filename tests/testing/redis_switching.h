// Generations of a filter in Redis are switched while it is read and written.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_SWITCHING_H_
#define LINEFILTER_TESTS_TESTING_REDIS_SWITCHING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_generations.h"

namespace linefilter::test {

// Writers, readers, a checker and one who rebuilds again and again, each with a connection of its own. Generation g has
// been loaded with marker keys that no other one has: a batch that asks for all markers tells whose answer it is.
inline void SwitchUnderUse(const RedisServers& servers, const std::string& name, int num_generations) {
  constexpr size_t kMarkers = 64;
  const auto options_of = [](int g) {
    return RedisOptions(30 + g % 3 * 5, g % 4 == 3 ? Layout::kClassic : Layout::kBlocked);
  };
  const auto keys_of = [](int g) { return static_cast<uint64_t>(20000 + 5000 * (g % 3)); };
  std::vector<uint64_t> markers;
  for (int g = 0; g < num_generations; ++g) {
    for (const uint64_t hash : RandomHashes(kMarkers, 1000 + static_cast<uint64_t>(g))) markers.push_back(hash);
  }
  const auto marker = [&](int g) { return markers.begin() + g * static_cast<ptrdiff_t>(kMarkers); };
  {
    RedisFilter filter;
    const std::string image = ImageOf(keys_of(0), options_of(0), std::vector<uint64_t>(marker(0), marker(1)));
    ASSERT_TRUE(filter.CreateFromImage(servers, name, image.data(), image.size(), nullptr, {16384}).ok());
  }

  std::mutex mutex;
  std::vector<uint64_t> source, acknowledged;  // under the mutex
  std::atomic<bool> done{false};
  std::atomic<uint64_t> num_batches{0}, num_mixed{0}, num_lost{0}, num_errors{0};
  std::atomic<uint64_t> num_steps[5] = {};  // of each thread
  std::atomic<int> num_writers{2};
  std::vector<std::thread> threads;
  for (uint64_t w = 0; w < 2; ++w) {
    threads.emplace_back([&, w] {
      RedisFilter filter;
      ASSERT_TRUE(filter.Open(servers, name).ok());
      Random random(w + 1);
      for (int i = 0; !done && i < 200; ++i) {
        std::vector<uint64_t> hashes(40);
        for (uint64_t& hash : hashes) hash = random();
        {
          const std::lock_guard<std::mutex> lock(mutex);
          source.insert(source.end(), hashes.begin(), hashes.end());
        }
        const Status status = filter.InsertHashes(hashes.data(), hashes.size(), nullptr);
        if (!status.ok()) {
          ++num_errors;
          ADD_FAILURE() << status.message();
          continue;
        }
        const std::lock_guard<std::mutex> lock(mutex);
        acknowledged.insert(acknowledged.end(), hashes.begin(), hashes.end());
        ++num_steps[w];
      }
      --num_writers;
    });
  }
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      RedisFilter filter;
      ASSERT_TRUE(filter.Open(servers, name).ok());
      std::vector<uint8_t> answers(markers.size());
      int last = 0;
      while (!done) {
        if (!filter.MayContainHashes(markers.data(), markers.size(), answers.data()).ok()) ++num_errors;
        int whose = -1;
        for (int g = 0; g < num_generations; ++g) {
          if (answers[static_cast<size_t>(g) * kMarkers] != 0) whose = g;
        }
        for (size_t i = 0; i < answers.size(); ++i) {
          if ((answers[i] != 0) != (static_cast<int>(i / kMarkers) == whose)) {
            ++num_mixed;
            break;
          }
        }
        num_mixed += whose < last;  // and nobody goes back
        last = whose;
        ++num_batches;
        ++num_steps[2 + r];
      }
    });
  }
  threads.emplace_back([&] {
    RedisFilter filter;
    ASSERT_TRUE(filter.Open(servers, name).ok());
    std::vector<uint8_t> answers;
    while (!done) {
      std::vector<uint64_t> asked;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        asked = acknowledged;
      }
      if (asked.size() > 4000) asked.erase(asked.begin(), asked.end() - 4000);
      answers.assign(asked.size(), 1);
      if (!filter.MayContainHashes(asked.data(), asked.size(), answers.data()).ok()) ++num_errors;
      for (const uint8_t answer : answers) num_lost += answer == 0;
      ++num_steps[4];
    }
  });
  // However slow they are, each sees each generation.
  const auto wait_for_all = [&] {
    uint64_t before[5];
    for (size_t i = 0; i < 5; ++i) before[i] = num_steps[i];
    return WaitUntil([&] {
      for (size_t i = 0; i < 5; ++i) {
        if (num_steps[i] == before[i] && (i >= 2 || num_writers == 2)) return false;
      }
      return true;
    });
  };
  RedisFilter rebuilder;
  ASSERT_TRUE(rebuilder.Open(servers, name).ok());
  for (int g = 1; g < num_generations; ++g) {
    EXPECT_TRUE(wait_for_all());
    Status status = rebuilder.BeginGeneration(keys_of(g), options_of(g), {g % 4 == 3 ? 0u : 8192u});
    ASSERT_TRUE(status.ok()) << status.message();
    std::vector<uint64_t> hashes(marker(g), marker(g) + kMarkers);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      hashes.insert(hashes.end(), source.begin(), source.end());
    }
    const std::string image = ImageOf(keys_of(g), options_of(g), hashes);
    status = rebuilder.LoadNext(image.data(), image.size());
    ASSERT_TRUE(status.ok()) << status.message();
    status = rebuilder.SwitchGeneration();
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_TRUE(wait_for_all());
  EXPECT_TRUE(WaitUntil([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return acknowledged.size() > 1000;
  }));
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_mixed, 0u);
  EXPECT_EQ(num_lost, 0u);
  EXPECT_EQ(num_errors, 0u);
  EXPECT_GT(num_batches, static_cast<uint64_t>(num_generations));
  EXPECT_GT(acknowledged.size(), 1000u);
  EXPECT_EQ(CountMissing(&rebuilder, acknowledged), 0u);
  printf("%llu batches over %d switches, mixed: %llu; keys acknowledged: %zu, lost: %llu\n",
         static_cast<unsigned long long>(num_batches), num_generations - 1, static_cast<unsigned long long>(num_mixed),
         acknowledged.size(), static_cast<unsigned long long>(num_lost));
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_SWITCHING_H_
