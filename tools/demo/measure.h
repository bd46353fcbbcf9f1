// One filter of the demo: built, saved, mapped, asked and timed.
#ifndef LINEFILTER_TOOLS_DEMO_MEASURE_H_
#define LINEFILTER_TOOLS_DEMO_MEASURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "tools/demo/words.h"

namespace linefilter::demo {

struct Keys {
  std::vector<uint64_t> member_hashes;
  Asked asked;
  std::vector<uint64_t> asked_hashes;
};

// Nanoseconds per key, one sample per round, and their median.
struct Timing {
  std::vector<double> samples;
  double Median() const;
};

// One row of the table: a layout of some density.
struct Row {
  Layout layout;
  double wanted_bits_per_key;
  double bits_per_key;
  double expected_fpr;
  std::unique_ptr<Filter> filter;    // empty for a layout that takes no key once it is made
  std::unique_ptr<FilterFile> file;  // the saved image, mapped
  uint64_t false_negatives = 0;
  uint64_t false_positives = 0;
  Timing insert, insert_batch, build, lookup, lookup_batch, key_batch;
};

// Builds the image, saves it as `path` and maps it. False after saying what went wrong.
bool MakeRow(Layout layout, double bits_per_key, const std::string& path, const Keys& keys, Row* row);

// Asks every member and every asked word; fills in the false ones.
void CheckAnswers(const Keys& keys, Row* row);

// One sample of each timing.
void TimeOnce(const Keys& keys, Row* row);

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_MEASURE_H_
