// Integers, decimals and real numbers as a column of these stores them. A number that is compared with a column of
// another kind is converted by the engine, or the column is. So a form is sure only where no other number of the column
// is converted to the same one.
#include <cmath>
#include <cstring>

#include "lib/base/endian.h"
#include "lib/parquet/forms.h"
#include "lib/parquet/real.h"

namespace linefilter::internal {
namespace {

using Kind = ParquetValue::Kind;

bool IsReal(const ParquetValue& value) { return value.kind == Kind::kFloat || value.kind == Kind::kDouble; }
int64_t ScaleOf(const ParquetValue& value) { return value.kind == Kind::kDecimal ? value.scale : 0; }

// Below this every integer is converted to another FLOAT or DOUBLE: 2^24 and 2^53.
double LeastAmbiguousInteger(Kind kind) { return kind == Kind::kFloat ? 16777216.0 : 9007199254740992.0; }
// The same for decimals without their point: a FLOAT holds 6 digits, a DOUBLE 15.
uint64_t LeastAmbiguousDecimal(Kind kind) { return kind == Kind::kFloat ? 1000000 : 1000000000000000; }
// The least decimals of a larger scale may be converted to 0: 10^-37 and 10^-307 are the last that are normal.
int32_t MostScaleOfZero(Kind kind) { return kind == Kind::kFloat ? 37 : 307; }

ParquetAnswer IntegerForms(const ParquetColumnType& type, const ParquetInteger& integer, Forms* forms) {
  const bool is_annotated = type.logical == ParquetLogicalType::kInteger;
  const uint32_t stored = type.physical == ParquetPhysicalType::kInt32 ? 32 : 64;
  const uint32_t bits = is_annotated ? static_cast<uint32_t>(type.bit_width) : stored;
  const bool fits = is_annotated && !type.is_signed ? FitsUnsigned(integer, bits) : FitsSigned(integer, bits);
  if (!fits) return OutOfRange();
  AddInteger(type.physical, integer, forms);
  return Collected();
}

// In BYTE_ARRAY a decimal has the shortest form by the specification, which for 0 may be no byte. A writer may have
// stored a longer one: that of its own width, which is 16 bytes for up to 38 digits.
ParquetAnswer DecimalForms(const ParquetColumnType& type, const ParquetInteger& unscaled, Forms* forms) {
  if (type.physical == ParquetPhysicalType::kInt32 || type.physical == ParquetPhysicalType::kInt64) {
    const uint32_t bits = type.physical == ParquetPhysicalType::kInt32 ? 32 : 64;
    if (!FitsSigned(unscaled, bits)) return OutOfRange();
    AddInteger(type.physical, unscaled, forms);
    return Collected();
  }
  uint8_t bytes[sizeof(unscaled.words)];
  const bool is_fixed = type.physical == ParquetPhysicalType::kFixedLenByteArray;
  const size_t longest = type.precision >= 1 && type.precision <= 38 ? 16 : sizeof(bytes);
  size_t size = is_fixed ? static_cast<size_t>(type.type_length) : 1;
  if (is_fixed && !FitsSigned(unscaled, 8 * static_cast<uint32_t>(size))) return OutOfRange();
  while (!FitsSigned(unscaled, 8 * static_cast<uint32_t>(size))) ++size;
  if (!is_fixed && Magnitude(unscaled).IsZero()) forms->Add(bytes, 0);
  do {
    StoreBigEndian(unscaled, size, bytes);
    forms->Add(bytes, size);
  } while (!is_fixed && ++size <= longest);
  return Collected();
}

// The bits of a real number in the format of the column; false if it does not hold the number.
bool StoreReal(const ParquetColumnType& type, double real, uint8_t* bytes, size_t* size) {
  uint16_t half = 0;
  uint32_t single = 0;
  uint64_t bits = 0;
  if (type.physical == ParquetPhysicalType::kDouble) {
    *size = 8;
    memcpy(&bits, &real, sizeof(bits));
  } else if (type.physical == ParquetPhysicalType::kFloat) {
    *size = 4;
    if (!ToFloatBits(real, &single)) return false;
    bits = single;
  } else {
    *size = 2;
    if (!ToHalfBits(real, &half)) return false;
    bits = half;
  }
  StoreLE64(bits, bytes);
  return true;
}

// Whether every engine converts an integer or a decimal to the same real number. Most divide the unscaled integer by a
// power of ten, some in two parts. A step that rounds may lead to the neighbor of a number that has an exact form: in
// DuckDB 1.5 -0.75 of scale 23 does not equal -0.75, but the next DOUBLE.
bool IsConvertedInExactSteps(const ParquetColumnType& type, const ParquetInteger& unscaled, int64_t scale) {
  const bool is_double = type.physical == ParquetPhysicalType::kDouble;
  const int64_t most = is_double ? 22 : 10;  // 10^22 and 10^10 are the last powers with an exact form
  const Magnitude number(unscaled);
  return number.IsZero() || (number.Bits() <= (is_double ? 53u : 24u) && scale <= most && scale >= -most);
}

ParquetAnswer RealForms(const ParquetColumnType& type, const ParquetValue& value, Forms* forms) {
  double real = value.real;
  if (!IsReal(value)) {
    const int64_t scale = ScaleOf(value);
    const bool is_sure = IsConvertedInExactSteps(type, value.integer, scale);
    if (!is_sure || !ToDouble(value.integer, scale, &real)) return Maybe(ParquetReason::kInexact);
  }
  uint8_t bytes[8];
  size_t size = 0;
  if (!StoreReal(type, real, bytes, &size)) return Maybe(ParquetReason::kInexact);
  forms->Add(bytes, size);
  if (real == 0) {  // the other zero
    bytes[size - 1] ^= 0x80;
    forms->Add(bytes, size);
  }
  return Collected();
}

ParquetAnswer IntegerFormsOfReal(const ParquetColumnType& type, const ParquetValue& value, Forms* forms) {
  constexpr double kAboveAll = 18446744073709551616.0;  // 2^64, to which the largest integer of 64 bits is rounded
  ParquetInteger integer;
  const double real = std::fabs(value.real);
  if (real > kAboveAll) return OutOfRange();
  if (real >= LeastAmbiguousInteger(value.kind)) return Maybe(ParquetReason::kInexact);
  if (!FromDouble(value.real, 0, &integer)) return OutOfRange();  // it has a fraction
  return IntegerForms(type, integer, forms);
}

ParquetAnswer DecimalFormsOfReal(const ParquetColumnType& type, const ParquetValue& value, Forms* forms) {
  ParquetInteger unscaled;
  if (type.scale > MostScaleOfZero(value.kind)) return Maybe(ParquetReason::kInexact);
  if (!FromDouble(value.real, type.scale, &unscaled)) return Maybe(ParquetReason::kInexact);
  const Magnitude magnitude(unscaled);
  if (magnitude.Bits() > 64 || magnitude.words[0] >= LeastAmbiguousDecimal(value.kind)) {
    return Maybe(ParquetReason::kInexact);
  }
  return DecimalForms(type, unscaled, forms);
}

}  // namespace

Rescaled Rescale(const ParquetInteger& unscaled, int64_t scale, int64_t to_scale, ParquetInteger* result) {
  Magnitude number(unscaled);
  *result = unscaled;
  if (number.IsZero()) return Rescaled::kExactly;
  // A number that is not 0 takes few steps until one fails.
  for (int64_t i = scale; i < to_scale; ++i) {
    if (!number.MultiplyBy(10)) return Rescaled::kTooLarge;
  }
  for (int64_t i = scale; i > to_scale; --i) {
    if (!number.DivideBy(10)) return Rescaled::kHasFraction;
  }
  return number.To(result) ? Rescaled::kExactly : Rescaled::kTooLarge;
}

void AddInteger(ParquetPhysicalType physical, const ParquetInteger& integer, Forms* forms) {
  uint8_t bytes[8];
  StoreLE64(integer.words[0], bytes);
  forms->Add(bytes, physical == ParquetPhysicalType::kInt32 ? 4 : 8);
}

ParquetAnswer NumberForms(const ParquetColumnType& type, ColumnKind kind, const ParquetValue& value, Forms* forms) {
  if (IsReal(value) && std::isnan(value.real)) return Maybe(ParquetReason::kNan);
  if (kind == ColumnKind::kReal) return RealForms(type, value, forms);
  if (IsReal(value)) {
    return kind == ColumnKind::kInteger ? IntegerFormsOfReal(type, value, forms)
                                        : DecimalFormsOfReal(type, value, forms);
  }
  ParquetInteger stored;
  const Rescaled how = Rescale(value.integer, ScaleOf(value), kind == ColumnKind::kInteger ? 0 : type.scale, &stored);
  if (how == Rescaled::kExactly) {
    return kind == ColumnKind::kInteger ? IntegerForms(type, stored, forms) : DecimalForms(type, stored, forms);
  }
  // No column holds the fraction. 256 bits are more than an integer has, and all that is known of a decimal's bytes.
  const bool is_of_bytes = type.physical == ParquetPhysicalType::kByteArray;
  return how == Rescaled::kTooLarge && is_of_bytes ? Maybe(ParquetReason::kInexact) : OutOfRange();
}

}  // namespace linefilter::internal
