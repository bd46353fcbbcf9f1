// An Inserter brings keys into all generations that the record names, batch by batch.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_INSERTER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_INSERTER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/adapters/redis/calls/filter_record.h"
#include "lib/adapters/redis/calls/grower.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// It may throw std::bad_alloc.
class Inserter {
 public:
  explicit Inserter(FilterRecord* record) : record_(record), grower_(record) {}

  // Inserts into all generations that the record names, or into `only` this one (the next) if it is not 0. `outcomes`
  // may be null.
  Status Insert(uint64_t only, const uint64_t* hashes, size_t n, RedisInsert* outcomes);
  // See RedisFilter.
  const Status& growth_status() const { return grower_.status(); }

 private:
  void FinishForWhoDied();
  Status InsertOneBatch(uint64_t only, const uint64_t* hashes, size_t n, bool tells_new, RedisInsert* outcomes,
                        bool* goes_on);
  Status TargetsOf(uint64_t only, std::vector<Shards*>* targets);

  FilterRecord* const record_;
  Grower grower_;
  bool previous_is_lost_ = false;                   // an insertion found it so, and the record still names it
  std::chrono::steady_clock::time_point finished_;  // when insertions tried to end that
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_INSERTER_H_
