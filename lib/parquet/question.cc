// A question finds what a column holds, and how it would store the value; a filter is then asked for each form.
#include <cstring>

#include "lib/filters/serving.h"
#include "lib/parquet/forms.h"
#include "linefilter/parquet_types.h"

namespace linefilter {
namespace internal {
namespace {

using Physical = ParquetPhysicalType;
using Logical = ParquetLogicalType;
using Kind = ParquetValue::Kind;

constexpr char kTextOfBytes[] =
    "the column stores bytes without a text type: ask by the bytes that it stores (of text the UTF-8)";
constexpr char kNoUuid[] = "the text is no UUID: ask by its 16 bytes";
constexpr char kOtherZone[] =
    "one of value and column is an instant, the other a local time: convert the value by the time zone first";

const char* MessageOf(ParquetReason reason) {
  switch (reason) {
    case ParquetReason::kAsked:
      return "the filter was asked for every form of the value";
    case ParquetReason::kNull:
      return "null is in no filter: look at the null count of the column";
    case ParquetReason::kNan:
      return "NaN has many forms, and a filter cannot be asked for all";
    case ParquetReason::kInexact:
      return "the value cannot be converted exactly to the numbers of the column";
    case ParquetReason::kOtherKind:
      return "a value of this kind is not compared with such a column: convert it to the type of the column first";
    case ParquetReason::kUnsupportedType:
      return "the type of the column has no Bloom filter, or none that can be asked by value";
    case ParquetReason::kNoFilter:
      return "the filter is broken, or was never made";
    case ParquetReason::kOtherHash:
      return "the filter has another hash than Parquet's: it was not made of such a column";
    case ParquetReason::kOutOfRange:
      return "the type of the column cannot hold the value";
  }
  return "unknown";
}

bool IsFixed(const ParquetColumnType& type, int32_t least, int32_t most) {
  return type.physical == Physical::kFixedLenByteArray && type.type_length >= least && type.type_length <= most;
}

ColumnKind KindWithoutLogicalType(const ParquetColumnType& type) {
  switch (type.physical) {
    case Physical::kInt32:
    case Physical::kInt64:
      return ColumnKind::kInteger;
    case Physical::kFloat:
    case Physical::kDouble:
      return ColumnKind::kReal;
    case Physical::kInt96:
    case Physical::kByteArray:
      return ColumnKind::kBytes;
    case Physical::kFixedLenByteArray:
      return type.type_length >= 1 ? ColumnKind::kBytes : ColumnKind::kUnsupported;
    case Physical::kBoolean:
      break;
  }
  return ColumnKind::kUnsupported;
}

bool IsInteger(const ParquetColumnType& type) {
  if (type.bit_width == 64) return type.physical == Physical::kInt64;
  const bool is_narrow = type.bit_width == 8 || type.bit_width == 16 || type.bit_width == 32;
  return is_narrow && type.physical == Physical::kInt32;
}

bool IsDecimal(const ParquetColumnType& type) {
  const bool is_stored = type.physical == Physical::kInt32 || type.physical == Physical::kInt64 ||
                         type.physical == Physical::kByteArray || IsFixed(type, 1, sizeof(ParquetInteger));
  return is_stored && type.scale >= 0;
}

bool IsUnit(ParquetTimeUnit unit) { return unit >= ParquetTimeUnit::kMillis && unit <= ParquetTimeUnit::kNanos; }

// Times in milliseconds have 32 bits, all other counts 64.
bool IsTime(const ParquetColumnType& type) {
  const bool is_short = type.unit == ParquetTimeUnit::kMillis && type.logical == Logical::kTime;
  return IsUnit(type.unit) && type.physical == (is_short ? Physical::kInt32 : Physical::kInt64);
}

// A UUID and a timestamp have other forms, too. Bytes of another length may be one of these: a text, or a count.
ParquetAnswer BytesForms(const ParquetColumnType& type, ColumnKind kind, std::string_view bytes, Forms* forms) {
  const bool is_fixed = type.physical == Physical::kFixedLenByteArray, is_timestamp = type.physical == Physical::kInt96;
  const bool fits =
      is_fixed ? bytes.size() == static_cast<size_t>(type.type_length) : !is_timestamp || bytes.size() == 12;
  if (!fits) return kind == ColumnKind::kUuid || is_timestamp ? Maybe(ParquetReason::kOtherKind) : OutOfRange();
  forms->Add(bytes.data(), bytes.size());
  return Collected();
}

// 32 hexadecimal digits, with the usual hyphens or without.
bool ParseUuid(std::string_view text, uint8_t* uuid) {
  const bool has_hyphens = text.size() == 36;
  if (!has_hyphens && text.size() != 32) return false;
  uint32_t digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (has_hyphens && (i == 8 || i == 13 || i == 18 || i == 23)) {
      if (c != '-') return false;
      continue;
    }
    const char lower = static_cast<char>(c | 0x20);
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (lower < 'a' || lower > 'f')) return false;
    const int digit = is_digit ? c - '0' : lower - 'a' + 10;
    uint8_t* const byte = &uuid[digits++ / 2];
    *byte = static_cast<uint8_t>(*byte << 4 | digit);
  }
  return true;
}

ParquetAnswer TextForms(const ParquetColumnType& type, ColumnKind kind, std::string_view text, Forms* forms) {
  uint8_t uuid[16] = {};
  if (kind == ColumnKind::kText) return BytesForms(type, kind, text, forms);
  if (kind == ColumnKind::kBytes) return Maybe(ParquetReason::kOtherKind, kTextOfBytes);
  if (kind != ColumnKind::kUuid) return Maybe(ParquetReason::kOtherKind);
  if (!ParseUuid(text, uuid)) return Maybe(ParquetReason::kOtherKind, kNoUuid);
  forms->Add(uuid, sizeof(uuid));
  return Collected();
}

// At the ends of their type, counts are the infinite times of some engines, in whatever unit.
bool MayBeInfinite(const ParquetInteger& count) {
  const Magnitude magnitude(count);
  return magnitude.Bits() <= 64 && magnitude.words[0] >= uint64_t{INT64_MAX};
}

// Dates, times and timestamps: a count of some unit.
ParquetAnswer CountForms(const ParquetColumnType& type, ColumnKind kind, const ParquetValue& value, Forms* forms) {
  ParquetInteger stored = value.integer;
  if (kind != ColumnKind::kDate) {
    if (!IsUnit(value.unit)) return Maybe(ParquetReason::kOtherKind);
    if (value.is_utc != type.is_utc) return Maybe(ParquetReason::kOtherKind, kOtherZone);
    if (value.unit != type.unit && MayBeInfinite(value.integer)) return Maybe(ParquetReason::kInexact);
    const int64_t digits = 3 * static_cast<int64_t>(value.unit), stored_digits = 3 * static_cast<int64_t>(type.unit);
    if (Rescale(value.integer, digits, stored_digits, &stored) != Rescaled::kExactly) return OutOfRange();
  }
  if (!FitsSigned(stored, type.physical == Physical::kInt32 ? 32 : 64)) return OutOfRange();
  AddInteger(type.physical, stored, forms);
  return Collected();
}

ParquetAnswer FormsOf(const ParquetColumnType& type, const ParquetValue& value, Forms* forms) {
  const ColumnKind kind = KindOf(type);
  if (kind == ColumnKind::kUnsupported) return Maybe(ParquetReason::kUnsupportedType);
  const bool has_numbers = kind == ColumnKind::kInteger || kind == ColumnKind::kDecimal || kind == ColumnKind::kReal;
  const bool has_bytes = kind == ColumnKind::kText || kind == ColumnKind::kBytes || kind == ColumnKind::kUuid;
  switch (value.kind) {
    case Kind::kNull:
      return Maybe(ParquetReason::kNull);
    case Kind::kInteger:
    case Kind::kDecimal:
    case Kind::kFloat:
    case Kind::kDouble:
      return has_numbers ? NumberForms(type, kind, value, forms) : Maybe(ParquetReason::kOtherKind);
    case Kind::kText:
      return TextForms(type, kind, value.bytes, forms);
    case Kind::kBytes:
      return has_bytes ? BytesForms(type, kind, value.bytes, forms) : Maybe(ParquetReason::kOtherKind);
    case Kind::kUuid:
      if (kind != ColumnKind::kUuid) return Maybe(ParquetReason::kOtherKind);
      forms->Add(value.uuid, sizeof(value.uuid));
      return Collected();
    case Kind::kDate:
      return kind == ColumnKind::kDate ? CountForms(type, kind, value, forms) : Maybe(ParquetReason::kOtherKind);
    case Kind::kTime:
      return kind == ColumnKind::kTime ? CountForms(type, kind, value, forms) : Maybe(ParquetReason::kOtherKind);
    case Kind::kTimestamp:
      return kind == ColumnKind::kTimestamp ? CountForms(type, kind, value, forms) : Maybe(ParquetReason::kOtherKind);
  }
  return Maybe(ParquetReason::kOtherKind);
}

}  // namespace

