// What a result depends on besides the code: the machine, the system, the compiler. It stands as `context` in every
// file of bench/results (README.md there).
//
// `root` is where /proc and /sys are looked for: tests give trees of their own.
#ifndef LINEFILTER_BENCH_MACHINE_H_
#define LINEFILTER_BENCH_MACHINE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/cpu.h"

namespace linefilter::bench {

std::string Compiler();  // "g++ 12.2.0"
std::string Flags();     // as CMake passed them: "-O3 -DNDEBUG"

// All of it but `missing_peers`, which is not of the machine.
nlohmann::json MachineContext(const std::string& root = "");

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_MACHINE_H_
