// FilterView::AdviseHugePages: where the system joins pages, they are huge afterwards; where it does not, the status
// says so. No byte and no answer changes.
#include "lib/base/huge_pages.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kKeys = 4000000;  // 5 MB of `blocked`: at least one huge page, wherever it lies

const std::string& Image() {
  static const std::string image = Build(BitsPerKey(10), RandomHashes(kKeys, 1));
  return image;
}

// Memory that was written in small pages: room for `size` bytes `offset` behind the begin of a huge page.
class SmallPages {
 public:
  SmallPages(size_t size, size_t offset, int sharing = MAP_PRIVATE) : mapped_(size + offset + 2 * kHugePage) {
    // Shared memory has huge pages only where they begin at its own multiples of them: so it is mapped there.
    raw_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uintptr_t begin = (reinterpret_cast<uintptr_t>(raw_) + kHugePage - 1) / kHugePage * kHugePage;
    void* const fixed = mmap(reinterpret_cast<void*>(begin), size + offset, PROT_READ | PROT_WRITE,
                             sharing | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    EXPECT_EQ(fixed, reinterpret_cast<void*>(begin));
    data_ = static_cast<uint8_t*>(fixed) + offset;
    madvise(fixed, size + offset, MADV_NOHUGEPAGE);
    std::memset(data_, 1, size);
    madvise(fixed, size + offset, MADV_HUGEPAGE);
  }
  ~SmallPages() { munmap(raw_, mapped_); }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;
  uint8_t* data() const { return data_; }

 private:
  void* raw_;
  size_t mapped_;
  uint8_t* data_;
};

// KiB of the mappings that touch these bytes which are mapped by huge pages.
uint64_t HugeKiB(const void* bytes, size_t size) {
  const uintptr_t from = reinterpret_cast<uintptr_t>(bytes);
  std::ifstream in("/proc/self/smaps");
  uint64_t sum = 0;
  bool is_here = false;
  for (std::string line; std::getline(in, line);) {
    unsigned long begin = 0, end = 0, kib = 0;
    if (sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) is_here = begin < from + size && end > from;
    if (!is_here) continue;
    for (const char* field : {"AnonHugePages: %lu", "ShmemPmdMapped: %lu", "FilePmdMapped: %lu"}) {
      if (sscanf(line.c_str(), field, &kib) == 1) sum += kib;
    }
  }
  return sum;
}

// Whether this system joins pages of such memory: emulators and older ones do not.
bool Joins(int sharing) {
  const SmallPages memory(2 * kHugePage, 0, sharing);
  constexpr int kCollapse = 25;
  return madvise(memory.data(), 2 * kHugePage, kCollapse) == 0 && HugeKiB(memory.data(), 2 * kHugePage) >= 4096;
}

void ExpectSame(const FilterView& view, const std::string& image) {
  EXPECT_TRUE(view.empty_set() || std::memcmp(view.body(), image.data(), image.size()) == 0);
  EXPECT_TRUE(view.Verify().ok());
  const FilterView other(image.data(), image.size(), VerifyMode::kTrusted);
  for (const uint64_t seed : {1u, 2u}) {  // members, and others
    const std::vector<uint64_t> hashes = RandomHashes(100000, seed);
    std::vector<uint8_t> answers(hashes.size()), expected(hashes.size());
    view.MayContainHashes(hashes.data(), hashes.size(), answers.data());
    other.MayContainHashes(hashes.data(), hashes.size(), expected.data());
    EXPECT_EQ(answers, expected) << seed;
  }
}

void ExpectSaysWhatToDo(const Status& status) {
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_NE(std::strstr(status.message(), "copy the image"), nullptr) << status.message();
  EXPECT_LT(std::strlen(status.message()), 250u) << "it is whole";
}

// In memory of this process and shared one, at each alignment: all pages that lie within the body.
TEST(AdviseHugePages, JoinsThoseThatLieWithin) {
  static_assert(noexcept(FilterView().AdviseHugePages()), "for engines without exceptions");
  for (const int sharing : {MAP_PRIVATE, MAP_SHARED}) {
    const bool joins = Joins(sharing);
    for (const size_t offset : {size_t{0}, size_t{16}, size_t{4096}, kHugePage - 64, kHugePage - 1}) {
      SCOPED_TRACE(std::to_string(sharing) + " at " + std::to_string(offset));
      const SmallPages memory(Image().size(), offset, sharing);
      std::memcpy(memory.data(), Image().data(), Image().size());
      const FilterView view(memory.data(), Image().size(), VerifyMode::kWhole);
      ASSERT_TRUE(view.status().ok());
      ASSERT_EQ(HugeKiB(memory.data(), Image().size()), 0u);
      const Status status = view.AdviseHugePages();
      if (status.code() == StatusCode::kOutOfMemory) continue;  // the machine's memory is full or in pieces
      if (joins) {
        EXPECT_TRUE(status.ok()) << status.message();
        const uint64_t whole = (offset + view.body_bytes()) / kHugePage - (offset == 0 ? 0 : 1);
        EXPECT_GE(whole, 1u);
        EXPECT_EQ(HugeKiB(memory.data(), Image().size()), 2048 * whole);
        EXPECT_TRUE(view.AdviseHugePages().ok()) << "and again";
      } else if (!status.ok()) {
        ExpectSaysWhatToDo(status);
      }
      ExpectSame(view, Image());
    }
  }
}

TEST(AdviseHugePages, ReadOnlyBytesCanBeJoined) {
  if (!Joins(MAP_PRIVATE)) GTEST_SKIP() << "this system joins no pages";
  const SmallPages memory(Image().size(), 0);
  std::memcpy(memory.data(), Image().data(), Image().size());
  ASSERT_EQ(mprotect(memory.data(), Image().size(), PROT_READ), 0);
  const FilterView view(memory.data(), Image().size(), VerifyMode::kWhole);
  const Status status = view.AdviseHugePages();
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kOutOfMemory) << status.message();
  ExpectSame(view, Image());
}

