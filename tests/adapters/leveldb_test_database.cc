// The policy in real databases: no key is lost, whatever policy was there before, and few blocks are read for absent
// keys. A filter that is damaged, whatever of it, answers "maybe": no key is lost, neither by the policy itself nor in
// a database.
#include <cmath>
#include <utility>

#include "linefilter/hash.h"
#include "linefilter/remote_body.h"
#include "tests/adapters/leveldb_test.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kFewKeys = 3000;

TEST(LevelDBDatabase, LosesNoKey) {
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const double bits_per_key : {2.0, 10.0, 24.0}) {
      for (const size_t value_size : {0u, 100u, 1000u}) {
        const Policy policy = New(BitsPerKey(BitsPerKeyLikeBlocked(layout, bits_per_key), layout));
        LevelDB db;
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
  LevelDB db;
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
  const uint64_t num_keys = static_cast<uint64_t>(50000 * std::max(0.1, Effort())), questions = num_keys;
  uint64_t without = 0, with_bloom = 0;
  const Policy bloom(leveldb::NewBloomFilterPolicy(10));
  for (const leveldb::FilterPolicy* const policy : {static_cast<const leveldb::FilterPolicy*>(nullptr), bloom.get()}) {
    LevelDB db;
    db.Open(policy);
    db.Fill(0, num_keys, 20);
    (policy == nullptr ? without : with_bloom) = db.CountReadsOfAbsent(questions);
  }
  EXPECT_GT(without, questions * 99 / 100) << "else the counts mean nothing";
  EXPECT_LT(with_bloom, questions / 50) << "else the counts mean nothing";
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(BitsPerKeyLikeBlocked(layout, 10), layout));
    LevelDB db;
    db.Open(policy.get());
    db.Fill(0, num_keys, 20);
    EXPECT_LT(db.CountReadsOfAbsent(questions), questions / 60) << LayoutName(layout);
  }
}

// Reads of absent keys against what the filters in the table say of themselves, weighted by their size. 4.9 standard
// deviations of a binomial count: 1e-6 each.
TEST(LevelDBDatabase, LargeBlocksHaveTheExpectedFalsePositives) {
  const double effort = std::max(0.1, Effort());
  const uint64_t num_keys = static_cast<uint64_t>(100000 * effort), questions = static_cast<uint64_t>(200000 * effort);
  for (const size_t block_size : {size_t{64} << 10, size_t{1} << 20}) {
    for (const Layout layout : AutoAndEveryLayout()) {
      const Policy policy = New(BitsPerKey(8, layout));
      LevelDB db;
      db.options.block_size = block_size;
      db.Open(policy.get());
      db.Fill(0, num_keys, 60);
      const double reads = static_cast<double>(db.CountReadsOfAbsent(questions));
      ASSERT_EQ(db.Tables().size(), 1u);
      double bytes = 0, expected = 0;
      db.ForEachFilter([&](std::string_view filter) {
        const FilterView view(filter.data(), filter.size(), VerifyMode::kWhole);
        bytes += static_cast<double>(view.body_bytes());
        expected += static_cast<double>(view.body_bytes()) * view.ExpectedFpr();
      });
      expected *= static_cast<double>(questions) / bytes;
      EXPECT_NEAR(reads, expected, 4.9 * std::sqrt(expected) + 0.01 * expected)
          << LayoutName(layout) << ", blocks of " << block_size;
    }
  }
}

TEST(LevelDBPolicy, AnswersMaybeToWhateverIsBroken) {
  const Policy bloom(leveldb::NewBloomFilterPolicy(10));
  const std::vector<std::string> keys = Keys(1, 100), absent = Keys(1000, 20);
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(BitsPerKey(10, layout));
    const std::string filter = Filter(*policy, keys);
    const auto expect_maybe = [&](const std::string& broken, const char* what) {
      EXPECT_EQ(CountMatches(*policy, absent, broken), absent.size()) << what << ", " << broken.size() << " bytes";
    };
    for (size_t size = 0; size < filter.size(); ++size) {
      expect_maybe(filter.substr(0, size), "the end is missing");
      expect_maybe(filter.substr(filter.size() - size), "the beginning is missing");
    }
    for (size_t bit = 0; bit < 8 * filter.size(); ++bit) {
      std::string flipped = filter;
      flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
      expect_maybe(flipped, "a bit is flipped");
    }
    expect_maybe(filter + filter, "two filters");
    expect_maybe(std::string(filter.size(), '\0'), "zeros");
    expect_maybe(std::string(filter.size(), '\xff'), "ones");
    expect_maybe(Filter(*bloom, keys), "LevelDB's own filter");
  }
}

