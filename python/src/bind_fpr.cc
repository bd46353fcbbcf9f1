// The judge of false-positive rates, and the monitor. Python's linefilter.testing counts by itself, because the filters
// that it asks are any objects; keys that the sentence names come as text.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/fpr_judge.h"
#include "linefilter/monitor.h"
#include "python/src/core.h"
#include "python/src/errors.h"

namespace linefilter::python {
namespace {

// A limit, and the baseline that it points to: a tuple of Python, or None.
struct Limit {
  Limit(double at_most, double confidence, double resolution, const py::object& earlier) {
    limit.at_most = at_most;
    limit.confidence = confidence;
    limit.resolution = resolution;
    if (earlier.is_none()) return;
    const auto counted = earlier.cast<py::tuple>();
    baseline.num_queries = counted[0].cast<uint64_t>();
    baseline.false_positives = counted[1].cast<uint64_t>();
    baseline.bits_per_key = counted[2].cast<double>();
    limit.baseline = &baseline;
  }
  FprBaseline baseline;
  FprLimit limit;
};

FprKeys Named(const py::list& keys) {
  FprKeys all;
  for (const py::handle key : keys) {
    if (all.size == FprKeys::kMost) break;
    const auto one = key.cast<py::tuple>();
    FprKeys::Named& named = all.named[all.size++];
    named.position = one[0].cast<uint64_t>();
    snprintf(named.text, sizeof(named.text), "%s", one[1].cast<std::string>().c_str());
  }
  return all;
}

py::tuple JudgeCounts(const py::tuple& counted, double at_most, double confidence, double resolution,
                      const py::object& baseline, const py::list& lost, const py::list& absent_members) {
  FprCounts counts;
  counts.num_members = counted[0].cast<uint64_t>();
  counts.num_lost = counted[1].cast<uint64_t>();
  counts.num_queries = counted[2].cast<uint64_t>();
  counts.false_positives = counted[3].cast<uint64_t>();
  counts.num_absent_members = counted[4].cast<uint64_t>();
  counts.bits_per_key = counted[5].cast<double>();
  const Limit limit(at_most, confidence, resolution, baseline);
  const FprResult result = JudgeFpr(counts, limit.limit, Named(lost), Named(absent_members));
  constexpr const char* kVerdicts[] = {"within", "above", "undecided"};
  return py::make_tuple(kVerdicts[static_cast<size_t>(result.verdict)], std::string(result.sentence), result.fpr,
                        result.fpr_low, result.fpr_high, result.limit, result.ratio, result.ratio_low,
                        result.ratio_high, result.num_queries_needed);
}

uint64_t Queries(double at_most, double confidence, double resolution, const py::object& baseline) {
  return QueriesForLimit(Limit(at_most, confidence, resolution, baseline).limit);
}

py::tuple CountsOf(const FprMonitorCounts& counts) {
  return py::make_tuple(counts.asked, counts.maybes, counts.false_positives, counts.lost);
}

py::tuple Read(FprMonitor* monitor, double expected_fpr) {
  const FprMonitorReport report = monitor->Read(expected_fpr);
  constexpr const char* kVerdicts[] = {"as expected", "too early", "more than expected", "members lost"};
  return py::make_tuple(kVerdicts[static_cast<size_t>(report.verdict)], std::string(report.sentence), report.fpr,
                        report.fpr_low, report.fpr_high, report.expected_fpr, CountsOf(report.recent),
                        CountsOf(report.since_restart), CountsOf(report.all));
}

// Of (monitor, expected rate, name) each.
std::string Prometheus(const py::list& monitors) {
  std::vector<FprMonitorSeries> series(monitors.size());
  std::vector<std::string> names(monitors.size());
  for (size_t i = 0; i < monitors.size(); ++i) {
    const auto one = monitors[i].cast<py::tuple>();
    series[i].monitor = one[0].cast<FprMonitor*>();
    series[i].expected_fpr = one[1].cast<double>();
    names[i] = one[2].cast<std::string>();
    series[i].filter = names[i];
  }
  std::string text;
  Check(FprMonitor::WritePrometheus(series.data(), series.size(), &text));
  return text;
}

std::unique_ptr<FprMonitor> MakeMonitor(double planned_fpr, double confidence, double tolerance) {
  FprMonitorOptions options;
  options.planned_fpr = planned_fpr;
  options.confidence = confidence;
  options.tolerance = tolerance;
  return std::make_unique<FprMonitor>(options);
}

}  // namespace

void BindFpr(py::module_& module) {
  module.def("judge_fpr", &JudgeCounts);
  module.def("queries_for_limit", &Queries);
  py::class_<FprMonitor>(module, "Monitor")
      .def(py::init(&MakeMonitor))
      .def("asked_many", py::overload_cast<size_t, size_t>(&FprMonitor::Asked))
      .def("was_absent", &FprMonitor::WasAbsent)
      .def("was_lost", &FprMonitor::WasLost)
      .def("read", [](FprMonitor& monitor, double expected_fpr) { return Read(&monitor, expected_fpr); })
      .def("restart", &FprMonitor::Restart);
  module.def("prometheus", &Prometheus);
}

}  // namespace linefilter::python
