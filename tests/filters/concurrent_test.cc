// linefilter/concurrent.h: the bits of a BlockedFilter, whatever threads do at once; no key that happened before is
// missed.
#include "linefilter/concurrent.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/file.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"

namespace linefilter {
namespace {

using test::BitsPerKey;
using test::OnEveryTarget;
using test::RandomHashes;

constexpr size_t kThreads = 4;

// How often a stress test goes round: less under an emulator or a sanitizer.
size_t Rounds(size_t rounds) {
  const char* const effort = std::getenv("LINEFILTER_TEST_EFFORT");
  const double share = effort == nullptr ? 1 : std::strtod(effort, nullptr);
  const size_t fewer = static_cast<size_t>(static_cast<double>(rounds) * share);
  return fewer == 0 ? 1 : fewer;
}

void MustCreate(ConcurrentBlockedFilter* filter, uint64_t num_keys, const FilterOptions& options) {
  const Status status = filter->Create(num_keys, options);
  ASSERT_TRUE(status.ok()) << status.message();
}

template <class Filter>
std::string ImageOf(const Filter& filter) {
  std::string image;
  const Status status = filter.AppendImage(&image);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

std::string SequentialImage(uint64_t num_keys, const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  BlockedFilter filter;
  EXPECT_TRUE(filter.Create(num_keys, options).ok());
  filter.InsertHashes(hashes.data(), hashes.size());
  return ImageOf(filter);
}

// Runs work(thread) on threads that start at the same time.
template <class Work>
void AtOnce(size_t num_threads, const Work& work) {
  std::atomic<size_t> waiting{num_threads};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < num_threads; ++i) {
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

using Clock = std::chrono::steady_clock;

// Two threads that do one step after the other, each step at the same time. They spin: only so are they within
// nanoseconds of each other. On a CPU that they share, a step takes a time slice, so there is a deadline.
class InStep {
 public:
  explicit InStep(Clock::time_point deadline) : deadline_(deadline) {}

  // Before step i of thread 0 or 1; false if the other comes no more.
  bool Wait(size_t thread, size_t i) {
    at_[thread].count = i + 1;
    for (size_t spins = 1; at_[1 - thread].count <= i; ++spins) {
      if (spins % 4096 != 0) continue;
      if (late_ || Clock::now() > deadline_) {
        late_ = true;
        return false;
      }
      std::this_thread::yield();
    }
    return true;
  }

 private:
  struct alignas(128) Progress {
    std::atomic<size_t> count{0};
  };
  const Clock::time_point deadline_;
  Progress at_[2];
  std::atomic<bool> late_{false};
};

void ExpectTakesNothing(ConcurrentBlockedFilter* filter) {
  EXPECT_TRUE(filter->MayContainKey("anything"));
  EXPECT_TRUE(filter->MayContainHash(7));
  EXPECT_FALSE(filter->InsertKey("anything"));
  EXPECT_FALSE(filter->InsertHash(7));
  EXPECT_EQ(filter->InsertHashes(RandomHashes(100, 1).data(), 100), 0u);
  EXPECT_EQ(filter->ImageBytes(), 0u);
  EXPECT_EQ(filter->FillRatio(), 0);
  EXPECT_EQ(filter->EstimatedKeys(), 0);
  EXPECT_FALSE(filter->KeyStatus().ok());
  std::string image = "x";
  EXPECT_FALSE(filter->AppendImage(&image).ok());
  EXPECT_EQ(image, "x");
  test::Collector collector;
  EXPECT_FALSE(filter->WriteImage(collector.sink()).ok());
  EXPECT_FALSE(filter->Save("/no/such/folder/image").ok());
}

TEST(Concurrent, AnswersMaybeBeforeCreate) {
  ConcurrentBlockedFilter filter;
  ExpectTakesNothing(&filter);
}

TEST(Concurrent, ARefusedRequestLeavesItAsBeforeCreate) {
  ConcurrentBlockedFilter filter;
  EXPECT_EQ(filter.Create(100, BitsPerKey(0.5)).code(), StatusCode::kInvalidArgument);
  ExpectTakesNothing(&filter);
  FilterOptions limited = BitsPerKey(10);
  limited.memory_limit = 1000;
  EXPECT_EQ(filter.Create(100000, limited).code(), StatusCode::kOverLimit);
  ExpectTakesNothing(&filter);
}

TEST(Concurrent, HasTheBitsAndAnswersOfABlockedFilterOnEveryTarget) {
  for (const uint64_t num_keys : {1u, 50u, 1000u, 30000u}) {
    for (const double bits_per_key : {1.0, 10.0, 23.0, 64.0}) {
      const std::vector<uint64_t> hashes = RandomHashes(num_keys, num_keys);
      std::vector<uint64_t> questions = RandomHashes(5000, 2);
      questions.insert(questions.end(), hashes.begin(), hashes.end());
      OnEveryTarget([&](const char* target) {
        BlockedFilter expected;
        ConcurrentBlockedFilter filter;
        ASSERT_TRUE(expected.Create(num_keys, BitsPerKey(bits_per_key)).ok());
        MustCreate(&filter, num_keys, BitsPerKey(bits_per_key));
        EXPECT_STREQ(filter.target(), target);
        const size_t half = hashes.size() / 2;
        for (size_t i = 0; i < half; ++i) EXPECT_EQ(filter.InsertHash(hashes[i]), expected.InsertHash(hashes[i])) << i;
        std::vector<uint8_t> were_new(hashes.size() - half), should(were_new.size());
        EXPECT_EQ(filter.InsertHashes(hashes.data() + half, were_new.size(), were_new.data()),
                  expected.InsertHashes(hashes.data() + half, should.size(), should.data()));
        EXPECT_EQ(were_new, should);
        EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size()), 0u) << "again";
        EXPECT_EQ(ImageOf(filter), ImageOf(expected));
        EXPECT_EQ(filter.FillRatio(), expected.FillRatio());
        EXPECT_EQ(filter.EstimatedKeys(), expected.EstimatedKeys());

        std::vector<uint8_t> bytes(questions.size()), should_bytes(questions.size());
        filter.MayContainHashes(questions.data(), questions.size(), bytes.data());
        expected.MayContainHashes(questions.data(), questions.size(), should_bytes.data());
        EXPECT_EQ(bytes, should_bytes);
        filter.MayContainHashesToBits(questions.data(), questions.size(), bytes.data());
        expected.MayContainHashesToBits(questions.data(), questions.size(), should_bytes.data());
        EXPECT_EQ(bytes, should_bytes);
        EXPECT_EQ(filter.CountMaybes(questions.data(), questions.size()),
                  expected.CountMaybes(questions.data(), questions.size()));
        for (const uint64_t question : questions) {
          ASSERT_EQ(filter.Probe(filter.Prepare(question)), expected.MayContainHash(question));
        }
      });
    }
  }
}

TEST(Concurrent, KeysOfAnyKind) {
  ConcurrentBlockedFilter filter;
  FilterOptions options = BitsPerKey(12);
  options.seed = 5;
  MustCreate(&filter, 1000, options);
  EXPECT_TRUE(filter.InsertKey("alice@example.org"));
  EXPECT_TRUE(filter.InsertKey(uint64_t{42}));
  EXPECT_FALSE(filter.InsertKey(42));
  EXPECT_TRUE(filter.MayContainKey("alice@example.org"));
  EXPECT_TRUE(filter.MayContainHash(HashKey(42, 5)));
  EXPECT_FALSE(filter.MayContainKey("bob@example.org"));
  EXPECT_TRUE(filter.KeyStatus().ok());

  options.hash_id = HashId::kCaller;
  MustCreate(&filter, 1000, options);
  EXPECT_FALSE(filter.InsertKey("alice@example.org"));
  EXPECT_TRUE(filter.MayContainKey("bob@example.org"));
  EXPECT_FALSE(filter.MayContainHash(42));
  EXPECT_FALSE(filter.KeyStatus().ok());
}

TEST(Concurrent, ThreadsInAnyOrderGiveTheSameBits) {
  constexpr size_t kKeys = 40000;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 3);
  const std::string expected = SequentialImage(kKeys, BitsPerKey(10), hashes);
  OnEveryTarget([&](const char*) {
    ConcurrentBlockedFilter filter;
    MustCreate(&filter, kKeys, BitsPerKey(10));
    AtOnce(kThreads, [&](size_t thread) {  // every second key by two threads, one by one and in batches
      for (size_t i = thread; i < kKeys; i += kThreads) {
        filter.InsertHash(hashes[i]);
        if (i % 64 < kThreads && i + 32 <= kKeys) filter.InsertHashes(&hashes[i], 32);
      }
    });
    EXPECT_EQ(ImageOf(filter), expected);
  });
}

// One block, so that all threads change the same words all the time: nothing may be overwritten.
TEST(Concurrent, NothingIsLostInOneBlock) {
  const std::vector<uint64_t> hashes = RandomHashes(kThreads * 32, 4);
  OnEveryTarget([&](const char*) {
    for (size_t round = 0; round < Rounds(100); ++round) {
      ConcurrentBlockedFilter filter;
      MustCreate(&filter, 51, BitsPerKey(10));
      ASSERT_EQ(filter.num_blocks(), 1u);
      AtOnce(kThreads, [&](size_t thread) {
        for (size_t i = thread; i < hashes.size(); i += kThreads) {
          filter.InsertHash(hashes[i]);
          ASSERT_TRUE(filter.MayContainHash(hashes[i]));
        }
      });
      ASSERT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
    }
  });
}

// Two threads insert the same keys in step, one key at a time, so that nobody sets bits of another key meanwhile. Both
// are told "new" only if they overlapped; this goes on until it was seen often.
TEST(Concurrent, OfSeveralInsertionsOfOneAbsentKeyOneIsToldAtLeast) {
  constexpr size_t kKeys = 2000;
  const size_t enough = Rounds(100);
  constexpr std::chrono::milliseconds kLong(2000), kShort(100);
  auto patience = std::thread::hardware_concurrency() > 1 ? kLong : kShort;
  size_t targets_without = 0;
  OnEveryTarget([&](const char*) {
    const Clock::time_point deadline = Clock::now() + patience;
    size_t overlaps = 0, keys = 0;
    for (uint64_t round = 0; overlaps < enough && Clock::now() < deadline; ++round) {
      const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1000 + round);
      ConcurrentBlockedFilter filter;
      BlockedFilter alone;  // tells which are new
      MustCreate(&filter, kKeys, BitsPerKey(10));
      ASSERT_TRUE(alone.Create(kKeys, BitsPerKey(10)).ok());
      InStep in_step(deadline);
      std::vector<uint8_t> told[2];
      AtOnce(2, [&](size_t thread) {
        std::vector<uint8_t> mine;
        mine.reserve(kKeys);
        while (mine.size() < kKeys && in_step.Wait(thread, mine.size())) {
          mine.push_back(filter.InsertHash(hashes[mine.size()]));
        }
        told[thread] = std::move(mine);
      });
      for (size_t i = 0; i < told[0].size() && i < told[1].size(); ++i, ++keys) {
        ASSERT_EQ(told[0][i] || told[1][i], alone.InsertHash(hashes[i])) << i;
        overlaps += told[0][i] && told[1][i];
      }
    }
    EXPECT_GT(keys, 0u);
    if (overlaps != 0) return;
    ++targets_without;
    patience = kShort;  // we have one CPU only, it seems
  });
  if (targets_without != 0) {
    GTEST_SKIP() << "on " << targets_without << " targets the two threads never inserted a key at the same time: this "
                 << "machine did not give them two CPUs";
  }
}

