// linefilter/swappable.h: what serves is switched at once and as a whole, nobody reads what was freed, and a successor
// that would lose keys is refused.
#include "linefilter/swappable.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

BlockedFilter Filled(const std::vector<uint64_t>& hashes, FilterOptions options = BitsPerKey(16)) {
  BlockedFilter filter;
  EXPECT_TRUE(filter.Create(hashes.size(), options).ok());
  filter.InsertHashes(hashes.data(), hashes.size());
  return filter;
}

// Counts how often it was given back.
struct Lent {
  FilterBase* filter;
  std::atomic<int> returned{0};
  static void Return(void* lent) noexcept { ++static_cast<Lent*>(lent)->returned; }
};

TEST(Swappable, AnswersMaybeUntilSomethingServes) {
  SwappableFilter filter;
  EXPECT_TRUE(filter.MayContainKey("anything"));
  EXPECT_TRUE(filter.MayContainHash(7));
  const std::vector<uint64_t> hashes = RandomHashes(100, 1);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), 100u);
  EXPECT_FALSE(filter.KeyStatus().ok());
  EXPECT_EQ(filter.Read()->layout(), Layout::kAuto);
  EXPECT_EQ(filter.Read().owner(), nullptr);
  EXPECT_EQ(filter.num_swaps(), 0u);
}

TEST(Swappable, ALeaseKeepsItsFilterWhateverServesMeanwhile) {
  const std::vector<uint64_t> first = RandomHashes(1000, 4), second = RandomHashes(1000, 5);
  SwappableFilter filter;
  ASSERT_TRUE(filter.Swap(Filled(first)).ok());
  std::atomic<bool> returned{false};
  std::thread writer;
  {
    SwappableFilter::Lease lease = filter.Read();
    writer = std::thread([&] {
      EXPECT_TRUE(filter.Swap(Filled(second)).ok());
      returned = true;
    });
    while (filter.num_swaps() != 2) std::this_thread::yield();
    // The new one serves all others; this lease still has the old one, wherever it is moved to.
    EXPECT_EQ(filter.CountMaybes(second.data(), second.size()), second.size());
    EXPECT_LT(filter.CountMaybes(first.data(), first.size()), 50u);
    const SwappableFilter::Lease moved = std::move(lease);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(moved->CountMaybes(first.data(), first.size()), first.size());
    EXPECT_LT((*moved).CountMaybes(second.data(), second.size()), 50u);
    EXPECT_FALSE(returned) << "the old filter was freed under its reader";
  }
  writer.join();
  EXPECT_TRUE(returned);
}

TEST(Swappable, GivesBackWhatItWasLentOnceAndAfterTheLastReader) {
  BlockedFilter filters[3] = {Filled(RandomHashes(10, 6)), Filled(RandomHashes(10, 7)), Filled(RandomHashes(10, 8))};
  Lent lent[3];
  {
    SwappableFilter filter;
    for (int i = 0; i < 3; ++i) {
      lent[i].filter = &filters[i];
      ASSERT_TRUE(filter.Serve(lent[i].filter, &Lent::Return, &lent[i]).ok());
      EXPECT_EQ(filter.Read().owner(), &lent[i]);
      EXPECT_EQ(&*filter.Read(), &filters[i]);
      EXPECT_EQ(lent[i].returned, 0);
      if (i != 0) {
        EXPECT_EQ(lent[i - 1].returned, 1);
      }
    }
    filter.Clear();
    EXPECT_EQ(lent[2].returned, 1);
    EXPECT_TRUE(filter.MayContainKey("nothing serves"));
    EXPECT_EQ(filter.Read().owner(), nullptr);
    ASSERT_TRUE(filter.Serve(lent[0].filter, &Lent::Return, &lent[0]).ok());
    ASSERT_TRUE(filter.Serve(lent[1].filter, nullptr, nullptr).ok()) << "nobody wants it back";
    EXPECT_EQ(lent[0].returned, 2);
    ASSERT_TRUE(filter.Serve(lent[2].filter, &Lent::Return, &lent[2]).ok());
  }
  EXPECT_EQ(lent[0].returned, 2);
  EXPECT_EQ(lent[1].returned, 1);
  EXPECT_EQ(lent[2].returned, 2) << "the last one ends with the object";
}

