// examples/sst_reader: a table answers right or says that it cannot, whatever its bytes.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <thread>

#include "tests/testing/sst_tables.h"

// Allocations by operator new that still succeed while a test asks for that; one fails, those after it do not.
// (Not inlined, so that no compiler sees a pointer of malloc in a delete expression.)
static bool counts_new = false;
static size_t good_news = 0;
__attribute__((noinline)) void* operator new(size_t size) {
  if (counts_new && good_news-- == 0) {
    counts_new = false;
    throw std::bad_alloc();
  }
  void* const pointer = std::malloc(size == 0 ? 1 : size);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
__attribute__((noinline)) void operator delete(void* pointer) noexcept { std::free(pointer); }
__attribute__((noinline)) void operator delete(void* pointer, size_t) noexcept { std::free(pointer); }

namespace sst::test {
namespace {

using linefilter::Layout;
using linefilter::StatusCode;
using linefilter::test::TempDir;

// Every way of reading agrees with `pairs`; absent keys below, between and above them are absent.
void ExpectHolds(const TableReader& table, const Pairs& pairs) {
  const std::map<std::string_view, std::string_view> held(pairs.begin(), pairs.end());
  std::vector<std::string_view> keys;
  for (const auto& pair : pairs) keys.push_back(pair.first);
  std::vector<std::string> others = {std::string("\0", 1), "a", "key-", "zzz"};
  for (size_t i = 0; i < std::min<size_t>(pairs.size(), 100); ++i) others.push_back(pairs[i].first + "\x01");
  keys.insert(keys.end(), others.begin(), others.end());
  std::vector<Lookup> lookups(keys.size());
  Status status = table.MultiGet(keys.data(), keys.size(), lookups.data());
  ASSERT_TRUE(status.ok()) << status.message();
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto member = held.find(keys[i]);
    Lookup single;
    status = table.Get(keys[i], &single);
    ASSERT_TRUE(status.ok()) << status.message();
    for (const Lookup& lookup : {single, lookups[i]}) {
      ASSERT_EQ(lookup.outcome, member != held.end() ? Outcome::kFound : Outcome::kAbsent) << keys[i];
      if (member != held.end()) {
        ASSERT_EQ(lookup.value, member->second) << keys[i];
      }
    }
  }
  TableIterator it(table);
  size_t n = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next(), ++n) {
    ASSERT_LT(n, pairs.size());
    ASSERT_EQ(it.key(), pairs[n].first);
    ASSERT_EQ(it.value(), pairs[n].second);
  }
  EXPECT_TRUE(it.status().ok()) << it.status().message();
  EXPECT_EQ(n, pairs.size());
  EXPECT_EQ(table.num_keys(), pairs.size());
}

TEST(SstReader, FindsWhatWasWritten) {
  const TempDir dir;
  for (const Layout layout : Layouts()) {
    for (const size_t n : {0u, 1u, 2u, 100u, 5000u}) {
      for (const uint32_t data_block_bytes : {1u, 300u, 4096u, 65536u}) {
        SCOPED_TRACE(std::string(LayoutName(layout)) + " " + std::to_string(n) + " " +
                     std::to_string(data_block_bytes));
        const Pairs pairs = SomePairs(n);
        Write(dir.File("table"), pairs, Options(layout, data_block_bytes));
        TableReader table;
        const Status status = table.Open(dir.File("table").c_str());
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_TRUE(table.filter_status().ok()) << table.filter_status().message();
        ExpectHolds(table, pairs);
        EXPECT_EQ(table.num_data_blocks() == 0, n == 0);
        if (data_block_bytes == 1) {
          EXPECT_EQ(table.num_data_blocks(), n);
        }
        EXPECT_EQ(reinterpret_cast<uintptr_t>(table.filter().body()) % 64, 0u) << "a lookup reads one cache line";
      }
    }
  }
}

TEST(SstReader, TakesAnyBytesOfAnySize) {
  const TempDir dir;
  const Pairs pairs = {{"", "of the empty key"},
                       {std::string("\0", 1), ""},
                       {std::string("\0\n", 2), std::string(1000, '\0')},
                       {"a", std::string(3 << 20, 'v')},  // far more than a data block
                       {std::string(100000, 'k'), "of a long key"},
                       {"\xff\xff", "unsigned bytes: above all letters"}};
  for (const Layout layout : Layouts()) {
    Write(dir.File("table"), pairs, Options(layout));
    TableReader table;
    ASSERT_TRUE(table.Open(dir.File("table").c_str()).ok());
    ExpectHolds(table, pairs);
  }
}

TEST(SstReader, SeeksToTheFirstKeyNotBelow) {
  const Pairs pairs = SomePairs(200);
  const std::string bytes = TableBytes(pairs, Options(Layout::kRetrieval, 256));
  TableReader table;
  ASSERT_TRUE(table.OpenBytes(bytes.data(), bytes.size()).ok());
  TableIterator it(table);
  for (size_t i = 0; i < pairs.size(); ++i) {
    it.Seek(Member(i));
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.key(), Member(i));
    it.Seek(Absent(i));
    ASSERT_EQ(it.Valid(), i + 1 < pairs.size());
    if (it.Valid()) {
      EXPECT_EQ(it.key(), Member(i + 1));
    }
    EXPECT_TRUE(it.status().ok());
  }
  it.Seek("");
  EXPECT_TRUE(it.Valid() && it.key() == Member(0));
}

