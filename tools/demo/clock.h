// Time of a thread.
#ifndef LINEFILTER_TOOLS_DEMO_CLOCK_H_
#define LINEFILTER_TOOLS_DEMO_CLOCK_H_

#include <time.h>

namespace linefilter::demo {

// CPU time of this thread: what other programs do on the machine meanwhile does not count.
inline double NowNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_CLOCK_H_
