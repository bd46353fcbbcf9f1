// What a Column (linefilter/column.h) refers to.
#ifndef LINEFILTER_INTERNAL_COLUMN_DATA_H_
#define LINEFILTER_INTERNAL_COLUMN_DATA_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace linefilter {

class Column;
struct Canonicalizer;

// How values lie. The first ten are numbers, in the order in which kTypeOfNumber counts. Functions that templates of
// Column call take it, so it is no name of namespace internal; nobody else has a use for it.
enum class ColumnType : uint8_t {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat,
  kDouble,
  kInt128,        // 16 bytes, in the order of the machine
  kFixedBytes,    // `width` bytes each
  kText32,        // offsets of 32 bits into `bytes`
  kText64,        // offsets of 64 bits into `bytes`
  kViews,         // Arrow's 16 bytes; `bytes` is an array of `width` buffers
  kPointerViews,  // DuckDB's 16 bytes
  kStringViews,   // std::string_view
  kNull,          // nulls alone, no values
  kDictionary,    // `values` are indices of `index_type` into `inner`
  kRuns,          // `values` are ends of runs of `index_type`; `inner` has the value of each
  kConstant,      // `inner` has the value of all rows
};

namespace internal {

struct ColumnMaker;  // makes columns of types that are known when the program runs

// kNull is of no number.
template <class T>
inline constexpr ColumnType kTypeOfNumber = ColumnType::kNull;
template <>
inline constexpr ColumnType kTypeOfNumber<signed char> = ColumnType::kInt8;
template <>
inline constexpr ColumnType kTypeOfNumber<short> = ColumnType::kInt16;
template <>
inline constexpr ColumnType kTypeOfNumber<int> = ColumnType::kInt32;
template <>
inline constexpr ColumnType kTypeOfNumber<long> = sizeof(long) == 8 ? ColumnType::kInt64 : ColumnType::kInt32;
template <>
inline constexpr ColumnType kTypeOfNumber<long long> = ColumnType::kInt64;
template <>
inline constexpr ColumnType kTypeOfNumber<unsigned char> = ColumnType::kUInt8;
template <>
inline constexpr ColumnType kTypeOfNumber<unsigned short> = ColumnType::kUInt16;
template <>
inline constexpr ColumnType kTypeOfNumber<unsigned> = ColumnType::kUInt32;
template <>
inline constexpr ColumnType kTypeOfNumber<unsigned long> = sizeof(long) == 8 ? ColumnType::kUInt64
                                                                             : ColumnType::kUInt32;
template <>
inline constexpr ColumnType kTypeOfNumber<unsigned long long> = ColumnType::kUInt64;
template <>
inline constexpr ColumnType kTypeOfNumber<float> = ColumnType::kFloat;
template <>
inline constexpr ColumnType kTypeOfNumber<double> = ColumnType::kDouble;

template <class T>
inline constexpr bool kIsSigned32Or64 =
    kTypeOfNumber<T> == ColumnType::kInt32 || kTypeOfNumber<T> == ColumnType::kInt64;

struct ColumnData {
  const void* values = nullptr;       // numbers, fixed bytes, offsets, views, indices or ends of runs
  const void* bytes = nullptr;        // see ColumnType
  const uint8_t* validity = nullptr;  // null: no row is null
  const Column* inner = nullptr;      // see ColumnType
  size_t size = 0;                    // rows
  size_t first = 0;                   // the place in `values` of row 0
  size_t first_bit = 0;               // the place in `validity` of row 0
  size_t width = 0;                   // see ColumnType
  uint64_t factor = 1;                // what its numbers are multiplied with
  uint64_t unit = 0;                  // nanoseconds of a unit; 0: no instants
  ColumnType type = ColumnType::kNull;
  ColumnType index_type = ColumnType::kNull;  // see ColumnType
  int8_t scale = -1;                          // of decimals; -1: it is none
  bool is_wide_date = false;                  // Arrow's dates in milliseconds, which Parquet stores as days
  const char* fault = nullptr;                // what was wrong with what it was made of
  // A function of C, if there is one: its canonicalizer calls it, and gets the column for a context (lib/c/columns.h).
  void (*callee)() = nullptr;
};

}  // namespace internal
}  // namespace linefilter

#endif  // LINEFILTER_INTERNAL_COLUMN_DATA_H_
