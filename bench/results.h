// The results file (bench/results/README.md): read to go on where a run ended, rewritten whole after every group.
#ifndef LINEFILTER_BENCH_RESULTS_H_
#define LINEFILTER_BENCH_RESULTS_H_

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "bench/measure.h"

namespace linefilter::bench {

inline constexpr char kSchema[] = "linefilter-bench-1";

class Results {
 public:
  // An empty path keeps results in memory only. Empty, or why an existing file cannot be continued: a sentence.
  std::string Open(const std::string& path, const nlohmann::json& context, bool fresh);

  std::set<std::string> RowNames() const;
  void Add(const Measured& measured);
  void Clear() { rows_.clear(); }
  void SetContext(const char* field, const nlohmann::json& value) { context_[field] = value; }
  // Before minutes of work. Empty, or what is wrong with the path.
  std::string CheckThatItCanBeWritten() const;
  // The old file stays until the new one is complete. Empty, or what went wrong.
  std::string Save() const;

 private:
  std::string path_;
  nlohmann::ordered_json context_;
  std::vector<nlohmann::ordered_json> rows_;
};

double Median(std::vector<double> values);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_RESULTS_H_
