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

// Threads may add keys and copy them at once.
class SharedKeys {
 public:
  void Add(const std::vector<uint64_t>& hashes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    hashes_.insert(hashes_.end(), hashes.begin(), hashes.end());
  }
  std::vector<uint64_t> All() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return hashes_;
  }

 private:
  std::mutex mutex_;
  std::vector<uint64_t> hashes_;  // under the mutex
};

// Writers, readers, a checker and one who rebuilds again and again, each with a connection of its own. Generation g has
// been loaded with marker keys that no other one has: a batch that asks for all markers tells whose answer it is.
class Switching {
 public:
  Switching(const RedisServers& servers, const std::string& name, int num_generations)
      : servers_(servers),
        name_(name),
        num_generations_(num_generations),
        markers_(RandomHashes(kMarkers * static_cast<size_t>(num_generations), 1000)) {}
  ~Switching() { Stop(); }

  void Run() {
    const std::string image = ImageOfGeneration(0, {});
    ASSERT_TRUE(RedisFilter().CreateFromImage(servers_, name_, image.data(), image.size(), nullptr, {16384}).ok());
    for (size_t i = 0; i < kThreads; ++i) {
      threads_.emplace_back([this, i] { i < 2 ? Write(i) : i < 4 ? Read(i) : Check(i); });
    }
    RedisFilter rebuilder = Opened(servers_, name_);
    for (int g = 1; g < num_generations_; ++g) {
      EXPECT_TRUE(WaitForAll());
      ASSERT_TRUE(IsOk(Rebuild(&rebuilder, g)));
    }
    EXPECT_TRUE(WaitForAll());
    EXPECT_TRUE(WaitUntil([&] { return acknowledged_.All().size() > 1000; }));
    Stop();
    EXPECT_EQ(num_mixed_, 0u);
    EXPECT_EQ(num_lost_, 0u);
    EXPECT_EQ(num_errors_, 0u);
    EXPECT_GT(num_batches_, static_cast<size_t>(num_generations_));
    const std::vector<uint64_t> acknowledged = acknowledged_.All();
    EXPECT_GT(acknowledged.size(), 1000u);
    EXPECT_EQ(CountMissing(&rebuilder, acknowledged), 0u);
    printf("%zu batches over %d switches, mixed: %zu; keys acknowledged: %zu, lost: %zu\n", num_batches_.load(),
           num_generations_ - 1, num_mixed_.load(), acknowledged.size(), num_lost_.load());
  }

 private:
  static constexpr size_t kMarkers = 64, kThreads = 5;

  static uint64_t KeysOf(int g) { return static_cast<uint64_t>(20000 + 5000 * (g % 3)); }
  static FilterOptions OptionsOf(int g) {
    return RedisOptions(30 + g % 3 * 5, g % 4 == 3 ? Layout::kClassic : Layout::kBlocked);
  }
  std::string ImageOfGeneration(int g, std::vector<uint64_t> hashes) const {
    const auto marker = markers_.begin() + g * static_cast<ptrdiff_t>(kMarkers);
    hashes.insert(hashes.end(), marker, marker + kMarkers);
    return ImageOf(KeysOf(g), OptionsOf(g), hashes);
  }

  Status Rebuild(RedisFilter* rebuilder, int g) {
    Status status = rebuilder->BeginGeneration(KeysOf(g), OptionsOf(g), {g % 4 == 3 ? 0u : 8192u});
    const std::string image = ImageOfGeneration(g, source_.All());  // writers add to both generations by now
    if (status.ok()) status = rebuilder->LoadNext(image.data(), image.size());
    return status.ok() ? rebuilder->SwitchGeneration() : status;
  }
  void Write(size_t thread) {
    RedisFilter filter = Opened(servers_, name_);
    Random random(thread + 1);
    std::vector<uint64_t> hashes(40);
    for (int i = 0; !done_ && i < 200; ++i) {
      for (uint64_t& hash : hashes) hash = random();
      source_.Add(hashes);
      const Status status = filter.InsertHashes(hashes.data(), hashes.size(), nullptr);
      EXPECT_TRUE(IsOk(status));
      num_errors_ += !status.ok();
      if (!status.ok()) continue;
      acknowledged_.Add(hashes);
      ++num_steps_[thread];
    }
    --num_writers_;
  }
  void Read(size_t thread) {
    RedisFilter filter = Opened(servers_, name_);
    std::vector<uint8_t> answers(markers_.size());
    for (int last = 0; !done_; ++num_steps_[thread], ++num_batches_) {
      num_errors_ += !filter.MayContainHashes(markers_.data(), markers_.size(), answers.data()).ok();
      int whose = -1;
      for (int g = 0; g < num_generations_; ++g) {
        if (answers[static_cast<size_t>(g) * kMarkers] != 0) whose = g;
      }
      bool is_mixed = whose < last;  // and nobody goes back
      for (size_t i = 0; i < answers.size(); ++i) {
        is_mixed |= (answers[i] != 0) != (static_cast<int>(i / kMarkers) == whose);
      }
      num_mixed_ += is_mixed;
      last = whose;
    }
  }
  void Check(size_t thread) {
    RedisFilter filter = Opened(servers_, name_);
    std::vector<uint8_t> answers;
    for (; !done_; ++num_steps_[thread]) {
      std::vector<uint64_t> asked = acknowledged_.All();
      if (asked.size() > 4000) asked.erase(asked.begin(), asked.end() - 4000);
      answers.assign(asked.size(), 1);
      num_errors_ += !filter.MayContainHashes(asked.data(), asked.size(), answers.data()).ok();
      for (const uint8_t answer : answers) num_lost_ += answer == 0;
    }
  }
  // However slow they are, each sees each generation.
  bool WaitForAll() {
    const std::vector<uint64_t> before(num_steps_, num_steps_ + kThreads);
    return WaitUntil([&] {
      for (size_t i = 0; i < kThreads; ++i) {
        if (num_steps_[i] == before[i] && (i >= 2 || num_writers_ == 2)) return false;
      }
      return true;
    });
  }
  void Stop() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  const RedisServers servers_;
  const std::string name_;
  const int num_generations_;
  const std::vector<uint64_t> markers_;
  SharedKeys source_, acknowledged_;
  std::atomic<bool> done_{false};
  std::atomic<size_t> num_batches_{0}, num_mixed_{0}, num_lost_{0}, num_errors_{0};
  std::atomic<uint64_t> num_steps_[kThreads] = {};  // of each thread
  std::atomic<int> num_writers_{2};
  std::vector<std::thread> threads_;
};

inline void SwitchUnderUse(const RedisServers& servers, const std::string& name, int num_generations) {
  Switching(servers, name, num_generations).Run();
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_SWITCHING_H_
