// Arrow's arrays without children: their buffers are checked, and become a column.

#include "lib/columns/arrow_array.h"
#include "lib/columns/value_at.h"

namespace linefilter::internal {
namespace {

using Kind = ArrowFormat::Kind;

// The rows of an array that has some, with its buffers as far as all kinds have them.
struct Rows {
  size_t first;
  size_t n;
  const uint8_t* validity;
  const void* values;

  size_t end() const { return first + n; }
  bool IsNull(size_t i) const { return validity != nullptr && ((validity[i >> 3] >> (i & 7)) & 1) == 0; }
};

// Not even their places can be counted in bytes if there are more.
bool AreTooMany(const Rows& rows, size_t width) {
  return width != 0 && rows.end() > (static_cast<size_t>(PTRDIFF_MAX) - width) / width;  // texts have one more offset
}

template <class Offset>
Status CheckOffsets(const Rows& rows, const void* bytes) {
  Offset last = At<Offset>(rows.values, rows.first);
  bool falls = last < 0;
  for (size_t i = rows.first; i < rows.end(); ++i) {
    const Offset next = At<Offset>(rows.values, i + 1);
    falls |= next < last;
    last = next;
  }
  if (falls) return CorruptArrow("the offsets of its texts are negative or do not rise");
  if (bytes == nullptr && last != 0) return CorruptArrow("its texts have no bytes");
  return Status();
}

// The variadic buffers of views, and the last buffer, which has their sizes.
Status CheckViews(const Rows& rows, const ArrowArray& array) {
  constexpr int32_t kMostInside = 12;
  const int64_t num_buffers = array.n_buffers - 3;
  const void* const* const buffers = array.buffers + 2;
  const void* const sizes = array.buffers[array.n_buffers - 1];
  if (num_buffers != 0 && sizes == nullptr) return CorruptArrow("nothing tells the sizes of the buffers of its views");
  for (size_t i = rows.first; i < rows.end(); ++i) {
    if (rows.IsNull(i)) continue;
    const uint8_t* const view = static_cast<const uint8_t*>(rows.values) + i * 16;
    const int32_t size = At<int32_t>(view, 0);
    if (size < 0) return CorruptArrow("the length of a view is negative");
    if (size <= kMostInside) continue;
    const int32_t buffer = At<int32_t>(view, 2), offset = At<int32_t>(view, 3);
    if (buffer < 0 || buffer >= num_buffers || buffers[buffer] == nullptr) {
      return CorruptArrow("a view lies in a buffer that is not there");
    }
    if (offset < 0 || int64_t{offset} + size > At<int64_t>(sizes, static_cast<size_t>(buffer))) {
      return CorruptArrow("a view reaches beyond its buffer");
    }
  }
  return Status();
}

template <class T>
Column Numbers(const void* values, size_t n) {
  return Column::OfNumbers(static_cast<const T*>(values), n);
}

Column ColumnOfNumbers(ColumnType type, const void* values, size_t n) {
  switch (type) {
    case ColumnType::kInt8:
      return Numbers<int8_t>(values, n);
    case ColumnType::kInt16:
      return Numbers<int16_t>(values, n);
    case ColumnType::kInt32:
      return Numbers<int32_t>(values, n);
    case ColumnType::kInt64:
      return Numbers<int64_t>(values, n);
    case ColumnType::kUInt8:
      return Numbers<uint8_t>(values, n);
    case ColumnType::kUInt16:
      return Numbers<uint16_t>(values, n);
    case ColumnType::kUInt32:
      return Numbers<uint32_t>(values, n);
    case ColumnType::kUInt64:
      return Numbers<uint64_t>(values, n);
    case ColumnType::kFloat:
      return Numbers<float>(values, n);
    default:
      return Numbers<double>(values, n);
  }
}

// The column of the rows 0 to n - 1 of the buffers.
Column WholeColumn(const ArrowFormat& format, const ArrowArray& array, const void* values, size_t n) {
  const auto* const as32 = static_cast<const int32_t*>(values);
  const auto* const as64 = static_cast<const int64_t*>(values);
  const bool is32 = format.type == ColumnType::kInt32 || format.type == ColumnType::kText32;
  switch (format.kind) {
    case Kind::kNumbers:
      return ColumnOfNumbers(format.type, values, n);
    case Kind::kInstants:
      return is32 ? Column::OfInstants(as32, n, format.unit) : Column::OfInstants(as64, n, format.unit);
    case Kind::kDecimals:
      if (format.type == ColumnType::kInt128) return Column::OfDecimals128(values, n, format.scale);
      return is32 ? Column::OfDecimals(as32, n, format.scale) : Column::OfDecimals(as64, n, format.scale);
    case Kind::kFixedBytes:
      return Column::OfFixedBytes(values, format.width, n);
    case Kind::kTexts:
      return is32 ? Column::OfTexts(as32, array.buffers[2], n) : Column::OfTexts(as64, array.buffers[2], n);
    case Kind::kViews:
      return Column::OfViews(values, array.buffers + 2, static_cast<size_t>(array.n_buffers - 3), n);
    default:
      return Column::OfNulls(n);
  }
}

Status CheckNumberOfBuffers(Kind kind, const ArrowArray& array) {
  const int64_t wanted = kind == Kind::kTexts || kind == Kind::kViews ? 3 : 2;
  const bool has_them = kind == Kind::kViews ? array.n_buffers >= wanted : array.n_buffers == wanted;
  if (!has_them) return CorruptArrow("it has not as many buffers as its type");
  if (array.buffers == nullptr) return CorruptArrow("it has no buffers");
  return Status();
}

// What a type has besides its rows.
Status CheckRows(const ArrowFormat& format, const ArrowArray& array, const Rows& rows) {
  if (AreTooMany(rows, format.width)) return CorruptArrow("it has more rows than memory can have");
  if (rows.validity == nullptr && array.null_count > 0) return CorruptArrow("nothing tells which of its rows are null");
  if (rows.values == nullptr && format.width != 0) return CorruptArrow("its rows have no buffer");
  if (format.kind == Kind::kViews) return CheckViews(rows, array);
  if (format.kind != Kind::kTexts) return Status();
  return format.type == ColumnType::kText32 ? CheckOffsets<int32_t>(rows, array.buffers[2])
                                            : CheckOffsets<int64_t>(rows, array.buffers[2]);
}

}  // namespace

Status CorruptArrow(const char* what) {
  return Status::Error(StatusCode::kCorrupt, "an array of Arrow is broken, so all rows stay: %s", what);
}

Status CheckArrowArray(const ArrowArray& array) {
  if (array.release == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "an array of Arrow was released, or was never filled: keep it as long as its column");
  }
  if (array.length < 0 || array.offset < 0 || array.null_count < -1) {
    return CorruptArrow("its length, offset or number of nulls is negative");
  }
  if (array.length > INT64_MAX - array.offset || array.length + array.offset > PTRDIFF_MAX) {
    return CorruptArrow("its length and offset are beyond what memory can have");
  }
  return Status();
}

Status PlainArrowColumn(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
  ArrowFormat format;
  if (Status status = ReadArrowFormat(schema, &format); !status.ok()) return status;
  if (Status status = CheckArrowArray(array); !status.ok()) return status;
  const size_t n = static_cast<size_t>(array.length), first = static_cast<size_t>(array.offset);
  if (format.kind == Kind::kNulls) {
    *column = Column::OfNulls(n);
    return Status();
  }
  if (format.kind == Kind::kRuns) return CorruptArrow("runs lie where a plain array has to be");
  if (Status status = CheckNumberOfBuffers(format.kind, array); !status.ok()) return status;
  if (n == 0) {  // no buffer is needed
    *column = WholeColumn(format, array, nullptr, 0);
    return Status();
  }
  Rows rows = {first, n, nullptr, array.buffers[1]};
  if (array.null_count != 0) rows.validity = static_cast<const uint8_t*>(array.buffers[0]);
  if (Status status = CheckRows(format, array, rows); !status.ok()) return status;
  const Column whole = WholeColumn(format, array, rows.values, rows.end());
  *column = whole.Slice(first, n);
  if (rows.validity != nullptr) column->SetValidity(rows.validity, first);
  return Status();
}

}  // namespace linefilter::internal
