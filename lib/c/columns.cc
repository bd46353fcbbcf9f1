// Columns are made, and tell of themselves. What is wrong with one is a fault that it keeps.
#include "lib/c/columns.h"

#include "lib/c/convert.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

constexpr char kNoValues[] = "it is made of other columns, of which one is NULL";

}  // namespace

static_assert(kMaxTexts == LINEFILTER_MAX_TEXTS);

// A std::string_view lies in memory as the C++ library has it, so C gets its texts in a structure of its own.
bool ColumnMaker::CallFunctionOfC(void* column, const std::string_view* texts, size_t n,
                                  std::string_view* canonical) noexcept {
  const Column& called = *static_cast<const Column*>(column);
  linefilter_text in[kMaxTexts] = {}, out[kMaxTexts];
  for (size_t i = 0; i < n; ++i) {
    in[i] = {texts[i].data() != nullptr ? texts[i].data() : "", texts[i].size()};
    out[i] = in[i];
  }
  const auto function = reinterpret_cast<linefilter_canonicalizer>(called.data().callee);
  if (!function(called.canonicalizer().context, in, n, out)) return false;
  for (size_t i = 0; i < n; ++i) {
    if (out[i].data == nullptr && out[i].size != 0) return false;
    canonical[i] = std::string_view(out[i].data, out[i].size);
  }
  return true;
}

linefilter_key_form linefilter_key_form_of_decimals(int32_t scale) {
  return static_cast<linefilter_key_form>(DecimalForm(scale));
}

const char* linefilter_key_form_name(linefilter_key_form form) { return KeyFormName(FormFromC(form)); }

linefilter_column linefilter_column_of_nulls(size_t n) { return ToC(Column::OfNulls(n)); }

linefilter_column linefilter_column_of_numbers(linefilter_number type, const void* values, size_t n) {
  return ToC(ColumnMaker::OfNumbers(type, values, n));
}

linefilter_column linefilter_column_of_instants(linefilter_number type, const void* values, size_t n,
                                                linefilter_time_unit unit) {
  return ToC(ColumnMaker::OfInstants(type, values, n, unit));
}

linefilter_column linefilter_column_of_decimals(linefilter_number type, const void* values, size_t n, int32_t scale) {
  return ToC(ColumnMaker::OfDecimals(type, values, n, scale));
}

linefilter_column linefilter_column_of_fixed_bytes(const void* values, size_t width, size_t n) {
  return ToC(Column::OfFixedBytes(values, width, n));
}

linefilter_column linefilter_column_of_texts(const int32_t* offsets, const void* bytes, size_t n) {
  return ToC(Column::OfTexts(offsets, bytes, n));
}

linefilter_column linefilter_column_of_large_texts(const int64_t* offsets, const void* bytes, size_t n) {
  return ToC(Column::OfTexts(offsets, bytes, n));
}

linefilter_column linefilter_column_of_pointer_views(const void* views, size_t n) {
  return ToC(Column::OfPointerViews(views, n));
}

linefilter_column linefilter_column_of_views(const void* views, const void* const* buffers, size_t num_buffers,
                                             size_t n) {
  return ToC(Column::OfViews(views, buffers, num_buffers, n));
}

linefilter_column linefilter_column_of_dictionary(const linefilter_column* indices, const linefilter_column* values) {
  if (indices == nullptr || values == nullptr) {
    return ToC(ColumnMaker::Broken(linefilter_column_size(indices), kNoValues));
  }
  return ToC(Column::OfDictionary(*FromC(indices), FromC(values)));
}

linefilter_column linefilter_column_of_runs(const linefilter_column* run_ends, const linefilter_column* values,
                                            size_t n) {
  if (run_ends == nullptr || values == nullptr) return ToC(ColumnMaker::Broken(n, kNoValues));
  return ToC(Column::OfRuns(*FromC(run_ends), FromC(values), n));
}

linefilter_column linefilter_column_of_constant(const linefilter_column* value, size_t n) {
  return ToC(value == nullptr ? ColumnMaker::Broken(n, kNoValues) : Column::OfConstant(FromC(value), n));
}

void linefilter_column_set_validity(linefilter_column* column, const uint8_t* bits, size_t first_bit) {
  if (column != nullptr) FromC(column)->SetValidity(bits, first_bit);
}

void linefilter_column_set_nulls(linefilter_column* column, linefilter_nulls nulls) {
  if (column == nullptr) return;
  if (nulls < LINEFILTER_NULLS_NEVER || nulls > LINEFILTER_NULLS_AS_VALUE) {
    return ColumnMaker::Break(FromC(column), "what its nulls are is none of linefilter_nulls");
  }
  FromC(column)->SetNulls(static_cast<Nulls>(nulls));
}

linefilter_code linefilter_column_set_form(linefilter_column* column, linefilter_key_form form,
                                           linefilter_status* status) {
  if (column == nullptr) return ToC(NoHandle("column"), status);
  return ToC(FromC(column)->SetForm(FormFromC(form)), status);
}

linefilter_code linefilter_column_set_canonical(linefilter_column* column, linefilter_canonicalizer function,
                                                void* context, linefilter_status* status) {
  if (column == nullptr) return ToC(NoHandle("column"), status);
  return ToC(ColumnMaker::SetCanonical(FromC(column), function, context), status);
}

linefilter_column linefilter_column_slice(const linefilter_column* column, size_t first, size_t n) {
  return ToC(column == nullptr ? Column() : FromC(column)->Slice(first, n));
}

size_t linefilter_column_size(const linefilter_column* column) { return column == nullptr ? 0 : FromC(column)->size(); }

linefilter_nulls linefilter_column_nulls(const linefilter_column* column) {
  return column == nullptr ? LINEFILTER_NULLS_NEVER : static_cast<linefilter_nulls>(FromC(column)->nulls());
}

linefilter_key_form linefilter_column_form(const linefilter_column* column) {
  return column == nullptr ? LINEFILTER_KEY_FORM_UNKNOWN : static_cast<linefilter_key_form>(FromC(column)->form());
}

linefilter_code linefilter_column_status(const linefilter_column* column, linefilter_status* status) {
  return ToC(column == nullptr ? NoHandle("column") : FromC(column)->status(), status);
}
