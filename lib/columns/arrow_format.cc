// The format strings of Arrow's C data interface.
#include <cstring>

#include "lib/columns/arrow_array.h"

namespace linefilter::internal {
namespace {

using Kind = ArrowFormat::Kind;

constexpr int kMostScale = 38;
constexpr int64_t kMostWidth = INT32_MAX;

// Types whose format is one word.
struct NamedFormat {
  const char* name;
  Kind kind;
  ColumnType type;
  TimeUnit unit;
  size_t width;
};
constexpr TimeUnit kNoUnit = TimeUnit::kNanosecond;
constexpr NamedFormat kNamed[] = {
    {"n", Kind::kNulls, ColumnType::kNull, kNoUnit, 0},
    {"c", Kind::kNumbers, ColumnType::kInt8, kNoUnit, 1},
    {"C", Kind::kNumbers, ColumnType::kUInt8, kNoUnit, 1},
    {"s", Kind::kNumbers, ColumnType::kInt16, kNoUnit, 2},
    {"S", Kind::kNumbers, ColumnType::kUInt16, kNoUnit, 2},
    {"i", Kind::kNumbers, ColumnType::kInt32, kNoUnit, 4},
    {"I", Kind::kNumbers, ColumnType::kUInt32, kNoUnit, 4},
    {"l", Kind::kNumbers, ColumnType::kInt64, kNoUnit, 8},
    {"L", Kind::kNumbers, ColumnType::kUInt64, kNoUnit, 8},
    {"f", Kind::kNumbers, ColumnType::kFloat, kNoUnit, 4},
    {"g", Kind::kNumbers, ColumnType::kDouble, kNoUnit, 8},
    {"u", Kind::kTexts, ColumnType::kText32, kNoUnit, 4},
    {"z", Kind::kTexts, ColumnType::kText32, kNoUnit, 4},
    {"U", Kind::kTexts, ColumnType::kText64, kNoUnit, 8},
    {"Z", Kind::kTexts, ColumnType::kText64, kNoUnit, 8},
    {"vu", Kind::kViews, ColumnType::kViews, kNoUnit, 16},
    {"vz", Kind::kViews, ColumnType::kViews, kNoUnit, 16},
    {"tdD", Kind::kInstants, ColumnType::kInt32, TimeUnit::kDay, 4},
    {"tdm", Kind::kInstants, ColumnType::kInt64, TimeUnit::kMillisecond, 8},
    {"tts", Kind::kInstants, ColumnType::kInt32, TimeUnit::kSecond, 4},
    {"ttm", Kind::kInstants, ColumnType::kInt32, TimeUnit::kMillisecond, 4},
    {"ttu", Kind::kInstants, ColumnType::kInt64, TimeUnit::kMicrosecond, 8},
    {"ttn", Kind::kInstants, ColumnType::kInt64, TimeUnit::kNanosecond, 8},
    {"tDs", Kind::kInstants, ColumnType::kInt64, TimeUnit::kSecond, 8},
    {"tDm", Kind::kInstants, ColumnType::kInt64, TimeUnit::kMillisecond, 8},
    {"tDu", Kind::kInstants, ColumnType::kInt64, TimeUnit::kMicrosecond, 8},
    {"tDn", Kind::kInstants, ColumnType::kInt64, TimeUnit::kNanosecond, 8},
    {"+r", Kind::kRuns, ColumnType::kRuns, kNoUnit, 0},
};

// Timestamps have a time zone behind the colon, or nothing.
constexpr NamedFormat kTimestamps[] = {
    {"tss:", Kind::kInstants, ColumnType::kInt64, TimeUnit::kSecond, 8},
    {"tsm:", Kind::kInstants, ColumnType::kInt64, TimeUnit::kMillisecond, 8},
    {"tsu:", Kind::kInstants, ColumnType::kInt64, TimeUnit::kMicrosecond, 8},
    {"tsn:", Kind::kInstants, ColumnType::kInt64, TimeUnit::kNanosecond, 8},
};

bool Begins(const char* text, const char* with) { return std::strncmp(text, with, std::strlen(with)) == 0; }

ArrowFormat FormatOf(const NamedFormat& named) {
  ArrowFormat format;
  format.kind = named.kind;
  format.type = named.type;
  format.unit = named.unit;
  format.width = named.width;
  return format;
}

// Reads a number of at most ten digits; false if there is none.
bool ReadNumber(const char** text, int64_t* number) {
  const bool is_negative = **text == '-';
  if (is_negative) ++*text;
  *number = 0;
  int num_digits = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    if (++num_digits > 10) return false;
    *number = *number * 10 + (**text - '0');
  }
  if (is_negative) *number = -*number;
  return num_digits != 0;
}

// "d:P,S" or "d:P,S,BITS". Null, or what is to be done about it.
const char* ReadDecimal(const char* text, ArrowFormat* format) {
  int64_t precision = 0, scale = 0, bits = 128;
  static constexpr char kMalformed[] = "a decimal is written d:PRECISION,SCALE or d:PRECISION,SCALE,BITS";
  if (!ReadNumber(&text, &precision) || precision <= 0 || *text++ != ',' || !ReadNumber(&text, &scale)) {
    return kMalformed;
  }
  if (*text == ',' && !ReadNumber(&++text, &bits)) return kMalformed;
  if (*text != '\0') return kMalformed;
  if (scale < 0 || scale > kMostScale) return "cast it to a scale of 0 to 38";
  if (bits != 32 && bits != 64 && bits != 128) return "cast it to a decimal of 128 bits or fewer";
  format->kind = Kind::kDecimals;
  format->type = bits == 32 ? ColumnType::kInt32 : bits == 64 ? ColumnType::kInt64 : ColumnType::kInt128;
  format->width = static_cast<size_t>(bits / 8);
  format->scale = static_cast<int>(scale);
  return nullptr;
}

const char* ReadFixedBytes(const char* text, ArrowFormat* format) {
  int64_t width = 0;
  if (!ReadNumber(&text, &width) || *text != '\0' || width < 0 || width > kMostWidth) {
    return "bytes of a fixed width are written w:WIDTH";
  }
  format->kind = Kind::kFixedBytes;
  format->type = ColumnType::kFixedBytes;
  format->width = static_cast<size_t>(width);
  return nullptr;
}

// What is to be done about a type that no column has.
const char* Advice(const char* text) {
  if (std::strcmp(text, "b") == 0) return "cast booleans to uint8";
  if (std::strcmp(text, "e") == 0) return "cast half floats to float";
  if (Begins(text, "ti")) return "an interval has no single value: cast it to an integer or a duration";
  if (text[0] == '+') return "it is nested: pass those of its children that are a key, each as a column";
  return "linefilter/arrow.h lists those that are: cast it to one of them";
}

}  // namespace

Status ReadArrowFormat(const ArrowSchema& schema, ArrowFormat* format) {
  if (schema.release == nullptr || schema.format == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a schema of Arrow was released, or was never filled: keep it until the column is opened");
  }
  const char* const text = schema.format;
  const char* advice = nullptr;
  *format = ArrowFormat();
  for (const NamedFormat& named : kNamed) {
    if (std::strcmp(text, named.name) != 0) continue;
    *format = FormatOf(named);
    return Status();
  }
  for (const NamedFormat& named : kTimestamps) {
    if (!Begins(text, named.name)) continue;
    *format = FormatOf(named);
    return Status();
  }
  if (Begins(text, "d:")) {
    advice = ReadDecimal(text + 2, format);
  } else if (Begins(text, "w:")) {
    advice = ReadFixedBytes(text + 2, format);
  } else {
    advice = Advice(text);
  }
  if (advice == nullptr) return Status();
  return Status::Error(StatusCode::kUnsupported, "no column has Arrow's type '%.40s': %s", text, advice);
}

}  // namespace linefilter::internal
