// The header in front of a bitset in a Parquet file is Thrift's compact encoding of the struct BloomFilterHeader. Field
// 1 is the size of the bitset (i32). Fields 2 to 4 are unions that name algorithm, hash and compression, each by an
// empty struct in its field 1: BLOCK, XXHASH, UNCOMPRESSED.
#ifndef LINEFILTER_LIB_PARQUET_HEADER_H_
#define LINEFILTER_LIB_PARQUET_HEADER_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/status.h"

namespace linefilter::internal {

struct BloomHeader {
  size_t header_bytes = 0;
  uint64_t bitset_bytes = 0;
};

// Tells whether a filter can have such a bitset.
bool IsBitset(uint64_t bitset_bytes);

// Reads a header and checks what it says. It asks not whether so many bytes follow. Where the header goes on behind
// `size`, and may do so, *is_cut is true. No byte behind `size` is read, and nothing is allocated.
Status ReadHeader(const uint8_t* bytes, size_t size, BloomHeader* header, bool* is_cut);

// The longest header that is written.
inline constexpr size_t kMostWrittenHeader = 19;
// Writes the header of such a bitset and returns its size.
size_t WriteHeader(uint64_t bitset_bytes, uint8_t* out);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_PARQUET_HEADER_H_
