// Rates of `quotient` against its model, and what becomes of filters whose keys change: their rates after turnovers
// (one is as many removals and insertions as there are keys), the times of both, and the keys that are lost. Beside it
// is the other filter that gives keys back, our own cuckoo filter.
#ifndef LINEFILTER_BENCH_CHURN_H_
#define LINEFILTER_BENCH_CHURN_H_

#include <string>

namespace linefilter::bench {

// Writes the churn file of bench/results/README.md, over one that is there, and a line per measurement to standard
// error. It takes about three minutes; `quick` some seconds, with rates and times of little precision. Returns the
// program's exit code. A lost key is a number in the file, for that is what is measured.
int RunChurn(const std::string& out_path, bool quick);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_CHURN_H_