ParquetAnswer Maybe(ParquetReason reason, const char* message) {
  ParquetAnswer answer;
  answer.reason = reason;
  answer.message = message;
  return answer;
}
ParquetAnswer Maybe(ParquetReason reason) { return Maybe(reason, MessageOf(reason)); }
ParquetAnswer Collected() { return Maybe(ParquetReason::kAsked); }
ParquetAnswer OutOfRange() {
  ParquetAnswer answer = Maybe(ParquetReason::kOutOfRange);
  answer.may_contain = false;
  return answer;
}

ColumnKind KindOf(const ParquetColumnType& type) {
  const bool is_of_bytes = type.physical == Physical::kByteArray;
  const auto if_so = [](bool fits, ColumnKind kind) { return fits ? kind : ColumnKind::kUnsupported; };
  switch (type.logical) {
    case Logical::kNone:
      return KindWithoutLogicalType(type);
    case Logical::kString:
    case Logical::kEnum:
    case Logical::kJson:
      return if_so(is_of_bytes, ColumnKind::kText);
    case Logical::kBson:
      return if_so(is_of_bytes, ColumnKind::kBytes);
    case Logical::kInteger:
      return if_so(IsInteger(type), ColumnKind::kInteger);
    case Logical::kDecimal:
      return if_so(IsDecimal(type), ColumnKind::kDecimal);
    case Logical::kFloat16:
      return if_so(IsFixed(type, 2, 2), ColumnKind::kReal);
    case Logical::kUuid:
      return if_so(IsFixed(type, 16, 16), ColumnKind::kUuid);
    case Logical::kDate:
      return if_so(type.physical == Physical::kInt32, ColumnKind::kDate);
    case Logical::kTime:
      return if_so(IsTime(type), ColumnKind::kTime);
    case Logical::kTimestamp:
      return if_so(IsTime(type), ColumnKind::kTimestamp);
    case Logical::kInterval:
      break;
  }
  return ColumnKind::kUnsupported;
}