// The body of a large filter is not verified when it is opened, so at each lookup.
TEST(LevelDBPolicy, AnswersMaybeWhereALargeFilterIsDamaged) {
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = New(10, layout), trusting = NewTrusting(layout);
    for (const size_t n : {4000u, 120000u}) {  // 5 KB: one chunk; 150 KB: three
      const std::vector<std::string> keys = Keys(1, n);
      const std::string filter = Filter(*policy, keys);
      ASSERT_EQ(CountMatches(*policy, keys, filter), n);
      Random random(n);
      uint64_t lost_by_trust = 0;
      for (int round = 0; round < (n > 10000 ? 2 : 20); ++round) {
        std::string damaged = filter;
        for (int i = 0; i < 64; ++i) damaged[random.Below(filter.size() - 32)] = static_cast<char>(random());
        ASSERT_EQ(CountMatches(*policy, keys, damaged), n) << LayoutName(layout);
        lost_by_trust += n - CountMatches(*trusting, keys, damaged);
      }
      EXPECT_GT(lost_by_trust, 0u) << "so the damage was one that counts";
      for (const size_t size : {size_t{0}, size_t{1}, filter.size() / 2, filter.size() - 1}) {
        EXPECT_EQ(CountMatches(*trusting, keys, std::string_view(filter).substr(0, size)), n);
      }
    }
  }
}

// Each chunk by itself, wholly: what a lookup reads is verified, and of the layouts of blocks no more.
TEST(LevelDBPolicy, VerifiesTheChunksThatALookupReads) {
  constexpr size_t kChunk = 65536;
  for (const Layout layout : EveryLayout()) {
    const Policy policy = New(10, layout), trusting = NewTrusting(layout);
    const std::vector<std::string> all_keys = Keys(0, 200000), absent = Keys(uint64_t{1} << 40, 4000);
    const std::string filter = Filter(*policy, all_keys);
    std::vector<std::string> keys;
    for (size_t i = 0; i < all_keys.size(); i += 50) keys.push_back(all_keys[i]);
    const FilterView view(filter.data(), filter.size(), VerifyMode::kWhole);
    ASSERT_EQ(view.num_chunks(), 4u);
    for (uint64_t chunk = 0; chunk < view.num_chunks(); ++chunk) {
      SCOPED_TRACE(std::string(LayoutName(layout)) + ", chunk " + std::to_string(chunk));
      std::string damaged = filter;
      const size_t end = std::min<size_t>((chunk + 1) * kChunk, view.body_bytes());
      Random random(chunk);  // not zeros, for which `retrieval` answers "maybe"
      for (size_t i = chunk * kChunk; i < end; ++i) {
        damaged[i] = static_cast<char>(random());
      }
      EXPECT_EQ(CountMatches(*policy, keys, damaged), keys.size());
      EXPECT_LT(CountMatches(*trusting, keys, damaged), keys.size() * 9 / 10) << "so the damage was one that counts";
      if (view.num_blocks() == 0) continue;
      std::vector<std::string> elsewhere;
      for (const std::string& key : absent) {
        uint64_t block = 0;
        ASSERT_EQ(BlocksOfHash(FactsOf(view), HashKey(key, view.seed()), &block), 1u);
        if (block * FactsOf(layout).block_bytes / kChunk != chunk) elsewhere.push_back(key);
      }
      EXPECT_GT(elsewhere.size(), absent.size() / 2);
      EXPECT_EQ(CountMatches(*policy, elsewhere, damaged), CountMatches(*policy, elsewhere, filter));
    }
  }
}

// A database of one table whose filter block is damaged.
class DamagedFilters : public testing::Test {
 protected:
  static constexpr size_t kValueSize = 100;

