// linefilter/internal/append.h: what does not fit a string is an error, and the string stays as it was.
#include "linefilter/internal/append.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "gtest/gtest.h"

namespace linefilter {
namespace {

Status WriteX(void* out, size_t size) {
  std::memset(out, 'x', size);
  return Status();
}

TEST(AppendToString, AppendsWhatIsWritten) {
  std::string text = "head ";
  ASSERT_TRUE(internal::AppendToString(&text, 3, WriteX).ok());
  EXPECT_EQ(text, "head xxx");
  ASSERT_TRUE(internal::AppendToString(&text, 0, WriteX).ok());
  EXPECT_EQ(text, "head xxx");
}

TEST(AppendToString, GivesTheRoomBackIfTheWriterFails) {
  std::string text = "head";
  const Status status = internal::AppendToString(
      &text, 1000, [](void*, size_t) { return Status::Error(StatusCode::kCorrupt, "nothing to write"); });
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_EQ(text, "head");
}

// Sizes have 64 bits, those of a string on a 32-bit CPU 32: their sum must not wrap to a size that a string has.
TEST(AppendToString, RefusesMoreThanAStringHolds) {
  for (const uint64_t size : {~uint64_t{0}, ~uint64_t{0} - 2, uint64_t{SIZE_MAX}, uint64_t{SIZE_MAX} - 2,
                              uint64_t{std::string().max_size()}, uint64_t{1} << 63}) {
    std::string text = "head";
    bool written = false;
    const Status status = internal::AppendToString(&text, size, [&](void*, size_t) {
      written = true;
      return Status();
    });
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << size;
    EXPECT_NE(std::strstr(status.message(), std::to_string(size).c_str()), nullptr) << status.message();
    EXPECT_EQ(text, "head") << size;
    EXPECT_FALSE(written) << size;
  }
  if (sizeof(size_t) == 4) {  // what is left of it in a size_t would be 3 bytes
    std::string text = "head";
    EXPECT_EQ(internal::AppendToString(&text, (uint64_t{1} << 32) + 3, WriteX).code(), StatusCode::kOutOfMemory);
    EXPECT_EQ(text, "head");
  }
}

}  // namespace
}  // namespace linefilter
