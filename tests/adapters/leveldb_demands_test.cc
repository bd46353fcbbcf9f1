// What LevelDB's own tests (of its databases, its filters, its corruption) demand of a filter policy, of ours with
// every layout. LevelDB's own filter and no filter go through the same, so that a demand that they do not keep is seen.
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "tests/adapters/leveldb_test.h"
#include "tests/testing/engine_demands.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

std::string RandomText(Random* random, size_t size) {
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(' ' + random->Below(95));
  return text;
}

struct Named {
  std::string name;
  Policy policy;  // null: none
};

Named OfLayout(Layout layout) { return {LayoutName(layout), New(BitsPerKeyLikeBlocked(layout, 10), layout)}; }

// Calls visit for our policies, LevelDB's own and none.
void ForEachPolicy(const std::function<void(const Named&)>& visit) {
  std::vector<Named> all;
  for (const Layout layout : AutoAndEveryLayout()) all.push_back(OfLayout(layout));
  all.push_back({"leveldb's", Policy(leveldb::NewBloomFilterPolicy(10))});
  all.push_back({"none", Policy()});
  for (const Named& each : all) {
    SCOPED_TRACE(each.name);
    visit(each);
  }
}

// A database in memory, where that is possible, that counts its reads of blocks.
class Database {
 public:
  Database() : cache_(leveldb::NewLRUCache(0)) {
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    options.block_cache = cache_.get();
    options.env = &env_;
  }
  leveldb::Status Open(const leveldb::FilterPolicy* policy) {
    db_.reset();
    options.filter_policy = policy;
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, folder(), &db);
    db_.reset(db);
    return status;
  }
  void Close() { db_.reset(); }
  leveldb::DB* operator->() const { return db_.get(); }
  std::string folder() const { return dir_.File("db"); }
  uint64_t reads() const { return env_.reads(); }

  void Put(const std::string& key, const std::string& value) { ASSERT_TRUE(db_->Put({}, key, value).ok()); }
  // Writes the memory table: no key lies in that range.
  void Flush() {
    const leveldb::Slice first("\xff\xff"), last("\xff\xff\xff");
    db_->CompactRange(&first, &last);
  }
  // "NOT_FOUND", another error's text, or the value behind "=".
  std::string Get(const std::string& key, const leveldb::ReadOptions& read = {}) const {
    std::string value;
    const leveldb::Status status = db_->Get(read, key, &value);
    return status.ok() ? "=" + value : status.IsNotFound() ? "NOT_FOUND" : status.ToString();
  }
  uint64_t Size(const leveldb::Slice& first, const leveldb::Slice& limit) const {
    const leveldb::Range range(first, limit);
    uint64_t size = 0;
    db_->GetApproximateSizes(&range, 1, &size);
    return size;
  }
  std::string OnlyTable() const {
    std::string path;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().extension() != ".ldb") continue;
      EXPECT_EQ(path, "") << "a second table";
      path = entry.path();
    }
    return path;
  }

  leveldb::Options options;

 private:
  const TempDir dir_{MemoryFolder()};
  tools::CountingEnv env_;
  const std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<leveldb::DB> db_;
};

std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

TEST(LevelDBDemands, GoodFiltersOfEveryLength) {
  for (const Layout layout : AutoAndEveryLayout()) {
    SCOPED_TRACE(LayoutName(layout));
    const double bits_per_key = BitsPerKeyLikeBlocked(layout, 10);
    const Policy policy = New(bits_per_key, layout);
    ExpectGoodFiltersOfEveryLength(
        bits_per_key, [&](const std::vector<std::string>& keys) { return Filter(*policy, keys); },
        [&](const std::vector<std::string>& keys, const std::string& filter) {
          return CountMatches(*policy, keys, filter);
        });
  }
}

TEST(LevelDBDemands, AnEmptyFilterMatchesNothingAndASmallOneItsKeys) {
  for (const Layout layout : AutoAndEveryLayout()) {
    const Policy policy = OfLayout(layout).policy;
    EXPECT_EQ(CountMatches(*policy, {"hello", "world", ""}, Filter(*policy, {})), 0u);
    const std::string filter = Filter(*policy, {"hello", "world"});
    EXPECT_EQ(CountMatches(*policy, {"hello", "world"}, filter), 2u);
    EXPECT_EQ(CountMatches(*policy, {"x", "foo", ""}, filter), 0u) << LayoutName(layout);
  }
}

