#include "bench/accuracy.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "bench/machine.h"
#include "bench/peer.h"
#include "linefilter/file.h"
#include "linefilter/interval.h"
#include "linefilter/sizing.h"
#include "tools/measure/key_families.h"
#include "tools/measure/layouts.h"
#include "tools/measure/parallel.h"

namespace linefilter::bench {
namespace {

using nlohmann::json;

constexpr double kConfidence = 0.99;

// How well a point is known.
struct Precision {
  uint64_t filters;        // with different members, so that the scatter of one fill averages out
  double false_positives;  // expected: 10^4 make the rate's standard error 1 %
  uint64_t most_queries;   // of one point: beyond, precision is given up for time
};

struct Plan {
  std::vector<double> bits_per_key;
  uint64_t num_keys;    // of each filter
  Precision of_hashes;  // peers that take hashes: quick, and compared pattern against pattern
  Precision of_others;  // packaged ones
  Precision of_families;
  double family_bits_per_key;
};

const Plan kFull = {{6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24},
                    1000000,
                    {16, 2e5, 1200000000},
                    {4, 1e4, 100000000},
                    {2, 1e4, 100000000},
                    10};
const Plan kQuick = {{10, 16}, 50000, {2, 1e3, 200000}, {2, 1e3, 200000}, {1, 1e3, 200000}, 10};

// One point of a curve, or one family.
struct Job {
  const Peer* peer;
  Spec spec;  // of the first filter
  uint64_t num_filters;
  uint64_t num_queries;  // of all filters together
};

struct Counts {
  uint64_t bytes = 0, false_positives = 0;
  uint32_t num_probes = 0;
  double expected_fpr = 0;  // mean over the filters
};

bool Takes(const Peer& peer, KeyKind kind) {
  return std::find(peer.kinds.begin(), peer.kinds.end(), kind) != peer.kinds.end();
}

// Batches where the peer has them: they are the quickest way to the same answers.
Access AccessOf(const Peer& peer) {
  return std::find(peer.accesses.begin(), peer.accesses.end(), Access::kBatch) != peer.accesses.end()
             ? Access::kBatch
             : peer.accesses[0];
}

const char* KeysName(const Spec& spec) { return spec.family != nullptr ? spec.family->name : KeyKindName(spec.kind); }

Job MakeJob(const Peer& peer, KeyKind kind, const tools::KeyFamily* family, double bits_per_key, const Plan& plan) {
  Job job;
  job.peer = &peer;
  const Precision& precision = family != nullptr             ? plan.of_families
                               : Takes(peer, KeyKind::kHash) ? plan.of_hashes
                                                             : plan.of_others;
  job.num_filters = precision.filters;
  job.spec.kind = kind;
  job.spec.family = family;
  job.spec.bits_per_key = bits_per_key;
  job.spec.num_keys = plan.num_keys;
  // Peers without a model get as many queries as `blocked`: their rates are of its order.
  Layout layout = Layout::kBlocked;
  ParseLayout(peer.name.c_str(), &layout);
  const double queries = precision.false_positives / FprForBitsPerKey(layout, bits_per_key);
  job.num_queries = std::min(static_cast<uint64_t>(queries), precision.most_queries);
  if (family != nullptr) {
    job.spec.num_keys = std::min(job.spec.num_keys, family->max_keys / job.num_filters);
    job.num_queries = std::min(job.num_queries, family->max_keys);
  }
  job.spec.body_bytes = static_cast<uint64_t>(std::ceil(static_cast<double>(job.spec.num_keys) * bits_per_key / 8));
  return job;
}

std::vector<Job> MakeJobs(const Plan& plan) {
  std::vector<Job> jobs;
  for (const Peer& peer : AllPeers()) {
    if (peer.is_floor || peer.targets.empty() || peer.has_bits_of_another) continue;
    const KeyKind kind = Takes(peer, KeyKind::kU64) ? KeyKind::kU64 : KeyKind::kHash;
    for (const double bits_per_key : plan.bits_per_key) {
      if (peer.only_bits_per_key != 0 && peer.only_bits_per_key != bits_per_key) continue;
      jobs.push_back(MakeJob(peer, kind, nullptr, bits_per_key, plan));
    }
    if (!Takes(peer, KeyKind::kString)) continue;
    for (const tools::KeyFamily& family : tools::KeyFamilies()) {
      jobs.push_back(MakeJob(peer, KeyKind::kString, &family, plan.family_bits_per_key, plan));
    }
  }
  return jobs;
}

// How many of the keys first .. first + count - 1 are "maybe".
uint64_t CountMaybes(const Job& job, const PeerFilter& filter, uint64_t first, uint64_t count) {
  constexpr size_t kBestTarget = 0;
  const Access access = AccessOf(*job.peer);
  std::vector<uint8_t> answers;
  uint64_t maybes = 0;
  Spec asked = job.spec;
  asked.first_key = first;
  asked.num_keys = count;
  ForMembers(asked, [&](const Keys& keys) {
    answers.resize(keys.size);
    const uint64_t counted = filter.Lookup(kBestTarget, access, keys, answers.data());
    maybes += access != Access::kBatch ? counted
                                       : static_cast<uint64_t>(std::count(answers.begin(), answers.end(), uint8_t{1}));
  });
  return maybes;
}

Counts Measure(const Job& job) {
  static std::mutex making;  // our own peers force SIMD targets meanwhile, which is process-wide
  Counts counts;
  for (uint64_t f = 0; f < job.num_filters; ++f) {
    Spec spec = job.spec;
    spec.first_key = f * spec.num_keys;
    std::unique_ptr<PeerFilter> filter;
    {
      const std::lock_guard<std::mutex> lock(making);
      filter = job.peer->make(spec);
    }
    const uint64_t found = CountMaybes(job, *filter, spec.first_key, spec.num_keys);
    if (found != spec.num_keys) {
      Die("FALSE NEGATIVE: %s at %g bits per key answers \"absent\" to %llu of its %llu members (keys: %s)",
          job.peer->name.c_str(), spec.bits_per_key, static_cast<unsigned long long>(spec.num_keys - found),
          static_cast<unsigned long long>(spec.num_keys), KeysName(spec));
    }
    const uint64_t begin = f * job.num_queries / job.num_filters, end = (f + 1) * job.num_queries / job.num_filters;
    counts.false_positives += CountMaybes(job, *filter, kFirstAbsent + begin, end - begin);
    counts.bytes += filter->bytes();
    counts.num_probes = filter->num_probes();
    counts.expected_fpr += filter->expected_fpr() / static_cast<double>(job.num_filters);
  }
  return counts;
}

json ToJson(const Job& job, const Counts& counts) {
  const Interval interval = ClopperPearson(counts.false_positives, job.num_queries, kConfidence);
  const double bits = 8 * static_cast<double>(counts.bytes);
  return {{"layout", job.peer->name},
          {"origin", job.peer->origin},
          {"keys", KeysName(job.spec)},
          {"num_keys", job.spec.num_keys},
          {"asked_bits_per_key", job.spec.bits_per_key},
          {"bits_per_key", bits / static_cast<double>(job.spec.num_keys * job.num_filters)},
          {"num_probes", counts.num_probes},
          {"fpr", static_cast<double>(counts.false_positives) / static_cast<double>(job.num_queries)},
          {"fpr_low", interval.low},
          {"fpr_high", interval.high},
          {"confidence", kConfidence},
          {"num_queries", job.num_queries},
          {"false_positives", counts.false_positives},
          {"expected_fpr", counts.expected_fpr},
          {"false_negatives", 0},
          {"seeds", job.num_filters}};
}

json Model() {
  json points = json::array();
  for (const Layout layout : tools::BuildableLayouts()) {
    for (double bits_per_key = 4; bits_per_key <= 26; bits_per_key += 0.25) {
      points.push_back({{"layout", LayoutName(layout)},
                        {"bits_per_key", bits_per_key},
                        {"num_probes", NumProbesForBitsPerKey(layout, bits_per_key)},
                        {"expected_fpr", FprForBitsPerKey(layout, bits_per_key)}});
    }
  }
  return points;
}

void SayWhatComes(const std::vector<Job>& jobs, size_t num_threads) {
  double keys = 0, queries = 0;
  for (const Job& job : jobs) {
    keys += static_cast<double>(job.num_filters * job.spec.num_keys);
    queries += static_cast<double>(job.num_queries);
  }
  constexpr double kNsPerKey = 60, kNsPerQuery = 12;  // the mean over peers on a 2020s server
  fprintf(stderr, "accuracy: %zu points, %.3g keys, %.3g queries: about %.0f s on %zu threads\n", jobs.size(), keys,
          queries, (keys * kNsPerKey + queries * kNsPerQuery) * 1e-9 / static_cast<double>(num_threads), num_threads);
}

// The points, in the order of the jobs, whichever thread measured them.
std::vector<json> MeasureAll(const std::vector<Job>& jobs, size_t num_threads) {
  std::vector<json> measured(jobs.size());
  std::atomic<size_t> done{0};
  tools::ParallelFor(num_threads, jobs.size(), [&](size_t i) {
    const Counts counts = Measure(jobs[i]);
    measured[i] = ToJson(jobs[i], counts);
    fprintf(stderr, "accuracy: %zu of %zu: %s, %s, %.3f bits per key: fpr %.4g\n", ++done, jobs.size(),
            jobs[i].peer->name.c_str(), KeysName(jobs[i].spec), measured[i]["bits_per_key"].get<double>(),
            measured[i]["fpr"].get<double>());
  });
  return measured;
}

}  // namespace

int RunAccuracy(const std::string& out_path, bool quick) {
  AtomicFile out;
  Status status = out.Create(out_path.c_str());  // before the minutes of work
  if (!status.ok()) {
    fprintf(stderr, "linefilter_bench: %s\n", status.message());
    return 2;
  }
  const std::vector<Job> jobs = MakeJobs(quick ? kQuick : kFull);
  const size_t num_threads = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 8);
  SayWhatComes(jobs, num_threads);
  json context = MachineContext();
  context["missing_peers"] = MissingPeers();
  const json file = {{"schema", "linefilter-accuracy-1"},
                     {"context", context},
                     {"model", Model()},
                     {"measured", MeasureAll(jobs, num_threads)}};
  const std::string text = file.dump(1) + "\n";
  status = out.Append(text.data(), text.size());
  if (status.ok()) status = out.Commit();
  if (!status.ok()) {
    fprintf(stderr, "linefilter_bench: %s\n", status.message());
    return 1;
  }
  return 0;
}

}  // namespace linefilter::bench
