// A baseline file holds what was counted of filters before: one JSON object per line and filter, made to be committed.
//
//   {"bits_per_key": 10.0, "false_positives": 9720, "fpr": 0.00972, "lost": 0, "name": "users", "num_keys": 1000000,
//   "num_queries": 1000000}  (on one line)
#ifndef LINEFILTER_TOOLS_PROGRAM_FPR_BASELINE_H_
#define LINEFILTER_TOOLS_PROGRAM_FPR_BASELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/fpr_judge.h"

namespace linefilter::tools {

struct BaselineRow {
  std::string name;
  uint64_t num_keys = 0, lost = 0;
  FprBaseline counted;
};

class BaselineFile {
 public:
  // Reads all rows. A file that does not exist has none. False comes with what is wrong, and in which line.
  bool Read(const std::string& path, std::string* error);
  // The row of that name; null if there is none.
  const BaselineRow* Find(const std::string& name) const;
  // Reads the file again and writes it with this row: in its place if the file is sorted by name, else at the end. The
  // other lines stay as they are. Processes that do so at once wait for each other, where the file system has locks.
  bool Add(const BaselineRow& row, std::string* error);

 private:
  struct Line {
    std::string text;
    BaselineRow row;  // without a name: an empty line
  };

  std::string path_;
  std::vector<Line> lines_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_FPR_BASELINE_H_
