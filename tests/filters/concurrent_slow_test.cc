// ConcurrentFilter under stress: in every layout that threads share, on every target and size, two threads insert and
// two ask for what was inserted before. Not one answer may be "absent".
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "linefilter/hash.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"

namespace linefilter {
namespace {

constexpr size_t kWriters = 2, kReaders = 2;

struct alignas(128) Progress {
  std::atomic<uint64_t> count{0};
};

// Key i of a writer.
uint64_t HashOf(size_t writer, uint64_t i) { return HashKey(i * kWriters + writer); }

struct Stress {
  ConcurrentFilter filter;
  Progress published[kWriters];
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> questions{0}, missed{0};
};

void Write(Stress* stress, size_t writer, uint64_t num_keys) {
  std::vector<uint64_t> batch(16);
  for (uint64_t i = 0; i < num_keys; stress->published[writer].count.store(i, std::memory_order_release)) {
    if (i % 5 != 0) {
      stress->filter.InsertHash(HashOf(writer, i++));
      continue;
    }
    for (uint64_t& hash : batch) hash = HashOf(writer, i++);
    stress->filter.InsertHashes(batch.data(), batch.size());
  }
}

// The newest keys, whose words are being changed, and any.
void Read(Stress* stress, size_t reader) {
  test::Random random(reader);
  std::vector<uint64_t> hashes(64);
  uint64_t questions = 0, missed = 0;
  while (!stress->stop) {
    const size_t writer = random() % kWriters;
    const uint64_t count = stress->published[writer].count.load(std::memory_order_acquire);
    if (count == 0) continue;
    for (uint64_t back = 1; back <= 8 && back <= count; ++back, ++questions) {
      missed += !stress->filter.MayContainHash(HashOf(writer, count - back));
    }
    for (uint64_t& hash : hashes) hash = HashOf(writer, random.Below(count));
    missed += hashes.size() - stress->filter.CountMaybes(hashes.data(), hashes.size());
    questions += hashes.size();
  }
  stress->questions += questions;
  stress->missed += missed;
}

struct Counts {
  uint64_t inserted = 0, questions = 0, missed = 0, lost = 0;
};

// Each writer inserts as many keys as the filter has room for.
void InsertAndAsk(Layout layout, uint64_t num_keys, Counts* counts) {
  Stress stress;
  ASSERT_TRUE(stress.filter.Create(num_keys, test::BitsPerKey(10, layout)).ok());
  std::vector<std::thread> writers, readers;
  for (size_t reader = 0; reader < kReaders; ++reader) readers.emplace_back(Read, &stress, reader);
  for (size_t writer = 0; writer < kWriters; ++writer) writers.emplace_back(Write, &stress, writer, num_keys);
  for (std::thread& writer : writers) writer.join();
  stress.stop = true;
  for (std::thread& reader : readers) reader.join();
  counts->questions += stress.questions;
  counts->missed += stress.missed;
  for (size_t writer = 0; writer < kWriters; ++writer) {
    const uint64_t count = stress.published[writer].count;
    counts->inserted += count;
    for (uint64_t i = 0; i < count; ++i) counts->lost += !stress.filter.MayContainHash(HashOf(writer, i));
  }
}

class ConcurrentStress : public testing::TestWithParam<Layout> {};
INSTANTIATE_TEST_SUITE_P(Layouts, ConcurrentStress, testing::ValuesIn(test::EverySharedLayout()), test::NameOfLayout);

TEST_P(ConcurrentStress, NothingThatHappenedBeforeIsAbsent) {
  struct Size {
    uint64_t num_keys;
    int rounds;
  };
  const uint64_t of_a_block = 8 * FactsOf(GetParam()).block_bytes / 10;
  // One block, the L1, the last cache: 3.8 MB. How often two writers meet in a block does not depend on that size.
  for (const Size size : {Size{of_a_block, 150}, Size{20000, 50}, Size{3000000, 1}}) {
    test::OnEveryTarget([&](const char* target) {
      Counts counts;
      for (int round = 0; round < size.rounds; ++round) InsertAndAsk(GetParam(), size.num_keys, &counts);
      EXPECT_EQ(counts.missed, 0u);
      EXPECT_EQ(counts.lost, 0u);
      EXPECT_GE(counts.inserted, kWriters * size.num_keys * static_cast<uint64_t>(size.rounds));
      EXPECT_GT(counts.questions, 1000u);
      printf("%-8s %9llu keys: %llu inserted, %llu asked meanwhile\n", target,
             static_cast<unsigned long long>(size.num_keys), static_cast<unsigned long long>(counts.inserted),
             static_cast<unsigned long long>(counts.questions));
    });
  }
}

}  // namespace
}  // namespace linefilter
