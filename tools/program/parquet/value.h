// This reads values as people write them, for a column of some type.
#ifndef LINEFILTER_TOOLS_PROGRAM_PARQUET_VALUE_H_
#define LINEFILTER_TOOLS_PROGRAM_PARQUET_VALUE_H_

#include <cstdint>
#include <string>

#include "linefilter/parquet_types.h"

namespace linefilter::tools {

// Reads a value. Numbers are decimal, with a point and an exponent or without: in a column of FLOAT or DOUBLE one with
// either is the nearest that the column holds, all others are exact. Dates and times are those of ISO 8601, with Z in a
// column of instants. Bytes are hexadecimal behind 0x, and all else is a text. The value refers to *bytes. It is false,
// and *error says why, if the text is no value of such a column.
bool ParseParquetValue(const ParquetColumnType& type, const std::string& text, std::string* bytes, ParquetValue* value,
                       std::string* error);

// These are parts of it, with the same answers: a number (number_value.cc),
bool ParseParquetNumber(const ParquetColumnType& type, const std::string& text, ParquetValue* value,
                        std::string* error);
// and a date, a time or both (time_value.cc).
bool ParseParquetTime(ParquetLogicalType logical, const std::string& text, ParquetValue* value, std::string* error);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_PARQUET_VALUE_H_
