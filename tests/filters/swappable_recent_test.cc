// The recipe of doc/guide/living.md, "Keys that come during a rebuild": a set that loses keys and takes others, its
// filter made anew all the time, and what is in the set is never "absent".
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/swappable.h"
#include "tests/testing/options.h"

namespace linefilter {
namespace {

// The source of truth: the numbers first .. end - 1, of which a copy takes its time, as a table's does.
class Truth {
 public:
  void Add() {
    if (end_ % 128 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));  // a transaction
    ++end_;
  }
  void RemoveUntil(uint64_t first) { first_ = first; }
  uint64_t end() const { return end_; }
  std::vector<uint64_t> Keys() const {
    std::vector<uint64_t> keys;
    const uint64_t end = end_;
    for (uint64_t key = first_; key < end; ++key) keys.push_back(key);
    std::this_thread::yield();
    return keys;
  }

 private:
  std::atomic<uint64_t> first_{0}, end_{0};
};

class Recipe {
 public:
  Recipe() { EXPECT_TRUE(recent_.Create(5000, 2, test::BitsPerKey(16)).ok()); }

  bool MayContain(uint64_t key) const {
    const SwappableFilter::Lease lease = serving_.Read();
    return lease->MayContainKey(key) || recent_.MayContainKey(key);
  }

  void Add() {
    const std::shared_lock<std::shared_mutex> adding(begin_);
    recent_.InsertKey(truth_.end());
    truth_.Add();
  }

  Status Rebuild() {
    {
      const std::unique_lock<std::shared_mutex> beginning(begin_);
      if (is_new_) recent_.Rotate();
      is_new_ = false;
    }
    const std::vector<uint64_t> keys = truth_.Keys();
    BlockedFilter next;
    Status status = next.Create(keys.size(), fails_ ? FilterOptions() : test::BitsPerKey(16));
    for (const uint64_t key : keys) next.InsertKey(key);
    if (status.ok()) status = serving_.Swap(std::move(next));
    is_new_ = status.ok();
    return status;
  }

  Truth* truth() { return &truth_; }
  void set_fails(bool fails) { fails_ = fails; }
  uint64_t num_swaps() const { return serving_.num_swaps(); }
  uint64_t num_rotations() const { return recent_.generation(); }

 private:
  Truth truth_;
  SwappableFilter serving_;
  RotatingFilter recent_;
  std::shared_mutex begin_;
  bool is_new_ = false;
  bool fails_ = false;
};

TEST(SwappableRecent, AKeyLeavesOnlyAfterARebuildThatBeganBehindIt) {
  Recipe recipe;
  for (uint64_t key = 0; key < 30; ++key) {
    recipe.Add();
    if (key % 3 == 2) {
      recipe.set_fails(key < 15);  // many times: nothing is dropped until one has come through
      EXPECT_EQ(recipe.Rebuild().ok(), key >= 15);
    }
    for (uint64_t old = 0; old <= key; ++old) ASSERT_TRUE(recipe.MayContain(old)) << old << " of " << key;
  }
  EXPECT_EQ(recipe.num_swaps(), 5u);
  EXPECT_EQ(recipe.num_rotations(), 4u);
  recipe.truth()->RemoveUntil(10);  // what was removed goes with the next rebuild
  EXPECT_TRUE(recipe.Rebuild().ok());
  uint64_t removed = 0;
  for (uint64_t key = 0; key < 10; ++key) removed += recipe.MayContain(key);
  EXPECT_LE(removed, 1u);
}

TEST(SwappableRecent, NothingInTheSourceOfTruthIsAbsent) {
  constexpr uint64_t kMembers = 1024, kAsked = 512;
  Recipe recipe;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> asked{0}, absent{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!stop) {
      for (int i = 0; i < 8; ++i) recipe.Add();
      const uint64_t end = recipe.truth()->end();
      if (end > kMembers) recipe.truth()->RemoveUntil(end - kMembers);
      std::this_thread::yield();
    }
  });
  threads.emplace_back([&] {
    while (!stop) EXPECT_TRUE(recipe.Rebuild().ok());
  });
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&] {
      uint64_t questions = 0;
      for (uint64_t back = 0; !stop; back = (back + 37) % kAsked) {
        const uint64_t end = recipe.truth()->end();
        if (back >= end) continue;
        const uint64_t key = end - 1 - back;
        const bool may_contain = recipe.MayContain(key);
        if (recipe.truth()->end() > key + kMembers) continue;  // it may have been removed
        ++questions;
        absent += !may_contain;
      }
      asked += questions;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  printf("%llu keys, %llu rebuilds, %llu asked\n", static_cast<unsigned long long>(recipe.truth()->end()),
         static_cast<unsigned long long>(recipe.num_swaps()), static_cast<unsigned long long>(asked));
  EXPECT_EQ(absent, 0u);
  EXPECT_GT(asked, 100u);
  EXPECT_GT(recipe.num_rotations(), 2u);
}

}  // namespace
}  // namespace linefilter
