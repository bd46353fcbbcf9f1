// Which of Highway's targets this CPU has the instructions for.
#ifndef LINEFILTER_LIB_LAYOUTS_CPU_TARGETS_H_
#define LINEFILTER_LIB_LAYOUTS_CPU_TARGETS_H_

#include <cstdint>

namespace linefilter::internal {

// Bits of Highway's, where better targets have lower ones. On x86 the CPU is asked here, so that a program needs none
// of Highway at run time, and what else uses Highway in the program steers nothing of ours. Elsewhere Highway is asked.
int64_t TargetsOfCpu();

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_CPU_TARGETS_H_
