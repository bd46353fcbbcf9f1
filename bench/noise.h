// How well a row's time is known. Each row is an interval around the median of its repetitions, and two rows whose
// intervals overlap are the same as far as one can know.
//
// The interval has two parts. (1) Of n repetitions, the k-th least and the k-th greatest hold the median of all that
// could have been made with a probability of 88 % at least; that assumes nothing about how they scatter. (2) Two runs
// differ by more than that: the machine drifts. How much is seen in the run itself, as its passes are spread over it:
// the medians of its first and of its second half differ by that much more than by chance. What was not spread (filters
// that live alone, files of other plans) is known less well by as much as single passes scatter. Of two runs of one
// CPU, what the floors differ by is added (compare.h): they ask no filter.
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

// 0 for the whole range: the index of the least repetition (sorted, from 0) such that it and its mirror image hold the
// median with the confidence, where n repetitions can.
size_t MedianRank(size_t n, double confidence);

class Noise {
 public:
  explicit Noise(const LoadedFile& file);
  Estimate Of(const LoadedRow& row) const;
  // The typical relative difference between this run and another, as all rows say that were spread over it.
  double drift() const { return all_.drift; }

 private:
  struct Spread;
  struct Level {
    double drift = 0;
    double scatter = 0;  // of single repetitions, relative: the typical row
  };
  bool IsSpread(const LoadedRow& row) const;
  double WidthOf(const LoadedRow& row) const;

  size_t passes_;
  Level all_;
  std::map<std::string, Level> by_size_;          // for each cache has neighbours of its own
  std::map<std::string, double> memory_scatter_;  // of the floor in memory, by access
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_NOISE_H_
