// What vector instructions this CPU has, in levels. Each level has those of the one before it, and more.
#ifndef LINEFILTER_LIB_BASE_CPU_LEVEL_H_
#define LINEFILTER_LIB_BASE_CPU_LEVEL_H_

#include <cstdint>

namespace linefilter::internal {

// They are named as Highway's targets on x86.
enum class CpuLevel : uint8_t { kNone, kSse2, kSsse3, kSse4, kAvx2, kAvx3, kAvx3Dl, kAvx3Zen4, kAvx3Spr };

// Asks the CPU, and the system for the registers that it saves. On other CPUs than x86 it is kNone.
CpuLevel LevelOfCpu();

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_CPU_LEVEL_H_
