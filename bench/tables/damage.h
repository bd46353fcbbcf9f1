// Tables whose filters are damaged: no key may be lost.
#ifndef LINEFILTER_BENCH_TABLES_DAMAGE_H_
#define LINEFILTER_BENCH_TABLES_DAMAGE_H_

#include <cstdint>

#include "bench/tables/tables.h"

namespace linefilter::bench {

struct DamageCount {
  uint64_t damages = 0;      // each to one filter, that was whole before
  uint64_t denied_keys = 0;  // members to which the damaged filter says "absent", if nobody verifies it
  uint64_t lost_keys = 0;    // members that are not found in a table whose filter is verified
};

// Damages 1, 8, 512 or 32768 bits of a filter in memory, `damages` times, and asks its table for all members that the
// damaged filter denies and for some others. The bytes are as before in the end.
DamageCount DamageFilters(const TableShape& shape, const TableKeys& keys, uint64_t damages, OpenTables* tables);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_TABLES_DAMAGE_H_