TEST(Swappable, ABrokenSuccessorIsRefusedAndTheOldOneStays) {
  const std::vector<uint64_t> members = RandomHashes(100, 9);
  SwappableFilter filter;
  ASSERT_TRUE(filter.Swap(Filled(members)).ok());
  Lent lent;
  FilterView broken("broken", 6, VerifyMode::kWhole);
  for (const Status& status :
       {filter.Swap(BlockedFilter()), filter.Swap(FilterFile()), filter.Swap(std::make_unique<BlockedFilter>()),
        filter.Serve(&broken, &Lent::Return, &lent), filter.Serve(nullptr, &Lent::Return, &lent)}) {
    EXPECT_TRUE(Says(StatusCode::kIncompatible, status, "broken"));
  }
  EXPECT_EQ(lent.returned, 0);
  EXPECT_EQ(filter.num_swaps(), 1u);
  EXPECT_EQ(filter.CountMaybes(members.data(), members.size()), members.size());
  EXPECT_LT(filter.CountMaybes(RandomHashes(100, 10).data(), 100), 10u);
}

TEST(Swappable, ASuccessorOfAnotherHashIsRefusedUntilClear) {
  const std::vector<uint64_t> members = RandomHashes(100, 11);
  const FilterOptions plain = BitsPerKey(16), keyed = Keyed(plain, 1), other = Keyed(plain, 2);
  FilterOptions seeded = plain, callers = plain;
  seeded.seed = 1;
  callers.hash_id = HashId::kCaller;
  const struct {
    const FilterOptions &now, &next;
    const char* word;
  } cases[] = {{plain, seeded, "seed"},
               {plain, callers, "hash id"},
               {plain, keyed, "hash id"},
               {keyed, other, "secret"},
               {callers, plain, "hash id"}};
  for (const auto& each : cases) {
    SwappableFilter filter;
    ASSERT_TRUE(filter.Swap(Filled(members, each.now)).ok());
    EXPECT_TRUE(
        Says(StatusCode::kIncompatible, filter.Swap(Filled(members, each.next)), std::string("another ") + each.word));
    EXPECT_EQ(filter.Read()->hash_id(), each.now.hash_id);
    EXPECT_EQ(filter.num_swaps(), 1u);
    ASSERT_TRUE(filter.Swap(Filled(members, each.now)).ok());
    filter.Clear();
    EXPECT_TRUE(filter.Swap(Filled(members, each.next)).ok());
    EXPECT_EQ(filter.Read()->hash_id(), each.next.hash_id);
  }
}

TEST(Swappable, AnyFilterServes) {
  const TempDir folder;
  FilterBuilder builder(BitsPerKey(16, Layout::kRetrieval));
  for (uint64_t key = 0; key < 3000; ++key) builder.AddKey(key);
  ASSERT_TRUE(builder.FinishToFile(folder.File("image").c_str()).ok());
  ClassicFilter classic;
  ASSERT_TRUE(classic.Create(10, BitsPerKey(10)).ok());
  FilterFile mapped;
  ASSERT_TRUE(mapped.Map(folder.File("image").c_str()).ok());
  const std::string image = ReadFile(folder.File("image"));

  SwappableFilter filter;
  EXPECT_TRUE(filter.Swap(std::move(classic)).ok());
  EXPECT_EQ(filter.Read()->layout(), Layout::kClassic);
  EXPECT_EQ(filter.Read().owner(), nullptr) << "of Swap's own; of Serve's what that was given";
  EXPECT_TRUE(filter.Swap(std::move(mapped)).ok());
  EXPECT_EQ(filter.Read()->layout(), Layout::kRetrieval);
  EXPECT_TRUE(filter.MayContainKey(2999) && !filter.MayContainKey(3001));
  EXPECT_TRUE(filter.Swap(FilterView(image.data(), image.size(), VerifyMode::kWhole)).ok());
  EXPECT_EQ(static_cast<const void*>(filter.Read()->body()), image.data());
  EXPECT_TRUE(filter.Swap(std::make_unique<const BlockedFilter>(Filled(RandomHashes(10, 12)))).ok());
  EXPECT_EQ(filter.Read()->layout(), Layout::kBlocked);
  EXPECT_TRUE(filter.Swap(FilterView("\x00\x00\x00\x00", 0, VerifyMode::kWhole)).code() == StatusCode::kIncompatible);
}

TEST(Swappable, TheFilterThatServesIsRefused) {
  const std::vector<uint64_t> members = RandomHashes(100, 17);
  BlockedFilter served = Filled(members);
  Lent lent;
  {
    SwappableFilter filter;
    ASSERT_TRUE(filter.Serve(&served, &Lent::Return, &lent).ok());
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Serve(&served, &Lent::Return, &lent), "serves already"));
    EXPECT_EQ(lent.returned, 0);
    EXPECT_EQ(filter.num_swaps(), 1u);
    auto* const again = new BlockedFilter(Filled(members));
    ASSERT_TRUE(filter.Swap(std::unique_ptr<BlockedFilter>(again)).ok());
    EXPECT_EQ(filter.Swap(std::unique_ptr<BlockedFilter>(again)).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(filter.CountMaybes(members.data(), members.size()), members.size());
    ASSERT_TRUE(filter.Serve(&served, &Lent::Return, &lent).ok()) << "it was given back, and may serve again";
  }
  EXPECT_EQ(lent.returned, 2);
}