  void Create(const EngineFilterOptions& options, size_t block_size, uint64_t num_keys, bool paranoid_checks) {
    if (Effort() < 1) num_keys /= 4;
    num_keys_ = num_keys;
    db_.reset();
    policy_ = New(options);
    db_ = std::make_unique<LevelDB>();
    db_->options.block_size = block_size;
    db_->options.paranoid_checks = paranoid_checks;
    db_->Open(policy_.get());
    db_->Fill(0, num_keys, kValueSize);
    db_->Close();
    const std::vector<std::string> tables = db_->Tables();
    ASSERT_EQ(tables.size(), 1u);
    path_ = tables[0];
    table_ = ReadFile(path_);
    block_ = tools::FilterBlockOf(table_);
    ASSERT_EQ(block_.policy_name, policy_->Name());
    ASSERT_GT(block_.size, num_keys / 2);
  }
  template <class Damage>
  uint64_t CountLostAfter(const Damage& damage) {
    std::string damaged = table_;
    damage(&damaged);
    db_->Overwrite(path_, damaged);
    db_->Open(policy_.get());
    const uint64_t lost = db_->CountLost(0, num_keys_, kValueSize);
    db_->Close();
    return lost;
  }

  Policy policy_;
  std::unique_ptr<LevelDB> db_;
  uint64_t num_keys_ = 0;
  std::string path_, table_;
  tools::FilterBlock block_;
};

// But for the last bytes of the block, which say where LevelDB's directory of filters begins: the next test.
TEST_F(DamagedFilters, LoseNoKeyWhereTheEndOfTheBlockIsIntact) {
  const int rounds = Effort() < 1 ? 1 : 8;
  const uint64_t some = Effort() < 1 ? 3 : 1;
  for (const Layout layout : AutoAndEveryLayout()) {
    for (const auto& [block_size, num_keys] :
         {std::pair<size_t, uint64_t>{4 << 10, 3000}, {64 << 10, 3000}, {1 << 20, 8000}}) {
      ASSERT_NO_FATAL_FAILURE(Create(BitsPerKey(10, layout), block_size, num_keys / some, false));
      Random random(block_size);
      const auto flip_bit = [&](std::string* table, size_t first, size_t n) {
        (*table)[first + random.Below(n)] ^= static_cast<char>(1 << random.Below(8));
      };
      EXPECT_EQ(CountLostAfter([&](std::string* table) {
                  tools::ForEachFilter(table_, [&](std::string_view filter) {
                    flip_bit(table, static_cast<size_t>(filter.data() - table_.data()), filter.size());
                  });
                }),
                0u)
          << "a bit of each filter";
      const size_t size = block_.size - tools::kFilterBlockEnd;
      for (int round = 0; round < rounds; ++round) {
        EXPECT_EQ(CountLostAfter([&](std::string* table) { flip_bit(table, block_.offset, size); }), 0u)
            << "a bit of the filters or of their offsets";
        const size_t first = random.Below(size);
        EXPECT_EQ(CountLostAfter([&](std::string* table) {
                    for (size_t i = first; i < size; ++i) (*table)[block_.offset + i] = '\0';
                  }),
                  0u)
            << "zeros from byte " << first << " on";
      }
    }
  }
}

// What no policy can see at the end of the block: LevelDB asks the filters of other keys. Its own checksum finds it.
TEST_F(DamagedFilters, LoseNoKeyWithParanoidChecksWhereverTheDamage) {
  EngineFilterOptions options = BitsPerKey(10, Layout::kBlocked);
  options.verify = false;
  for (const size_t block_size : {size_t{4} << 10, size_t{1} << 20}) {
    ASSERT_NO_FATAL_FAILURE(Create(options, block_size, 8000, true));
    std::vector<size_t> positions = {0, block_.size / 3};
    for (size_t back = 1; back <= tools::kFilterBlockEnd + 9; ++back) positions.push_back(block_.size - back);
    for (const size_t position : positions) {
      EXPECT_EQ(CountLostAfter([&](std::string* table) { (*table)[block_.offset + position] ^= 1; }), 0u) << position;
    }
  }
}

}  // namespace
}  // namespace linefilter::test
