#include "bench/session.h"

#include <benchmark/benchmark.h>
#if defined(__linux__)
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "bench/memory.h"
#include "bench/queries.h"
#include "bench/slow.h"
#include "bench/threads.h"

namespace linefilter::bench {
namespace {

// Between two repetitions of a row other filters displace its lines. Up to this size caches hold a filter, and users
// ask one that is there: it is brought back untimed. (Without: 16 MB measured twice too slow.)
constexpr uint64_t kWarmedBytes = uint64_t{64} << 20;
constexpr size_t kCheckedKeys = size_t{1} << 19;  // of each row, for false negatives

// CPU time is the calling thread's alone.
bool IsTimedByClock(Access access) { return IsOnTwoThreads(access); }

uint64_t CountMaybes(const PeerFilter& filter, size_t target, Access access, const Keys& keys,
                     std::vector<uint8_t>* answers) {
  answers->resize(keys.size);
  uint64_t count = filter.Lookup(target, access, keys, answers->data());
  if (!IsBatch(access)) return count;
  count = 0;
  for (const uint8_t answer : *answers) count += answer;
  return count;
}

// A peer's filter in this group, what is measured of it once, and the code that it is asked by when it does not matter.
struct Candidate {
  std::unique_ptr<PeerFilter> filter;
  Access access;
  double fpr = 0;
  uint64_t fpr_queries = 0;
};

}  // namespace

// Google Benchmark calls Run; its reporter collects.
class Session::Impl : public benchmark::BenchmarkReporter {
 public:
  Impl(const Group& group, const Effort& effort, Counters* counters)
      : group_(group),
        effort_(effort),
        counters_(counters),
        queries_(group.spec),
        maker_(group.spec.kind, group.spec.family) {}

  void Open() {
#if defined(__GLIBC__)
    malloc_trim(0);  // the next HugeBuffers find whole huge pages
#endif
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    const uint64_t began_ms =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count());
    for (const Row& row : group_.rows) {
      measured_[row.name] = {&row, group_.spec, 0, 0, 0, 0, 0, 0, -1, began_ms, {}, {}};
    }
    Fill();
    KeepMapped();
    const double huge_page_percent = HugePagePercent();
    for (const Row& row : group_.rows) Check(row);
    for (const Row& row : group_.rows) {
      const Candidate& candidate = candidates_.at(row.peer);
      const PeerFilter& filter = *candidate.filter;
      Measured& measured = measured_.at(row.name);
      measured.image_bytes = filter.bytes();
      measured.num_probes = filter.num_probes();
      measured.lines = filter.lines();
      measured.fpr = candidate.fpr;
      measured.fpr_queries = candidate.fpr_queries;
      measured.expected_fpr = filter.expected_fpr();
      measured.huge_page_percent = huge_page_percent;
    }
    PutInOrder();
  }

  // An access and a share of hits after another, within them by target; in every second round backwards.
  void Round() {
    if (effort_.makes_anew && !order_.empty() && rounds_++ > 0) MakeAnew();
    RunRows(order_);
    std::reverse(order_.begin(), order_.end());
  }

  std::vector<Measured> Rows() const {
    std::vector<Measured> list;
    for (const Row& row : group_.rows) list.push_back(measured_.at(row.name));
    return list;
  }

