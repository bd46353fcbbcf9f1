// A linefilter_column holds a Column, whose bytes it keeps.
#ifndef LINEFILTER_LIB_C_COLUMNS_H_
#define LINEFILTER_LIB_C_COLUMNS_H_

#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>

#include "linefilter/c/columns.h"
#include "linefilter/column.h"
#include "linefilter/columns.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// C copies it as bytes, and nobody destroys it.
static_assert(sizeof(Column) <= sizeof(linefilter_column) && alignof(Column) <= alignof(linefilter_column));
static_assert(std::is_trivially_destructible_v<Column>);

inline const Column* FromC(const linefilter_column* column) noexcept { return reinterpret_cast<const Column*>(column); }
inline Column* FromC(linefilter_column* column) noexcept { return reinterpret_cast<Column*>(column); }

inline linefilter_column ToC(const Column& column) noexcept {
  linefilter_column made = {};
  ::new (static_cast<void*>(&made)) Column(column);
  return made;
}

// Makes columns of the types of C, of which a caller may hand over any number.
struct ColumnMaker {
  static Column Broken(size_t n, const char* fault) noexcept {
    Column column = Column::OfNulls(n);
    return Break(&column, fault), column;
  }
  static void Break(Column* column, const char* fault) noexcept { column->data_.fault = fault; }

  // A column that refers to values is copied: the copy refers to a copy of these.
  static Column Around(const Column& column, Column* values) noexcept {
    Column copy = column;
    if (column.data_.inner != nullptr) {
      ::new (static_cast<void*>(values)) Column(*column.data_.inner);
      copy.data_.inner = values;
    }
    return copy;
  }

  static Status SetCanonical(Column* column, linefilter_canonicalizer function, void* context) noexcept {
    const Status set = column->SetCanonical({function == nullptr ? nullptr : CallFunctionOfC, context});
    if (set.ok()) column->data_.callee = reinterpret_cast<void (*)()>(function);
    return set;
  }

  static Column OfNumbers(linefilter_number type, const void* values, size_t n) noexcept {
    if (type < LINEFILTER_NUMBER_INT8 || type > LINEFILTER_NUMBER_DOUBLE) {
      return Broken(n, "its type is none of the numbers that a column of numbers has (linefilter_number)");
    }
    return Column(TypeOf(type), type < LINEFILTER_NUMBER_FLOAT ? KeyForm::kInteger : KeyForm::kReal, values, n);
  }
  static Column OfInstants(linefilter_number type, const void* values, size_t n, linefilter_time_unit unit) noexcept {
    if (!IsSigned32Or64(type)) return Broken(n, "instants are integers of 32 or 64 signed bits");
    if (unit < LINEFILTER_TIME_UNIT_DAY || unit > LINEFILTER_TIME_UNIT_NANOSECOND) {
      return Broken(n, "its unit is none (linefilter_time_unit)");
    }
    return Column::OfInstants(TypeOf(type), values, n, static_cast<TimeUnit>(unit));
  }
  static Column OfDecimals(linefilter_number type, const void* values, size_t n, int scale) noexcept {
    if (!IsSigned32Or64(type) && type != LINEFILTER_NUMBER_INT128) {
      return Broken(n, "decimals are integers of 32, 64 or 128 signed bits");
    }
    return Column::OfDecimals(TypeOf(type), values, n, scale);
  }

 private:
  // This is the `make` of each column whose function is one of C. The context is the column. (columns.cc)
  static bool CallFunctionOfC(void* column, const std::string_view* texts, size_t n,
                              std::string_view* canonical) noexcept;

  static bool IsSigned32Or64(linefilter_number type) noexcept {
    return type == LINEFILTER_NUMBER_INT32 || type == LINEFILTER_NUMBER_INT64;
  }
  // They have the same numbers.
  static ColumnType TypeOf(linefilter_number type) noexcept { return static_cast<ColumnType>(type); }
  static_assert(static_cast<int>(ColumnType::kInt64) == LINEFILTER_NUMBER_INT64 &&
                static_cast<int>(ColumnType::kUInt64) == LINEFILTER_NUMBER_UINT64 &&
                static_cast<int>(ColumnType::kDouble) == LINEFILTER_NUMBER_DOUBLE &&
                static_cast<int>(ColumnType::kInt128) == LINEFILTER_NUMBER_INT128);
};

// What is no form is one that no column takes.
inline KeyForm FormFromC(linefilter_key_form form) noexcept {
  return static_cast<KeyForm>(form < 0 || form > 255 ? 255 : form);
}

// The columns of a key. C's lie further apart than those of C++, so several are copied.
class ColumnsFromC {
 public:
  ColumnsFromC(const linefilter_column* columns, size_t num_columns) noexcept
      : columns_(FromC(columns), columns == nullptr ? 0 : num_columns) {
    if (columns_.count <= 1) return;
    const size_t n = columns_.count < kMaxColumns ? columns_.count : kMaxColumns;
    for (size_t c = 0; c < n; ++c) ::new (static_cast<void*>(&own_.of[c])) Column(*FromC(&columns[c]));
    columns_.of = own_.of;
  }
  ColumnsFromC(const ColumnsFromC&) = delete;
  ColumnsFromC& operator=(const ColumnsFromC&) = delete;

  operator const Columns&() const noexcept { return columns_; }

 private:
  Columns columns_;
  RoomForKeys<Column, kMaxColumns> own_;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_COLUMNS_H_
