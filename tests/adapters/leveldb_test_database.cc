// The policy in real databases: no key is lost, whatever policy was there before, and few blocks are read for absent
// keys.
#include <cmath>

#include "tests/adapters/leveldb_test.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kFewKeys = 3000;

TEST(LevelDBDatabase, LosesNoKey) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {2.0, 10.0, 24.0}) {
      for (const size_t value_size : {0u, 100u, 1000u}) {
        const Policy policy = New(BitsPerKey(test::BitsPerKeyLikeBlocked(layout, bits_per_key), layout));
        test::LevelDB db;
        db.Open(policy.get());
        db.Fill(0, kFewKeys, value_size);
        EXPECT_EQ(db.CountLost(0, kFewKeys, value_size), 0u);
        db.Open(policy.get());
        EXPECT_EQ(db.CountLost(0, kFewKeys, value_size), 0u) << "opened again";
        // 2 bits per key: 40 %, of a few hundred filters.
        EXPECT_LT(db.CountReadsOfAbsent(1000), bits_per_key == 2 ? 600u : 50u) << LayoutName(layout);
      }
    }
  }
}

TEST(LevelDBDatabase, OpensWithAnyPolicyAndWithNone) {
  const Policy ours = New(BitsPerKey(10)), other = New(BitsPerKey(20, Layout::kRetrieval)),
               bloom(leveldb::NewBloomFilterPolicy(10));
  test::LevelDB db;
  uint64_t num_keys = 0;
  for (const leveldb::FilterPolicy* const policy :
       {ours.get(), other.get(), static_cast<const leveldb::FilterPolicy*>(nullptr), bloom.get(), ours.get()}) {
    db.Open(policy);
    EXPECT_EQ(db.CountLost(0, num_keys, 100), 0u) << "as the one before left it";
    if (policy == other.get()) {
      EXPECT_LT(db.CountReadsOfAbsent(1000), 30u) << "reads the other options' filters";
    }
    if (policy == bloom.get() || policy == nullptr) {
      EXPECT_GT(db.CountReadsOfAbsent(1000), 950u) << "without filters";
    }
    db.Fill(num_keys, kFewKeys, 100);
    num_keys += kFewKeys;
    EXPECT_EQ(db.CountLost(0, num_keys, 100), 0u) << "written anew";
  }
}

TEST(LevelDBDatabase, ReadsFewBlocksForAbsentKeys) {
  const uint64_t num_keys = static_cast<uint64_t>(50000 * std::max(0.1, test::Effort())), questions = num_keys;
  uint64_t without = 0, with_bloom = 0;
  const Policy bloom(leveldb::NewBloomFilterPolicy(10));
  for (const leveldb::FilterPolicy* const policy : {static_cast<const leveldb::FilterPolicy*>(nullptr), bloom.get()}) {
    test::LevelDB db;
    db.Open(policy);
    db.Fill(0, num_keys, 20);
    (policy == nullptr ? without : with_bloom) = db.CountReadsOfAbsent(questions);
  }
  EXPECT_GT(without, questions * 99 / 100) << "else the counts mean nothing";
  EXPECT_LT(with_bloom, questions / 50) << "else the counts mean nothing";
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(test::BitsPerKeyLikeBlocked(layout, 10), layout));
    test::LevelDB db;
    db.Open(policy.get());
    db.Fill(0, num_keys, 20);
    EXPECT_LT(db.CountReadsOfAbsent(questions), questions / 60) << LayoutName(layout);
  }
}

// Reads of absent keys against what the filters in the table say of themselves, weighted by their size. 4.9 standard
// deviations of a binomial count: 1e-6 each.
TEST(LevelDBDatabase, LargeBlocksHaveTheExpectedFalsePositives) {
  const double effort = std::max(0.1, test::Effort());
  const uint64_t num_keys = static_cast<uint64_t>(100000 * effort), questions = static_cast<uint64_t>(200000 * effort);
  for (const size_t block_size : {size_t{64} << 10, size_t{1} << 20}) {
    for (const Layout layout : AutoAndEveryLayout()) {
      const Policy policy = New(BitsPerKey(8, layout));
      test::LevelDB db;
      db.options.block_size = block_size;
      db.Open(policy.get());
      db.Fill(0, num_keys, 60);
      const double reads = static_cast<double>(db.CountReadsOfAbsent(questions));
      ASSERT_EQ(db.Tables().size(), 1u);
      double bytes = 0, expected = 0;
      db.ForEachFilter([&](std::string_view filter) {
        const FilterView view(filter.data(), filter.size());
        bytes += static_cast<double>(view.body_bytes());
        expected += static_cast<double>(view.body_bytes()) * view.ExpectedFpr();
      });
      expected *= static_cast<double>(questions) / bytes;
      EXPECT_NEAR(reads, expected, 4.9 * std::sqrt(expected) + 0.01 * expected)
          << LayoutName(layout) << ", blocks of " << block_size;
    }
  }
}

}  // namespace
}  // namespace linefilter::test
