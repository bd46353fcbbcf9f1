// RotatingFilter and SwappableFilter under stress, together: one writer inserts, rotates, builds anew and swaps, two
// readers ask for what must be there. Not one answer may be "absent". LINEFILTER_LIVING_SECONDS: how long (60).
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/rotating.h"
#include "linefilter/swappable.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter {
namespace {

constexpr size_t kReaders = 2;
constexpr uint32_t kGenerations = 4;
constexpr uint64_t kRecent = 1 << 16, kMembers = 2000;

std::chrono::milliseconds Duration() {
  const char* const seconds = std::getenv("LINEFILTER_LIVING_SECONDS");
  return std::chrono::milliseconds(
      static_cast<int64_t>(1000 * (seconds == nullptr ? 60 : std::strtod(seconds, nullptr))));
}

// A version of a set that changes: members kMembers * version .. + kMembers - 1; each version keeps half of the last.
struct Version {
  uint64_t number;
  BlockedFilter filter;
  static void Delete(void* self) noexcept {
    auto* const version = static_cast<Version*>(self);
    version->filter.Clear();  // whoever still reads it misses its members
    delete version;
  }
};
uint64_t MemberOf(uint64_t version, uint64_t i) { return HashKey(version * kMembers / 2 + i, 1); }

// Orders generation() behind a question, whose loads are relaxed. g++ refuses fences under ThreadSanitizer, which runs
// on x86-64, where loads are not exchanged.
void AcquireFence() {
#ifndef __SANITIZE_THREAD__
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

struct Counts {
  std::atomic<uint64_t> asked{0}, absent{0}, forgotten{0}, leases{0}, went_back{0};
};

struct Stress {
  RotatingFilter seen;
  SwappableFilter members;
  std::atomic<bool> stop{false};
  // Keys 0 .. inserted - 1; the number that was read before key i is begun[i % kRecent].
  std::atomic<uint64_t> inserted{0};
  std::atomic<uint64_t> begun[kRecent] = {};
  std::atomic<uint64_t> version{0};  // which Swap has returned
  Counts counts;
};

void Insert(Stress* stress, uint64_t n) {
  std::vector<uint64_t> batch;
  uint64_t i = stress->inserted.load(std::memory_order_relaxed);
  for (const uint64_t end = i + n; i < end; stress->inserted.store(i, std::memory_order_release)) {
    const uint64_t begun = stress->seen.generation();
    const uint64_t size = i % 5 == 0 ? 64 : 1;
    batch.clear();
    for (uint64_t j = 0; j < size; ++j) {
      stress->begun[(i + j) % kRecent].store(begun, std::memory_order_relaxed);
      batch.push_back(HashKey(i + j));
    }
    if (size == 1) {
      stress->seen.InsertHash(batch[0]);
    } else {
      stress->seen.InsertHashes(batch.data(), batch.size());
    }
    i += size;
  }
}

void SwapIn(Stress* stress, uint64_t number) {
  auto version = std::make_unique<Version>();
  version->number = number;
  ASSERT_TRUE(version->filter.Create(kMembers, test::BitsPerKey(12)).ok());
  for (uint64_t i = 0; i < kMembers; ++i) version->filter.InsertHash(MemberOf(number, i));
  ASSERT_TRUE(stress->members.Serve(&version->filter, &Version::Delete, version.get()).ok());
  (void)version.release();
  stress->version.store(number, std::memory_order_release);
}

void Write(Stress* stress) {
  test::Random random(1);
  for (uint64_t round = 1; !stress->stop; ++round) {
    Insert(stress, 1 + random.Below(5000));
    if (round % 7 == 0) stress->seen.Rotate();  // besides those by count
    if (round % 3 == 0) SwapIn(stress, stress->version + 1);
  }
}

void AskRotating(Stress* stress, test::Random* random, Counts* counts) {
  const uint64_t inserted = stress->inserted.load(std::memory_order_acquire);
  if (inserted < 64) return;
  const uint64_t range = inserted < kRecent / 2 ? inserted : kRecent / 2;
  uint64_t keys[16], hashes[16], begun[16];
  uint8_t answers[16];
  for (size_t i = 0; i < 16; ++i) {
    keys[i] = inserted - 1 - random->Below(i < 4 ? 64 : range);
    hashes[i] = HashKey(keys[i]);
    begun[i] = stress->begun[keys[i] % kRecent].load(std::memory_order_relaxed);
  }
  stress->seen.MayContainHashes(hashes, 16, answers);
  answers[0] = stress->seen.MayContainHash(hashes[0]);
  AcquireFence();
  const uint64_t ended = stress->seen.generation();
  if (stress->inserted.load(std::memory_order_acquire) - inserted > kRecent / 4) return;  // `begun` may be of others
  for (size_t i = 0; i < 16; ++i) {
    if (ended - begun[i] < kGenerations) {
      ++counts->asked;
      counts->absent += answers[i] == 0;
    } else {
      counts->forgotten += answers[i] == 0;
    }
  }
}

void AskSwappable(Stress* stress, test::Random* random, Counts* counts) {
  const uint64_t version = stress->version.load(std::memory_order_acquire);
  const SwappableFilter::Lease lease = stress->members.Read();
  const auto* const now = static_cast<const Version*>(lease.owner());
  counts->went_back += now->number < version;
  uint64_t hashes[16];
  for (uint64_t& hash : hashes) hash = MemberOf(now->number, random->Below(kMembers));
  counts->absent += 16 - lease->CountMaybes(hashes, 16);
  counts->absent += !lease->MayContainHash(hashes[0]);
  counts->asked += 17;
  ++counts->leases;
}

void Read(Stress* stress, size_t reader) {
  test::Random random(10 + reader);
  Counts counts;
  while (!stress->stop.load(std::memory_order_relaxed)) {
    AskRotating(stress, &random, &counts);
    AskSwappable(stress, &random, &counts);
  }
  stress->counts.asked += counts.asked;
  stress->counts.absent += counts.absent;
  stress->counts.forgotten += counts.forgotten;
  stress->counts.leases += counts.leases;
  stress->counts.went_back += counts.went_back;
}

TEST(Living, NothingIsAbsentWhileItRotatesAndIsSwapped) {
  const auto stress = std::make_unique<Stress>();
  ASSERT_TRUE(stress->seen.Create(20000, kGenerations, test::BitsPerKey(12), Rotation::kByCount).ok());
  SwapIn(stress.get(), 0);
  std::vector<std::thread> threads;
  for (size_t reader = 0; reader < kReaders; ++reader) threads.emplace_back(Read, stress.get(), reader);
  threads.emplace_back(Write, stress.get());
  std::this_thread::sleep_for(Duration());
  stress->stop = true;
  for (std::thread& thread : threads) thread.join();
  const Counts& counts = stress->counts;
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  printf("%llu inserted, %llu rotations, %llu swaps; %llu asked in %llu leases and beside: %llu wrongly absent\n",
         number(stress->inserted), number(stress->seen.generation()), number(stress->members.num_swaps()),
         number(counts.asked), number(counts.leases), number(counts.absent));
  EXPECT_EQ(counts.absent, 0u);
  EXPECT_EQ(counts.went_back, 0u) << "what had been replaced before the lease began";
  EXPECT_GT(counts.asked, 1000u);
  EXPECT_GT(counts.forgotten, 0u) << "nothing was dropped";
  EXPECT_GT(stress->seen.generation(), kGenerations);
  EXPECT_GT(stress->members.num_swaps(), 2u);
}

}  // namespace
}  // namespace linefilter
