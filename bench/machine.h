// What a result depends on besides the code: the machine, the system, the compiler. It stands as `context` in every
// file of bench/results (README.md there).
//
// `root` is where /proc and /sys are looked for: tests give trees of their own.
#ifndef LINEFILTER_BENCH_MACHINE_H_
#define LINEFILTER_BENCH_MACHINE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/cpu.h"

namespace linefilter::bench {

std::vector<std::string> Caches(const std::string& root = "");  // "L1d 32 KiB"; empty if the system does not tell
std::string Governor(const std::string& root = "");             // of the clock frequency: "performance", "none"
std::string HugePages(const std::string& root = "");            // "always [madvise] never", "none"

std::string Kernel();    // "Linux 6.1.0 x86_64"
std::string Compiler();  // "g++ 12.2.0"
std::string Flags();     // as CMake passed them: "-O3 -DNDEBUG"
// "1bcd838"; "-dirty" behind it if what the benchmark is made of had changes; "unknown" outside of git.
std::string Commit();
std::string Program();  // a hash of this executable

// All of it, and the date, the targets and whether there are hardware counters. (`missing_peers` is not of the
// machine.)
nlohmann::json MachineContext(const std::string& root = "");

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_MACHINE_H_