// All forms are asked of the filter that serves now. The next moment another one may serve, which has another form of
// the value, or another hash.
ParquetAnswer AskForms(const FilterBase& filter, const uint64_t* hashes, size_t n) {
  ParquetAnswer answer = Collected();
  WithServing(filter, [&](const Serving& now) {
    if (now.layout == Layout::kAuto) {
      answer = Maybe(ParquetReason::kNoFilter);
    } else if (now.key_hash.id != HashId::kParquet) {
      answer = Maybe(ParquetReason::kOtherHash);
    } else {
      bool maybe = false;
      for (size_t i = 0; i < n && !maybe; ++i) maybe = now.state.may_contain(now.state, hashes[i]);
      answer.may_contain = maybe;
    }
  });
  return answer;
}

}  // namespace internal

ParquetQuestion::ParquetQuestion(const ParquetColumnType& type, const ParquetValue& value) noexcept {
  internal::Forms forms = {hashes_};
  decided_ = internal::FormsOf(type, value, &forms);
  num_hashes_ = forms.size;
}

ParquetAnswer ParquetQuestion::Ask(const FilterBase& filter) const noexcept {
  return decided_.reason != ParquetReason::kAsked ? decided_ : internal::AskForms(filter, hashes_, num_hashes_);
}

ParquetAnswer MayContain(const FilterBase& filter, const ParquetColumnType& type, const ParquetValue& value) noexcept {
  return ParquetQuestion(type, value).Ask(filter);
}

}  // namespace linefilter