// Nothing is gained, so nothing fails: nobody needs to ask for the size.
TEST(AdviseHugePages, SmallImagesAreLeftAlone) {
  for (const Layout layout : EveryLayout()) {
    for (const uint64_t num_keys : {0u, 1u, 1000u, 200000u}) {
      const std::string image = Build(BitsPerKey(10, layout), RandomHashes(num_keys, 1));
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      EXPECT_TRUE(view.AdviseHugePages().ok()) << image.size();
      ExpectSame(view, image);
    }
  }
  const SmallPages memory(3 * kHugePage, 0);
  for (const size_t begin : {size_t{0}, size_t{1}, size_t{4096}, kHugePage - 1}) {  // one byte too few
    const size_t to_next = begin == 0 ? 0 : kHugePage - begin;
    EXPECT_TRUE(internal::JoinHugePages(memory.data() + begin, to_next + kHugePage - 1).ok());
  }
  EXPECT_EQ(HugeKiB(memory.data(), 3 * kHugePage), 0u);
}

TEST(AdviseHugePages, BrokenViewsSayWhy) {
  FilterView view;
  EXPECT_EQ(view.AdviseHugePages().code(), StatusCode::kCorrupt);
  EXPECT_FALSE(view.Open(Image().data(), Image().size() - 1, VerifyMode::kTrusted).ok());
  EXPECT_STREQ(view.AdviseHugePages().message(), view.status().message());
}

// Whether a file's pages can be joined depends on the system: it says so, and answers as before.
TEST(AdviseHugePages, FilesAnswerAsBefore) {
  const TempDir dir;
  const std::string path = dir.Write("image", Image());
  for (const VerifyMode verify : {VerifyMode::kWhole, VerifyMode::kLazy, VerifyMode::kTrusted}) {
    FilterFile file;
    ASSERT_TRUE(file.Map(path.c_str(), verify).ok());
    const Status status = file.view().AdviseHugePages();
    if (!status.ok() && status.code() != StatusCode::kOutOfMemory) ExpectSaysWhatToDo(status);
    ExpectSame(file.view(), Image());
  }
  FilterFile file;
  ASSERT_TRUE(file.Load(path.c_str()).ok());
  EXPECT_TRUE(file.view().AdviseHugePages().ok() || !Joins(MAP_PRIVATE)) << "it has them";
  ExpectSame(file.view(), Image());
}

// An administrator or a container may have switched them off.
TEST(AdviseHugePages, SaysWhenTheSystemRefuses) {
  if (!Joins(MAP_PRIVATE)) GTEST_SKIP() << "this system joins no pages";
  const SmallPages memory(Image().size(), 0);
  std::memcpy(memory.data(), Image().data(), Image().size());
  const FilterView view(memory.data(), Image().size(), VerifyMode::kWhole);
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
  const Status status = view.AdviseHugePages();
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
  ExpectSaysWhatToDo(status);
  ExpectSame(view, Image());
}

// What is appended to a string has them from the first byte on, if it is large enough to have a mapping of its own.
TEST(AppendImage, WritesLargeImagesIntoHugePages) {
  BlockedFilter filter;
  ASSERT_TRUE(filter.Create(uint64_t{30} << 20, BitsPerKey(10)).ok());
  const std::vector<uint64_t> hashes = RandomHashes(10000, 1);
  filter.InsertHashes(hashes.data(), hashes.size());
  ASSERT_GE(filter.ImageBytes(), internal::kOwnMapping);
  const bool joins = Joins(MAP_PRIVATE);
  for (const std::string& before : {std::string(), std::string(1000, 'b')}) {
    std::string image = before;
    ASSERT_TRUE(filter.AppendImage(&image).ok());
    ASSERT_EQ(image.size(), before.size() + filter.ImageBytes());
    EXPECT_EQ(image.compare(0, before.size(), before), 0);
    const FilterView view(image.data() + before.size(), image.size() - before.size(), VerifyMode::kWhole);
    ASSERT_TRUE(view.status().ok());
    EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), hashes.size());
    // Where memory is in pieces there may be fewer than all of them.
    EXPECT_TRUE(!joins || HugeKiB(image.data(), image.size()) > 0);
  }
}

}  // namespace
}  // namespace linefilter::test
