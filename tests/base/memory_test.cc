// linefilter/memory.h: memory comes from where the host says, in the amount that was announced, and what cannot be had
// is answered by a status. (The builder's and the file's own memory: builder_test, file_test.)
#include "linefilter/memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/run_program.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

template <class Filter>
class MemoryTest : public ::testing::Test {};
using Filters = ::testing::Types<BlockedFilter, ClassicFilter>;
TYPED_TEST_SUITE(MemoryTest, Filters, );

// 16 KiB, just below and above the border to huge pages (2 MiB), and well above.
TYPED_TEST(MemoryTest, DefaultMemoryIsAlignedAndZeroed) {
  for (const uint64_t num_keys :
       {uint64_t{1}, uint64_t{13000}, uint64_t{1677000}, uint64_t{1678000}, uint64_t{20000000}}) {
    for (int again = 0; again < 2; ++again) {  // the second time in memory that was used before
      TypeParam filter;
      ASSERT_TRUE(filter.Create(num_keys, BitsPerKey(10)).ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(filter.body()) % 64, 0u) << num_keys;
      EXPECT_EQ(filter.FillRatio(), 0) << num_keys;
      if (filter.body_bytes() >= (2u << 20)) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(filter.body()) % (2u << 20), 0u) << "so that huge pages fit";
      }
      const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
      filter.InsertHashes(hashes.data(), hashes.size());
      EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
    }
  }
}

TYPED_TEST(MemoryTest, AllOfItComesFromTheHooksAndGoesBack) {
  TestAllocator allocator;
  FilterOptions options = allocator.WithHooks(BitsPerKey(10));
  {
    TypeParam filter;
    ASSERT_TRUE(filter.Create(1000000, options).ok());
    EXPECT_TRUE(allocator.Owns(filter.body()));
    EXPECT_TRUE(allocator.Owns(filter.body() + filter.body_bytes() - 1));
    EXPECT_EQ(filter.FillRatio(), 0) << "the hooks do not have to zero";
    EXPECT_EQ(reinterpret_cast<uintptr_t>(filter.body()) % 64, 0u) << "the alignment that was asked for";
    EXPECT_EQ(filter.MemoryUse(), allocator.live_bytes() + sizeof(TypeParam));
    const std::string image = ImageOf(filter);
    EXPECT_EQ(filter.MemoryUse(), allocator.live_bytes() + sizeof(TypeParam)) << "nothing stays behind";
    ASSERT_TRUE(filter.Create(10, options).ok());
    EXPECT_EQ(filter.MemoryUse(), allocator.live_bytes() + sizeof(TypeParam)) << "the old body was given back";
    EXPECT_LE(allocator.peak_bytes(), 1250000u + 4096) << "before the new one was asked for";
    TypeParam copy;
    ASSERT_TRUE(copy.CreateFromImage(image.data(), image.size(), options).ok());
    EXPECT_TRUE(allocator.Owns(copy.body()));
    ASSERT_TRUE(copy.Create(10, BitsPerKey(10)).ok()) << "a change of allocators";
    EXPECT_FALSE(allocator.Owns(copy.body()));
  }
  EXPECT_EQ(allocator.live_blocks(), 0u);
}

TYPED_TEST(MemoryTest, AFailedAllocationIsAStatus) {
  TestAllocator allocator;
  FilterOptions options = allocator.WithHooks(BitsPerKey(10));
  TypeParam filter;
  std::string image;
  ASSERT_TRUE(filter.Create(100000, options).ok() && filter.AppendImage(&image).ok());
  allocator.FailFrom(0);
  const Status created = filter.Create(1000, options);
  EXPECT_EQ(created.code(), StatusCode::kOutOfMemory);
  EXPECT_GT(std::strlen(created.message()), 20u) << created.message();
  EXPECT_FALSE(filter.MayContainKey("x")) << "it is as it was, empty";
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), options).code(), StatusCode::kOutOfMemory);
  EXPECT_FALSE(filter.MayContainKey("x"));
  EXPECT_EQ(allocator.live_blocks(), 1u);
  allocator.FailFrom(TestAllocator::kNever);
  ASSERT_TRUE(filter.Create(1000, options).ok());
  EXPECT_FALSE(filter.MayContainKey("x"));
  // Writing an image may need a little memory: then it fails cleanly, and the filter is as it was.
  allocator.FailFrom(0);
  const Sink nowhere{[](void*, const void*, size_t) noexcept { return true; }, nullptr};
  const Status written = filter.WriteImage(nowhere);
  EXPECT_TRUE(written.ok() || written.code() == StatusCode::kOutOfMemory) << written.message();
  EXPECT_FALSE(filter.MayContainKey("x"));
}

TYPED_TEST(MemoryTest, TheLimitIsKeptToTheByte) {
  FilterOptions options = BitsPerKey(10);
  TypeParam filter;
  ASSERT_TRUE(filter.Create(100000, options).ok());
  const uint64_t needed = filter.MemoryUse();
  options.memory_limit = needed;
  EXPECT_TRUE(filter.Create(100000, options).ok());
  options.memory_limit = needed - 1;
  const Status status = filter.Create(100000, options);
  EXPECT_EQ(status.code(), StatusCode::kOverLimit);
  EXPECT_NE(std::strstr(status.message(), std::to_string(needed).c_str()), nullptr)
      << "says how much: " << status.message();
  EXPECT_FALSE(filter.MayContainKey("x")) << "it is as it was, empty";
  options.memory_limit = 0;
  EXPECT_EQ(filter.Create(1, options).code(), StatusCode::kOverLimit);
}

TYPED_TEST(MemoryTest, BothHooksOrNeither) {
  TypeParam filter;
  FilterOptions options = BitsPerKey(10);
  options.allocator.allocate = [](void*, size_t, size_t) noexcept -> void* { return nullptr; };
  EXPECT_EQ(filter.Create(10, options).code(), StatusCode::kInvalidArgument);
  options.allocator = {};
  options.allocator.deallocate = [](void*, void*, size_t, size_t) noexcept {};
  EXPECT_EQ(filter.Create(10, options).code(), StatusCode::kInvalidArgument);
}

// The default path, in a process that may have little address space. Sanitizers need terabytes of it.
#ifndef LINEFILTER_TEST_SANITIZED
TYPED_TEST(MemoryTest, ASystemWithoutMemoryIsAStatus) {
  if (!Emulator().empty()) GTEST_SKIP() << "the limit would be the emulator's";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {uint64_t{256} << 20, uint64_t{256} << 20};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    TypeParam filter;
    if (filter.Create(1000000000, BitsPerKey(10)).code() != StatusCode::kOutOfMemory) _exit(3);
    if (!filter.MayContainKey("x")) _exit(4);
    if (!filter.Create(1000000, BitsPerKey(10)).ok()) _exit(5);
    FilterBuilder builder(BitsPerKey(64));
    for (uint64_t i = 0; i < 100000000; ++i) builder.AddHash(i * 3);  // 800 MB
    if (builder.status().code() != StatusCode::kOutOfMemory) _exit(6);
    std::string image;
    if (builder.Finish(&image).code() != StatusCode::kOutOfMemory || !image.empty()) _exit(7);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "it must not crash";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace linefilter::test
