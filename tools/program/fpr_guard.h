// A guard holds the rate that `linefilter fpr` counted to a limit: the verdict is the exit code, and it is left in the
// report, in a baseline and in a file of JUnit.
#ifndef LINEFILTER_TOOLS_PROGRAM_FPR_GUARD_H_
#define LINEFILTER_TOOLS_PROGRAM_FPR_GUARD_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "linefilter/fpr_judge.h"
#include "tools/program/arguments.h"
#include "tools/program/fpr_baseline.h"
#include "tools/program/junit.h"
#include "tools/program/report.h"

namespace linefilter::tools {

struct GuardOptions {
  double at_most = 0, confidence = 0.99, resolution = 1.5;
  bool has_at_most = false, expected = false, json = false;
  std::string baseline, junit, name;
  const char* needs_limit = nullptr;  // an option that was given and says nothing without a limit

  bool has_limit() const { return has_at_most || expected || !baseline.empty(); }
};

void DeclareGuard(Arguments* arguments, GuardOptions* options);

// What was found of a filter.
struct Guarded {
  FprCounts counts;
  double expected_fpr = 0;       // of its bits
  FprKeys lost, absent_members;  // the first ones
};

// Reports the counted rate with its interval.
void ReportRate(const FprCounts& counts, double expected_fpr, double confidence, Report* report);

class FprGuard {
 public:
  // `name` is that of a filter for which --name gives none. The options must outlive this.
  FprGuard(const GuardOptions& options, const std::string& name);

  // Finds what would spoil the end, before the work: an option that is no limit, a baseline that is none, a file that
  // cannot be written. It is false after saying so, in the file of JUnit as well: one of an earlier run must not stay.
  bool Prepare();
  // The absent keys to ask where nobody gives a number; 0 without a limit. `expected_fpr` is for --expected.
  uint64_t NumQueries(double expected_fpr) const;
  // Whether the counts will be a new line of --baseline.
  bool makes_baseline() const { return !options_.baseline.empty() && before_ == nullptr; }
  // Whether such a rate is above --at-most.
  bool IsAbove(double fpr) const { return options_.has_at_most && fpr > options_.at_most; }
  // Judges, prints the report with the verdict behind it, and writes the files. It returns the exit code.
  int End(const Guarded& found, Report report);
  // Ends without a verdict, for a reason that is told now, or was told already. They return kExitBad.
  int EndRefused(const std::string& reason);
  int EndBroken(const std::string& reason);

 private:
  // Say what is wrong, or nothing.
  std::string RefuseJunit() const;
  std::string RefuseOptions() const;
  std::string PrepareBaseline();
  FprLimit LimitOf(double at_most, const FprBaseline* baseline) const;
  // The worst verdict by all limits.
  FprResult Judge(const Guarded& found) const;
  // Whether the counts make a baseline; if not, the result says why.
  void JudgeAsBaseline(FprResult* result) const;
  // Leave what is to stay in files. They are false after saying why that failed.
  bool AddToBaseline(const FprCounts& counts);
  bool LeaveJunit(const FprResult& result, const std::string& output) const;
  bool LeaveJunit(JunitCase test_case) const;

  const GuardOptions& options_;
  std::string name_;
  BaselineFile baseline_;
  const BaselineRow* before_ = nullptr;  // the row of baseline_
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_FPR_GUARD_H_
