// The forms of a value are the encodings in which a column may store what equals it. Here they are collected as hashes.
#ifndef LINEFILTER_LIB_PARQUET_FORMS_H_
#define LINEFILTER_LIB_PARQUET_FORMS_H_

#include <cstddef>
#include <cstdint>

#include "lib/parquet/magnitude.h"
#include "linefilter/hash.h"
#include "linefilter/parquet_types.h"

namespace linefilter::internal {

struct Forms {
  uint64_t* hashes;  // room for ParquetQuestion::kMostHashes
  size_t size = 0;

  void Add(const void* bytes, size_t num_bytes) { hashes[size++] = ParquetHashBytes(bytes, num_bytes); }
};

// The answers of all that is decided without a filter, and the one that all forms are collected.
ParquetAnswer Collected();
ParquetAnswer Maybe(ParquetReason reason);
ParquetAnswer Maybe(ParquetReason reason, const char* message);
ParquetAnswer OutOfRange();

// Asks the filter for each form; no form makes "absent".
ParquetAnswer AskForms(const FilterBase& filter, const uint64_t* hashes, size_t n);

// What a column holds, as far as comparing goes.
enum class ColumnKind : uint8_t {
  kUnsupported,
  kInteger,
  kDecimal,
  kReal,
  kText,
  kBytes,
  kUuid,
  kDate,
  kTime,
  kTimestamp
};

// kUnsupported for a type that Parquet does not have, and for one that has no filter.
ColumnKind KindOf(const ParquetColumnType& type);

// unscaled * 10^-scale, as what a column stores with another scale.
enum class Rescaled : uint8_t { kExactly, kHasFraction, kTooLarge };
Rescaled Rescale(const ParquetInteger& unscaled, int64_t scale, int64_t to_scale, ParquetInteger* result);

// Makes the forms of an integer, a decimal, or a real number in a column of these (number_forms.cc).
ParquetAnswer NumberForms(const ParquetColumnType& type, ColumnKind kind, const ParquetValue& value, Forms* forms);

// A stored integer of 32 or 64 bits.
void AddInteger(ParquetPhysicalType physical, const ParquetInteger& integer, Forms* forms);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_PARQUET_FORMS_H_
