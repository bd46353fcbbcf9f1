// The partition itself sorts each hash into its range and puts all back; a histogram and a plan tell what groups need;
// the hashes of an interval are selected.
#include <iterator>
#include <memory>

#include "lib/build/group_plan.h"
#include "lib/build/partition.h"
#include "lib/layouts/hash_interval.h"
#include "tests/build/bulk_test.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

using internal::Partition;

struct Chunks {
  std::vector<std::unique_ptr<uint64_t[]>> memory;
  std::vector<Partition::Chunk> chunks;

  // Full chunks of those capacities, but for the last.
  Chunks(const std::vector<uint64_t>& hashes, const std::vector<uint64_t>& capacities) {
    size_t taken = 0;
    for (const uint64_t capacity : capacities) {
      memory.push_back(std::make_unique<uint64_t[]>(capacity + 8));
      uint64_t* begin = memory.back().get();
      while (reinterpret_cast<uintptr_t>(begin) % 64 != 0) ++begin;
      const uint64_t size = std::min<uint64_t>(capacity, hashes.size() - taken);
      std::copy_n(hashes.begin() + static_cast<ptrdiff_t>(taken), size, begin);
      taken += size;
      chunks.push_back({begin, capacity, size});
    }
    EXPECT_EQ(taken, hashes.size());
  }
};

std::vector<uint64_t> Sorted(std::vector<uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

TEST(Partition, SortsEachHashIntoItsRangeAndPutsAllBack) {
  const std::vector<uint64_t> capacities = {120, 248, 504, 1016, 2040, 4088, 127 * 8 * 3, 127 * 8 * 3 + 8, 100000};
  uint64_t room = 0;
  for (const uint64_t capacity : capacities) room += capacity;
  for (const size_t n : {room, room - 50000, room - 99999}) {
    for (const auto& [name, hashes] : SkewedSets(n)) {
      for (const size_t workers : {1u, 3u}) {
        SCOPED_TRACE(name + ", " + std::to_string(n) + " hashes, " + std::to_string(workers) + " workers");
        Chunks own(hashes, capacities);
        TestAllocator allocator;
        Partition partition(allocator.hooks());
        internal::PartitionShape shape;
        shape.num_blocks = 1000;
        shape.range_blocks = 64;
        shape.num_ranges = 16;
        shape.num_workers = workers;
        shape.num_chunks = capacities.size();
        internal::ChunkTotals totals;
        for (const uint64_t capacity : capacities) totals.Add(capacity);
        shape.reserve_pages = Partition::ReserveFor(workers, shape.num_ranges, totals.loose_hashes);
        ASSERT_TRUE(partition.Create(shape));
        EXPECT_EQ(allocator.live_bytes(), Partition::BytesFor(shape));
        for (size_t i = 0; i < capacities.size(); ++i) partition.chunk(i) = own.chunks[i];
        // Threads may read the last chunk first; its many free pages are then used.
        for (size_t i = capacities.size(); i-- != 0;) partition.ReadChunk(i % workers, i);

        std::vector<uint64_t> all;
        for (uint64_t range = 0; range < shape.num_ranges; ++range) {
          Partition::Place place;
          internal::HashSpan spans[3];
          uint64_t in_range = 0, num_spans = 0;
          while (const uint64_t got = partition.NextSpans(range, &place, spans, 3)) {
            num_spans += got;
            for (uint64_t s = 0; s < got; ++s) {
              in_range += spans[s].size;
              all.insert(all.end(), spans[s].hashes, spans[s].hashes + spans[s].size);
            }
          }
          for (size_t i = all.size() - in_range; i < all.size(); ++i) {
            ASSERT_EQ(BlockIndex(all[i], shape.num_blocks) / shape.range_blocks, range);
          }
          EXPECT_EQ(partition.RangeHashes(range), in_range);
          EXPECT_EQ(partition.RangeSpans(range), num_spans);
        }
        EXPECT_EQ(Sorted(all), Sorted(hashes));

        partition.PutBack();
        all.clear();
        for (size_t i = 0; i < capacities.size(); ++i) {
          const Partition::Chunk& chunk = partition.chunk(i);
          EXPECT_EQ(chunk.size, own.chunks[i].size) << "chunk " << i << " is as full as it was";
          all.insert(all.end(), chunk.hashes, chunk.hashes + chunk.size);
        }
        EXPECT_EQ(Sorted(all), Sorted(hashes));
      }
    }
  }
}

TEST(Partition, CountsTheHashesOfChunksThatAreInNoPage) {
  internal::ChunkTotals totals;
  totals.Add(120);                           // all
  totals.Add(2 * internal::kPageHashes);     // none
  totals.Add(internal::kPageHashes + 9, 3);  // nine each
  EXPECT_EQ(totals.num_chunks, 5u);
  EXPECT_EQ(totals.loose_hashes, 120u + 27);
  EXPECT_EQ(Partition::ReserveFor(3, 10, internal::kPageHashes - 1), 33u);
  EXPECT_EQ(Partition::ReserveFor(3, 10, internal::kPageHashes), 34u);
}

TEST(Partition, SaysWhenTheReserveIsUsedUp) {
  TestAllocator allocator;
  Partition partition(allocator.hooks());
  internal::PartitionShape shape;
  shape.num_blocks = shape.range_blocks = 8;
  shape.num_ranges = 1;
  shape.reserve_pages = 2;
  ASSERT_TRUE(partition.Create(shape));
  const std::vector<uint64_t> hashes = RandomHashes(2 * internal::kPageHashes + 1, 1);
  EXPECT_TRUE(partition.Read(0, hashes.data(), hashes.size() - 1)) << "two pages";
  EXPECT_FALSE(partition.Read(0, hashes.data(), 1));
  EXPECT_EQ(partition.RangeHashes(0), hashes.size() - 1);
  partition.Clear();
  EXPECT_EQ(partition.RangeHashes(0), 0u);
  EXPECT_TRUE(partition.Read(0, hashes.data(), hashes.size() - 1));
}

TEST(Partition, SortsAlikeOnEveryTarget) {
  const std::vector<uint64_t> hashes = RandomHashes(20000, 5);
  const std::string expected = BuildPlainly(Options(Layout::kBlocked), hashes);
  test::OnEveryTarget([&](const char*) {
    const ScopedTuning tuning(0, 16);
    EXPECT_EQ(Build(Options(Layout::kBlocked), hashes), expected);
  });
}

// Any number of hashes, of an interval that has all, some or none; nothing is written behind the room that is asked
// for.
TEST(HashInterval, IsSelectedAlikeOnEveryTarget) {
  const std::vector<uint64_t> hashes = RandomHashes(2048, 7);
  constexpr uint64_t kHalf = uint64_t{1} << 63, kGuard = 0x6775617264;
  for (const internal::HashInterval interval :
       {internal::HashInterval{}, {kHalf, ~uint64_t{0}}, {kHalf / 2, kHalf}, {0, 0}}) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, size_t{1001}, hashes.size()}) {
      std::vector<uint64_t> expected;
      std::copy_if(hashes.begin(), hashes.begin() + static_cast<ptrdiff_t>(n), std::back_inserter(expected),
                   [&](uint64_t hash) { return hash >= interval.first && hash <= interval.last; });
      test::OnEveryTarget([&](const char*) {
        std::vector<uint64_t> selected(n + internal::kSelectSlack + hashes.size(), kGuard);
        const size_t size = internal::SelectHashes(hashes.data(), n, interval, selected.data());
        ASSERT_EQ(size, expected.size());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), selected.begin()));
        for (size_t i = n + internal::kSelectSlack; i < selected.size(); ++i) ASSERT_EQ(selected[i], kGuard);
      });
    }
  }
}

