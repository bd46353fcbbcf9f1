// A filter knows the forms of the columns that were added to it: columns of other forms are refused, because members
// would be "absent".
#include "lib/columns/question.h"
#include "linefilter/builder.h"
#include "linefilter/key_filter.h"

namespace linefilter::internal {
namespace {

constexpr unsigned kNullBit = 0x80;

unsigned FormByte(const Column& column) {
  return static_cast<unsigned>(column.form()) | (column.nulls() == Nulls::kAsValue ? kNullBit : 0);
}

// A column of nulls alone has no form, and goes with any. Where a null is a value, the filter must know it as one.
bool Fits(unsigned of_filter, const Column& column) {
  if (column.nulls() == Nulls::kAsValue && (of_filter & kNullBit) == 0) return false;
  return column.form() == KeyForm::kUnknown || static_cast<unsigned>(column.form()) == (of_filter & ~kNullBit);
}

Status Refuse(size_t number, unsigned of_filter, const Column& column) {
  const KeyForm form = static_cast<KeyForm>(of_filter & ~kNullBit);
  if (column.form() == form || column.form() == KeyForm::kUnknown) {
    return Status::Error(
        StatusCode::kIncompatible,
        "column %zu takes a null as a value (Nulls::kAsValue), and the filter has no nulls: both sides "
        "say the same",
        number);
  }
  return Status::Error(StatusCode::kIncompatible,
                       "the filter has column %zu in the form '%s' (%u), and this one is '%s' (%u): SetForm says how "
                       "both are compared",
                       number, KeyFormName(form), static_cast<unsigned>(form), KeyFormName(column.form()),
                       static_cast<unsigned>(column.form()));
}

}  // namespace

uint64_t FormsOf(const Columns& columns) {
  uint64_t forms = 0;
  for (size_t c = 0; c < columns.count; ++c) {
    if (columns.of[c].form() == KeyForm::kUnknown) return 0;  // nulls alone tell nothing
    forms |= uint64_t{FormByte(columns.of[c])} << (8 * c);
  }
  return forms;
}

Status FormsFit(const KeyKinds& kinds, const Columns& columns, bool is_asked) {
  if (AreDifferentForms(kinds.forms())) {
    return Status::Error(
        StatusCode::kIncompatible,
        "columns of forms that differ were added to the filter or united in it: a column of one form would "
        "miss keys of the others");
  }
  uint64_t forms = kinds.key_forms();
  if (forms == 0 || forms == kUnknownKeyForms) {
    if (columns.count == 1 || !is_asked) return Status();
    return Status::Error(StatusCode::kIncompatible,
                         "nobody knows whether the keys of the filter are these columns: add them by AddColumn, or say "
                         "NoteKeyForms");
  }
  for (size_t c = 0; c < kMaxColumns; ++c, forms >>= 8) {
    const unsigned of_filter = forms & 0xff;
    if ((of_filter != 0) != (c < columns.count)) {
      return Status::Error(StatusCode::kIncompatible, "the keys of the filter have another number of columns than %zu",
                           columns.count);
    }
    if (of_filter != 0 && !Fits(of_filter, columns.of[c])) return Refuse(c, of_filter, columns.of[c]);
  }
  return Status();
}

}  // namespace linefilter::internal
