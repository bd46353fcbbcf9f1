// Texts of forms.mjs become values to ask for, and the hash of what a column stores.
#ifndef LINEFILTER_TESTS_PARQUET_DUCKDB_VALUES_H_
#define LINEFILTER_TESTS_PARQUET_DUCKDB_VALUES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "linefilter/parquet.h"
#include "tests/parquet/duckdb/plan.h"

namespace linefilter::duckdb {

// A text that is no value of the form throws std::runtime_error. The value refers to *bytes.
ParquetValue ValueOf(const Form& form, std::string_view text, std::string* bytes);

// The hash of a value in the column's own form, by the hash functions alone: what a writer has.
uint64_t StoredHash(const Column& column, std::string_view text);

// Values of which the library may say "maybe" without asking the filter, though they are in the column's own form: NaN,
// infinite dates and timestamps, and intervals. DuckDB, which compares their bits, asks it.
bool IsNeverAsked(const Form& form, std::string_view text);

// Zero has two signs. The library asks for both, DuckDB for one.
bool IsZero(const Form& form, std::string_view text);

}  // namespace linefilter::duckdb

#endif  // LINEFILTER_TESTS_PARQUET_DUCKDB_VALUES_H_
