// The floor rows: read the line and sum it, hash alone, an empty loop.
#include "bench/floor.h"
#include "bench/rows.h"
#include "bench/workload.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

using SumLines = uint64_t (*)(const uint8_t* lines, uint64_t num_lines, const uint64_t* hashes, size_t n);

void RunSumLines(benchmark::State& state, SumLines sum_lines, uint64_t body_bytes, double bits_per_key) {
  const Workload& workload = Workload::Get(Layout::kBlocked, body_bytes, bits_per_key);
  const std::vector<uint64_t>& queries = workload.queries();
  for (auto _ : state) {
    benchmark::DoNotOptimize(sum_lines(workload.body(), workload.body_bytes() / 64, queries.data(), queries.size()));
  }
  SetKeys(state, queries.size());
}

void RunEmptyLoop(benchmark::State& state, uint64_t body_bytes, double bits_per_key) {
  const std::vector<uint64_t>& queries = Workload::Get(Layout::kBlocked, body_bytes, bits_per_key).queries();
  for (auto _ : state) {
    for (uint64_t hash : queries) benchmark::DoNotOptimize(hash);
  }
  SetKeys(state, queries.size());
}

void RunHash(benchmark::State& state) {
  uint64_t key = 0;
  for (auto _ : state) {
    for (int i = 0; i < 4096; ++i) benchmark::DoNotOptimize(HashKey(++key));
  }
  SetKeys(state, 4096);
}

}  // namespace

void RegisterFloorRows(const Plan& plan) {
  for (const uint64_t bytes : plan.body_bytes) {
    benchmark::RegisterBenchmark(("floor/sum_lines/plain/" + SizeName(bytes)).c_str(), RunSumLines, SumLinesPlain,
                                 bytes, plan.bits_per_key);
    benchmark::RegisterBenchmark(("floor/sum_lines/ring32/" + SizeName(bytes)).c_str(), RunSumLines, SumLinesRing,
                                 bytes, plan.bits_per_key);
    benchmark::RegisterBenchmark(("floor/empty_loop/" + SizeName(bytes)).c_str(), RunEmptyLoop, bytes,
                                 plan.bits_per_key);
  }
  benchmark::RegisterBenchmark("floor/hash_u64", RunHash);
}

}  // namespace linefilter::bench