// Writers publish how far they are (release), readers and a taker of snapshots hear it (acquire): nothing published may
// be missing, on any target, in single lookups, batches and images.
TEST(Concurrent, WhatHappenedBeforeIsSeen) {
  constexpr size_t kWriters = 2;
  const size_t keys_each = Rounds(60000);
  const std::vector<uint64_t> hashes = RandomHashes(kWriters * keys_each, 6);
  const std::string all = SequentialImage(hashes.size(), BitsPerKey(10), hashes);
  OnEveryTarget([&](const char*) {
    ConcurrentBlockedFilter filter;
    MustCreate(&filter, hashes.size(), BitsPerKey(10));
    std::atomic<size_t> published[kWriters] = {};
    std::atomic<size_t> missed{0}, snapshots{0}, asked{0};
    const auto done = [&] {
      for (const auto& count : published) {
        if (count.load(std::memory_order_relaxed) < keys_each) return false;
      }
      return true;
    };
    std::vector<std::thread> threads;
    for (size_t writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([&, writer] {
        const uint64_t* const mine = hashes.data() + writer * keys_each;
        for (size_t i = 0; i < keys_each;) {
          const size_t batch = i % 3 == 0 && keys_each - i > 40 ? 40 : 1;
          if (batch == 1) {
            filter.InsertHash(mine[i]);
          } else {
            filter.InsertHashes(mine + i, batch);
          }
          i += batch;
          published[writer].store(i, std::memory_order_release);
        }
      });
    }
    threads.emplace_back([&] {  // the newest, one by one
      for (bool last = false; !last;) {
        last = done();
        for (size_t writer = 0; writer < kWriters; ++writer) {
          const size_t count = published[writer].load(std::memory_order_acquire);
          for (size_t i = count < 64 ? 0 : count - 64; i < count; ++i) {
            missed += !filter.MayContainHash(hashes[writer * keys_each + i]);
            ++asked;
          }
        }
      }
    });
    threads.emplace_back([&] {  // all, in batches, and in a snapshot
      for (bool last = false; !last;) {
        last = done();
        size_t counts[kWriters];
        for (size_t writer = 0; writer < kWriters; ++writer) {
          counts[writer] = published[writer].load(std::memory_order_acquire);
        }
        const std::string image = ImageOf(filter);
        const FilterView view(image.data(), image.size());
        if (!view.Verify().ok()) ++missed;
        for (size_t writer = 0; writer < kWriters; ++writer) {
          const uint64_t* const theirs = hashes.data() + writer * keys_each;
          missed += counts[writer] - filter.CountMaybes(theirs, counts[writer]);
          missed += counts[writer] - view.CountMaybes(theirs, counts[writer]);
          asked += 2 * counts[writer];
        }
        ++snapshots;
      }
    });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(missed, 0u) << "of " << asked << " questions";
    EXPECT_GE(snapshots, 1u);
    EXPECT_GE(asked, 2 * hashes.size());
    EXPECT_EQ(ImageOf(filter), all);
  });
}