// The child has the leases of its parent's threads, and not the threads.
TEST(Swappable, AChildAsksAndDestroysWhateverLeasesThereAre) {
  const std::vector<uint64_t> members = RandomHashes(100, 18);
  auto filter = std::make_unique<SwappableFilter>();
  ASSERT_TRUE(filter->Swap(Filled(members)).ok());
  std::atomic<bool> is_taken{false}, stop{false};
  std::thread reader([&] {
    const SwappableFilter::Lease lease = filter->Read();
    is_taken = true;
    while (!stop) std::this_thread::yield();
  });
  while (!is_taken) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // if it waits
    const bool asked = filter->CountMaybes(members.data(), members.size()) == members.size();
    filter.reset();
    _exit(asked ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  int state = -1;
  EXPECT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  stop = true;
  reader.join();
}

// A FilterFile is verified by Load, and serves as any filter.
TEST(Swappable, AFileServes) {
  const TempDir folder;
  const std::string path = folder.File("image");
  FilterBuilder builder(BitsPerKey(16));
  for (uint64_t key = 0; key < 100000; ++key) builder.AddKey(key);
  ASSERT_TRUE(builder.FinishToFile(path.c_str()).ok());
  TestAllocator allocator;
  SwappableFilter filter;
  FilterFile file;
  ASSERT_TRUE(file.Load(path.c_str(), allocator.hooks()).ok());
  ASSERT_TRUE(filter.Swap(std::move(file)).ok());
  EXPECT_TRUE(filter.MayContainKey(99999) && !filter.MayContainKey(100001));
  filter.Clear();
}

// Filters go round, as fast as they are given back. One that was given back says so, and no lease may have it.
class SwappableThreads : public ::testing::Test {
 protected:
  struct Lendable {
    BlockedFilter filter;
    std::atomic<bool> is_lent{false};
    static void TakeBack(void* self) noexcept { static_cast<Lendable*>(self)->is_lent = false; }
  };

  // `questions` per lease; none makes leases so short that switches come between any two of their instructions.
  void Run(size_t num_writers, size_t num_readers, size_t questions, std::chrono::milliseconds duration) {
    const std::vector<uint64_t> members = RandomHashes(32, 13);
    constexpr size_t kFilters = 3;  // of each writer
    std::vector<Lendable> filters(num_writers * kFilters);
    for (Lendable& each : filters) each.filter = Filled(members);
    SwappableFilter filter;
    const auto serve = [&](Lendable* next) {
      next->is_lent = true;
      ASSERT_TRUE(filter.Serve(&next->filter, &Lendable::TakeBack, next).ok());
    };
    serve(&filters[0]);
    const auto deadline = std::chrono::steady_clock::now() + duration;
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> absent{0}, given_back{0}, leases{0}, swaps{1};
    std::vector<std::thread> readers, writers;
    for (size_t reader = 0; reader < num_readers; ++reader) {
      readers.emplace_back([&] {
        uint64_t count = 0;
        for (; !stop.load(std::memory_order_relaxed); ++count) {
          const SwappableFilter::Lease lease = filter.Read();
          const auto* const owner = static_cast<const Lendable*>(lease.owner());
          if (owner == nullptr || !owner->is_lent || &*lease != &owner->filter) {
            ++given_back;
            continue;
          }
          for (size_t i = 0; i < questions; ++i) absent += !lease->MayContainHash(members[i]);
          given_back += !owner->is_lent;
        }
        leases += count;
      });
    }
    for (size_t writer = 0; writer < num_writers; ++writer) {
      writers.emplace_back([&, writer] {
        for (size_t i = 1; std::chrono::steady_clock::now() < deadline; ++i) {
          Lendable& next = filters[writer * kFilters + i % kFilters];
          if (next.is_lent) continue;  // not replaced yet
          serve(&next);
          ++swaps;
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    stop = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(absent, 0u);
    EXPECT_EQ(given_back, 0u);
    EXPECT_EQ(filter.num_swaps(), swaps);
    EXPECT_GT(swaps, 10u) << "hardly anything was replaced";
    EXPECT_GT(leases, 10u);
    printf("%zu writers, %zu readers: %llu leases, %llu swaps\n", num_writers, num_readers,
           static_cast<unsigned long long>(leases), static_cast<unsigned long long>(swaps));
  }
};

TEST_F(SwappableThreads, NothingGivenBackIsRead) { Run(2, 2, 32, std::chrono::milliseconds(700)); }

TEST_F(SwappableThreads, NothingGivenBackIsReadInShortLeases) { Run(1, 1, 0, std::chrono::milliseconds(700)); }

}  // namespace
}  // namespace linefilter::test
