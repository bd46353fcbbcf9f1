// Measures a plan in passes that are spread over the whole run: in each pass every row once. So the repetitions of a
// row hold what the machine does to it in all these minutes, and not what it did in a hundredth of a second.
//
// Filters that are small are made first, kept, and made anew elsewhere in memory before each pass. One that is large
// lives alone, while its rows are repeated; passes over the small ones go on between.
#ifndef LINEFILTER_BENCH_PASSES_H_
#define LINEFILTER_BENCH_PASSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/plan.h"
#include "bench/results.h"

namespace linefilter::bench {

struct PassOptions {
  Effort effort;                              // repetitions: passes
  uint64_t large_bytes = uint64_t{64} << 20;  // larger bodies live alone; but floors
  int large_rounds = 9;
  double minutes = 10;  // when these are over the rest is left out
};

// A group that lives all the time keeps so many bytes. A large one lives alone and counts 0.
uint64_t BytesKeptInPasses(const PassOptions& options, const Group& group);

// Writes the rows to `results` after each pass and each large filter; and in the end to its context what was left out.
// Returns the program's exit code: 0, or 2 if the file cannot be written.
int MeasureInPasses(const PassOptions& options, std::vector<Group> groups, std::vector<std::string> left_out,
                    Results* results);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PASSES_H_