TEST(Concurrent, SnapshotsComeByEveryWayOut) {
  // Beyond one piece of 1 MiB, and not a multiple of it.
  const std::vector<uint64_t> hashes = RandomHashes(1500000, 7);
  const std::string expected = SequentialImage(hashes.size(), BitsPerKey(10), hashes);
  ConcurrentBlockedFilter filter;
  MustCreate(&filter, hashes.size(), BitsPerKey(10));
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.ImageBytes(), expected.size());
  EXPECT_EQ(filter.MemoryUse(), filter.body_bytes() + sizeof(filter));

  test::Collector collector;
  EXPECT_TRUE(filter.WriteImage(collector.sink()).ok());
  EXPECT_EQ(collector.bytes, expected);
  EXPECT_LE(collector.largest_piece, size_t{1} << 20);
  test::Collector full;
  full.refuse_from = 1500000;
  EXPECT_EQ(filter.WriteImage(full.sink()).code(), StatusCode::kIoError);

  std::string buffer(expected.size() + 3, 'x');
  EXPECT_EQ(filter.WriteImageTo(buffer.data(), expected.size() - 1).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(buffer, std::string(expected.size() + 3, 'x'));
  EXPECT_TRUE(filter.WriteImageTo(buffer.data(), buffer.size()).ok());
  EXPECT_EQ(buffer, expected + "xxx");

  const test::TempDir folder;
  EXPECT_TRUE(filter.Save(folder.File("image").c_str()).ok());
  EXPECT_EQ(test::ReadFile(folder.File("image")), expected);
}

