#include "bench/passes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "bench/counters.h"
#include "bench/memory.h"
#include "bench/queries.h"
#include "bench/session.h"

namespace linefilter::bench {
namespace {

constexpr int kFewestPasses = 7;  // what an interval of a median takes

bool IsLarge(const PassOptions& options, const Group& group) {
  const auto is_floor = [](const Row& row) { return row.peer->is_floor; };
  return group.spec.body_bytes >= options.large_bytes && !std::all_of(group.rows.begin(), group.rows.end(), is_floor);
}

class Run {
 public:
  Run(const PassOptions& options, std::vector<Group> groups, std::vector<std::string> left_out, Results* results)
      : options_(options), groups_(std::move(groups)), left_out_(std::move(left_out)), results_(results) {
    large_effort_ = options_.effort;
    large_effort_.min_seconds *= 4;
    small_effort_ = options_.effort;
    small_effort_.makes_anew = true;
    for (const Group& group : groups_) {
      if (IsLarge(options, group)) {
        large_.push_back(&group);
        seconds_to_come_ += SecondsOf(group);
      } else {
        small_.push_back(&group);
      }
    }
    all_large_seconds_ = seconds_to_come_;
  }

  int Measure() {
    printf("hardware counters: %s\n", counters_.available() ? "yes" : counters_.why().c_str());
    printf("making %zu groups of small filters, which takes a while\n", small_.size());
    fflush(stdout);
    for (const Group* group : small_) {
      sessions_.push_back(std::make_unique<Session>(*group, small_effort_, &counters_));
      sessions_.back()->Open();
    }
    if (!sessions_.empty()) PrintSmallPages(HugePagePercent());
    if (!Pass()) return 2;
    ChooseNumPasses();
    for (const Group* group : large_) {
      if (!MeasureLarge(*group)) return 2;
    }
    while (passes_ < num_passes_) {
      if (!Pass()) return 2;
    }
    for (const auto& session : sessions_) session->Close();
    results_->SetContext("complete", true);
    if (!Save()) return 2;
    printf("all rows are measured: %.1f minutes\n", Minutes());
    return 0;
  }

 private:
  double SecondsOf(const Group& group) const {
    return EstimatedSeconds(group, options_.large_rounds, large_effort_.min_seconds);
  }

  // In every second pass backwards, so that no group is always behind the same one.
  bool Pass() {
    const double begin = Minutes();
    for (size_t i = 0; i < sessions_.size(); ++i) {
      sessions_[passes_ % 2 == 0 ? i : sessions_.size() - 1 - i]->Round();
    }
    ++passes_;
    pass_minutes_ = std::max(Minutes() - begin, passes_ > 1 ? 0 : 1e-9);
    printf("[%.1f min, %.1f to go] pass %d of %d over the small filters\n", Minutes(), MinutesToGo(), passes_,
           num_passes_);
    fflush(stdout);
    return Save();
  }

  // On a slow machine fewer passes, so that half of the time is left for what is large.
  void ChooseNumPasses() {
    const double for_passes = options_.minutes * (large_.empty() ? 1 : 0.5) - Minutes();
    const int fitting = 1 + static_cast<int>(for_passes / std::max(pass_minutes_, 1e-9));
    if (fitting >= num_passes_) return;
    num_passes_ = std::max(std::min(kFewestPasses, num_passes_), fitting);
    printf("%d passes fit into the time\n", num_passes_);
  }

  bool MeasureLarge(const Group& group) {
    const double needed = SecondsOf(group) * slower_ / 60;
    if (Minutes() + needed + PassMinutesToGo() > options_.minutes) {
      left_out_.push_back(group.name + ", " + group.rows[0].peer->name + ": the time was over");
      printf("left out: %s\n", left_out_.back().c_str());
      seconds_to_come_ -= SecondsOf(group);
      return true;
    }
    printf("[%.1f min, %.1f to go] %s: %s\n", Minutes(), MinutesToGo(), group.name.c_str(),
           group.rows[0].peer->name.c_str());
    fflush(stdout);
    const double begin = Minutes(), passes_before = passes_;
    Session session(group, large_effort_, &counters_);
    session.Open();
    PrintSmallPages(session.Rows()[0].huge_page_percent);
    for (int round = 0; round < options_.large_rounds; ++round) {
      session.Round();
      const double share = (round + 1.0) / options_.large_rounds;
      if (!PassesUntil(seconds_to_come_ - share * SecondsOf(group))) return false;
    }
    session.Close();
    seconds_to_come_ -= SecondsOf(group);
    for (Measured& measured : session.Rows()) large_rows_.push_back(std::move(measured));
    large_minutes_ += Minutes() - begin - (passes_ - passes_before) * pass_minutes_;
    large_estimated_ += SecondsOf(group) / 60;
    slower_ = large_minutes_ / large_estimated_;
    return Save();
  }

  // Makes the passes that are due when so many seconds of large filters are to come.
  bool PassesUntil(double seconds_to_come) {
    const double done = 1 - seconds_to_come / all_large_seconds_;
    while (passes_ < 1 + static_cast<int>(done * (num_passes_ - 1))) {
      if (!Pass()) return false;
    }
    return true;
  }

  bool Save() {
    results_->Clear();
    for (const auto& session : sessions_) {
      for (const Measured& measured : session->Rows()) results_->Add(measured);
    }
    for (const Measured& measured : large_rows_) results_->Add(measured);
    results_->SetContext("left_out", left_out_);
    results_->SetContext("passes", passes_);
    results_->SetContext("minutes", std::round(10 * Minutes()) / 10);
    const std::string error = results_->Save();
    if (!error.empty()) fprintf(stderr, "linefilter_bench: %s\n", error.c_str());
    return error.empty();
  }

  double Minutes() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() / 60;
  }
  double PassMinutesToGo() const { return (num_passes_ - passes_) * pass_minutes_; }
  double MinutesToGo() const {
    return std::max(0.0, std::min(PassMinutesToGo() + seconds_to_come_ * slower_ / 60, options_.minutes - Minutes()));
  }

  const PassOptions options_;
  Effort small_effort_, large_effort_;
  std::vector<Group> groups_;
  std::vector<std::string> left_out_;
  Results* const results_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Counters counters_;
  std::vector<const Group*> small_, large_;
  std::vector<std::unique_ptr<Session>> sessions_;  // of the small ones
  std::vector<Measured> large_rows_;
  int passes_ = 0, num_passes_ = options_.effort.repetitions;
  double pass_minutes_ = 0;
  double seconds_to_come_ = 0, all_large_seconds_ = 0;  // of large filters, as estimated
  double large_minutes_ = 0, large_estimated_ = 0, slower_ = 1;
};

}  // namespace

uint64_t BytesKeptInPasses(const PassOptions& options, const Group& group) {
  constexpr uint64_t kOther = uint64_t{4} << 20;  // answers, and what rows keep of themselves
  return IsLarge(options, group) ? 0 : MostBytes(group) + Queries::BytesFor(group.spec) + kOther;
}

int MeasureInPasses(const PassOptions& options, std::vector<Group> groups, std::vector<std::string> left_out,
                    Results* results) {
  return Run(options, std::move(groups), std::move(left_out), results).Measure();
}

}  // namespace linefilter::bench
