// linefilter_bench: Google Benchmark with our rows. By default three sizes, five interleaved repetitions, medians.
//
//   linefilter_bench                     24 KB, 1 MB and 16 MB
//   linefilter_bench --large             and 2 GB (needs 5 GB of memory and a minute to fill it)
//   linefilter_bench --benchmark_filter=batch/blocked   and all other options of Google Benchmark
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/rows.h"
#include "linefilter/target.h"

namespace linefilter::bench {

std::string SizeName(uint64_t bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB"};
  int unit = 0;
  for (; unit < 3 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

}  // namespace linefilter::bench

int main(int argc, char** argv) {
  linefilter::bench::Plan plan{{24u << 10, 1u << 20, 16u << 20}, 10};
  // Defaults first, so that what the user says later wins.
  std::vector<char*> arguments = {argv[0]};
  std::string defaults[] = {"--benchmark_repetitions=5", "--benchmark_enable_random_interleaving=true",
                            "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.1"};
  for (std::string& argument : defaults) arguments.push_back(argument.data());
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--large") == 0) {
      plan.body_bytes.push_back(uint64_t{2} << 30);
    } else {
      arguments.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(arguments.size());
  linefilter::bench::RegisterFloorRows(plan);
  linefilter::bench::RegisterFilterRows(plan);
  benchmark::AddCustomContext("linefilter_target", linefilter::ChosenTarget());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 2;
  benchmark::Shutdown();
  return 0;
}