// A present key costs one read of a block, hardly more where it has two versions in two tables; an absent one none.
TEST(LevelDBDemands, ReadsOneBlockForAPresentKeyAndHardlyAnyForAnAbsentOne) {
  const int n = static_cast<int>(10000 * std::max(0.1, Effort()));
  ForEachPolicy([&](const Named& named) {
    if (named.policy == nullptr) return;  // an absent key then reads a block, or two
    Database db;
    ASSERT_TRUE(db.Open(named.policy.get()).ok());
    for (int i = 0; i < n; ++i) db.Put(Key(i), Key(i));
    db->CompactRange(nullptr, nullptr);
    for (int i = 0; i < n; i += 100) db.Put(Key(i), Key(i));
    db.Flush();
    const uint64_t opened = db.reads();
    for (int i = 0; i < n; ++i) ASSERT_EQ(db.Get(Key(i)), "=" + Key(i));
    const uint64_t present = db.reads() - opened, once = static_cast<uint64_t>(n);
    EXPECT_GE(present, once);
    EXPECT_LE(present, once + once * 3 / 100);  // LevelDB may compact meanwhile, by itself
    for (int i = 0; i < n; ++i) ASSERT_EQ(db.Get(Key(i) + ".missing"), "NOT_FOUND");
    EXPECT_LE(db.reads() - opened - present, once * 3 / 100);
  });
}

// Tables of two keys lie in all levels. A large value that a later one hides is gone once it is compacted, and with it
// the size of its range: what filters add to it is nothing that shows. (LevelDB's own test of this compacts level by
// level. It fails by chance, without a filter, too, where a compaction of its own runs when the snapshot is released.)
TEST(LevelDBDemands, HiddenValuesNoLongerCountAfterACompaction) {
  ForEachPolicy([&](const Named& named) {
    for (int round = 0; round < 3; ++round) {
      Database db;
      ASSERT_TRUE(db.Open(named.policy.get()).ok());
      for (int table = 0; table < 7; ++table) {
        db.Put("a", "begin");
        db.Put("z", "end");
        db.Flush();
      }
      Random random(301);
      const std::string big = RandomText(&random, 50000);
      db.Put("foo", big);
      db.Put("pastfoo", "v");
      const leveldb::Snapshot* const snapshot = db->GetSnapshot();
      db.Put("foo", "tiny");
      db.Put("pastfoo2", "v2");
      db.Flush();
      leveldb::ReadOptions old;
      old.snapshot = snapshot;
      EXPECT_EQ(db.Get("foo", old), "=" + big);
      EXPECT_GE(db.Size("", "pastfoo"), 50000u);
      EXPECT_LE(db.Size("", "pastfoo"), 60000u);
      db->ReleaseSnapshot(snapshot);
      const leveldb::Slice x("x");
      db->CompactRange(nullptr, &x);
      EXPECT_EQ(db.Get("foo"), "=tiny");
      EXPECT_LE(db.Size("", "pastfoo"), 1000u);
      EXPECT_LE(db.Size("", "{"), 1000u) << "all of it: what a table of five keys takes with its filter";
    }
  });
}

// The place of each key is told to 5 percent, before and after the database is opened again.
TEST(LevelDBDemands, ApproximateOffsetsGrowWithTheValues) {
  constexpr int kKeys = 40;
  constexpr uint64_t kValue = 20000;
  ForEachPolicy([&](const Named& named) {
    Random random(1);
    Database db;
    ASSERT_TRUE(db.Open(named.policy.get()).ok());
    EXPECT_EQ(db.Size("", "xyz"), 0u);
    for (int i = 0; i < kKeys; ++i) db.Put(Key(i), RandomText(&random, kValue));
    EXPECT_EQ(db.Size("", Key(kKeys / 2)), 0u) << "what is in memory does not count";
    for (const bool is_compacted : {false, true}) {
      ASSERT_TRUE(db.Open(named.policy.get()).ok());
      if (is_compacted) db->CompactRange(nullptr, nullptr);
      for (int i = 0; i < kKeys; ++i) {
        const uint64_t least = kValue * static_cast<uint64_t>(i);
        ASSERT_GE(db.Size("", Key(i)), least) << i;
        ASSERT_LE(db.Size("", Key(i)), least + least / 20) << i;
        ASSERT_LE(db.Size("", Key(i) + ".suffix"), least + kValue + (least + kValue) / 20) << i;
      }
    }
  });
}

// A map beside the database says what it should hold, over writes, removals, snapshots, flushes, compactions, and
// openings with another policy each time.
TEST(LevelDBDemands, HoldsWhatAMapHolds) {
  const int steps = static_cast<int>(20000 * std::max(0.05, Effort()));
  uint64_t seed = 0;
  ForEachPolicy([&](const Named& named) {
    Random random(++seed);
    const Policy other = New(20, Layout::kRetrieval);
    Database db;
    db.options.write_buffer_size = 64 << 10;
    ASSERT_TRUE(db.Open(named.policy.get()).ok());
    std::map<std::string, std::string> map;
    const auto expected = [&](const std::string& key) {
      const auto at = map.find(key);
      return at == map.end() ? "NOT_FOUND" : "=" + at->second;
    };
    for (int step = 0; step < steps; ++step) {
      const std::string key = Key(static_cast<int>(random.Below(2000)));
      const uint64_t what = random.Below(1000);
      if (what < 400) {
        map[key] = RandomText(&random, random.Below(300));
        db.Put(key, map[key]);
      } else if (what < 550) {
        map.erase(key);
        ASSERT_TRUE(db->Delete({}, key).ok());
      } else if (what < 996) {
        ASSERT_EQ(db.Get(key), expected(key)) << step;
      } else if (what < 998) {
        db.Flush();
      } else {
        ASSERT_TRUE(db.Open(what == 998 ? other.get() : named.policy.get()).ok());
      }
    }
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(db.Get(Key(i)), expected(Key(i)));
    auto at = map.begin();
    const std::unique_ptr<leveldb::Iterator> all(db->NewIterator({}));
    for (all->SeekToFirst(); all->Valid(); all->Next(), ++at) {
      ASSERT_NE(at, map.end());
      ASSERT_EQ(all->key().ToString(), at->first);
      ASSERT_EQ(all->value().ToString(), at->second);
    }
    EXPECT_EQ(at, map.end());
  });
}

