// The header of a Bloom filter in a Parquet file: what is read, what is refused and with which words, and that a
// reference, which is written from the specifications, says the same of everything.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/parquet.h"
#include "tests/parquet/parquet_test.h"
#include "tests/reference/parquet.h"
#include "tests/testing/guarded_pages.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

using reference::HeaderVerdict;

const std::string kBody(64, '\0');

Status StatusOf(const std::string& bytes) { return ParquetFilterView(bytes.data(), bytes.size()).status(); }

// Opens the bytes right in front of a page that cannot be read, and compares with the reference.
void Compare(const std::string& bytes) {
  static GuardedPages pages(1 << 16);
  ASSERT_TRUE(pages.ok());
  ASSERT_LE(bytes.size(), size_t{1} << 16);
  uint8_t* const at = pages.begin() + (1 << 16) - bytes.size();
  memcpy(at, bytes.data(), bytes.size());
  const reference::ParquetHeader expected = reference::ReadParquetHeader(at, bytes.size());
  const ParquetFilterView view(at, bytes.size());
  const uint64_t needed = ParquetBytesNeeded(at, bytes.size());
  const bool fits = expected.header_bytes + expected.bitset_bytes <= bytes.size();
  const StatusCode code = view.status().code();
  switch (expected.verdict) {
    case HeaderVerdict::kGood:
      EXPECT_EQ(code, fits ? StatusCode::kOk : StatusCode::kCorrupt) << view.status().message();
      EXPECT_EQ(needed, expected.header_bytes + expected.bitset_bytes);
      break;
    case HeaderVerdict::kCut:
      EXPECT_EQ(code, StatusCode::kCorrupt);
      EXPECT_GT(needed, bytes.size());
      break;
    case HeaderVerdict::kDamaged:
      EXPECT_EQ(code, StatusCode::kCorrupt);
      EXPECT_EQ(needed, 0u);
      break;
    case HeaderVerdict::kUnknown:
      EXPECT_EQ(code, StatusCode::kUnsupported);
      EXPECT_EQ(needed, 0u);
      break;
  }
  if (code != StatusCode::kOk) {
    EXPECT_TRUE(view.MayContainHash(0) && view.MayContainKey("x"));
    EXPECT_EQ(view.ExpectedFpr(), 1);
    EXPECT_EQ(view.filter_bytes(), 0u);
    return;
  }
  EXPECT_EQ(view.header_bytes(), expected.header_bytes);
  EXPECT_EQ(view.body_bytes(), expected.bitset_bytes);
  EXPECT_EQ(view.filter_bytes(), needed);
}

TEST(ParquetHeader, IsReadAndTellsTheSize) {
  const std::string bytes = Header(64) + kBody;
  const ParquetFilterView view(bytes.data(), bytes.size());
  ASSERT_TRUE(IsOk(view.status()));
  EXPECT_EQ(view.header_bytes(), bytes.size() - 64);
  EXPECT_EQ(view.body_bytes(), 64u);
  EXPECT_EQ(view.filter_bytes(), bytes.size());
  for (const size_t first : {size_t{16}, kParquetFirstRead, bytes.size()}) {
    EXPECT_EQ(ParquetBytesNeeded(bytes.data(), first), bytes.size()) << first;
  }
}

TEST(ParquetHeader, IsCutAtEveryByte) {
  const std::string bytes = Header(64) + kBody;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_EQ(StatusOf(cut).code(), StatusCode::kCorrupt) << size;
    EXPECT_GT(ParquetBytesNeeded(cut.data(), size), size);
    Compare(cut);
  }
}

TEST(ParquetHeader, OtherFieldsAreSkipped) {
  const std::vector<std::string> fields = {
      "\x11",                                         // true, without a value
      std::string("\x13\x07", 2),                     // i8
      std::string("\x14\x80\x01", 3),                 // i16
      std::string("\x17\0\0\0\0\0\0\0\0", 9),         // double
      std::string("\x18\x03xyz", 5),                  // binary
      std::string("\x19\x31\x01\x02\x01", 5),         // a list of three bools, which have a byte each
      std::string("\x1a\xf8\x02\x01z\0", 6),          // a set of two binaries, with a long size
      std::string("\x1b\x02\x83\x01q\x05\0\x06", 8),  // a map from binary to i8
      std::string("\x1b\0", 2),                       // an empty map
      std::string("\x1c\x15\x04\x1c\0\0", 6),         // a struct with a struct
      std::string("\x1d", 1) + std::string(16, 'u')   // uuid
  };
  std::string all;
  for (const std::string& field : fields) all += field;
  for (const std::string& middle : {fields[4], fields[5], fields[9], all}) {
    // Behind the unions, and in front of the size, from field 20 on.
    const std::string behind = SizeField(64) + Union() + Union() + Union() + middle + Stop();
    EXPECT_TRUE(IsOk(StatusOf(behind + kBody)));
    Compare(behind + kBody);
    const std::string front = std::string(1, static_cast<char>(middle[0] & 15)) + Varint(Zigzag(20)) +
                              middle.substr(1) + std::string("\x05", 1) + Varint(Zigzag(1)) + SizeField(64).substr(1) +
                              Union() + Union() + Union() + Stop();
    EXPECT_TRUE(IsOk(StatusOf(front + kBody))) << StatusOf(front + kBody).message();
    Compare(front + kBody);
  }
}

