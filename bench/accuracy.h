// The accuracy run: false-positive rates of all peers over bits per key, and on keys that have broken real filters,
// beside the model. The same on every CPU: nothing here is timed.
#ifndef LINEFILTER_BENCH_ACCURACY_H_
#define LINEFILTER_BENCH_ACCURACY_H_

#include <string>

namespace linefilter::bench {

// Writes the accuracy file of bench/results/README.md, over one that is there. Says first what it will do and how long
// that takes (some minutes; `quick`: some seconds, and rates of little precision), then a line per filter, on standard
// error. Returns the program's exit code; aborts at a false negative.
int RunAccuracy(const std::string& out_path, bool quick);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ACCURACY_H_
