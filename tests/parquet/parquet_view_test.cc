// ParquetFilterView: filters in bytes as other writers made them, at any address and of any size.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/parquet/parquet_test.h"
#include "tests/reference/parquet.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

const std::vector<std::string_view> kMembers = {"hello", "parquet", "bloom", "filter"};

TEST(ParquetFilterView, ReadsTheFileOfParquetMr) {
  const std::string file = FileOfParquetMr();
  ASSERT_EQ(file.size(), 1040u);
  const ParquetFilterView view(file.data(), file.size());
  ASSERT_TRUE(IsOk(view.status()));
  EXPECT_EQ(view.header_bytes(), 16u);
  EXPECT_EQ(view.body_bytes(), 1024u);
  EXPECT_EQ(view.num_blocks(), 32u);
  EXPECT_EQ(view.layout(), Layout::kSplitBlock);
  EXPECT_EQ(view.hash_id(), HashId::kParquet);
  EXPECT_TRUE(IsOk(view.KeyStatus()));
  const auto text = ParquetColumnType::Of(ParquetLogicalType::kString);
  for (const std::string_view member : kMembers) {
    EXPECT_TRUE(view.MayContainKey(member)) << member;
    EXPECT_TRUE(view.MayContainHash(ParquetHashBytes(member.data(), member.size()))) << member;
    EXPECT_TRUE(MayContain(view, text, ParquetValue::Text(member)).may_contain) << member;
  }
  int maybes = 0;
  for (int i = 0; i < 1000; ++i) maybes += view.MayContainKey("absent " + std::to_string(i));
  EXPECT_LE(maybes, 2);
  EXPECT_GT(view.ExpectedFpr(), 0);
  EXPECT_LT(view.ExpectedFpr(), 1e-4);
  EXPECT_NEAR(view.FillRatio(), 32 / 8192.0, 2 / 8192.0);
}

TEST(ParquetFilterView, AnswersAsTheReferenceAtEveryAddress) {
  const std::string file = FileOfParquetMr();
  std::string bits = file.substr(0, 16);
  Random random(1);
  for (int i = 0; i < 1024; ++i) bits += static_cast<char>(random() | random());
  const std::vector<uint64_t> hashes = RandomHashes(1000, 2);
  std::vector<uint8_t> answers(hashes.size());
  for (const std::string& bytes : {file, bits}) {
    for (size_t shift = 0; shift < 64; ++shift) {
      std::vector<char> memory(bytes.size() + 64);
      char* const at = memory.data() + shift;
      memcpy(at, bytes.data(), bytes.size());
      const ParquetFilterView view(at, bytes.size());
      ASSERT_TRUE(IsOk(view.status()));
      view.MayContainHashes(hashes.data(), hashes.size(), answers.data());
      for (size_t i = 0; i < hashes.size(); ++i) {
        const bool expected = reference::ParquetMayContain(reinterpret_cast<const uint8_t*>(at) + 16, 1024, hashes[i]);
        ASSERT_EQ(view.MayContainHash(hashes[i]), expected) << shift << " " << i;
        ASSERT_EQ(answers[i] != 0, expected) << shift << " " << i;
      }
    }
  }
}

TEST(ParquetFilterView, OpensABitsetAlone) {
  const std::string file = FileOfParquetMr(), bitset = file.substr(16);
  ParquetFilterView view;
  EXPECT_TRUE(IsOk(view.OpenBitset(bitset.data(), bitset.size())));
  EXPECT_EQ(view.header_bytes(), 0u);
  EXPECT_EQ(view.filter_bytes(), 1024u);
  EXPECT_TRUE(view.MayContainKey("bloom"));
  EXPECT_FALSE(view.MayContainKey("gloom"));
  for (const uint64_t size : {uint64_t{0}, uint64_t{31}, uint64_t{1000}, uint64_t{1} << 31, uint64_t{1} << 40}) {
    EXPECT_TRUE(Says(StatusCode::kCorrupt, view.OpenBitset(bitset.data(), size), "multiple of 32")) << size;
    EXPECT_TRUE(view.MayContainKey("gloom"));
    EXPECT_EQ(view.layout(), Layout::kAuto);
  }
  EXPECT_FALSE(view.OpenBitset(nullptr, 32).ok());
  EXPECT_TRUE(Says(StatusCode::kCorrupt, view.KeyStatus()));
}

