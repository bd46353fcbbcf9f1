#include "tools/program/bench_rows.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>

#include "linefilter/scalable.h"
#include "linefilter/sizing.h"
#include "tools/measure/any_filter.h"
#include "tools/program/images.h"

namespace linefilter::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kRates[] = {0.01, 0.001};
constexpr size_t kBatch = 4096;
constexpr uint64_t kFirstAbsent = uint64_t{1} << 40;     // members are 0, 1, 2, ...
constexpr uint64_t kFirstCapacity = 4096;                // of a filter that grows, as build --grow has it
constexpr uint64_t kStep = 2654435761;                   // a prime: members are asked in another order than they came
constexpr size_t kLeastPasses = 3, kMostPasses = 10000;  // of which the median counts

double Since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The median time of a pass, in ns per key.
double Time(double seconds, size_t num_keys, const std::function<void()>& pass) {
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  while (times.size() < kLeastPasses || (Since(begin) < seconds && times.size() < kMostPasses)) {
    const Clock::time_point start = Clock::now();
    pass();
    times.push_back(1e9 * Since(start) / static_cast<double>(num_keys));
  }
  return Median(times);
}

// A filter of any layout, the one that grows included.
class BenchFilter {
 public:
  Status Create(const LayoutSpeed& row) {
    FilterOptions options;
    options.fpr = row.fpr;
    options.memory_limit = MemoryOfMachine();
    grows_ = FactsOf(row.layout).has_stages;
    return grows_ ? growing_.Create(kFirstCapacity, options) : any_.Create(row.layout, row.num_keys, options);
  }
  // Empties it, and brings all keys in.
  Status Build(uint64_t num_keys) {
    grows_ ? growing_.Clear() : any_.Clear();
    uint64_t hashes[kBatch];
    for (uint64_t done = 0; done < num_keys; done += kBatch) {
      const size_t n = static_cast<size_t>(std::min<uint64_t>(kBatch, num_keys - done));
      for (size_t i = 0; i < n; ++i) hashes[i] = HashKey(done + i);
      grows_ ? (void)growing_.InsertHashes(hashes, n) : any_.InsertHashes(hashes, n);
    }
    return grows_ ? Status() : any_.Finish();
  }
  const FilterBase& Get() const { return grows_ ? static_cast<const FilterBase&>(growing_) : any_.filter(); }

 private:
  bool grows_ = false;
  AnyFilter any_;
  ScalableFilter growing_;
};

// Counts the maybes of a pass, so that no lookup can be left out.
uint64_t AskInBatches(const FilterBase& filter, const std::vector<uint64_t>& keys) {
  uint8_t answers[kBatch];
  uint64_t maybes = 0;
  for (size_t done = 0; done < keys.size(); done += kBatch) {
    const size_t n = std::min(kBatch, keys.size() - done);
    filter.MayContainKeys(keys.data() + done, n, answers);
    for (size_t i = 0; i < n; ++i) maybes += answers[i];
  }
  return maybes;
}

uint64_t AskOneByOne(const FilterBase& filter, const std::vector<uint64_t>& keys) {
  uint64_t maybes = 0;
  for (const uint64_t key : keys) maybes += filter.MayContainKey(key);
  return maybes;
}

}  // namespace

std::vector<LayoutSpeed> PlanBench(uint64_t num_keys) {
  std::vector<LayoutSpeed> rows;
  for (const double rate : kRates) {
    for (const Layout layout : SupportedLayouts()) {
      Sizing sizing;
      const LayoutFacts facts = FactsOf(layout);
      if (!facts.has_stages && !(facts.buildable && SizeForFpr(layout, num_keys, rate, &sizing).ok())) continue;
      LayoutSpeed row;
      row.layout = layout;
      row.fpr = rate;
      row.num_keys = num_keys;
      rows.push_back(row);
    }
  }
  return rows;
}

Status MeasureBench(double seconds, uint64_t num_queries, LayoutSpeed* row) {
  BenchFilter made;
  Status status = made.Create(*row);
  if (!status.ok()) return status;
  // A large filter is built once: that takes longer than all else.
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point start = Clock::now();
    status = made.Build(row->num_keys);
    if (!status.ok()) return status;
    times.push_back(1e9 * Since(start) / static_cast<double>(row->num_keys));
  } while (Since(begin) < seconds);
  row->build = Median(times);
  const FilterBase& filter = made.Get();
  row->bits_per_key = 8 * static_cast<double>(filter.body_bytes()) / static_cast<double>(row->num_keys);

  const size_t n = static_cast<size_t>(num_queries);
  std::vector<uint64_t> hits(n), misses(n);
  for (size_t i = 0; i < n; ++i) {
    hits[i] = i * kStep % row->num_keys;
    misses[i] = kFirstAbsent + i;
  }
  uint64_t maybes = 0, false_positives = 0, found = 0;
  row->batch_hit = Time(seconds, n, [&] { maybes = AskInBatches(filter, hits); });
  row->batch_miss = Time(seconds, n, [&] { false_positives = AskInBatches(filter, misses); });
  row->single_hit = Time(seconds, n, [&] { found = AskOneByOne(filter, hits); });
  row->single_miss = Time(seconds, n, [&] { found += AskOneByOne(filter, misses) - false_positives; });
  row->measured_fpr = static_cast<double>(false_positives) / static_cast<double>(n);
  if (maybes == n && found == n) return Status();
  return Status::Error(StatusCode::kCorrupt,
                       "layout %s lost a member, or its single lookups differ from those of "
                       "batches: please report this",
                       LayoutName(row->layout));
}

}  // namespace linefilter::tools
