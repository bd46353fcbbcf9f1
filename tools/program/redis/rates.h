// Rates are what a Redis server can do: `linefilter redis bench` measures it, `linefilter plan --redis` uses it.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_RATES_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_RATES_H_

#include <cstdint>
#include <string>

#include "linefilter/status.h"
#include "tools/program/report.h"

namespace linefilter::tools {

// These are for one client and one server. The defaults are the lower ends of what was seen of Redis 7.0.15 on
// loopback, client and server on two cores, 8 probes, rounded. One by one it was 11,854 look-ups and 10,602 inserts,
// and 15,000 of either on an idle machine. The bytes are counted from the protocol, with keys of 32 characters.
struct RedisRates {
  double lookups_sync = 12e3, lookups_pipelined = 490e3;      // per second
  double inserts_sync = 10e3, inserts_pipelined = 120e3;      // those of new keys
  double lookup_request_bytes = 85, lookup_reply_bytes = 71;  // per key, pipelined
  double insert_request_bytes = 370, insert_reply_bytes = 36;
  uint64_t batch = 256;  // keys that were sent at once
};

// Adds the fields to the report of `bench`; ReadRedisRates takes them from there.
void ReportRates(const RedisRates& rates, Report* report);

// Reads what `bench --json` printed. kIoError, or kInvalidArgument with the field that is missing or no rate.
Status ReadRedisRates(const std::string& path, RedisRates* rates);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_RATES_H_
