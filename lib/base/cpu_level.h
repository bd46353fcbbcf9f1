// What vector instructions this CPU has, in levels. Each level has those of the one before it, and more.
#ifndef LINEFILTER_LIB_BASE_CPU_LEVEL_H_
#define LINEFILTER_LIB_BASE_CPU_LEVEL_H_

#include <atomic>
#include <cstdint>

namespace linefilter::internal {

// They are named as Highway's targets on x86. kUnasked is none: nobody has asked the CPU yet.
enum class CpuLevel : uint8_t { kUnasked, kNone, kSse2, kSsse3, kSse4, kAvx2, kAvx3, kAvx3Dl, kAvx3Zen4, kAvx3Spr };

// Asks the CPU, and the system for the registers that it saves. On other CPUs than x86 it is kNone. A virtual machine
// leaves to its host for each question: together 31 us.
CpuLevel AskCpu();

// The answer of AskCpu, which is asked once. Two first users at once find the same.
extern std::atomic<CpuLevel> level_of_cpu;
inline CpuLevel LevelOfCpu() {
  const CpuLevel level = level_of_cpu.load(std::memory_order_relaxed);
  return level != CpuLevel::kUnasked ? level : AskCpu();
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_CPU_LEVEL_H_