// The bytes as table_format.h tells them, written out by hand.
TEST(SstReader, BytesAreThoseOfTheFormat) {
  const std::string bytes = TableBytes({{"ab", "c"}, {"d", ""}}, TableOptions());
  const std::string entries("\2\0\0\0\1\0\0\0abc\1\0\0\0\0\0\0\0d", 20);
  ASSERT_EQ(bytes.substr(0, 20), entries);
  std::string check;
  AppendLE(static_cast<uint32_t>(linefilter::HashKey(entries, 0)), &check);
  EXPECT_EQ(bytes.substr(20, 12), std::string("\0\0\0\0\0\0\0\0\x14\0\0\0", 12));
  EXPECT_EQ(bytes.substr(32, 4), check);
  EXPECT_EQ(bytes.substr(36, 5), std::string("\1\0\0\0d", 5));
  EXPECT_EQ(bytes.substr(41, 64 - 41), std::string(64 - 41, '\0'));
  linefilter::FilterBuilder builder(TableOptions().filter);
  builder.AddKey("ab");
  builder.AddKey("d");
  std::string image;
  ASSERT_TRUE(builder.Finish(&image).ok());
  ASSERT_EQ(bytes.size(), 64 + image.size() + 64);
  EXPECT_EQ(bytes.substr(64, image.size()), image);
  std::string footer;
  for (const uint64_t field : {uint64_t{20}, uint64_t{21}, uint64_t{64}, uint64_t{image.size()}}) {
    AppendLE(field, &footer);
  }
  footer += image.substr(image.size() - 8);
  AppendLE(uint64_t{2}, &footer);
  AppendLE(static_cast<uint32_t>(linefilter::HashKey(std::string_view(bytes).substr(20, 21), 20)), &footer);
  AppendLE(static_cast<uint32_t>(linefilter::HashKey(footer, 64 + image.size())), &footer);
  EXPECT_EQ(bytes.substr(64 + image.size()), footer + "LFTABLE3");
}

TEST(SstReader, AbsentKeysHardlyReadADataBlock) {
  constexpr size_t kMembers = 50000, kAsked = 50000;
  for (const Layout layout : Layouts()) {
    const std::string bytes = TableBytes(SomePairs(kMembers), Options(layout));
    std::vector<std::string> absent;
    for (size_t i = 0; i < kAsked; ++i) absent.push_back(Absent(i % (kMembers - 1)) + "-" + std::to_string(i));
    const std::vector<std::string_view> keys(absent.begin(), absent.end());
    std::vector<Lookup> lookups(keys.size());
    ReadOptions without;
    without.use_filter = false;
    TableReader table, unfiltered;
    ASSERT_TRUE(table.OpenBytes(bytes.data(), bytes.size()).ok());
    ASSERT_TRUE(unfiltered.OpenBytes(bytes.data(), bytes.size(), without).ok());
    ASSERT_TRUE(table.MultiGet(keys.data(), keys.size(), lookups.data()).ok());
    const Counters counters = table.counters();
    EXPECT_EQ(counters.lookups, kAsked);
    EXPECT_EQ(counters.absent_by_filter + counters.data_blocks_read, kAsked);
    const double expected = table.filter().ExpectedFpr() * kAsked;
    EXPECT_NEAR(static_cast<double>(counters.data_blocks_read), expected, 6 * std::sqrt(expected) + 1)
        << LayoutName(layout);
    for (const std::string_view key : keys) {
      Lookup lookup;
      ASSERT_TRUE(table.Get(key, &lookup).ok());
    }
    EXPECT_EQ(table.counters().data_blocks_read, 2 * counters.data_blocks_read) << "one by one as in batches";
    ASSERT_TRUE(unfiltered.MultiGet(keys.data(), keys.size(), lookups.data()).ok());
    EXPECT_EQ(unfiltered.counters().data_blocks_read, kAsked);
    EXPECT_FALSE(unfiltered.filter_status().ok());
  }
}

