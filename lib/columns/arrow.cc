// Columns of Arrow's arrays: those of dictionaries and of runs are two columns, one around the other.
#include "linefilter/arrow.h"

#include <cstring>

#include "lib/columns/arrow_array.h"

namespace linefilter {
namespace {

using internal::ArrowFormat;
using internal::CorruptArrow;

constexpr char kRefused[] =
    "the array of Arrow that it was made of was refused (ArrowColumn::Open told why): all rows stay, and none is added";

// Children and dictionaries are plain: a column has one column within, no more.
Status CheckPlain(const ArrowSchema& schema, const ArrowArray& array) {
  if (schema.dictionary == nullptr && array.dictionary == nullptr &&
      (schema.format == nullptr || schema.format[0] != '+')) {
    return Status();
  }
  return Status::Error(StatusCode::kUnsupported,
                       "the values of a dictionary or of runs of Arrow are themselves a dictionary, runs or nested: "
                       "decode them first");
}

template <class T>
Status CheckEndsOf(const internal::ColumnData& ends, size_t num_rows) {
  const uint8_t* const values = static_cast<const uint8_t*>(ends.values) + ends.first * sizeof(T);
  T last = 0;
  bool falls = false;
  for (size_t i = 0; i < ends.size; ++i) {
    T next;
    std::memcpy(&next, values + i * sizeof(T), sizeof(T));
    falls |= next <= last;
    last = next;
  }
  if (falls) return CorruptArrow("the ends of its runs are not positive or do not rise");
  if (static_cast<uint64_t>(last) < num_rows) return CorruptArrow("its runs end before its last row");
  return Status();
}

Status CheckEnds(const Column& ends, size_t num_rows) {
  if (ends.size() == 0) return num_rows == 0 ? Status() : CorruptArrow("its rows have no runs");
  switch (ends.data().type) {
    case ColumnType::kInt16:
      return CheckEndsOf<int16_t>(ends.data(), num_rows);
    case ColumnType::kInt32:
      return CheckEndsOf<int32_t>(ends.data(), num_rows);
    default:
      return CheckEndsOf<int64_t>(ends.data(), num_rows);
  }
}

bool IsTypeOfEnds(ColumnType type) {
  return type == ColumnType::kInt16 || type == ColumnType::kInt32 || type == ColumnType::kInt64;
}

// A schema or an array of two children that are there.
template <class Struct>
bool HasTwoChildren(const Struct& parent) {
  return parent.n_children == 2 && parent.children != nullptr && parent.children[0] != nullptr &&
         parent.children[1] != nullptr;
}

}  // namespace

ArrowColumn::ArrowColumn() noexcept = default;

Status ArrowColumn::Open(const ArrowSchema& schema, const ArrowArray& array) noexcept {
  const Nulls nulls = outer_.nulls();
  Status status = OpenAny(schema, array);
  if (status.ok()) status = outer_.status();
  if (!status.ok()) {
    outer_ = Column::OfNulls(internal::CheckArrowArray(array).ok() ? static_cast<size_t>(array.length) : 0);
    outer_.data_.fault = kRefused;
  }
  outer_.SetNulls(nulls);
  return status;
}

Status ArrowColumn::OpenAny(const ArrowSchema& schema, const ArrowArray& array) noexcept {
  ArrowFormat format;
  if (Status status = internal::ReadArrowFormat(schema, &format); !status.ok()) return status;
  if (Status status = internal::CheckArrowArray(array); !status.ok()) return status;
  if ((schema.dictionary == nullptr) != (array.dictionary == nullptr)) {
    return CorruptArrow("either the schema or the array has a dictionary, and the other one has none");
  }
  if (schema.dictionary != nullptr) return OpenDictionary(schema, array);
  if (format.kind == ArrowFormat::Kind::kRuns) return OpenRuns(schema, array);
  return OpenPlain(schema, array, &outer_);
}

Status ArrowColumn::OpenPlain(const ArrowSchema& schema, const ArrowArray& array, Column* column) noexcept {
  const Status status = internal::PlainArrowColumn(schema, array, column);
  if (status.ok()) column->data_.is_wide_date = std::strcmp(schema.format, "tdm") == 0;
  return status;
}

Status ArrowColumn::OpenDictionary(const ArrowSchema& schema, const ArrowArray& array) noexcept {
  if (Status status = CheckPlain(*schema.dictionary, *array.dictionary); !status.ok()) return status;
  ArrowFormat format;
  if (Status status = internal::ReadArrowFormat(schema, &format); !status.ok()) return status;
  if (format.kind != ArrowFormat::Kind::kNumbers || format.type > ColumnType::kUInt64) {
    return CorruptArrow("the indices of its dictionary are no integers");
  }
  Column indices;
  if (Status status = OpenPlain(schema, array, &indices); !status.ok()) return status;
  if (Status status = OpenPlain(*schema.dictionary, *array.dictionary, &inner_); !status.ok()) {
    return status;
  }
  outer_ = Column::OfDictionary(indices, &inner_);
  return Status();
}

// The offset of the array counts rows. Those of its children are their own.
Status ArrowColumn::OpenRuns(const ArrowSchema& schema, const ArrowArray& array) noexcept {
  if (!HasTwoChildren(schema) || !HasTwoChildren(array)) {
    return CorruptArrow("runs have two children, their ends and their values");
  }
  if (Status status = CheckPlain(*schema.children[1], *array.children[1]); !status.ok()) return status;
  Column ends;
  if (Status status = OpenPlain(*schema.children[0], *array.children[0], &ends); !status.ok()) {
    return status;
  }
  const ArrowArray& of_ends = *array.children[0];
  if (schema.children[0]->dictionary != nullptr || of_ends.dictionary != nullptr || of_ends.null_count > 0 ||
      !IsTypeOfEnds(ends.data().type)) {
    return CorruptArrow("the ends of its runs are no integers of 16, 32 or 64 bits, or are null");
  }
  if (Status status = OpenPlain(*schema.children[1], *array.children[1], &inner_); !status.ok()) {
    return status;
  }
  if (inner_.size() < ends.size()) return CorruptArrow("it has more ends of runs than values");
  const size_t first = static_cast<size_t>(array.offset), n = static_cast<size_t>(array.length);
  if (Status status = CheckEnds(ends, n == 0 ? 0 : first + n); !status.ok()) return status;
  outer_ = Column::OfRuns(ends, &inner_, first + n).Slice(first, n);
  return Status();
}

Column* ArrowColumn::values() noexcept { return outer_.data_.inner != nullptr ? &inner_ : &outer_; }

// What was said to the values is said of the column, too.
Status ArrowColumn::TakeForm(const Status& status) noexcept {
  if (status.ok() && outer_.data_.inner != nullptr) {
    outer_.form_ = inner_.form_;
    outer_.canonicalizer_ = inner_.canonicalizer_;
  }
  return status;
}

Status ArrowColumn::SetForm(KeyForm form) noexcept {
  if (Status status = outer_.status(); !status.ok()) return status;
  return TakeForm(values()->SetForm(form));
}

Status ArrowColumn::SetCanonical(const Canonicalizer& canonicalizer) noexcept {
  if (Status status = outer_.status(); !status.ok()) return status;
  return TakeForm(values()->SetCanonical(canonicalizer));
}

}  // namespace linefilter
