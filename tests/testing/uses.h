// Runs of the programs of examples/uses, and the table that each prints.
#ifndef LINEFILTER_TESTS_TESTING_USES_H_
#define LINEFILTER_TESTS_TESTING_USES_H_

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

inline const std::vector<std::string>& Uses() {
  static const std::vector<std::string> names = {"blacklisted_url", "crawled_url", "existing_id", "handled_trade",
                                                 "registered_email"};
  return names;
}

// The folder of temporary files: in memory, since what is synced is asked of none here.
inline RunResult RunUse(const std::string& name, const std::vector<std::string>& arguments,
                        const std::string& temporary = MemoryFolder()) {
  std::vector<std::string> command = OurProgram(LINEFILTER_BINARY_DIR "/" + name);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, {}, {{"TMPDIR", temporary}});
}

struct UseRow {
  double expected = -1, got = -1;
};

// The rows of the first table by name.
inline std::map<std::string, UseRow> UseTable(const std::string& out) {
  std::map<std::string, UseRow> rows;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) {
    if (line.size() < 45) continue;
    std::string name = line.substr(0, 20);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    std::string numbers = line.substr(20);
    std::replace(numbers.begin(), numbers.end(), '%', ' ');
    UseRow row;
    if (std::istringstream(numbers) >> row.expected >> row.got) rows.emplace(name, row);
  }
  return rows;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_USES_H_
