// A lifetime is how long a filter is to be there, as --expire and --after take it: in seconds.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_LIFETIME_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_LIFETIME_H_

#include <cstdint>

#include "tools/program/command.h"

namespace linefilter::tools {

// It is false after saying why: the filter would be gone at once, or it is a slip.
inline bool CheckLifetime(const char* command, const char* option, const char* forever, uint64_t seconds) {
  constexpr uint64_t kMost = 3153600000;
  if (seconds == 0) {
    Fail("redis %s: %s 0 would be gone at once: give a second at least, or %s for never", command, option, forever);
  } else if (seconds > kMost) {
    Fail("redis %s: %s is above a hundred years: %s", command, option, forever);
  }
  return seconds != 0 && seconds <= kMost;
}

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_LIFETIME_H_
