// What the parts that read Arrow's arrays hand each other.
#ifndef LINEFILTER_LIB_COLUMNS_ARROW_ARRAY_H_
#define LINEFILTER_LIB_COLUMNS_ARROW_ARRAY_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/arrow.h"
#include "linefilter/column.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// What a format says.
struct ArrowFormat {
  enum class Kind : uint8_t { kNulls, kNumbers, kInstants, kDecimals, kFixedBytes, kTexts, kViews, kRuns };

  Kind kind = Kind::kNulls;
  ColumnType type = ColumnType::kNull;    // of numbers, instants, decimals, and of the offsets of texts
  TimeUnit unit = TimeUnit::kNanosecond;  // of instants
  int scale = 0;                          // of decimals
  size_t width = 0;                       // bytes of a row in the buffer behind that of validity
};

// Reads the format of a schema that was not released. (arrow_format.cc)
Status ReadArrowFormat(const ArrowSchema& schema, ArrowFormat* format);

// Checks what every array has: that it is not released, and that its numbers are none that cannot be.
Status CheckArrowArray(const ArrowArray& array);

// The column of an array without children and dictionary; both structs are checked here. (arrow_plain.cc)
Status PlainArrowColumn(const ArrowSchema& schema, const ArrowArray& array, Column* column);

// The status of an array that breaks a rule.
Status CorruptArrow(const char* what);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_COLUMNS_ARROW_ARRAY_H_