TEST(ParquetHeader, NestingAndSizeAreBounded) {
  const auto nested = [](char type, int levels) {
    std::string bytes = SizeField(64) + Union() + Union() + Union();
    for (int i = 0; i < levels; ++i) bytes += static_cast<char>(type);
    for (int i = 0; i < levels; ++i) bytes += Stop();
    return bytes + Stop() + kBody;
  };
  EXPECT_TRUE(IsOk(StatusOf(nested(0x1c, 8))));
  for (const int levels : {9, 10, 100, 1000, 30000}) {
    EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(nested(0x1c, levels)))) << levels;
    Compare(nested(0x1c, levels));
  }
  // Lists of lists: "one element that is a list".
  EXPECT_EQ(StatusOf(SizeField(64) + std::string(1000, '\x19')).code(), StatusCode::kCorrupt);
  // Counts and lengths of 2^63 and 2^32.
  for (const std::string& count : {Varint(uint64_t{1} << 63), Varint(uint64_t{1} << 32), Varint(2000)}) {
    for (const std::string& bomb : {"\x18" + count, "\x19\xf1" + count, "\x1b" + count + "\x11"}) {
      const std::string bytes = SizeField(64) + Union() + Union() + Union() + bomb + std::string(5000, '\x01');
      EXPECT_TRUE(Says(StatusCode::kUnsupported, StatusOf(bytes), "does not end within 1024"));
      Compare(bytes);
      Compare(bytes.substr(0, 500));
    }
  }
}

TEST(ParquetHeader, ValuesOfNoTypeAreRefused) {
  for (const std::string& field :
       {std::string("\x1e"), std::string("\x1f"), std::string("\x19\x10\0", 3),  // a list of one
        std::string("\x1b\x01\x05\x02", 4),                                      // a map, its key
        std::string("\x1b\x01\x50\x02", 4)}) {
    const std::string bytes = SizeField(64) + Union() + Union() + Union() + field + Stop() + kBody;
    EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(bytes), "wrong at byte"));
    Compare(bytes);
  }
}

TEST(ParquetHeader, SaysWhatItDoesNotKnow) {
  const std::string size = SizeField(64), end = Stop() + kBody;
  EXPECT_TRUE(Says(StatusCode::kUnsupported, StatusOf(size + OtherUnion() + Union() + Union() + end), "algorithm"));
  EXPECT_TRUE(Says(StatusCode::kUnsupported, StatusOf(size + Union() + OtherUnion() + Union() + end), "hash"));
  EXPECT_TRUE(Says(StatusCode::kUnsupported, StatusOf(size + Union() + Union() + OtherUnion() + end), "compression"));
  const std::string empty("\x1c\0", 2);
  EXPECT_TRUE(Says(StatusCode::kUnsupported, StatusOf(size + empty + Union() + Union() + end), "algorithm"));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(size + Union() + Union() + end), "compression"));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(size + end), "algorithm"));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(end), "size"));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf("\x16" + Varint(128) + Union() + Union() + Union() + end), "byte"));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf("PAR1" + std::string(2000, 'x')), "check the offset"));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(""), "0 bytes"));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, ParquetFilterView().status(), "Open"));
}

TEST(ParquetHeader, SizesThatNoFilterHasAreRefused) {
  for (const int64_t bytes : {int64_t{0}, int64_t{-1}, int64_t{-32}, int64_t{1}, int64_t{31}, int64_t{33}, int64_t{48},
                              int64_t{0x7fffffff}, int64_t{0x80000000}, int64_t{1} << 40, INT64_MIN, INT64_MAX}) {
    EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(Header(bytes) + kBody), "multiple of 32")) << bytes;
    Compare(Header(bytes) + kBody);
  }
  // These are sizes, but not so many bytes were given. Nothing is allocated for them.
  for (const int64_t bytes : {int64_t{96}, int64_t{32} << 20, int64_t{0x7fffffe0}}) {
    EXPECT_TRUE(Says(StatusCode::kCorrupt, StatusOf(Header(bytes) + kBody), "were given")) << bytes;
    EXPECT_EQ(ParquetBytesNeeded(Header(bytes).data(), Header(bytes).size()),
              Header(bytes).size() + static_cast<uint64_t>(bytes));
    Compare(Header(bytes) + kBody);
  }
}

// All single bits and bytes of a small file, and random ones.
TEST(ParquetHeader, AgreesWithTheReferenceOnDamagedBytes) {
  const std::string good = Header(64) + kBody;
  for (size_t i = 0; i < good.size() - kBody.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(byte);
      Compare(bytes);
    }
  }
  Random random(34);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    const uint64_t changes = 1 + random.Below(4);
    for (uint64_t j = 0; j < changes; ++j) {
      bytes.insert(random.Below(17), 1, static_cast<char>(random()));
      bytes[random.Below(20)] = static_cast<char>(random.Below(2) != 0 ? random() : random.Below(32));
    }
    Compare(bytes);
  }
}

}  // namespace
}  // namespace linefilter::test
