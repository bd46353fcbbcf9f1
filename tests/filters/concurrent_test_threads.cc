// Whatever threads do at once, the bits are those of the same keys one by one, no key that happened before is missed,
// and snapshots are intact.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "linefilter/fold.h"
#include "linefilter/view.h"
#include "tests/filters/concurrent_test.h"

namespace linefilter::test {
namespace {

constexpr size_t kThreads = 4;

// How often a stress test goes round: less under an emulator or a sanitizer.
size_t Rounds(size_t rounds) {
  const char* const effort = std::getenv("LINEFILTER_TEST_EFFORT");
  const double share = effort == nullptr ? 1 : std::strtod(effort, nullptr);
  const size_t fewer = static_cast<size_t>(static_cast<double>(rounds) * share);
  return fewer == 0 ? 1 : fewer;
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

TEST_P(Concurrent, ThreadsInAnyOrderGiveTheSameBits) {
  constexpr size_t kKeys = 40000;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 3);
  const std::string expected = SequentialImage(kKeys, Options(10), hashes);
  OnEveryTarget([&](const char*) {
    ConcurrentFilter filter;
    MustCreate(&filter, kKeys, Options(10));
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
TEST_P(Concurrent, NothingIsLostInOneBlock) {
  const std::vector<uint64_t> hashes = RandomHashes(kThreads * FactsOf(GetParam()).block_bytes / 2, 4);
  OnEveryTarget([&](const char*) {
    for (size_t round = 0; round < Rounds(100); ++round) {
      ConcurrentFilter filter;
      MustCreate(&filter, KeysOfABlock(), Options(10));
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
TEST_P(Concurrent, OfSeveralInsertionsOfOneAbsentKeyOneIsToldAtLeast) {
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
      ConcurrentFilter filter;
      Filter alone;  // tells which are new
      MustCreate(&filter, kKeys, Options(10));
      ASSERT_TRUE(alone.Create(kKeys, Options(10)).ok());
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

// Inserts them one by one and in batches, and publishes how many are in.
void InsertAndPublish(ConcurrentFilter* filter, const uint64_t* hashes, size_t n, std::atomic<size_t>* published) {
  for (size_t i = 0; i < n;) {
    const size_t batch = i % 3 == 0 && n - i > 40 ? 40 : 1;
    if (batch == 1) {
      filter->InsertHash(hashes[i]);
    } else {
      filter->InsertHashes(hashes + i, batch);
    }
    i += batch;
    published->store(i, std::memory_order_release);
  }
}

// Writers publish how far they are (release), readers and a taker of snapshots hear it (acquire): nothing published may
// be missing, on any target, in single lookups, batches and images.
TEST_P(Concurrent, WhatHappenedBeforeIsSeen) {
  constexpr size_t kWriters = 2;
  const size_t keys_each = Rounds(60000);
  const std::vector<uint64_t> hashes = RandomHashes(kWriters * keys_each, 6);
  const std::string all = SequentialImage(hashes.size(), Options(10), hashes);
  OnEveryTarget([&](const char*) {
    ConcurrentFilter filter;
    MustCreate(&filter, hashes.size(), Options(10));
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
        InsertAndPublish(&filter, hashes.data() + writer * keys_each, keys_each, &published[writer]);
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
        const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
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

// What is told of a body's bits while they are set: never less than before, and in the end what they say.
TEST_P(Concurrent, TellsHowFullItIsWhileBitsChange) {
  const std::vector<uint64_t> hashes = RandomHashes(Rounds(300000), 11);
  FilterOptions options = Options(10);
  options.foldable = true;
  Filter alone = Created<Filter>(hashes.size(), options);
  alone.InsertHashes(hashes.data(), hashes.size());
  ConcurrentFilter filter;
  MustCreate(&filter, hashes.size(), options);
  std::atomic<size_t> published{0};
  std::thread writer([&] { InsertAndPublish(&filter, hashes.data(), hashes.size(), &published); });
  double fill = 0, keys = 0;
  for (bool last = false; !last;) {
    last = published == hashes.size();
    const double fill_before = fill, keys_before = keys, fpr = filter.ExpectedFpr();
    fill = filter.FillRatio();
    keys = filter.ApproximateSize().keys;
    uint64_t factor = 0;
    EXPECT_TRUE(FoldFactorForFpr(filter, 0.9, &factor).ok());
    EXPECT_TRUE(fill >= fill_before && keys >= keys_before && fpr >= 0 && fpr < 0.1 && factor >= 1);
  }
  writer.join();
  EXPECT_EQ(fill, alone.FillRatio());
  EXPECT_EQ(keys, alone.ApproximateSize().keys);
  EXPECT_EQ(filter.ExpectedFpr(), alone.ExpectedFpr());
}

// How a snapshot is taken.
struct Way {
  const char* name;
  Status (*take)(const ConcurrentFilter&, const std::string& path, std::string* image);
};
constexpr Way kWays[] = {{"WriteImageTo",
                          [](const ConcurrentFilter& filter, const std::string&, std::string* image) {
                            image->resize(filter.ImageBytes());
                            return filter.WriteImageTo(image->data(), image->size());
                          }},
                         {"WriteImage",
                          [](const ConcurrentFilter& filter, const std::string&, std::string* image) {
                            test::Collector collector;
                            const Status status = filter.WriteImage(collector.sink());
                            *image = std::move(collector.bytes);
                            return status;
                          }},
                         {"Save", [](const ConcurrentFilter& filter, const std::string& path, std::string* image) {
                            const Status status = filter.Save(path.c_str());
                            *image = test::ReadFile(path);
                            return status;
                          }}};

// Snapshots by all ways out while a thread changes the bits that are being copied, until each way has met enough
// changes: the image must be intact (checks of what was written, not of what was there then or later) and miss no key
// that happened before.
TEST_P(Concurrent, SnapshotsAreIntactWhileBitsChange) {
  FilterOptions options = Options(10);
  // Where it can be chosen, every key changes one word, so that a body has room for many changes.
  if (FactsOf(GetParam()).max_num_probes != 0) options.num_probes = 1;
  constexpr uint64_t kKeys = 1000000;  // beyond one piece of 1 MiB, and not a multiple of it
  const std::vector<uint64_t> hashes = RandomHashes(3 * kKeys, 10);
  const test::TempDir folder;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    const size_t enough = Rounds(12);
    size_t met = 0;
    while (met < enough && Clock::now() < deadline) {
      ConcurrentFilter filter;
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
        const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
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

}  // namespace
}  // namespace linefilter::test