  void Close() { CheckOncePerPeer(); }

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    for (const benchmark::BenchmarkReporter::Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const auto found = measured_.find(run.run_name.function_name);
      if (found == measured_.end()) Die("a row that nobody planned: %s", run.run_name.function_name.c_str());
      const bool by_the_clock = IsTimedByClock(found->second.row->access);
      const double keys = static_cast<double>(run.iterations) * run.counters.at("keys").value;
      found->second.ns.push_back(1e9 * (by_the_clock ? run.real_accumulated_time : run.cpu_accumulated_time) / keys);
      if (counters_->available()) {
        found->second.counts.push_back({run.counters.at("cycles").value / keys,
                                        run.counters.at("instructions").value / keys,
                                        run.counters.at("cache_misses").value / keys});
      }
    }
  }

 private:
  // The last of the list need most memory while they are built: they come first.
  void Fill() {
    for (auto row = group_.rows.rbegin(); row != group_.rows.rend(); ++row) {
      if (candidates_.count(row->peer) != 0) continue;
      Candidate& candidate = candidates_[row->peer];
      if (group_.spec.built_later) {
        BuildFirst(*row->peer);
      } else {
        candidate.filter = row->peer->make(group_.spec);
      }
      // The fastest that it has.
      for (const Access access : {Access::kInlined, Access::kSingle, Access::kBatch}) {
        const std::vector<Access>& offered = row->peer->accesses;
        if (std::find(offered.begin(), offered.end(), access) != offered.end()) candidate.access = access;
      }
      if (!row->peer->is_floor) MeasureFpr(&candidate);
    }
  }

  // The old one is freed after the new one is there, so that the new one cannot lie in the same memory.
  void MakeAnew() {
    for (auto& [peer, candidate] : candidates_) candidate.filter = peer->make(group_.spec);
    built_.clear();
    KeepMapped();
  }

  void MeasureFpr(Candidate* candidate) {
    uint64_t maybes = 0;
    candidate->fpr_queries = effort_.fpr_queries;
    ForAbsent(group_.spec, candidate->fpr_queries, [&](const Keys& keys) {
      maybes += CountMaybes(*candidate->filter, 0, candidate->access, keys, &answers_);
    });
    candidate->fpr = static_cast<double>(maybes) / static_cast<double>(candidate->fpr_queries);
  }

  // The very code that is timed: no member may be "absent", and all targets and accesses agree on any key.
  void Check(const Row& row) {
    if (!IsInsert(row.access) && !IsBuild(row.access)) CheckAnswers(row);
  }

  void CheckAnswers(const Row& row) {
    if (row.peer->is_floor) return;
    const PeerFilter& filter = *candidates_.at(row.peer).filter;
    const Keys members = queries_.WithHits(100).Slice(0, kCheckedKeys);
    const uint64_t found = CountMaybes(filter, row.target, row.access, members, &answers_);
    if (found != members.size) {
      Die("FALSE NEGATIVE: %s: %llu of %llu members are \"absent\"", row.name.c_str(),
          static_cast<unsigned long long>(members.size - found), static_cast<unsigned long long>(members.size));
    }
    const Keys absent = queries_.WithHits(0).Slice(0, queries_.slice_size());
    const uint64_t maybes = CountMaybes(filter, row.target, row.access, absent, &answers_);
    const auto known = maybes_.emplace(row.peer, maybes);
    if (known.first->second != maybes) {
      Die("%s: %llu maybes, but %llu by other code of the same peer", row.name.c_str(),
          static_cast<unsigned long long>(maybes), static_cast<unsigned long long>(known.first->second));
    }
  }

  void CheckOncePerPeer() {
    std::set<const Peer*> checked;
    for (const Row& row : group_.rows) {
      if (checked.insert(row.peer).second) CheckAnswers({row.peer, 0, candidates_.at(row.peer).access, 50, row.name});
    }
  }

  Spec SpecWithMembers() {
    if (members_.size == 0) members_ = maker_.Make(group_.spec.first_key, static_cast<size_t>(group_.spec.num_keys));
    Spec spec = group_.spec;
    spec.members = &members_;
    return spec;
  }

  // Of Spec::built_later: the build that fills the filter is the one that is timed. The group has one peer, which it
  // builds by one row: a second time would take as long, and more memory than there may be.
  void BuildFirst(const Peer& peer) {
    for (const Row& row : group_.rows) {
      if (row.peer == &peer && IsBuild(row.access)) RunRows({&row});
    }
    maker_ = KeyMaker(group_.spec.kind, group_.spec.family);  // gives the members' memory back
    members_ = Keys();
  }

  void RunFirstBuild(benchmark::State& state, const Row& row) {
    const Spec spec = SpecWithMembers();
    Candidate& candidate = candidates_.at(row.peer);
    if (row.peer->rebuilds) candidate.filter = row.peer->make(spec);
    const double slower = PlantedSlowness(row.name);
    counters_->Start();
    for (auto _ : state) {
      Slowed(slower, [&] {
        if (row.peer->rebuilds) {
          candidate.filter->Build(row.target, row.access, spec);
        } else {
          candidate.filter = row.peer->make(spec);
        }
      });
    }
    Report(state, spec.num_keys);
  }

  void RunBuild(benchmark::State& state, const Row& row) {
    if (group_.spec.built_later) return RunFirstBuild(state, row);
    const Spec spec = SpecWithMembers();
    const double slower = PlantedSlowness(row.name);
    if (!row.peer->rebuilds) {
      counters_->Start();
      for (auto _ : state) Slowed(slower, [&] { benchmark::DoNotOptimize(row.peer->make(spec)); });
      return Report(state, spec.num_keys);
    }
    Candidate& candidate = candidates_.at(row.peer);
    if (built_.insert(row.peer).second) candidate.filter->Build(row.target, row.access, spec);  // pages come untimed
    counters_->Start();
    for (auto _ : state) Slowed(slower, [&] { candidate.filter->Build(row.target, row.access, spec); });
    Report(state, spec.num_keys);
    CheckAnswers({row.peer, 0, candidate.access, 50, row.name});
  }

  // What nobody has read for half a minute a virtual machine's host may unmap: the rows of a peer that has few of them
  // would pay for it, those of others not. Reading 16 GB takes 0.1 s.
  void KeepMapped() {
    const auto now = std::chrono::steady_clock::now();
    if (now - all_read_ < std::chrono::seconds(2)) return;
    ReadAllPages();
    all_read_ = now;
  }

  // Asks (or inserts) a slice of the row's keys; goes on where the last one ended, whose lines have left the caches.
  auto Asking(const Row& row) {
    PeerFilter* const filter = candidates_.at(row.peer).filter.get();
    const Keys& keys = queries_.WithHits(row.hit_percent < 0 ? 100 : row.hit_percent);
    size_t& next = next_[&row];
    answers_.resize(queries_.slice_size());
    return [this, &row, filter, &keys, &next, slower = PlantedSlowness(row.name)] {
      const Keys slice = keys.Slice(next, queries_.slice_size());
      Slowed(slower, [&] {
        if (IsInsert(row.access)) {
          filter->Insert(row.target, row.access, slice);
        } else {
          benchmark::DoNotOptimize(filter->Lookup(row.target, row.access, slice, answers_.data()));
          benchmark::ClobberMemory();
        }
      });
      next = (next + queries_.slice_size()) % keys.size;
    };
  }

  template <class Ask>
  void BringBack(const Ask& ask) {
    if (group_.spec.body_bytes > kWarmedBytes) return KeepMapped();
    const uint64_t lines = group_.spec.body_bytes / 64;
    constexpr int kTimesEach = 3;  // at random: 95 % of the lines
    for (uint64_t i = 0; i < kTimesEach * lines; i += queries_.slice_size()) ask();
  }

  void Run(benchmark::State& state, const Row& row) {
    if (IsBuild(row.access)) return RunBuild(state, row);
    const auto ask = Asking(row);
    BringBack(ask);
    std::optional<Meanwhile> inserting;
    if (IsDuringInserts(row.access)) {
      inserting.emplace([filter = candidates_.at(row.peer).filter.get(), &row] { filter->InsertNew(row.target); });
    }
    counters_->Start();
    for (auto _ : state) ask();
    Report(state, queries_.slice_size());
  }

  void PutInOrder() {
    for (const Row& row : group_.rows) {
      if (!group_.spec.built_later || !IsBuild(row.access)) order_.push_back(&row);
    }
    std::stable_sort(order_.begin(), order_.end(), [](const Row* a, const Row* b) {
      const auto place = [](const Row* row) {
        return std::make_tuple(row->access, row->hit_percent, row->peer->targets[row->target]);
      };
      return place(a) < place(b);
    });
  }

  void RunRows(const std::vector<const Row*>& rows) {
    if (rows.empty()) return;
    benchmark::ClearRegisteredBenchmarks();
    for (const Row* row : rows) {
      benchmark::internal::Benchmark* const registered =
          benchmark::RegisterBenchmark(row->name.c_str(), [this, row](benchmark::State& state) { Run(state, *row); });
      registered->Iterations(IterationsOf(*row));
      if (IsTimedByClock(row->access)) registered->UseRealTime();
    }
    benchmark::RunSpecifiedBenchmarks(this);
  }

  // There are as many as take min_seconds, the same in each round; of builds by what the peer says that they take. The
  // least of a few times counts: one that was interrupted would make all repetitions too short.
  benchmark::IterationCount IterationsOf(const Row& row) {
    benchmark::IterationCount& iterations = iterations_[&row];
    if (iterations != 0) return iterations;
    if (IsBuild(row.access)) {
      if (group_.spec.built_later) return iterations = 1;
      const double once = 1e-9 * row.peer->fill_ns * static_cast<double>(group_.spec.num_keys);
      return iterations = 1 + (once > 0 ? static_cast<benchmark::IterationCount>(effort_.min_seconds / once) : 0);
    }
    const auto ask = Asking(row);
    BringBack(ask);
    double least = 1e300;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      ask();
      least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return iterations = static_cast<benchmark::IterationCount>(effort_.min_seconds / least) + 1;
  }

  void Report(benchmark::State& state, uint64_t keys_per_iteration) {
    const Counters::Counts counts = counters_->Stop();
    state.counters["keys"] = static_cast<double>(keys_per_iteration);
    state.counters["cycles"] = counts.cycles;
    state.counters["instructions"] = counts.instructions;
    state.counters["cache_misses"] = counts.cache_misses;
  }

  const Group& group_;
  const Effort& effort_;
  Counters* counters_;
  Queries queries_;
  KeyMaker maker_;
  Keys members_;  // all of them, from the first time that a filter is built of them
  std::set<const Peer*> built_;
  std::map<const Peer*, Candidate> candidates_;
  std::map<const Peer*, uint64_t> maybes_;
  std::map<std::string, Measured> measured_;
  std::vector<const Row*> order_;  // of the next round
  int rounds_ = 0;
  std::map<const Row*, size_t> next_;
  std::map<const Row*, benchmark::IterationCount> iterations_;
  std::vector<uint8_t> answers_;
  std::chrono::steady_clock::time_point all_read_{};
};

Session::Session(const Group& group, const Effort& effort, Counters* counters)
    : impl_(std::make_unique<Impl>(group, effort, counters)) {}
Session::~Session() = default;
void Session::Open() { impl_->Open(); }
void Session::Round() { impl_->Round(); }
std::vector<Measured> Session::Rows() const { return impl_->Rows(); }
void Session::Close() { impl_->Close(); }

std::vector<Measured> MeasureGroup(const Group& group, const Effort& effort, Counters* counters) {
  Session session(group, effort, counters);
  session.Open();
  for (int round = 0; round < effort.repetitions; ++round) session.Round();
  session.Close();
  return session.Rows();
}

}  // namespace linefilter::bench
