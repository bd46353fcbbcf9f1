// The rows of our own layouts: lookup and insertion, single and batch, on every target of this CPU.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/inlined.h"
#include "bench/rows.h"
#include "bench/workload.h"
#include "linefilter/filter.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

struct Row {
  Layout layout;
  uint64_t body_bytes;
  double bits_per_key;
  const char* target;
  const Workload& workload() const { return Workload::Get(layout, body_bytes, bits_per_key); }
};

void Describe(benchmark::State& state, const Workload& workload) {
  SetKeys(state, workload.queries().size());
  state.counters["bits_per_key"] = workload.bits_per_key();
  state.counters["num_probes"] = workload.num_probes();
  state.counters["fpr"] = workload.measured_fpr();
}

void RunBatch(benchmark::State& state, Row row) {
  const Workload& workload = row.workload();
  const FilterView view = workload.ViewFor(row.target);
  const std::vector<uint64_t>& queries = workload.queries();
  std::vector<uint8_t> answers(queries.size());
  for (auto _ : state) {
    view.MayContainHashes(queries.data(), queries.size(), answers.data());
    benchmark::ClobberMemory();
  }
  Describe(state, workload);
}

void RunSingle(benchmark::State& state, Row row) {
  const Workload& workload = row.workload();
  const FilterView view = workload.ViewFor(row.target);
  for (auto _ : state) {
    uint64_t maybes = 0;
    for (const uint64_t hash : workload.queries()) maybes += view.MayContainHash(hash);
    benchmark::DoNotOptimize(maybes);
  }
  Describe(state, workload);
}

using InlinedLoop = uint64_t (*)(const FilterBase& filter, const uint64_t* hashes, size_t n);

void RunInlined(benchmark::State& state, Row row, InlinedLoop loop) {
  const Workload& workload = row.workload();
  const FilterView view = workload.ViewFor(nullptr);
  const std::vector<uint64_t>& queries = workload.queries();
  if (loop(view, queries.data(), queries.size()) != view.CountMaybes(queries.data(), queries.size())) {
    fprintf(stderr, "linefilter_bench: the inlined path answers otherwise than the library\n");
    abort();
  }
  for (auto _ : state) benchmark::DoNotOptimize(loop(view, queries.data(), queries.size()));
  Describe(state, workload);
}

template <class Filter>
void RunInsert(benchmark::State& state, Row row, bool batch) {
  const Workload& workload = row.workload();
  const std::vector<uint64_t>& queries = workload.queries();
  FilterOptions options;
  options.bits_per_key = row.bits_per_key;
  Filter filter;
  (void)ForceTarget(row.target);
  const Status status =
      filter.Create(static_cast<uint64_t>(8.0 * static_cast<double>(row.body_bytes) / row.bits_per_key), options);
  (void)ForceTarget(nullptr);
  if (!status.ok()) return state.SkipWithError(status.message());
  memset(const_cast<uint8_t*>(filter.body()), 0x55,
         filter.body_bytes());  // every page is there before the clock starts
  for (auto _ : state) {
    if (batch) {
      benchmark::DoNotOptimize(filter.InsertHashes(queries.data(), queries.size()));
    } else {
      uint64_t news = 0;
      for (const uint64_t hash : queries) news += filter.InsertHash(hash);
      benchmark::DoNotOptimize(news);
    }
  }
  Describe(state, workload);
}

template <class Filter>
void RegisterLayout(Layout layout, const char* target, uint64_t bytes, double bits_per_key) {
  const Row row{layout, bytes, bits_per_key, target};
  const std::string end = std::string("/") + LayoutName(layout) + "/" + target + "/" + SizeName(bytes);
  benchmark::RegisterBenchmark(("lookup/batch" + end).c_str(), RunBatch, row);
  benchmark::RegisterBenchmark(("lookup/single" + end).c_str(), RunSingle, row);
  benchmark::RegisterBenchmark(("insert/batch" + end).c_str(), RunInsert<Filter>, row, true);
  benchmark::RegisterBenchmark(("insert/single" + end).c_str(), RunInsert<Filter>, row, false);
}

}  // namespace

void RegisterFilterRows(const Plan& plan) {
  const TargetList targets = SupportedTargets();
  const InlinedList inlined = SupportedInlinedLoops();
  for (const uint64_t bytes : plan.body_bytes) {
    for (size_t i = 0; i < targets.size; ++i) {
      RegisterLayout<BlockedFilter>(Layout::kBlocked, targets.names[i], bytes, plan.bits_per_key);
    }
    for (size_t i = 0; i < inlined.size; ++i) {
      const InlinedLoops& loops = inlined.loops[i];
      const Row row{Layout::kBlocked, bytes, plan.bits_per_key, loops.target};
      const std::string end = std::string("/blocked/") + loops.target + "/" + SizeName(bytes);
      benchmark::RegisterBenchmark(("lookup/inlined" + end).c_str(), RunInlined, row, loops.count);
      benchmark::RegisterBenchmark(("lookup/inlined_branch" + end).c_str(), RunInlined, row, loops.branch);
    }
    RegisterLayout<ClassicFilter>(Layout::kClassic, "SCALAR", bytes, plan.bits_per_key);
  }
}

}  // namespace linefilter::bench