TEST(ParquetFilterView, IsCopiedAndOpenedAnew) {
  const std::string file = FileOfParquetMr();
  ParquetFilterView view(file.data(), file.size());
  const ParquetFilterView copy(view);
  EXPECT_FALSE(view.Open("x", 1).ok());
  EXPECT_TRUE(view.MayContainKey("gloom"));
  EXPECT_FALSE(copy.MayContainKey("gloom"));
  EXPECT_EQ(copy.header_bytes(), 16u);
  view = copy;
  EXPECT_TRUE(IsOk(view.status()));
  EXPECT_FALSE(view.MayContainKey("gloom"));
}

// Readers of old files know the offset alone; behind the filter stand other bytes.
TEST(ParquetFilterView, IsReadByItsOffset) {
  const std::string file = "pages" + FileOfParquetMr() + "the footer";
  const auto read = [&](uint64_t size) { return file.substr(5, size); };
  std::string bytes = read(kParquetFirstRead);
  EXPECT_FALSE(ParquetFilterView(bytes.data(), bytes.size()).status().ok());
  EXPECT_EQ(ParquetBytesNeeded(bytes.data(), bytes.size()), 1040u);
  bytes = read(ParquetBytesNeeded(bytes.data(), bytes.size()));
  EXPECT_TRUE(IsOk(ParquetFilterView(bytes.data(), bytes.size()).status()));
  const ParquetFilterView more(file.data() + 5, file.size() - 5);
  EXPECT_TRUE(IsOk(more.status()));
  EXPECT_EQ(more.filter_bytes(), 1040u);
}

// Threads ask one view and one question at once, and open views of the same bytes.
TEST(ParquetFilterView, ThreadsShareAViewAndAQuestion) {
  const std::string file = FileOfParquetMr();
  const ParquetFilterView view(file.data(), file.size());
  ASSERT_TRUE(IsOk(view.status()));
  const ParquetQuestion question(ParquetColumnType::Of(ParquetLogicalType::kString), ParquetValue::Text("bloom"));
  const std::vector<uint64_t> hashes = RandomHashes(1000, 4);
  const uint64_t maybes = view.CountMaybes(hashes.data(), hashes.size());
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const ParquetFilterView own(file.data(), file.size()), copy = view;
        count += view.CountMaybes(hashes.data(), hashes.size()) != maybes || own.ExpectedFpr() != view.ExpectedFpr();
        count += !question.MayContain(view) || !question.MayContain(own) || !question.MayContain(copy);
        count += ParquetBytesNeeded(file.data(), 64) != file.size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST(ParquetFilterView, TellsTheRoomOfItsCopy) {
  const std::string file = FileOfParquetMr();
  const ParquetFilterView view(file.data(), file.size());
  Filter filter;
  ASSERT_TRUE(IsOk(CopyParquetFilter(view, &filter)));
  for (const double fpr : {0.001, 0.5, 0.999, 1.0}) {
    EXPECT_GT(view.RoomFor(fpr), 100u);
    EXPECT_EQ(view.RoomFor(fpr), filter.RoomFor(fpr));
  }
  EXPECT_GT(view.RoomFor(0.999), 8 * view.body_bytes());
}

// 2 GiB less a block: more blocks than our own images have.
TEST(ParquetFilterView, AsksTheLargestBitset) {
  if (sizeof(void*) < 8) GTEST_SKIP() << "2 GiB are more than this CPU may address";
  const size_t size = static_cast<size_t>(kMaxParquetBitsetBytes);
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) GTEST_SKIP() << "2 GiB cannot be mapped here";
  uint8_t* const bitset = static_cast<uint8_t*>(mapped);
  ParquetFilterView view;
  EXPECT_TRUE(IsOk(view.OpenBitset(bitset, size)));
  EXPECT_EQ(view.num_blocks(), size / 32);
  const std::vector<uint64_t> hashes = RandomHashes(2000, 3);
  for (size_t i = 0; i < hashes.size(); i += 2)
    memset(bitset + (hashes[i] >> 32) * (size / 32) / (uint64_t{1} << 32) * 32, 0xff, 32);
  std::vector<uint8_t> answers(hashes.size());
  view.MayContainHashes(hashes.data(), hashes.size(), answers.data());
  for (size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(view.MayContainHash(hashes[i]), i % 2 == 0) << i;
    EXPECT_EQ(answers[i], i % 2 == 0 ? 1 : 0) << i;
    EXPECT_EQ(reference::ParquetMayContain(bitset, size, hashes[i]), i % 2 == 0);
  }
  EXPECT_TRUE(view.MayContainHash(hashes[0]));
  for (const double fpr : {0.5, 1.0}) EXPECT_EQ(view.RoomFor(fpr), 0u) << "no Filter is as large";
  munmap(mapped, size);
}

}  // namespace
}  // namespace linefilter::test
