// The header of a Bloom filter in a Parquet file, read in the obvious way, from the specifications of Parquet
// (parquet.thrift) and of Thrift's compact protocol; and a block that is tested word by word.
#ifndef LINEFILTER_TESTS_REFERENCE_PARQUET_H_
#define LINEFILTER_TESTS_REFERENCE_PARQUET_H_

#include <cstddef>
#include <cstdint>

namespace reference {

enum class HeaderVerdict { kGood, kCut, kDamaged, kUnknown };

struct ParquetHeader {
  HeaderVerdict verdict = HeaderVerdict::kDamaged;
  size_t header_bytes = 0;    // if it is good
  uint64_t bitset_bytes = 0;  // the same
};

// At most 1024 bytes of header and 8 levels of unknown values are read.
ParquetHeader ReadParquetHeader(const uint8_t* bytes, size_t size);

// Whether the bitset says "maybe" to the hash.
bool ParquetMayContain(const uint8_t* bitset, uint64_t bitset_bytes, uint64_t hash);

}  // namespace reference

#endif  // LINEFILTER_TESTS_REFERENCE_PARQUET_H_
