// What duckdb_check does: each of these prints what it saw, and returns how many faults there were.
#ifndef LINEFILTER_TESTS_PARQUET_DUCKDB_CHECKS_H_
#define LINEFILTER_TESTS_PARQUET_DUCKDB_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/parquet/duckdb/plan.h"

namespace linefilter::duckdb {

// Each stored value is found in the filter of its row group: in the column's own form, and in all that DuckDB takes for
// equal. Tells also how long it takes to open a filter.
uint64_t CheckStored(const std::string& folder, const std::vector<Column>& columns);

// Filters that are made here of the stored values have the bytes of DuckDB's. Then NAME.ours.parquet gets other ones in
// their place: of the values of the next row group, and a block shorter, which no power of two is.
uint64_t CheckOurs(const std::string& folder, const std::vector<Column>& columns);

// What DuckDB answered to probe.mjs, for its own filters and for ours, is what is answered here.
uint64_t CheckAnswers(const std::string& folder, const std::vector<Column>& columns);

}  // namespace linefilter::duckdb

#endif  // LINEFILTER_TESTS_PARQUET_DUCKDB_CHECKS_H_
