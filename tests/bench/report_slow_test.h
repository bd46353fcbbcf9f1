// What the parts of report_slow_test share: runs of tools/report over the results of two CPUs that do not exist
// (tests/bench/fixtures/results), or over those with a change, and readers of the page that comes of them.
#ifndef LINEFILTER_TESTS_BENCH_REPORT_SLOW_TEST_H_
#define LINEFILTER_TESTS_BENCH_REPORT_SLOW_TEST_H_

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/nightly.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

using nlohmann::json;

inline const std::string kRoot = LINEFILTER_SOURCE_DIR;
inline const std::string kCpuA = kRoot + "/tests/bench/fixtures/results/fixture-cpu-a.json";
inline const std::string kCpuB = kRoot + "/tests/bench/fixtures/results/fixture-cpu-b.json";
inline const std::string kAccuracy = kRoot + "/tests/bench/fixtures/results/accuracy.json";

// What runs a script in Python: the interpreter itself, and not what chooses one at each start. The report needs
// nothing but Python (-S: no package of the machine is looked for), and is compiled once for all runs, into a folder of
// theirs.
inline const std::vector<std::string>& Python() {
  static const TempDir compiled;  // goes at the end
  static const std::vector<std::string> words = [] {
    const std::string path = RunProgram({"python3", "-c", "import sys; print(sys.executable, end='')"}).out;
    EXPECT_FALSE(path.empty()) << "python3 is missing: tools/install_packages.sh bench";
    return std::vector<std::string>{path, "-S", "-X", "pycache_prefix=" + compiled.path()};
  }();
  return words;
}

inline RunResult Report(const std::vector<std::string>& arguments, const test::Environment& environment = {}) {
  std::vector<std::string> command = Python();
  command.push_back(kRoot + "/tools/report");
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, {}, environment);
}

// A run of the report into a folder of its own.
struct Page {
  explicit Page(std::vector<std::string> arguments, bool expect_success = true) : arguments_(std::move(arguments)) {
    arguments_.insert(arguments_.end(), {"--allow-fixtures", "--out", out(), "--plots", plots()});
    result = Report(arguments_);
    if (!expect_success) return;
    EXPECT_EQ(result.exit_code, 0) << result.err;
    if (result.exit_code == 0) text = Text();
  }
  // The page and those of doc/benchmarks as one, their headings a level deeper: what the HTML shows.
  std::string Text() const {
    std::string all = ReadFile(out());
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(pages())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files)
      all += "\n" + std::regex_replace("\n" + ReadFile(file), std::regex("\n#"), "\n##");
    return all;
  }
  RunResult Check() const {
    std::vector<std::string> arguments = arguments_;
    arguments.push_back("--check");
    return Report(arguments);
  }
  std::string out() const { return dir.File("BENCHMARKS.md"); }
  std::string plots() const { return dir.File("plots"); }
  std::string pages() const { return dir.File("benchmarks"); }
  std::string html() const { return dir.File("benchmarks.html"); }

  TempDir dir;
  RunResult result;
  std::string text;

 private:
  std::vector<std::string> arguments_;
};

inline std::vector<std::string> Lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The part of the page from this heading to the next one of any depth.
inline std::string Section(const std::string& page, const std::string& heading, const std::string& after = "") {
  const size_t start = page.find(heading, after.empty() ? 0 : page.find("\n## " + after + "\n"));
  EXPECT_NE(start, std::string::npos) << heading;
  return start == std::string::npos ? "" : page.substr(start, page.find("\n#", start + 1) - start);
}

// The first line with all of these in it.
inline std::string LineWith(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& line : Lines(text)) {
    bool all = true;
    for (const std::string& part : parts) all = all && Contains(line, part);
    if (all) return line;
  }
  ADD_FAILURE() << "no line has all of " << json(parts).dump() << " in:\n" << text;
  return "";
}

inline std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

inline std::string Format(double value, int decimals) {
  char text[64];
  snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

inline const json& Row(const json& file, const std::string& name) {
  for (const json& row : file["rows"]) {
    if (row["row"] == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return file["rows"][0];
}

// Every table has a line below its header, and no cell says what Python says when something is missing.
inline void ExpectSoundTables(const std::string& page) {
  const std::vector<std::string> lines = Lines(page);
  int tables = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_NE(lines[i], "||") << "a table of nothing";
    if (lines[i].compare(0, 2, "|-") != 0) continue;
    ++tables;
    ASSERT_LT(i + 1, lines.size());
    EXPECT_EQ(lines[i + 1].compare(0, 2, "| "), 0) << "a table without a line: " << lines[i - 1];
    EXPECT_EQ(Cells(lines[i]).size(), Cells(lines[i + 1]).size());
  }
  EXPECT_GE(tables, 1);
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(\b(None|nan|inf)\b)"))) << page;
}

inline const Page& FullPage() {
  static const Page* const page = new Page({kCpuA, kCpuB, kAccuracy});
  return *page;
}

// A page of fixture A after a change, without pictures.
inline std::string PageOf(const std::function<void(json*)>& change, const std::vector<std::string>& more = {}) {
  json file = json::parse(ReadFile(kCpuA));
  change(&file);
  const TempDir dir;
  std::vector<std::string> arguments = {dir.Write("cpu.json", file.dump())};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.push_back("--no-plots");
  return Page(arguments).text;
}

inline json& RowOf(json* file, const std::string& name) { return const_cast<json&>(Row(*file, name)); }

inline void SetNs(json* row, double ns) {
  for (const char* field : {"ns", "ns_min", "ns_max"}) (*row)[field] = ns;
}

// A copy of a row in another place, with another time.
inline void AddLike(json* file, const std::string& name, json changed, double ns) {
  json row = Row(*file, name);
  row.update(changed);
  SetNs(&row, ns);
  std::string hits = row["hit_percent"] == -1 ? "none" : row["hit_percent"].dump();
  row["row"] = row["access"].get<std::string>() + "/" + row["keys"].get<std::string>() + "/" + hits + "/" +
               row["layout"].get<std::string>() + "/" + row["target"].get<std::string>() + "/" +
               row["size"].get<std::string>() + "/" + row["asked_bits_per_key"].dump();
  (*file)["rows"].push_back(row);
}

// A row that tells its rounds, of the group that began then.
inline void SetRounds(json* row, std::vector<double> ns, int group) {
  (*row)["ns_each"] = ns, (*row)["repetitions"] = ns.size(), (*row)["group_began_ms"] = group;
  std::sort(ns.begin(), ns.end());
  (*row)["ns"] = ns[ns.size() / 2], (*row)["ns_min"] = ns.front(), (*row)["ns_max"] = ns.back();
}

inline void ExpectRefused(const std::string& path, const std::vector<std::string>& said) {
  const Page page({path}, false);
  EXPECT_EQ(page.result.exit_code, 2) << page.result.err;
  for (const std::string& part : said)
    EXPECT_TRUE(Contains(page.result.err, part)) << part << " in: " << page.result.err;
  EXPECT_FALSE(Contains(page.result.err, "Traceback")) << page.result.err;
  EXPECT_FALSE(std::filesystem::exists(page.out())) << "a page of bad results";
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_BENCH_REPORT_SLOW_TEST_H_
