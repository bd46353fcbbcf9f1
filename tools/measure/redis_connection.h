// A connection by hiredis, without TLS, runs what the library never sends: questions for the facts and the traffic of a
// server, and the commands of other filters that are compared with ours.
#ifndef LINEFILTER_TOOLS_MEASURE_REDIS_CONNECTION_H_
#define LINEFILTER_TOOLS_MEASURE_REDIS_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/redis.h"
#include "linefilter/status.h"

struct redisContext;
struct redisReply;

namespace linefilter::tools {

// The traffic in bytes, since the server began.
struct ServerTraffic {
  int64_t in = 0, out = 0;
};

class RedisConnection {
 public:
  // Connects to the server that has the key, once the library has found one.
  Status Connect(const RedisServers& servers, const std::string& key);

  // Runs one command; a reply that is an error is one.
  Status Do(const std::vector<std::string>& words, std::string* text = nullptr);
  // Sends n commands that are written out, and takes their replies. It returns the first reply that is an error.
  Status Run(const std::string& commands, size_t n, const std::function<void(size_t, const redisReply&)>& take);

  // A fact of INFO, like redis_version; empty if it is not told.
  std::string TextFact(const char* name);
  // Whether the server counts all commands and replies, and nothing else.
  bool TellsTraffic();
  // The traffic by one INFO: its command is counted, its reply not yet. It leaves out what goes to replicas.
  ServerTraffic Traffic();
  bool is_cluster() { return TextFact("redis_mode") == "cluster"; }

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };

  Status Open(const RedisServers& servers, const std::string& address);
  Status Lost() const;

  std::unique_ptr<redisContext, Free> context_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_REDIS_CONNECTION_H_
