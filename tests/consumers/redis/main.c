/* As main.cc, by the C API. */
#include <stdio.h>

#include "linefilter/c/redis.h"

int main(void) {
  linefilter_status status;
  linefilter_redis_servers* servers = linefilter_redis_servers_new("unix:/nonexistent/redis.sock", &status);
  linefilter_redis_deadlines deadlines = linefilter_redis_servers_deadlines(servers);
  linefilter_redis* filter;
  bool maybe = false;
  deadlines.admin_ms = 1;
  if (linefilter_redis_servers_set_deadlines(servers, &deadlines, &status) != LINEFILTER_OK)
    return puts(status.message), 1;
  filter = linefilter_redis_open(servers, "seen", NULL, &status);
  linefilter_redis_servers_free(servers);
  if (filter != NULL || status.code != LINEFILTER_UNAVAILABLE) return puts(status.message), 1;
  printf("ok: Redis in C (%s)\n", status.message);
  if (linefilter_redis_may_contain_key(filter, "bob@example.org", 15, &maybe, &status) == LINEFILTER_OK || !maybe) {
    return puts("an answer, by nobody"), 1;
  }
  return 0;
}
