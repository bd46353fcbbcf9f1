// A filter knows the forms of the columns that were added to it: other columns are refused, for they would be "absent".
#include "lib/columns/question.h"
#include "linefilter/builder.h"
#include "linefilter/key_filter.h"

namespace linefilter::internal {

uint64_t FormsOf(const Columns& columns) {
  uint64_t forms = 0;
  for (size_t c = 0; c < columns.count; ++c) {
    const Column& column = columns.of[c];
    const unsigned null_bit = column.nulls() == Nulls::kAsValue ? 0x80 : 0;
    forms |= uint64_t{static_cast<unsigned>(column.form()) | null_bit} << (8 * c);
  }
  return forms;
}

Status FormsFit(const FilterBase& filter, const Columns& columns) {
  static_cast<void>(filter);
  static_cast<void>(columns);
  return Status();
}

void NoteForms(const Columns&, KeyFilter*) {}
Status NoteForms(const Columns&, FilterBuilder*) { return Status(); }

}  // namespace linefilter::internal
