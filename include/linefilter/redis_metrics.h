// RedisMetrics counts and times the calls of any number of filters in Redis, for Prometheus, and keeps the slow ones.
//
//   linefilter::RedisMetrics metrics;  // one for the process; it must outlive the filters
//   linefilter::RedisServers servers;
//   metrics.Watch(&servers);           // before Open and Create
//   ...
//   std::string text;                  // when Prometheus asks
//   linefilter::Status status = metrics.WritePrometheus(&text);
//
// For each verb and server it has the number of calls by status code, of keys, and a histogram of how long calls took.
// A call costs some 100 ns. Any number of threads may use all of it. A child process counts nothing, and makes another
// object.
#ifndef LINEFILTER_REDIS_METRICS_H_
#define LINEFILTER_REDIS_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "linefilter/internal/export.h"
#include "linefilter/redis_servers.h"
#include "linefilter/status.h"

namespace linefilter {

namespace redis_internal {
struct CallCounts;  // lib/adapters/redis/calls/metrics.cc
}

// A call that took long.
struct SlowRedisCall {
  RedisVerb verb = RedisVerb::kMayContain;  // what it was
  StatusCode code = StatusCode::kOk;        // see RedisCall::code
  uint64_t num_keys = 0;                    // that were asked, inserted or removed
  uint64_t ns = 0;                          // the time that it took
  char filter[64] = {};                     // the beginning of its name
  char node[64] = {};                       // the server whose reply came last, or that failed last
};

// linefilter/redis_metrics.h begins with how it is used.
class LINEFILTER_EXPORT RedisMetrics final {
 public:
  // Calls of slow_ms and more are slow ones.
  explicit RedisMetrics(uint32_t slow_ms = 50) noexcept;
  ~RedisMetrics();
  RedisMetrics(const RedisMetrics&) = delete;
  RedisMetrics& operator=(const RedisMetrics&) = delete;

  // Sets on_call and on_call_context of the servers.
  void Watch(RedisServers* servers) noexcept;
  // Counts one call. Where there is no memory for a server that is new, its calls are counted as those of "".
  void Count(const RedisCall& call) noexcept;

  // How many calls there were, and how many of them were slow.
  uint64_t num_calls() const noexcept;
  uint64_t num_slow() const noexcept;  // see num_calls
  // The slow call that ended i slow calls ago, of the last 32; false if there is none.
  bool slow_call(size_t i, SlowRedisCall* call) const noexcept;

  // Appends a text in the exposition format of Prometheus: linefilter_redis_calls_total by verb, node and code,
  // linefilter_redis_keys_total and the histogram linefilter_redis_call_seconds by verb and node, and
  // linefilter_redis_slow_calls_total by verb and node. It is kOutOfMemory if the text does not fit into memory.
  Status WritePrometheus(std::string* text) const noexcept;

 private:
  std::unique_ptr<redis_internal::CallCounts> counts_;
};

}  // namespace linefilter

#endif  // LINEFILTER_REDIS_METRICS_H_
