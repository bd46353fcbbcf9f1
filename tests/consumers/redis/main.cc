// A filter in Redis, where no server is: all there is to see is that the program is complete, that the library says so,
// and that a key is never "absent" for it.
#include <cstdio>

#include "linefilter/redis.h"

int main() {
  linefilter::RedisServers servers;
  servers.addresses = "unix:/nonexistent/redis.sock";
  servers.deadlines.admin_ms = 1;
  linefilter::RedisFilter filter;
  const linefilter::Status status = filter.Open(servers, "seen");
  if (status.code() != linefilter::StatusCode::kUnavailable) return std::puts(status.message()), 1;
  bool maybe = false;
  if (filter.MayContainKey("bob@example.org", &maybe).ok() || !maybe) return std::puts("an answer, by nobody"), 1;
  std::printf("ok: Redis (%s)\n", status.message());
}
