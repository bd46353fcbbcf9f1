// A connection by hiredis, without a password and TLS, runs what the library never sends: the commands of other filters
// that are compared with ours.
#ifndef LINEFILTER_BENCH_REDIS_CONNECTION_H_
#define LINEFILTER_BENCH_REDIS_CONNECTION_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/redis.h"
#include "linefilter/status.h"

struct redisContext;
struct redisReply;

namespace linefilter::bench {

class RedisConnection {
 public:
  // Connects to the one server whose address is given, as host:port.
  Status Connect(const RedisServers& servers);

  // Runs one command; a reply that is an error is one.
  Status Do(const std::vector<std::string>& words, std::string* text = nullptr);
  // Sends n commands that are written out, and takes their replies. It returns the first reply that is an error.
  Status Run(const std::string& commands, size_t n, const std::function<void(size_t, const redisReply&)>& take);

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };

  Status Lost() const;

  std::unique_ptr<redisContext, Free> context_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_REDIS_CONNECTION_H_
