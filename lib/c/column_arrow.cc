// Columns of Arrow's C data interface.
#include "lib/c/columns.h"
#include "lib/c/convert.h"
#include "linefilter/arrow.h"

using namespace linefilter;
using namespace linefilter::internal;

linefilter_code linefilter_column_of_arrow(const struct ArrowSchema* schema, const struct ArrowArray* array,
                                           linefilter_key_form form, linefilter_column* column,
                                           linefilter_column* values, linefilter_status* status) {
  ArrowColumn arrow;
  Status opened = schema == nullptr || array == nullptr ? Refused("the schema or the array of Arrow is NULL")
                                                        : arrow.Open(*schema, *array);
  if (opened.ok() && form != LINEFILTER_KEY_FORM_UNKNOWN) opened = arrow.SetForm(FormFromC(form));
  Column made = ColumnMaker::Around(arrow.column(), FromC(values));
  if (!opened.ok()) ColumnMaker::Break(&made, "the array of Arrow that it was to be made of was refused");
  *column = ToC(made);
  return ToC(opened, status);
}
