// A results file (bench/results/README.md) as it is compared.
#ifndef LINEFILTER_BENCH_LOADED_H_
#define LINEFILTER_BENCH_LOADED_H_

#include <cstdint>
#include <string>
#include <vector>

namespace linefilter::bench {

struct LoadedRow {
  std::string name, access, keys, layout, target, size;
  uint64_t body_bytes = 0;
  bool floor = false;
  double ns = 0;
  std::vector<double> ns_each;  // in the order in which they were measured; of old files ns alone
};

struct LoadedFile {
  std::string path, cpu, date, commit, planted;
  std::vector<std::string> targets, left_out;
  std::string plan;
  int passes = 0;                        // over the whole run; 0: each group was measured at once
  bool complete = true;                  // false: it was interrupted
  double least_huge_page_percent = 100;  // of the rows that tell it
  std::vector<LoadedRow> rows;
};

// Empty, or what is wrong with the file: a sentence.
std::string Load(const std::string& path, LoadedFile* file);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_LOADED_H_
