// linefilter fpr: the measured false-positive rate against the expected one.
//
// Keys are integers hashed by the library: members 0, 1, 2, ..., non-members from 2^63 up. Both ranges are disjoint, so
// each "maybe" of a non-member is a false positive.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/images.h"
#include "tools/interval.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace linefilter::tools {
namespace {

constexpr uint64_t kFirstNonMember = uint64_t{1} << 63;
constexpr size_t kBatch = 1 << 14;  // 128 KiB of hashes stay in the L2 cache

struct Fpr {
  Layout layout = Layout::kBlocked;
  uint64_t num_keys = 1000000, num_queries = 0, probes = 0, seed = 0;
  double bits_per_key = 10, confidence = 0.99;
  bool json = false;
};

// 0 = chosen for 10,000 expected false positives (an interval of about +-2.6 % at 99 %), within 10^6 and 10^8.
uint64_t NumQueries(const Fpr& fpr, double expected_fpr) {
  if (fpr.num_queries != 0) return fpr.num_queries;
  return static_cast<uint64_t>(std::clamp(1e4 / std::max(expected_fpr, 1e-12), 1e6, 1e8));
}

// Calls batch(hashes, n) for the keys first .. first + count - 1.
template <class Batch>
void ForHashes(const char* what, uint64_t first, uint64_t count, uint64_t seed, Batch batch) {
  std::vector<uint64_t> hashes(kBatch);
  Progress progress(what, "keys", count);
  for (uint64_t done = 0; done < count;) {
    const size_t n = static_cast<size_t>(std::min<uint64_t>(kBatch, count - done));
    for (size_t i = 0; i < n; ++i) hashes[i] = HashKey(first + done + i, seed);
    batch(hashes.data(), n);
    done += n;
    progress.Update(done);
  }
}

int Measure(const Fpr& fpr, MutableFilter* filter) {
  ForHashes("inserting", 0, fpr.num_keys, fpr.seed,
            [&](const uint64_t* hashes, size_t n) { filter->InsertHashes(hashes, n); });
  uint64_t found = 0, hits = 0;
  ForHashes("asking members", 0, fpr.num_keys, fpr.seed,
            [&](const uint64_t* hashes, size_t n) { found += filter->CountMaybes(hashes, n); });
  const double expected = ExpectedFpr(fpr.layout, fpr.num_keys, filter->body_bytes(), filter->num_probes());
  const uint64_t num_queries = NumQueries(fpr, expected);
  ForHashes("asking non-members", kFirstNonMember, num_queries, fpr.seed,
            [&](const uint64_t* hashes, size_t n) { hits += filter->CountMaybes(hashes, n); });
  const Interval interval = ClopperPearson(hits, num_queries, fpr.confidence);
  const double of_these_bits = filter->ExpectedFpr();
  const uint64_t false_negatives = fpr.num_keys - found;

  Report report;
  report.Text("layout", LayoutName(fpr.layout));
  report.Real("bits_per_key",
              8 * static_cast<double>(filter->body_bytes()) / static_cast<double>(std::max<uint64_t>(fpr.num_keys, 1)));
  report.Count("num_probes", filter->num_probes());
  report.Count("num_keys", fpr.num_keys);
  report.Count("num_queries", num_queries);
  report.Count("false_positives", hits);
  report.Rate("measured_fpr", static_cast<double>(hits) / static_cast<double>(num_queries));
  report.Rate("expected_fpr", expected);
  report.Rate("fpr_low", interval.low);
  report.Rate("fpr_high", interval.high);
  report.Rate("confidence", fpr.confidence);
  report.Rate("expected_fpr_of_bits", of_these_bits);
  report.Count("false_negatives", false_negatives);
  report.Count("body_bytes", filter->body_bytes());
  report.Count("seed", fpr.seed);
  report.Text("target", filter->target());
  report.Print(fpr.json);
  if (false_negatives == 0) return kExitGood;
  Fail(
      "fpr: FALSE NEGATIVES: %llu of %llu members answered \"absent\". This must never happen: please report the line "
      "above, "
      "this CPU and the target",
      static_cast<unsigned long long>(false_negatives), static_cast<unsigned long long>(fpr.num_keys));
  return kExitNegative;
}

int RunFpr(const Fpr& fpr) {
  if (!(fpr.bits_per_key >= kMinBitsPerKey && fpr.bits_per_key <= kMaxBitsPerKey)) {
    return Fail("fpr: --bits-per-key %g is outside %g to %g", fpr.bits_per_key, kMinBitsPerKey, kMaxBitsPerKey);
  }
  if (!(fpr.confidence > 0 && fpr.confidence < 1)) {
    return Fail("fpr: --confidence %g is not between 0 and 1: choose like 0.99", fpr.confidence);
  }
  if (fpr.num_keys > kFirstNonMember || fpr.num_queries > kFirstNonMember) {
    return Fail("fpr: at most 2^63 keys and queries: members are the integers below it, non-members those above");
  }
  FilterOptions options;
  options.bits_per_key = fpr.bits_per_key;
  if (fpr.probes > MaxNumProbes(fpr.layout)) {
    return Fail("fpr: --probes %llu is too many: layout %s takes 1 to %u", static_cast<unsigned long long>(fpr.probes),
                LayoutName(fpr.layout), MaxNumProbes(fpr.layout));
  }
  options.num_probes = static_cast<uint32_t>(fpr.probes);
  options.seed = fpr.seed;
  options.memory_limit = MemoryOfMachine();
  BlockedFilter blocked;
  ClassicFilter classic;
  const bool is_blocked = fpr.layout == Layout::kBlocked;
  const Status status = is_blocked ? blocked.Create(fpr.num_keys, options) : classic.Create(fpr.num_keys, options);
  if (!status.ok()) return Fail("fpr: %s", status.message());
  return Measure(fpr, is_blocked ? static_cast<MutableFilter*>(&blocked) : &classic);
}

std::function<int()> Declare(Arguments& arguments) {
  auto fpr = std::make_shared<Fpr>();
  arguments.LayoutName(&fpr->layout, false, "blocked by default");
  arguments.Real("--bits-per-key", &fpr->bits_per_key, "B", "Size of the filter, 1 to 64; 10 by default");
  arguments.Count("--num-keys", &fpr->num_keys, "How many keys to insert; 1e6 by default");
  arguments.Count("--probes", &fpr->probes, "Number of probes; 0, the default, is the best for the size");
  arguments.Count("--num-queries", &fpr->num_queries,
                  "How many absent keys to ask; 0, the default: for 10,000 false positives, within 1e6 and 1e8");
  arguments.Real("--confidence", &fpr->confidence, "C", "Of the interval fpr_low to fpr_high; 0.99 by default");
  arguments.Seed(&fpr->seed, "Seed of the hash: another seed is another sample; 0 by default");
  arguments.Json(&fpr->json);
  return [fpr] { return RunFpr(*fpr); };
}

}  // namespace

const Command kFprCommand = {
    "fpr", "Measure the false-positive rate against the expected one",
    "expected_fpr is the model's mean over all sets of num_keys keys, expected_fpr_of_bits that of the very filter "
    "measured;\n"
    "they differ where the filter is small. fpr_low to fpr_high is the Clopper-Pearson interval of the measured one.\n"
    "Exit code: 0 no false negative, 1 false negatives (a bug), 2 bad usage.",
    &Declare};

}  // namespace linefilter::tools
