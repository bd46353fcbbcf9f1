// Headers of Bloom filters by hand, in the words of Thrift's compact protocol, and the file of parquet-mr.
#ifndef LINEFILTER_TESTS_PARQUET_PARQUET_TEST_H_
#define LINEFILTER_TESTS_PARQUET_PARQUET_TEST_H_

#include <cstdint>
#include <string>

#include "tests/testing/temp_dir.h"

namespace linefilter::test {

// A filter of parquet-mr with the strings hello, parquet, bloom and filter (tests/data/parquet/README.md).
inline std::string FileOfParquetMr() {
  return ReadFile(std::string(LINEFILTER_SOURCE_DIR) + "/tests/data/parquet/bloom_filter.xxhash.bin");
}

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline uint64_t Zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ (value < 0 ? ~uint64_t{0} : uint64_t{0});
}

// The parts of a header.
inline std::string SizeField(int64_t bitset_bytes) { return "\x15" + Varint(Zigzag(bitset_bytes)); }
inline std::string Union() { return std::string("\x1c\x1c\0\0", 4); }  // the next field: its first member
inline std::string OtherUnion() { return std::string("\x1c\x2c\0\0", 4); }
inline std::string Stop() { return std::string(1, '\0'); }

inline std::string Header(int64_t bitset_bytes) {
  return SizeField(bitset_bytes) + Union() + Union() + Union() + Stop();
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_PARQUET_PARQUET_TEST_H_
