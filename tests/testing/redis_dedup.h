// Runs of examples/redis_dedup, and the numbers that it prints.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_DEDUP_H_
#define LINEFILTER_TESTS_TESTING_REDIS_DEDUP_H_

#include <stdlib.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

inline RunResult RunDedup(std::vector<std::string> arguments, Environment environment = {}) {
  arguments.insert(arguments.begin(), LINEFILTER_BINARY_DIR "/redis_dedup");
  environment.emplace_back("TMPDIR", MemoryFolder());
  unsetenv("LINEFILTER_REDIS_PASSWORD");  // of whoever runs the tests
  return RunProgram(arguments, {}, environment);
}

// What stands behind each name: of a level what it was asked ("Redis"), and what it answered ("Redis answered").
inline std::map<std::string, double> DedupFacts(const std::string& out) {
  std::map<std::string, double> facts;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) {
    const size_t begin = line.find_first_not_of(' '), end = line.find("  ", begin == std::string::npos ? 0 : begin);
    if (end == std::string::npos) continue;
    const std::string name = line.substr(begin, end - begin);
    std::istringstream numbers(line.substr(end));
    double number = 0;
    if (numbers >> number) facts[name] = number;
    if (numbers >> number) facts[name + " answered"] = number;
  }
  return facts;
}

// What holds of every run, whatever became of Redis.
inline void ExpectAllAcceptedOnce(const RunResult& run, std::map<std::string, double> facts, double items) {
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  ASSERT_EQ(facts.count("items lost"), 1u) << run.out << run.err;
  EXPECT_EQ(facts["local copy"], items);
  EXPECT_LE(facts["Redis"], items - facts["local copy answered"]);
  EXPECT_GE(facts["Redis"] + facts["Redis did not answer"], items - facts["local copy answered"]);
  EXPECT_EQ(facts["SQLite"], items - facts["Redis answered"]);
  EXPECT_EQ(facts["decided answered"], items) << "each by one level";
  EXPECT_EQ(facts["accepted"], 0.7 * items);
  EXPECT_EQ(facts.count("told new twice"), 1u) << run.out;
  EXPECT_EQ(facts["told new twice"], 0);
  EXPECT_EQ(facts["duplicates accepted"], 0);
  EXPECT_EQ(facts["items lost"], 0);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_DEDUP_H_
