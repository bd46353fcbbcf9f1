#include "bench/machine.h"

#include <sys/utsname.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/counters.h"
#include "linefilter/hash.h"
#include "linefilter/target.h"

extern "C" const char* const linefilter_bench_commit;  // written by commit.cmake

namespace linefilter::bench {
namespace {

std::string TextOrNone(const std::string& path) {
  const std::string text = FileText(path);
  return text.empty() ? "none" : text;
}

std::string Kernel() {
  utsname system{};
  if (uname(&system) != 0) return "unknown";
  return std::string(system.sysname) + " " + system.release + " " + system.machine;
}

// "L1d 32 KiB"; empty if the system does not tell.
std::vector<std::string> Caches(const std::string& root) {
  std::vector<std::string> caches;
  for (int i = 0;; ++i) {
    const std::string folder = root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string level = FileText(folder + "level"), type = FileText(folder + "type");
    if (level.empty()) return caches;
    const std::string suffix = type == "Data" ? "d" : type == "Instruction" ? "i" : "";
    std::string size = FileText(folder + "size");  // "1024K"
    if (!size.empty() && size.back() == 'K') {
      const long kib = std::stol("0" + size);
      size = kib % 1024 == 0 ? std::to_string(kib / 1024) + " MiB" : std::to_string(kib) + " KiB";
    }
    if (!size.empty()) caches.push_back("L" + level + suffix + " " + size);
  }
}

// A hash of this executable.
std::string Program() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  char text[32];
  snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(HashKey(bytes)));
  return text;
}

}  // namespace

std::string Compiler() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

std::string Flags() { return LINEFILTER_BENCH_FLAGS; }

nlohmann::json MachineContext(const std::string& root) {
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  const TargetList targets = SupportedTargets();
  return {{"cpu", CpuName(root)},
          {"cores", LogicalCpus(root)},
          {"caches", Caches(root)},
          {"governor", TextOrNone(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"huge_pages", TextOrNone(root + "/sys/kernel/mm/transparent_hugepage/enabled")},
          {"kernel", Kernel()},
          {"compiler", Compiler()},
          {"flags", Flags()},
          {"commit", linefilter_bench_commit},
          {"program", Program()},
          {"date", date},
          {"targets", std::vector<std::string>(targets.names, targets.names + targets.size)},
          {"counters", Counters().Text()},
          {"virtual", IsVirtual(root)}};
}

}  // namespace linefilter::bench