// Snapshots by all ways out while a thread changes the bits that are being copied, until each way has met enough
// changes: the image must be intact (checks of what was written, not of what was there then or later) and miss no key
// that happened before.
TEST(Concurrent, SnapshotsAreIntactWhileBitsChange) {
  struct Way {
    const char* name;
    Status (*take)(const ConcurrentBlockedFilter&, const std::string& path, std::string* image);
  };
  const Way ways[] = {{"WriteImageTo",
                       [](const ConcurrentBlockedFilter& filter, const std::string&, std::string* image) {
                         image->resize(filter.ImageBytes());
                         return filter.WriteImageTo(image->data(), image->size());
                       }},
                      {"WriteImage",
                       [](const ConcurrentBlockedFilter& filter, const std::string&, std::string* image) {
                         test::Collector collector;
                         const Status status = filter.WriteImage(collector.sink());
                         *image = std::move(collector.bytes);
                         return status;
                       }},
                      {"Save", [](const ConcurrentBlockedFilter& filter, const std::string& path, std::string* image) {
                         const Status status = filter.Save(path.c_str());
                         *image = test::ReadFile(path);
                         return status;
                       }}};
  FilterOptions options = BitsPerKey(10);
  options.num_probes = 1;              // every key changes one word, so a body has room for many changes
  constexpr uint64_t kKeys = 1000000;  // beyond one piece of 1 MiB, and not a multiple of it
  const std::vector<uint64_t> hashes = RandomHashes(3 * kKeys, 10);
  const test::TempDir folder;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    const size_t enough = Rounds(12);
    size_t met = 0;
    while (met < enough && Clock::now() < deadline) {
      ConcurrentBlockedFilter filter;
      MustCreate(&filter, kKeys, options);
      std::atomic<size_t> published{0};
      std::atomic<bool> stop{false};
      std::thread writer([&] {
        for (size_t i = 0; i < hashes.size() && !stop.load(std::memory_order_relaxed); ++i) {
          filter.InsertHash(hashes[i]);
          published.store(i + 1, std::memory_order_release);
        }
      });
      size_t bad = 0, missed = 0;
      for (size_t count = 0; met < enough && count < hashes.size() && Clock::now() < deadline;) {
        count = published.load(std::memory_order_acquire);
        std::string image;
        bad += !way.take(filter, folder.File("image"), &image).ok();
        met += published.load(std::memory_order_relaxed) != count;
        const FilterView view(image.data(), image.size());
        bad += !view.Verify().ok();
        const size_t newest = count < 10000 ? count : 10000;
        missed += newest - view.CountMaybes(hashes.data() + count - newest, newest);
      }
      stop = true;
      writer.join();
      ASSERT_EQ(bad, 0u);
      ASSERT_EQ(missed, 0u);
    }
    if (met == 0) GTEST_SKIP() << way.name << ": the machine never ran the writer during a snapshot";
  }
}

