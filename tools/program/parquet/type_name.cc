// This names types as Parquet's specification does.
#include "tools/program/parquet/footer.h"

namespace linefilter::tools {
namespace {

using Logical = ParquetLogicalType;

std::string PhysicalName(const ParquetColumnType& type) {
  constexpr const char* kNames[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                    "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
  const size_t number = static_cast<size_t>(type.physical);
  if (number >= sizeof(kNames) / sizeof(kNames[0])) return "TYPE_" + std::to_string(number);
  const bool is_fixed = type.physical == ParquetPhysicalType::kFixedLenByteArray;
  return kNames[number] + (is_fixed ? "(" + std::to_string(type.type_length) + ")" : "");
}

std::string UnitName(const ParquetColumnType& type) {
  const char* const unit = type.unit == ParquetTimeUnit::kMillis   ? "MILLIS"
                           : type.unit == ParquetTimeUnit::kMicros ? "MICROS"
                           : type.unit == ParquetTimeUnit::kNanos  ? "NANOS"
                                                                   : "?";
  return std::string("(") + unit + (type.is_utc ? ",UTC)" : ",local)");
}

std::string LogicalName(const ParquetColumnType& type) {
  switch (type.logical) {
    case Logical::kNone:
      return "";
    case Logical::kString:
      return "STRING";
    case Logical::kEnum:
      return "ENUM";
    case Logical::kDecimal:
      return "DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case Logical::kDate:
      return "DATE";
    case Logical::kTime:
      return "TIME" + UnitName(type);
    case Logical::kTimestamp:
      return "TIMESTAMP" + UnitName(type);
    case Logical::kInterval:
      return "INTERVAL";
    case Logical::kInteger:
      return std::string(type.is_signed ? "INT(" : "UINT(") + std::to_string(type.bit_width) + ")";
    case Logical::kJson:
      return "JSON";
    case Logical::kBson:
      return "BSON";
    case Logical::kUuid:
      return "UUID";
    case Logical::kFloat16:
      return "FLOAT16";
  }
  return "LOGICAL_" + std::to_string(static_cast<int>(type.logical));
}

}  // namespace

std::string ParquetTypeName(const ParquetColumnType& type) {
  const std::string logical = LogicalName(type);
  return PhysicalName(type) + (logical.empty() ? "" : " " + logical);
}

}  // namespace linefilter::tools
