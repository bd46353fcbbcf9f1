// What a lookup costs while a server of Redis is ill. A relay (relay.h) is ill in its place: the server serves others.
#ifndef LINEFILTER_TOOLS_MEASURE_REDIS_ILL_H_
#define LINEFILTER_TOOLS_MEASURE_REDIS_ILL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::tools {

// One illness. Times are medians over the rounds; NaN where there is nothing to measure.
struct IllRow {
  const char* server;           // what it does
  uint64_t num_answered;        // of the first calls, one in each round
  double first_ms, slowest_ms;  // the first call: the median, and the slowest of all rounds
  double next_us;               // a call after it, while the server is ill
  double back_ms;               // from the end of the illness to the first answer
};

// Whether a server is no cluster, as MeasureIll needs it; else kUnsupported.
Status CanBeIll(RedisFilter* filter);

// Asks for member 0 of the filter `name` on a lone server, whose `addresses` has one. At the end the filter is deleted:
// that is the last row. servers.deadlines are what is measured.
Status MeasureIll(const RedisServers& servers, const std::string& name, uint64_t rounds, std::vector<IllRow>* rows);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_REDIS_ILL_H_
