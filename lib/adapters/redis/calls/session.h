// A Session is the way of one filter's commands to its servers: a router, and one batch that all calls make anew.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SESSION_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SESSION_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// A reply that is kept: the bytes of a string, the value of an integer, or nil.
struct Answer {
  bool is_nil = false;
  std::string text;
  int64_t number = 0;
};

struct Session {
  Status Connect(const RedisServers& to) {
    servers = to;
    return router.Connect(servers);
  }
  // Runs one command for one reply, outside of batches: Do(key, Kind::kRead, {"PTTL", key.name}, &answer).
  Status Do(const RedisKey& key, Kind kind, std::initializer_list<std::string_view> words, Answer* answer);

  RedisServers servers;
  Router router;
  Batch batch;  // scratch: Clear it before use
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SESSION_H_
