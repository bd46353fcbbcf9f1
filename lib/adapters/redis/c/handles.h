// What the handles of linefilter/c/redis.h point to. Memory that runs out is a status, and a NULL handle, too.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_C_HANDLES_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_C_HANDLES_H_

#include <new>

#include "lib/c/options.h"
#include "linefilter/c/redis.h"
#include "linefilter/redis.h"

namespace linefilter::redis_internal {

// Tells a callback of C what one of C++ is told.
struct CallTeller {
  linefilter_redis_on_call on_call = nullptr;
  void* context = nullptr;
};

// Hands a status over, in words of C; as internal::ToC (tell.cc).
linefilter_code Tell(const Status& status, linefilter_status* to) noexcept;

inline Status NoFilter() noexcept { return internal::NoHandle("filter in Redis"); }

}  // namespace linefilter::redis_internal

struct linefilter_redis_servers {
  linefilter::RedisServers servers;
  linefilter::redis_internal::CallTeller teller;
};

struct linefilter_redis {
  linefilter::redis_internal::CallTeller teller;  // the filter points to it, and goes first
  linefilter::RedisFilter filter;
};

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_C_HANDLES_H_