// One table of n keys that lie in `db`, closed.
void WriteOneTable(Database* db, const leveldb::FilterPolicy* policy, int n) {
  ASSERT_TRUE(db->Open(policy).ok());
  for (int i = 0; i < n; ++i) db->Put(Key(i), Key(i) + std::string(100, 'v'));
  (*db)->CompactRange(nullptr, nullptr);
  db->Close();
}

void Damage(const std::string& path, uint64_t first, uint64_t size, Random* random) {
  std::string bytes = ReadFile(path);
  for (int i = 0; i < 20; ++i) bytes[first + random->Below(size)] ^= static_cast<char>(1 + random->Below(255));
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Whatever of a table is damaged, a key is found or the damage is told: "not found" would be a loss that nobody sees.
TEST(LevelDBDemands, ADamagedTableLosesNoKeySilently) {
  constexpr int kKeys = 1000;
  ForEachPolicy([&](const Named& named) {
    Database db;
    db.options.paranoid_checks = true;
    ASSERT_NO_FATAL_FAILURE(WriteOneTable(&db, named.policy.get(), kKeys));
    const std::string path = db.OnlyTable(), table = ReadFile(path);
    Random random(2);
    leveldb::ReadOptions verified;
    verified.verify_checksums = true;
    int found = 0, told = 0;
    for (int round = 0; round < 12; ++round) {
      const uint64_t size = table.size() / 8, first = random.Below(table.size() - size);
      Damage(path, round % 3 == 0 ? table.size() - 400 : first, round % 3 == 0 ? 400 : size, &random);
      if (!db.Open(named.policy.get()).ok()) {
        ++told;
      } else {
        for (int i = 0; i < kKeys; i += 3) {
          const std::string answer = db.Get(Key(i), verified);
          ASSERT_NE(answer, "NOT_FOUND") << "round " << round << ", key " << i;
          const bool is_value = answer[0] == '=';
          ++(is_value ? found : told);
          ASSERT_TRUE(!is_value || answer == "=" + Key(i) + std::string(100, 'v')) << answer;
        }
      }
      db.Close();
      std::ofstream(path, std::ios::binary | std::ios::trunc) << table;
    }
    EXPECT_GT(found, kKeys);
    EXPECT_GT(told, 100) << "so the damage was one that counts";
  });
}

// RepairDB saves what can be read. Where only filters were damaged that is all; where a block was, all but its keys.
TEST(LevelDBDemands, ARepairSavesAllButTheDamagedBlocks) {
  constexpr int kKeys = 1000;
  ForEachPolicy([&](const Named& named) {
    for (const bool of_filters : {true, false}) {
      if (of_filters && named.policy == nullptr) continue;
      Database db;
      ASSERT_NO_FATAL_FAILURE(WriteOneTable(&db, named.policy.get(), kKeys));
      const std::string path = db.OnlyTable(), table = ReadFile(path);
      Random random(3);
      if (of_filters) {
        const tools::FilterBlock block = tools::FilterBlockOf(table);
        ASSERT_GT(block.size, 100u);
        Damage(path, block.offset, block.size, &random);
      } else {
        Damage(path, table.size() / 4, 2000, &random);
      }
      leveldb::Options repair = db.options;
      repair.filter_policy = named.policy.get();
      repair.paranoid_checks = true;
      ASSERT_TRUE(leveldb::RepairDB(db.folder(), repair).ok());
      db.options.paranoid_checks = true;
      ASSERT_TRUE(db.Open(named.policy.get()).ok());
      leveldb::ReadOptions verified;
      verified.verify_checksums = true;
      int lost = 0;
      for (int i = 0; i < kKeys; ++i) lost += db.Get(Key(i), verified) != "=" + Key(i) + std::string(100, 'v');
      EXPECT_LE(lost, of_filters ? 0 : 120) << "two blocks of 4 KiB have 70 keys";
      EXPECT_EQ(lost == 0, of_filters);
    }
  });
}

}  // namespace
}  // namespace linefilter::test