TEST(SstWriter, RefusesWithASentence) {
  const TempDir dir;
  const std::string path = dir.File("table");
  TableWriter writer;
  EXPECT_TRUE(SaysWhatToDo(writer.Add("a", ""))) << "before Create";
  EXPECT_TRUE(SaysWhatToDo(writer.Finish()));
  EXPECT_FALSE(writer.Create((dir.path() + "/missing/table").c_str()).ok());
  EXPECT_FALSE(writer.Create(dir.path().c_str()).ok()) << "a folder";
  ASSERT_TRUE(writer.Create(path.c_str()).ok());
  ASSERT_TRUE(writer.Add("b", "1").ok());
  for (const char* key : {"a", "", "b"}) {
    const Status status = writer.Add(key, "2");
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << key;
    EXPECT_TRUE(SaysWhatToDo(status)) << status.message();
    EXPECT_NE(std::string(status.message()).find("ascending"), std::string::npos) << status.message();
  }
  ASSERT_TRUE(writer.Add("c", "3").ok()) << "what was refused does not stop the writer";
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_TRUE(SaysWhatToDo(writer.Finish())) << "twice";
  TableReader table;
  ASSERT_TRUE(table.Open(path.c_str()).ok());
  ExpectHolds(table, {{"b", "1"}, {"c", "3"}});

  std::vector<TableOptions> bad(4);
  bad[0].data_block_bytes = 0;
  bad[1].data_block_bytes = ~uint32_t{0};
  bad[2].filter.bits_per_key = 0;
  bad[3].filter.hash_id = linefilter::HashId::kCaller;
  for (const TableOptions& options : bad) EXPECT_TRUE(SaysWhatToDo(TableWriter(options).Create(path.c_str())));
}

