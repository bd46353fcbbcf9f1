#include "bench/portable.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "bench/cpu.h"
#include "linefilter/target.h"
#if defined(__linux__)
#include <sched.h>
#include <sys/personality.h>
#include <unistd.h>
#endif

namespace linefilter::bench {
namespace {

// An emulator of a lesser x86: started anew, the program would run on the CPU itself.
bool IsEmulated() {
  const TargetList targets = SupportedTargets();
  for (size_t i = 0; i < targets.size; ++i) {
    if (std::string(targets.names[i]) == "AVX2") return false;
  }
  return FileText("/proc/cpuinfo").find(" avx2") != std::string::npos;
}

}  // namespace

bool IsPortable() {
#ifdef LINEFILTER_BENCH_PORTABLE
  return true;
#else
  return false;
#endif
}

int FastestCpu(const std::vector<int>& cpus, const std::string& root) {
  int fastest = -1;
  uint64_t most = 0;
  for (const int cpu : cpus) {
    uint64_t khz = 0;  // of all alike where the system does not tell
    std::ifstream(root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/cpuinfo_max_freq") >> khz;
    if (khz >= most) most = khz, fastest = cpu;
  }
  return fastest;
}

int PinToOneCpu() {
#if defined(__linux__)
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return -1;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  const int cpu = FastestCpu(cpus);
  cpu_set_t one;
  CPU_ZERO(&one);
  if (cpu >= 0) CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof(one), &one) == 0) return cpu;
#endif
  return -1;
}

void FixAddresses(char** argv) {
#if defined(__linux__)
  constexpr unsigned long kAsk = 0xffffffff;
  const int now = personality(kAsk);
  if (IsEmulated() || now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return;
  execv("/proc/self/exe", argv);
#else
  static_cast<void>(argv);
  static_cast<void>(IsEmulated);
#endif
}

std::string FreshResultsFile() {
  const std::string name = "linefilter-" + CpuSlug();
  std::string file = name + ".json";
  std::error_code error;
  for (int number = 2; std::filesystem::exists(file, error); ++number) {
    file = name + "-" + std::to_string(number) + ".json";
  }
  return file;
}

}  // namespace linefilter::bench
