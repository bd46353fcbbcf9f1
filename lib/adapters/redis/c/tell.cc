// Sentences of the C++ API name what its user would change. Who calls from C is told the names of linefilter/c/redis.h.
#include <cstring>

#include "lib/adapters/redis/c/handles.h"

namespace linefilter::redis_internal {
namespace {

// Longer ones come before those that they begin with.
constexpr struct {
  const char *in_cpp, *in_c;
} kNames[] = {
    {"RedisServers::addresses", "the address of linefilter_redis_servers_new"},
    {"RedisServers::deadlines", "linefilter_redis_deadlines"},
    {"Deadlines::", "linefilter_redis_deadlines."},
    {"RedisServers::user and password", "linefilter_redis_servers_set_login"},
    {"RedisServers::password, and user if", "linefilter_redis_servers_set_login, with a user if"},
    {"RedisServers::password", "the password of linefilter_redis_servers_set_login"},
    {"RedisServers::user", "the user of linefilter_redis_servers_set_login"},
    {"RedisServers::database", "linefilter_redis_servers_set_database"},
    {"RedisServers::tls_", "linefilter_redis_tls."},
    {"RedisServers::tls", "linefilter_redis_servers_set_tls"},
    {"RedisServers::replica_reads", "linefilter_redis_servers_set_replicas"},
    {"RedisServers::wait_replicas", "linefilter_redis_servers_set_replicas"},
    {"RedisLayout::", "linefilter_redis_layout."},
    {"RedisLayout", "linefilter_redis_layout"},
};

// Appends what fits, with its zero byte.
void Append(const char* text, size_t size, char* to, size_t room) noexcept {
  const size_t used = strlen(to), taken = size < room - 1 - used ? size : room - 1 - used;
  memcpy(to + used, text, taken);
  to[used + taken] = '\0';
}

}  // namespace

linefilter_code Tell(const Status& status, linefilter_status* to) noexcept {
  const linefilter_code code = internal::ToC(status, to);
  if (code == LINEFILTER_OK || to == nullptr) return code;
  to->message[0] = '\0';
  for (const char* at = status.message(); *at != '\0';) {
    const char *shown = at, *next = at + 1;
    size_t size = 1;
    for (const auto& [in_cpp, in_c] : kNames) {
      if (strncmp(at, in_cpp, strlen(in_cpp)) != 0) continue;
      shown = in_c, size = strlen(in_c), next = at + strlen(in_cpp);
      break;
    }
    Append(shown, size, to->message, sizeof(to->message));
    at = next;
  }
  return code;
}

}  // namespace linefilter::redis_internal
