// How well a row's time is known. Each row is an interval around the median of its repetitions, and two rows whose
// intervals overlap are the same as far as one can know.
//
// Three things move a median from one run to the next, and their deviations add up in squares:
// 1. Chance, as the row's own repetitions scatter.
// 2. Drift, for the machine differs from minute to minute. The passes are spread over the run, so the run itself shows
//    it: by how much more than by chance the medians of its first and of its second half differ.
// 3. Place, where the row's filter lies in memory. Filters that take part in the passes lie elsewhere in each, so it is
//    a part of 1. One that lives alone lies in one place, and what that costs has to be known (kPlace).
// Between two runs of one CPU what all rows of a size have in common is left out (compare.cc).
#ifndef LINEFILTER_BENCH_NOISE_H_
#define LINEFILTER_BENCH_NOISE_H_

#include <map>
#include <string>
#include <vector>

#include "bench/loaded.h"

namespace linefilter::bench {

struct Estimate {
  double ns = 0, low = 0, high = 0;
};

class Noise {
 public:
  explicit Noise(const LoadedFile& file);
  Estimate Of(const LoadedRow& row) const;
  // The typical relative difference between this run and another, as all rows say that were spread over it.
  double drift() const { return drift_; }

 private:
  bool IsSpread(const LoadedRow& row) const;
  double DeviationOf(const LoadedRow& row) const;

  size_t passes_;
  double drift_, scatter_;  // of all rows that were spread
  std::map<std::string, double> drift_of_size_;  // for each cache has neighbours of its own
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_NOISE_H_
