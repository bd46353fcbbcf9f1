#include "tools/program/fpr_measure.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "tools/measure/any_filter.h"
#include "tools/measure/parallel.h"
#include "tools/program/images.h"
#include "tools/program/progress.h"

namespace linefilter::tools {
namespace {

constexpr uint64_t kBatch = 4096;                   // 32 KiB of hashes stay in the L1 or L2 cache
constexpr uint64_t kPart = uint64_t{256} * kBatch;  // a thread takes so much at a time: some milliseconds

class SharedProgress {
 public:
  explicit SharedProgress(uint64_t total) : progress_("measuring", "keys", total) {}
  void Add(uint64_t keys) {
    const uint64_t done = done_ += keys;
    if (mutex_.try_lock()) {  // a thread that finds it taken draws the next time
      progress_.Update(done);
      mutex_.unlock();
    }
  }

 private:
  std::atomic<uint64_t> done_{0};
  std::mutex mutex_;
  Progress progress_;
};

// Calls batch(hashes, n) for the keys first .. first + count - 1.
template <class Batch>
void ForHashes(const FprRequest& fpr, bool absent, uint64_t first, uint64_t count, uint64_t seed,
               SharedProgress* progress, const Batch& batch) {
  uint64_t hashes[kBatch];
  for (uint64_t done = 0; done < count;) {
    const size_t n = static_cast<size_t>(std::min(kBatch, count - done));
    MakeHashes(*fpr.family, absent, first + done, n, seed, hashes);
    batch(hashes, n);
    done += n;
    progress->Add(n);
  }
}

uint64_t CountMaybes(const FprRequest& fpr, const FilterBase& filter, bool absent, uint64_t count, uint64_t seed,
                     uint64_t num_threads, SharedProgress* progress) {
  std::atomic<uint64_t> maybes{0};
  ParallelFor(num_threads, (count + kPart - 1) / kPart, [&](uint64_t part) {
    const uint64_t first = part * kPart;
    uint64_t of_part = 0;
    ForHashes(fpr, absent, first, std::min(kPart, count - first), seed, progress,
              [&](const uint64_t* hashes, size_t n) { of_part += filter.CountMaybes(hashes, n); });
    maybes += of_part;
  });
  return maybes;
}

FilterOptions OptionsOf(const FprRequest& fpr, uint64_t num_threads) {
  FilterOptions options;
  options.bits_per_key = fpr.bits_per_key;
  options.num_probes = static_cast<uint32_t>(fpr.probes);
  options.seed = fpr.seed;
  options.memory_limit = MemoryOfMachine();
  options.hash_id = fpr.family->is_hash ? HashId::kCaller : HashId::kXxh3;
  options.executor = Threads(num_threads);
  return options;
}

// Inserting stays on one thread: a filter has one writer. All threads make what is made at once.
Status MeasureSeed(const FprRequest& fpr, uint64_t num_threads, SharedProgress* progress, SeedCounts* counts,
                   FprMeasured* common) {
  FilterOptions options = OptionsOf(fpr, num_threads);
  options.seed = counts->seed;
  AnyFilter made;
  Status status = made.Create(fpr.layout, fpr.num_keys, options);
  if (!status.ok()) return status;
  ForHashes(fpr, false, 0, fpr.num_keys, counts->seed, progress,
            [&](const uint64_t* hashes, size_t n) { made.InsertHashes(hashes, n); });
  status = made.Finish();
  if (!status.ok()) return status;
  const FilterBase& filter = made.filter();
  const uint64_t found = CountMaybes(fpr, filter, false, fpr.num_keys, counts->seed, num_threads, progress);
  counts->false_negatives = fpr.num_keys - found;
  counts->false_positives = CountMaybes(fpr, filter, true, counts->num_queries, counts->seed, num_threads, progress);
  counts->expected_fpr_of_bits = filter.ExpectedFpr();
  if (common != nullptr) {
    common->num_probes = filter.num_probes();
    common->body_bytes = filter.body_bytes();
    common->target = filter.target();
  }
  return Status();
}

// Tells how many filters to hold at once.
uint64_t NumFiltersAtOnce(const FprRequest& fpr) {
  uint64_t at_once = std::min(fpr.threads, fpr.seeds);
  const FilterOptions options = OptionsOf(fpr, 1);
  const uint64_t memory = AnyFilter::MemoryFor(fpr.layout, fpr.num_keys, options);
  if (memory != 0) at_once = std::min(at_once, options.memory_limit / 2 / memory);  // half: others live here too
  return std::max<uint64_t>(at_once, 1);
}

}  // namespace

Status MeasureFpr(const FprRequest& fpr, uint64_t num_queries, FprMeasured* result) {
  result->by_seed.assign(fpr.seeds, {});
  for (uint64_t i = 0; i < fpr.seeds; ++i) {
    result->by_seed[i].seed = fpr.seed + i;
    result->by_seed[i].num_queries = num_queries / fpr.seeds + (i < num_queries % fpr.seeds);
  }
  const uint64_t at_once = NumFiltersAtOnce(fpr);
  std::vector<Status> statuses(fpr.seeds);
  SharedProgress progress(2 * fpr.num_keys * fpr.seeds + num_queries);
  ParallelFor(at_once, fpr.seeds, [&](uint64_t i) {
    statuses[i] = MeasureSeed(fpr, fpr.threads / at_once, &progress, &result->by_seed[i], i == 0 ? result : nullptr);
  });
  for (const Status& status : statuses) {
    if (!status.ok()) return status;
  }
  SeedCounts& total = result->total;
  total.seed = fpr.seed;
  for (const SeedCounts& counts : result->by_seed) {
    total.num_queries += counts.num_queries;
    total.false_positives += counts.false_positives;
    total.false_negatives += counts.false_negatives;
    total.expected_fpr_of_bits += counts.expected_fpr_of_bits / static_cast<double>(fpr.seeds);
  }
  return Status();
}

}  // namespace linefilter::tools