TEST(SstWriter, LeavesTheOldTableUntilTheNewOneIsComplete) {
  const TempDir dir;
  const Pairs old_pairs = {{"old", "1"}};
  Write(dir.File("table"), old_pairs, TableOptions());
  {
    TableWriter writer;
    ASSERT_TRUE(writer.Create(dir.File("table").c_str()).ok());
    for (const auto& [key, value] : SomePairs(1000)) ASSERT_TRUE(writer.Add(key, value).ok());
  }
  EXPECT_EQ(dir.Names(), std::vector<std::string>{"table"});
  TableReader table;
  ASSERT_TRUE(table.Open(dir.File("table").c_str()).ok());
  ExpectHolds(table, old_pairs);

  TableOptions options = Options(Layout::kBlocked);  // memory that runs out is known before Finish
  options.filter.memory_limit = 10000;
  TableWriter writer(options);
  ASSERT_TRUE(writer.Create(dir.File("table").c_str()).ok());
  Status status;
  for (size_t i = 0; i < 100000 && status.ok(); ++i) status = writer.Add(Member(i), "");
  EXPECT_EQ(status.code(), StatusCode::kOverLimit);
  EXPECT_EQ(writer.Finish().code(), StatusCode::kOverLimit);
  ExpectHolds(table, old_pairs);
  ASSERT_TRUE(writer.Create(dir.File("table").c_str()).ok()) << "the writer begins anew";
  ASSERT_TRUE(writer.Add("new", "2").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ExpectHolds(table, old_pairs);  // the mapping is of the old file
  ASSERT_TRUE(table.Open(dir.File("table").c_str()).ok());
  ExpectHolds(table, {{"new", "2"}});
}

TEST(SstReader, RefusesWhatIsNoTable) {
  const TempDir dir;
  TableReader table;
  Lookup lookup;
  const std::string_view key = "a";
  for (const std::string& path :
       {dir.File("missing"), dir.path(), dir.Write("empty", ""), dir.Write("short", "LFTABLE3"),
        dir.Write("zeros", std::string(5000, '\0')), dir.Write("text", std::string(5000, 'x') + "LFTABLE3")}) {
    const Status status = table.Open(path.c_str());
    EXPECT_TRUE(SaysWhatToDo(status)) << status.message();
    // What is not open answers nothing, least of all "absent".
    EXPECT_TRUE(SaysWhatToDo(table.Get(key, &lookup)));
    EXPECT_EQ(lookup.outcome, Outcome::kError);
    EXPECT_FALSE(table.MultiGet(&key, 1, &lookup).ok());
    EXPECT_EQ(lookup.outcome, Outcome::kError);
    EXPECT_FALSE(table.filter_status().ok());
    TableIterator it(table);
    for (it.SeekToFirst(); it.Valid(); it.Next()) FAIL();
    EXPECT_FALSE(it.status().ok());
  }
  EXPECT_TRUE(table.MultiGet(nullptr, 0, nullptr).ok());
}

TEST(SstReader, APipeDoesNotHangIt) {
  const TempDir dir;
  ASSERT_EQ(mkfifo(dir.File("pipe").c_str(), 0600), 0);
  TableReader table;
  alarm(60);  // ends the test, should it hang
  EXPECT_TRUE(SaysWhatToDo(table.Open(dir.File("pipe").c_str())));
  alarm(0);
}

// Runs `what` with its allocation number `good` failing; false if it had fewer.
template <class What>
bool RunsOutOfMemory(size_t good, const What& what) {
  good_news = good;
  counts_new = true;
  bool threw = false;
  try {
    what();
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  counts_new = false;
  return threw;
}

TEST(SstReader, LosesNoKeyWhenMemoryRunsOutInOpen) {
  const TempDir dir;
  const Pairs pairs = SomePairs(2000);
  Write(dir.File("a long name, longer than a string without an allocation"), pairs, Options(Layout::kRetrieval, 200));
  const std::string path = dir.File("a long name, longer than a string without an allocation");
  Status status;
  size_t good = 0;
  for (;; ++good) {
    TableReader table;
    if (!RunsOutOfMemory(good, [&] { status = table.Open(path.c_str()); })) break;
    for (const auto& pair : pairs) {
      Lookup lookup;
      ASSERT_FALSE(table.Get(pair.first, &lookup).ok()) << good;
      ASSERT_EQ(lookup.outcome, Outcome::kError);
    }
    TableIterator it(table);
    it.SeekToFirst();
    EXPECT_FALSE(it.Valid() || it.status().ok());
    ASSERT_TRUE(table.Open(path.c_str()).ok()) << "once there is memory again";
    ExpectHolds(table, pairs);
  }
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_GT(good, 5u);
}

TEST(SstWriter, RefusesEverythingAfterMemoryRanOut) {
  const TempDir dir;
  const std::string path = dir.File("table");
  Pairs pairs = SomePairs(100);
  pairs[50].second.assign(5000, 'v');
  for (const uint32_t data_block_bytes : {300u, 1u << 20u}) {
    Status status;
    size_t good = 0;
    for (;; ++good) {
      TableWriter writer(Options(Layout::kRetrieval, data_block_bytes));
      const bool threw = RunsOutOfMemory(good, [&] {
        status = writer.Create(path.c_str());
        for (size_t i = 0; status.ok() && i < pairs.size(); ++i) status = writer.Add(pairs[i].first, pairs[i].second);
        if (status.ok()) status = writer.Finish();
      });
      if (!threw) break;
      EXPECT_TRUE(SaysWhatToDo(writer.Add("zzz", ""))) << good;
      EXPECT_TRUE(SaysWhatToDo(writer.Finish())) << good;
      EXPECT_EQ(std::filesystem::exists(path), data_block_bytes != 300) << "nothing, or that of the first round";
    }
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_GT(good, 5u);
    TableReader table;
    ASSERT_TRUE(table.Open(path.c_str()).ok());
    ExpectHolds(table, pairs);
  }
}

TEST(SstReader, ManyThreadsRead) {
  constexpr size_t kThreads = 4;
  const TempDir dir;
  const Pairs pairs = SomePairs(3000);
  Write(dir.File("table"), pairs, TableOptions());
  TableReader table;
  ASSERT_TRUE(table.Open(dir.File("table").c_str()).ok());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back([&] { ExpectHolds(table, pairs); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(table.counters().lookups, kThreads * 2 * (pairs.size() + 104)) << "each by Get and by MultiGet";
}

}  // namespace
}  // namespace sst::test
