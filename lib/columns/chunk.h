// Columns are worked on by chunks of rows, whose hashes and bits stay in the L1. This is what the parts of lib/columns
// hand each other.
#ifndef LINEFILTER_LIB_COLUMNS_CHUNK_H_
#define LINEFILTER_LIB_COLUMNS_CHUNK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "linefilter/columns.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// A batch of so many hides the misses of its lookups but for those of the first few. 8 KB of hashes are a quarter of
// the smallest L1.
inline constexpr size_t kChunkRows = 1024;

// Some rows of a column, at most kChunkRows: those of these numbers, or without them first, first + 1, ...
struct RowChunk {
  const uint32_t* rows;
  size_t first;
  size_t n;

  size_t row(size_t i) const { return rows != nullptr ? rows[i] : first + i; }
};

// A bit for each row of a chunk: bit i & 7 of byte i >> 3. Bits behind the last row mean nothing.
struct RowBits {
  alignas(64) uint8_t bytes[kChunkRows / 8];

  bool operator[](size_t i) const { return ((bytes[i >> 3] >> (i & 7)) & 1) != 0; }
  void Fill(bool bit) {
    for (uint8_t& byte : bytes) byte = bit ? 0xff : 0;
  }
  void operator|=(const RowBits& other) {
    for (size_t i = 0; i < sizeof(bytes); ++i) bytes[i] |= other.bytes[i];
  }
  void Remove(const RowBits& other) {
    for (size_t i = 0; i < sizeof(bytes); ++i) bytes[i] &= static_cast<uint8_t>(~other.bytes[i]);
  }
};

// What a null that is a value is hashed as.
inline constexpr std::string_view kNullKey = "linefilter.null";

// What cannot be hashed; null if all could. It is static text, a sentence for a status.
using Fault = const char*;
inline constexpr char kIndexOutside[] = "an index is outside of the dictionary";

// The numbers of the bits that are 1, or what `rows` has there: they are written to `out`, which may be `rows`, and
// counted. Row i has number first + i without `rows`. row_numbers.cc has it.
size_t RowNumbers(const uint8_t* bits, size_t n, const uint32_t* rows, size_t first, uint32_t* out);

// The rows of a chunk whose bits are 1, behind *count others in `maybes`. (row_numbers.cc, for rows of 16 and 32 bits)
template <class Row>
void WriteRows(const uint8_t* bits, const RowChunk& chunk, Row* maybes, size_t* count);

// 0, 1, ... below n. (row_numbers.cc)
void WriteAllRows(size_t n, uint32_t* rows);
inline void WriteAllRows(size_t n, uint16_t* rows) {
  for (size_t i = 0; i < n; ++i) rows[i] = static_cast<uint16_t>(i);
}

// All rows: those of `rows`, or without them 0, 1, ... below n.
template <class Row>
void LetAllThrough(const Row* rows, size_t n, Row* maybes) {
  if (rows == nullptr) return WriteAllRows(n, maybes);
  if (n != 0 && rows != maybes) std::memcpy(maybes, rows, n * sizeof(Row));
}

// A bit for each of `count` values, 1 to 2^32, as those of RowBits; there are 128 bytes at least.
struct ValueBits {
  const uint8_t* bytes;  // at a multiple of 64
  size_t count;
};
// The rows whose value has a bit of 1: that of row i of the chunk is number i of `value`, which are uint32_t of any
// alignment. False if one is not below the count: *count is as before then.
template <class Row>
bool WriteRows(const ValueBits& values, const void* value, const RowChunk& chunk, Row* maybes, size_t* count);

// Which rows of the chunk are null; false if none can be. A null of a dictionary's values is one of the dictionary.
bool FindNulls(const Column& column, const RowChunk& chunk, RowBits* nulls);

// The rows of data.inner that the rows of the chunk have. A null has row 0. (rows.cc)
Fault MapRows(const Column& column, const RowChunk& chunk, uint32_t* mapped);

// The hashes of numbers in their form. (numbers.cc)
void HashNumbers(const Column& column, const KeyHash& key_hash, const RowChunk& chunk, uint64_t* hashes);
// The hashes of texts in their form; `nulls` is null or tells which rows are not looked at. (texts.cc)
Fault HashTexts(const Column& column, const KeyHash& key_hash, const RowChunk& chunk, const RowBits* nulls,
                uint64_t* hashes);

// The keys of a chunk.
struct ChunkKeys {
  alignas(64) uint64_t hashes[kChunkRows];
  bool has_nulls;  // else the two are not set
  RowBits never;   // rows that have no key and do not stay
  RowBits always;  // rows that have no key and stay, unless they never do
};

// Hashes the rows of a chunk, for which CanHash is ok. (hash.cc)
Fault HashRows(const Columns& columns, const KeyHash& key_hash, const RowChunk& chunk, ChunkKeys* keys);
// Whether columns can be hashed so; key_hash is a filter's. Several need hash id kCaller.
Status CanHash(const Columns& columns, const KeyHash& key_hash);
// Whether a filter of Parquet's hash can be asked for a column that can be hashed so.
Status CanAskParquet(const Column& column);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_COLUMNS_CHUNK_H_
