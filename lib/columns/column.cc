// Columns are made here, and take their forms.
#include "linefilter/column.h"

namespace linefilter {
namespace {

using internal::ColumnData;

constexpr uint64_t kNanosecondsOf[] = {86400000000000u, 1000000000u, 1000000u, 1000u, 1u};
constexpr int kMostScale = 38;
constexpr uint64_t kMostValues = uint64_t{1} << 32;  // their row numbers have 32 bits (MapRows)

bool IsInteger(ColumnType type) { return type <= ColumnType::kUInt64; }
bool IsReal(ColumnType type) { return type == ColumnType::kFloat || type == ColumnType::kDouble; }
bool IsText(ColumnType type) { return type >= ColumnType::kFixedBytes && type <= ColumnType::kStringViews; }
bool HasInner(ColumnType type) { return type >= ColumnType::kDictionary; }

bool IsDecimalForm(KeyForm form) { return form > KeyForm::kDecimal && form <= DecimalForm(kMostScale); }
// -1 if the form is not of decimals. An integer is one of scale 0.
int ScaleOf(KeyForm form) {
  if (form == KeyForm::kInteger) return 0;
  return IsDecimalForm(form) ? static_cast<int>(form) - static_cast<int>(KeyForm::kDecimal) : -1;
}

uint64_t PowerOf10(int exponent) {
  uint64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;  // modulo 2^64, as the form has it
  return power;
}

}  // namespace

const char* KeyFormName(KeyForm form) noexcept {
  if (IsDecimalForm(form)) return "decimal";
  switch (form) {
    case KeyForm::kText:
      return "text";
    case KeyForm::kInteger:
      return "integer";
    case KeyForm::kReal:
      return "real";
    case KeyForm::kInstant:
      return "instant";
    case KeyForm::kPaddedText:
      return "padded text";
    case KeyForm::kCanonicalText:
      return "canonical text";
    default:
      return "unknown";
  }
}

Column::Column() noexcept = default;
Column::Column(const Column&) noexcept = default;
Column& Column::operator=(const Column&) noexcept = default;

Column::Column(ColumnType type, KeyForm form, const void* values, size_t n) noexcept : form_(form) {
  data_.type = type;
  data_.values = values;
  data_.size = n;
}

Column Column::OfNulls(size_t n) noexcept { return Column(ColumnType::kNull, KeyForm::kUnknown, nullptr, n); }

Column Column::OfInstants(ColumnType type, const void* values, size_t n, TimeUnit unit) noexcept {
  Column column(type, KeyForm::kInstant, values, n);
  column.data_.unit = column.data_.factor = kNanosecondsOf[static_cast<size_t>(unit)];
  return column;
}

Column Column::OfDecimals(ColumnType type, const void* values, size_t n, int scale) noexcept {
  Column column(type, DecimalForm(scale), values, n);
  if (column.form_ == KeyForm::kUnknown) column.data_.fault = "a decimal's scale is 0 to 38";
  column.data_.scale = static_cast<int8_t>(scale);
  return column;
}

Column Column::OfFixedBytes(const void* values, size_t width, size_t n) noexcept {
  Column column(ColumnType::kFixedBytes, KeyForm::kText, values, n);
  column.data_.width = width;
  return column;
}

Column Column::OfTexts(ColumnType type, const void* values, const void* bytes, size_t n) noexcept {
  Column column(type, KeyForm::kText, values, n);
  column.data_.bytes = bytes;
  return column;
}

Column Column::OfViews(const void* views, const void* const* buffers, size_t num_buffers, size_t n) noexcept {
  Column column = OfTexts(ColumnType::kViews, views, buffers, n);
  column.data_.width = num_buffers;
  return column;
}

Column Column::Around(ColumnType type, const Column* indices, const Column* inner, size_t n) noexcept {
  Column column(type, inner->form_, nullptr, n);
  ColumnData& data = column.data_;
  data.inner = inner;
  data.fault = inner->data_.fault;
  column.canonicalizer_ = inner->canonicalizer_;
  column.nulls_ = inner->nulls_;
  if (HasInner(inner->data_.type)) {
    data.fault = "the values of a dictionary, of runs or of a constant are themselves one of these: make them plain";
  }
  if (uint64_t{inner->size()} > kMostValues) data.fault = "a dictionary, or runs, have at most 2^32 values";
  if (indices != nullptr) {
    data.index_type = indices->data_.type;
    data.values = indices->data_.values;
    if (indices->data_.fault != nullptr) data.fault = indices->data_.fault;
    if (!IsInteger(data.index_type)) data.fault = "indices of a dictionary and ends of runs are integers";
  } else if (n != 0 && inner->size() == 0) {
    data.fault = "a constant has a value: its column has no row";
  }
  return column;
}

Column Column::OfDictionary(const Column& indices, const Column* values) noexcept {
  Column column = Around(ColumnType::kDictionary, &indices, values, indices.size());
  column.data_.first = indices.data_.first;
  column.data_.validity = indices.data_.validity;
  column.data_.first_bit = indices.data_.first_bit;
  return column;
}

Column Column::OfRuns(const Column& run_ends, const Column* values, size_t n) noexcept {
  Column column = Around(ColumnType::kRuns, &run_ends, values, n);
  // `first` is that of the rows, so the ends have none.
  if (IsInteger(run_ends.data_.type)) {
    const size_t skipped = run_ends.data_.first << (static_cast<unsigned>(run_ends.data_.type) & 3);
    column.data_.values = static_cast<const uint8_t*>(run_ends.data_.values) + skipped;
  }
  column.data_.width = run_ends.size();
  if (run_ends.size() > values->size()) column.data_.fault = "each run has a value: there are more ends than values";
  return column;
}

Column Column::OfConstant(const Column* value, size_t n) noexcept {
  return Around(ColumnType::kConstant, nullptr, value, n);
}

void Column::SetValidity(const uint8_t* bits, size_t first_bit) noexcept {
  data_.validity = bits;
  data_.first_bit = first_bit;
}

Status Column::SetForm(KeyForm form) noexcept {
  const auto refuse = [&](const char* why) {
    return Status::Error(StatusCode::kIncompatible, "the form '%s' is none of this column: %s", KeyFormName(form), why);
  };
  if (data_.type == ColumnType::kNull) return Status();
  if (HasInner(data_.type)) return refuse("set it for the column of its values, before this one is made");
  if (IsText(data_.type)) {
    if (form == KeyForm::kCanonicalText) return refuse("SetCanonical says what makes its canonical bytes");
    if (form != KeyForm::kText && form != KeyForm::kPaddedText) return refuse("it has texts");
    form_ = form;
    return Status();
  }
  uint64_t factor = 1;
  if (form == KeyForm::kReal) {
    if (data_.scale >= 0)
      return refuse("engines round decimals to doubles in their own ways: compare them as decimals");
    if (data_.unit != 0) return refuse("it has instants");
  } else if (form == KeyForm::kInstant) {
    if (data_.unit == 0) return refuse("nobody said the unit of its integers: make it by OfInstants");
    factor = data_.unit;
  } else if (ScaleOf(form) >= 0) {
    if (IsReal(data_.type)) return refuse("not every double is such a number: compare both sides as kReal");
    const int scale = data_.scale < 0 ? 0 : data_.scale;
    if (ScaleOf(form) < scale) return refuse("its own scale is larger: take the larger of both sides");
    factor = PowerOf10(ScaleOf(form) - scale);
  } else {
    return refuse("it has numbers");
  }
  form_ = form;
  data_.factor = factor;
  return Status();
}

Status Column::SetCanonical(const Canonicalizer& canonicalizer) noexcept {
  if (!IsText(data_.type) || canonicalizer.make == nullptr) {
    return Status::Error(StatusCode::kIncompatible, "%s",
                         IsText(data_.type) ? "a canonical form needs a function that makes it"
                                            : "a canonical form is of texts: this column has none (set that of a "
                                              "dictionary for its values)");
  }
  form_ = KeyForm::kCanonicalText;
  canonicalizer_ = canonicalizer;
  data_.callee = nullptr;
  return Status();
}

Column Column::Slice(size_t first, size_t n) const noexcept {
  Column slice = *this;
  if (first > data_.size) first = data_.size;
  slice.data_.size = n < data_.size - first ? n : data_.size - first;
  slice.data_.first += first;
  slice.data_.first_bit += first;
  return slice;
}

Status Column::status() const noexcept {
  if (data_.fault == nullptr) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "%s", data_.fault);
}

}  // namespace linefilter