// 4096 blocks: block b has the hashes that begin with the 12 bits of b.
TEST(Histogram, CountsTheHashesOfBlocks) {
  const auto histogram = std::make_unique<internal::Histogram>();
  std::vector<uint64_t> hashes;
  for (uint64_t block = 0; block < 4096; ++block) hashes.insert(hashes.end(), 1 + block % 7, block << 52);
  histogram->Add(hashes.data(), hashes.size());
  const auto most_in = [&](uint64_t first, uint64_t end) {
    return histogram->MostIn(internal::HashesOf(first, end, 4096, ~uint64_t{0}));
  };
  EXPECT_EQ(most_in(0, 4096), hashes.size());
  for (const uint64_t block : {0u, 1u, 5u, 4094u, 4095u}) {
    EXPECT_EQ(most_in(block, block + 1), 1 + block % 7) << "and not those of the next block";
  }
  EXPECT_EQ(most_in(0, 7), 28u);
}

// What linefilter/bulk.h says of the least memory, of an image of more than 8192 ranges.
TEST(GroupPlan, NeedsTheMemoryOfOneRange) {
  constexpr uint64_t kKeys = 2000000, kBlocks = (uint64_t{1} << 26) + 12345;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  const auto histogram = std::make_unique<internal::Histogram>();
  histogram->Add(hashes.data(), hashes.size());
  for (const Layout layout : LayoutsOfRanges()) {
    const LayoutMaker& maker = *FindMaker(layout);
    internal::GroupPlan plan(maker, *histogram, kKeys, kBlocks, test::Threads(4));
    uint64_t needed = 0;
    EXPECT_FALSE(plan.Fit(1000, &needed));
    const uint64_t range_blocks = kBlocks / 4096, range_hashes = kKeys / 4096 + kKeys / 2048;
    const uint64_t few = 300;  // hashes that a bucket has by chance above its share
    EXPECT_LE(needed, 64 * range_blocks + 8 * (range_hashes + few) +
                          internal::RangeWorkerBytes(maker, range_blocks, range_hashes + few, 8) + 40000)
        << LayoutName(layout);
    EXPECT_GE(needed, 64 * range_blocks / 2);
    ASSERT_TRUE(plan.Fit(needed, &needed));
    EXPECT_EQ(plan.num_workers(), 1u);
  }
}

}  // namespace
}  // namespace linefilter::test
