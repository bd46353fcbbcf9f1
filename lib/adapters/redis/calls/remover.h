// This takes keys out of the generation that serves, where its layout gives keys back: batch by batch, each change of a
// block at most once.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_REMOVER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_REMOVER_H_

#include <cstddef>
#include <cstdint>

#include "lib/adapters/redis/calls/filter_record.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// Removes from that generation alone; 0 means the one that served when the record was read last. `outcomes` may be
// null. It may throw std::bad_alloc.
Status Remove(FilterRecord* record, uint64_t generation, const uint64_t* hashes, size_t n, RedisRemove* outcomes);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_REMOVER_H_
