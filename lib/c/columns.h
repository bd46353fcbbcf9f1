// A linefilter_column holds a Column, whose bytes it keeps.
#ifndef LINEFILTER_LIB_C_COLUMNS_H_
#define LINEFILTER_LIB_C_COLUMNS_H_

#include <cstddef>
#include <new>
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