TEST(Concurrent, TheMemoryLimitCountsTheWholeObject) {
  FilterOptions options = BitsPerKey(10);
  ConcurrentBlockedFilter filter;
  MustCreate(&filter, 1000, options);
  const std::string image = ImageOf(filter);
  const uint64_t needed = filter.MemoryUse();
  EXPECT_EQ(needed, filter.body_bytes() + sizeof(filter));
  for (const uint64_t limit : {needed - 1, uint64_t{sizeof(filter)}, uint64_t{1}, uint64_t{0}}) {
    options.memory_limit = limit;
    ConcurrentBlockedFilter limited;
    for (const Status& status :
         {limited.Create(1000, options), limited.CreateFromImage(image.data(), image.size(), options)}) {
      EXPECT_EQ(status.code(), StatusCode::kOverLimit) << limit;
      const std::string figures =
          std::to_string(needed) + " bytes are needed and memory_limit allows " + std::to_string(limit);
      EXPECT_NE(std::string(status.message()).find(figures), std::string::npos) << status.message();
    }
    ExpectTakesNothing(&limited);
  }
  for (const uint64_t limit : {needed, kNoMemoryLimit - 1, kNoMemoryLimit}) {
    options.memory_limit = limit;
    EXPECT_TRUE(filter.Create(1000, options).ok()) << limit;
    EXPECT_TRUE(filter.CreateFromImage(image.data(), image.size(), options).ok()) << limit;
    EXPECT_LE(filter.MemoryUse(), limit);
  }
}

TEST(Concurrent, GoesOnFromAnImageAndEndsAsABlockedFilter) {
  const std::vector<uint64_t> hashes = RandomHashes(2000, 8);
  const std::vector<uint64_t> first(hashes.begin(), hashes.begin() + 1000);
  FilterOptions options = BitsPerKey(10);
  options.seed = 9;
  const std::string image = SequentialImage(2000, options, first);
  ConcurrentBlockedFilter filter;
  std::string damaged = image;
  damaged[0] = static_cast<char>(damaged[0] ^ 1);
  EXPECT_EQ(filter.CreateFromImage(damaged.data(), damaged.size()).code(), StatusCode::kCorrupt);
  ExpectTakesNothing(&filter);
  ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
  EXPECT_EQ(filter.seed(), 9u);
  EXPECT_EQ(filter.CountMaybes(first.data(), first.size()), first.size());
  filter.InsertHashes(hashes.data(), hashes.size());

  const BlockedFilter sealed = filter.Seal();
  EXPECT_EQ(ImageOf(sealed), SequentialImage(2000, options, hashes));
  ExpectTakesNothing(&filter);
  MustCreate(&filter, 10, BitsPerKey(10));
  EXPECT_TRUE(filter.InsertKey("again"));
}

TEST(Concurrent, MemoryThatRunsOutIsReported) {
  test::TestAllocator allocator;
  FilterOptions options = BitsPerKey(10);
  options.allocator = allocator.hooks();
  ConcurrentBlockedFilter filter;
  MustCreate(&filter, 100000, options);
  filter.InsertKey("a");
  for (uint64_t fail = 0; fail < 2; ++fail) {  // the trailer, the piece
    allocator.FailFrom(fail);
    test::Collector collector;
    EXPECT_EQ(filter.WriteImage(collector.sink()).code(), StatusCode::kOutOfMemory);
    EXPECT_TRUE(collector.bytes.empty());
  }
  EXPECT_EQ(allocator.live_blocks(), 1u) << "the body";
  allocator.FailFrom(0);
  ConcurrentBlockedFilter failing;
  EXPECT_EQ(failing.Create(100000, options).code(), StatusCode::kOutOfMemory);
  ExpectTakesNothing(&failing);
}

}  // namespace
}  // namespace linefilter
