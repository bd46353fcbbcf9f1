// What is measured of a row, and measuring a group of rows, in rounds that follow one another (session.h).
#ifndef LINEFILTER_BENCH_MEASURE_H_
#define LINEFILTER_BENCH_MEASURE_H_

#include <vector>

#include "bench/counters.h"
#include "bench/plan.h"

namespace linefilter::bench {

// What is known of a filter and of a row of it.
struct Measured {
  const Row* row;
  Spec spec;
  uint64_t image_bytes;
  uint32_t num_probes;
  double lines;  // PeerFilter::lines
  double fpr;    // measured in this filter with that many queries; 0 of a floor
  uint64_t fpr_queries;
  double expected_fpr;
  double huge_page_percent;              // of the group's memory; -1: unknown
  uint64_t group_began_ms;               // since 1970: rows that have it in common were measured in the same rounds
  std::vector<double> ns;                // per key, of each repetition
  std::vector<Counters::Counts> counts;  // per key, of each repetition; empty without counters
};

struct Effort {
  int repetitions = 7;
  double min_seconds = 0.01;  // of a repetition, about; a build may take longer
  uint64_t fpr_queries = 4000000;
  // Before each round after the first all filters are made once more, elsewhere in memory. In the caches it matters by
  // up to 8 % where a filter lies, and no repetition of one that stays there shows it.
  bool makes_anew = false;
};

// Fills the filters, checks each row's answers, measures the rates, and times the rows. The check: of the members that
// are asked (WithHits(100), the first 2^19) none is "absent", and of the absent keys all rows of a peer let through
// equally many; else the program aborts, in release builds too. (peers_test asks all members.)
std::vector<Measured> MeasureGroup(const Group& group, const Effort& effort, Counters* counters);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_MEASURE_H_
