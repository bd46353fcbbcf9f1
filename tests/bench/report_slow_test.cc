// tools/report: from result files to BENCHMARKS.md, plots and HTML. Results of two CPUs that do not exist
// (tests/bench/fixtures/results) must give the tables and sentences that they were made for, every number of a table
// must stand in them, and bad files must be refused with a sentence. And the committed page must be what the committed
// results say.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

namespace linefilter {
namespace {

using nlohmann::json;
using test::ReadFile;
using test::RunProgram;
using test::RunResult;
using test::TempDir;

const std::string kRoot = LINEFILTER_SOURCE_DIR;
const std::string kCpuA = kRoot + "/tests/bench/fixtures/results/fixture-cpu-a.json";
const std::string kCpuB = kRoot + "/tests/bench/fixtures/results/fixture-cpu-b.json";
const std::string kAccuracy = kRoot + "/tests/bench/fixtures/results/accuracy.json";

RunResult Report(std::vector<std::string> arguments, const test::Environment& environment = {}) {
  arguments.insert(arguments.begin(), kRoot + "/tools/report");
  return RunProgram(arguments, {}, environment);
}

// A run of the report into a folder of its own.
struct Page {
  explicit Page(std::vector<std::string> arguments, bool expect_success = true) : arguments_(std::move(arguments)) {
    arguments_.insert(arguments_.end(), {"--allow-fixtures", "--out", out(), "--plots", plots()});
    result = Report(arguments_);
    if (!expect_success) return;
    EXPECT_EQ(result.exit_code, 0) << result.err;
    if (result.exit_code == 0) text = ReadFile(out());
  }
  RunResult Check() const {
    std::vector<std::string> arguments = arguments_;
    arguments.push_back("--check");
    return Report(arguments);
  }
  std::string out() const { return dir.File("BENCHMARKS.md"); }
  std::string plots() const { return dir.File("plots"); }
  std::string html() const { return dir.File("benchmarks.html"); }

  TempDir dir;
  RunResult result;
  std::string text;

 private:
  std::vector<std::string> arguments_;
};

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The part of the page from this heading to the next one of any depth.
std::string Section(const std::string& page, const std::string& heading, const std::string& after = "") {
  const size_t start = page.find(heading, after.empty() ? 0 : page.find("\n## " + after + "\n"));
  EXPECT_NE(start, std::string::npos) << heading;
  return start == std::string::npos ? "" : page.substr(start, page.find("\n#", start + 1) - start);
}

// The first line with all of these in it.
std::string LineWith(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& line : Lines(text)) {
    bool all = true;
    for (const std::string& part : parts) all = all && Contains(line, part);
    if (all) return line;
  }
  ADD_FAILURE() << "no line has all of " << json(parts).dump() << " in:\n" << text;
  return "";
}

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

std::string Format(double value, int decimals) {
  char text[64];
  snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

const json& Row(const json& file, const std::string& name) {
  for (const json& row : file["rows"]) {
    if (row["row"] == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return file["rows"][0];
}

// What may stand in a table: every number of the results, rounded to 0 .. 7 decimals, rates in percent too; and ratios
// of two in the same place.
class Allowed {
 public:
  explicit Allowed(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const json file = json::parse(ReadFile(path));
      std::map<std::string, std::vector<const json*>> places;
      for (const char* list : {"rows", "measured"}) {
        if (!file.contains(list)) continue;
        for (const json& entry : file[list]) {
          AddNumbers(entry);
          places[entry.value("size", "") + entry.value("keys", "") + entry.value("asked_bits_per_key", json(0)).dump()]
              .push_back(&entry);
          if (entry.contains("fpr_low") && entry["expected_fpr"] > 0) AddRatio(entry["fpr"], entry["expected_fpr"]);
        }
      }
      if (!file.contains("rows")) continue;
      for (const auto& [place, entries] : places) {
        for (const json* a : entries) {
          for (const json* b : entries) {
            for (const char* field : {"ns", "fpr", "bits_per_key"}) {
              if ((*b)[field] > 0) AddRatio((*a)[field], (*b)[field]);
            }
          }
        }
      }
    }
  }
  bool HasNumber(const std::string& text) const { return numbers_.count(text) != 0; }
  bool HasRatio(const std::string& text) const { return ratios_.count(text) != 0; }

 private:
  void AddNumbers(const json& entry) {
    for (const char* field : {"ns", "bits_per_key", "asked_bits_per_key", "num_probes", "hit_percent", "num_keys",
                              "confidence", "false_negatives", "fpr", "fpr_low", "fpr_high", "expected_fpr"}) {
      if (!entry.contains(field)) continue;
      const double value = entry[field], factor = std::string(field).find("fpr") == std::string::npos ? 1 : 100;
      for (int decimals = 0; decimals <= 7; ++decimals) numbers_.insert(Format(factor * value, decimals));
      if (value == 1e6) numbers_.insert("1e6");
    }
  }
  void AddRatio(double a, double b) {
    ratios_.insert(Format(a / b, 2) + "x");
    ratios_.insert(Format(a / b, 3) + "x");
  }

  std::set<std::string> numbers_, ratios_;
};

// Numbers in the tables of the page that the results do not have. `seen` counts those that they have.
std::vector<std::string> Foreign(const std::string& page, const Allowed& allowed, int* seen) {
  const std::regex number(R"(\d+(\.\d+)?(e\d+)?)"), ratio(R"(\d+\.\d+x)"), both(R"((\d[\d.]*) \((\d+\.\d+x)\))"),
      with_k(R"((\d[\d.]*) \(k (\d+)\))");
  std::vector<std::string> foreign;
  const auto judge = [&](bool allowed_one, const std::string& text, const std::string& line) {
    ++*seen;
    if (!allowed_one) foreign.push_back(text + " in " + line);
  };
  bool machines = false;
  for (const std::string& line : Lines(page)) {
    if (line.compare(0, 3, "## ") == 0) machines = line == "## The machines";
    if (machines || line.compare(0, 2, "| ") != 0) continue;
    for (const std::string& cell : Cells(line)) {
      std::smatch match;
      if (std::regex_match(cell, number)) {
        judge(allowed.HasNumber(cell), cell, line);
      } else if (std::regex_match(cell, ratio)) {
        judge(allowed.HasRatio(cell), cell, line);
      } else if (std::regex_match(cell, match, both)) {
        judge(allowed.HasNumber(match[1]) && allowed.HasRatio(match[2]), cell, line);
      } else if (std::regex_match(cell, match, with_k)) {
        judge(allowed.HasNumber(match[1]) && allowed.HasNumber(match[2]), cell, line);
      }
    }
  }
  return foreign;
}

// Every table has a line below its header, and no cell says what Python says when something is missing.
void ExpectSoundTables(const std::string& page) {
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

const Page& FullPage() {
  static const Page* const page = new Page({kCpuA, kCpuB, kAccuracy});
  return *page;
}

// A page of fixture A after a change, without pictures.
std::string PageOf(const std::function<void(json*)>& change, const std::vector<std::string>& more = {}) {
  json file = json::parse(ReadFile(kCpuA));
  change(&file);
  const TempDir dir;
  std::vector<std::string> arguments = {dir.Write("cpu.json", file.dump())};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.push_back("--no-plots");
  return Page(arguments).text;
}

json& RowOf(json* file, const std::string& name) { return const_cast<json&>(Row(*file, name)); }

void SetNs(json* row, double ns) {
  for (const char* field : {"ns", "ns_min", "ns_max"}) (*row)[field] = ns;
}

// A copy of a row in another place, with another time.
void AddLike(json* file, const std::string& name, json changed, double ns) {
  json row = Row(*file, name);
  row.update(changed);
  SetNs(&row, ns);
  std::string hits = row["hit_percent"] == -1 ? "none" : row["hit_percent"].dump();
  row["row"] = row["access"].get<std::string>() + "/" + row["keys"].get<std::string>() + "/" + hits + "/" +
               row["layout"].get<std::string>() + "/" + row["target"].get<std::string>() + "/" +
               row["size"].get<std::string>() + "/" + row["asked_bits_per_key"].dump();
  (*file)["rows"].push_back(row);
}

TEST(Report, NamesTheMachinesAndPeers) {
  const std::string machines = Section(FullPage().text, "## The machines");
  const std::vector<std::string> head = Cells(Lines(machines)[2]);
  EXPECT_EQ(std::vector<std::string>(head.begin(), head.begin() + 4),
            (std::vector<std::string>{"", "Fixture CPU A", "Fixture CPU B", "accuracy file"}));
  EXPECT_TRUE(Contains(LineWith(machines, {"| targets"}), "AVX3, AVX2, SSE4"));
  EXPECT_TRUE(Contains(LineWith(machines, {"| counters"}), "none: a fixture"));
  EXPECT_TRUE(Contains(machines, "- `libbloom`: Debian libbloom-dev 0.0"));
  ExpectSoundTables(FullPage().text);
}

TEST(Report, EveryNumberOfATableIsInTheResults) {
  const Allowed allowed({kCpuA, kCpuB, kAccuracy});
  int seen = 0;
  const std::vector<std::string> foreign = Foreign(FullPage().text, allowed, &seen);
  EXPECT_TRUE(foreign.empty()) << json(foreign).dump(1);
  EXPECT_GT(seen, 500);
  // The test of the test: one digit changed is found.
  const json file = json::parse(ReadFile(kCpuA));
  const std::string right = Format(Row(file, "batch/u64/50/blocked/AVX3/1MB/10")["ns"], 2);
  std::string page = FullPage().text;
  const size_t at = page.find(" " + right + " |");
  ASSERT_NE(at, std::string::npos);
  page.replace(at + 1, right.size(), std::string("8.8888").substr(0, right.size()));
  EXPECT_EQ(Foreign(page, allowed, &seen).size(), 1u);
}

TEST(Report, ComparesLibrariesAndPatterns) {
  const json file = json::parse(ReadFile(kCpuA));
  const std::string main = Section(FullPage().text, "### Library against library");
  const json& rocksdb = Row(file, "single/u64/50/rocksdb_bloom/packaged/1MB/10");
  const std::string line = LineWith(main, {"`rocksdb_bloom`"});
  EXPECT_TRUE(Contains(line, " " + Format(rocksdb["ns"], 2) + " ")) << line;
  EXPECT_TRUE(Contains(line, " " + Format(100 * rocksdb["fpr"].get<double>(), 3) + " ")) << line;
  EXPECT_LT(main.find("`blocked`"), main.find("`rocksdb_bloom`")) << "the fastest stands first";

  const std::string patterns = Section(FullPage().text, "### Pattern against pattern");
  const double ours = Row(file, "inlined/hash/50/blocked/AVX2/1MB/20")["ns"],
               theirs = Row(file, "inlined/hash/50/k_independent/AVX2/1MB/20")["ns"];
  const std::string at_1mb = patterns.substr(patterns.find("| 1MB"));
  EXPECT_TRUE(
      Contains(LineWith(at_1mb, {"`blocked`", "AVX2"}), Format(ours, 2) + " (" + Format(theirs / ours, 2) + "x)"));
}

// Each number of the main table is of its own fastest target, and the order is that of the column that the text names.
TEST(Report, ComparesLibrariesOnTheirBestTargets) {
  const std::string single = "single/u64/50/blocked/AVX3/1MB/10";
  const std::string main = Section(PageOf([&](json* file) {
                                     AddLike(file, single, {{"target", "AVX2"}}, 0.5);
                                     AddLike(file, single, {{"access", "inlined"}}, 61.25);
                                   }),
                                   "### Library against library");
  const std::vector<std::string> head = Cells(LineWith(main, {"| layout"})),
                                 cells = Cells(LineWith(main, {"`blocked`"}));
  const auto cell = [&](const char* title) {
    return cells[static_cast<size_t>(std::find(head.begin(), head.end(), title) - head.begin())];
  };
  EXPECT_EQ(cell("target"), "AVX2 / AVX3 / AVX3 / AVX3");
  EXPECT_EQ(cell("single ns"), "0.500");
  EXPECT_EQ(cell("inlined ns"), "61.2");
  EXPECT_EQ(cell("batch ns"), Format(Row(json::parse(ReadFile(kCpuA)), "batch/u64/50/blocked/AVX3/1MB/10")["ns"], 2));
  EXPECT_GT(main.find("`blocked`"), main.find("`rocksdb_bloom`")) << "sorted by `inlined`";
  EXPECT_TRUE(Contains(main, "Sorted by `inlined`"));
}

// A rival needs no better instructions than ours, and is the fastest of those that do not.
TEST(Report, ChoosesRivals) {
  const std::string ours = "inlined/hash/50/blocked/SSE4/1MB/10", theirs = "inlined/hash/50/k_independent/AVX2/1MB/10";
  const auto line = [&](const std::vector<std::pair<const char*, double>>& slower) {
    const std::string page = PageOf([&](json* file) {
      (*file)["context"]["targets"] = {"AVX3", "AVX2", "SSE4", "SSSE3"};
      for (const auto& [target, factor] : slower) {
        AddLike(file, theirs, {{"target", target}}, factor * Row(*file, ours)["ns"].get<double>());
      }
    });
    const std::string patterns = Section(page, "### Pattern against pattern");
    return LineWith(patterns.substr(patterns.find("| 1MB")), {"`blocked`", "SSE4"});
  };
  EXPECT_FALSE(Contains(line({}), "x)")) << "AVX2 is better";
  EXPECT_TRUE(Contains(line({{"SCALAR", 3}, {"SSSE3", 2}}), " (2.00x)"));
  EXPECT_TRUE(Contains(line({{"SCALAR", 3}, {"SSE4", 4}}), " (3.00x)"));
}

TEST(Report, SaysWhichPromisesHold) {
  const std::string patterns = Section(FullPage().text, "### Pattern against pattern");
  const std::string ours = patterns.substr(0, patterns.find("Nothing is promised"));
  EXPECT_TRUE(Contains(ours, "inlined, independent lookups"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- FPR", "measured"}), "**holds within the measurement's error**"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- in cache, AVX-512, k = 11"}), "at least 2.2x: **MISSED**, 2.14x"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- in cache, AVX2"}), "**holds**"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- at any size"}), "at least 0.97x: **holds**"));
}

// The same thresholds against RocksDB's own way, on AVX2; and against it on all targets, where that changes a line.
TEST(Report, ComparesWithPermutations) {
  const std::string patterns = Section(FullPage().text, "### Pattern against pattern");
  const size_t all = patterns.find("The same against `k_independent_permute` on any target");
  ASSERT_NE(all, std::string::npos);
  const std::string avx2 = patterns.substr(patterns.find("Nothing is promised"), all), any = patterns.substr(all);
  const std::string on_avx2 = avx2.substr(0, avx2.find("The same against"));
  EXPECT_TRUE(Contains(on_avx2, "how RocksDB computes this pattern"));
  const std::string small_k = LineWith(on_avx2, {"- in cache, AVX-512, k of at most 8"});
  EXPECT_TRUE(Contains(small_k, "**holds**") && Contains(small_k, "ns on AVX2")) << small_k;
  const std::string worse = LineWith(any, {"- in cache, AVX-512, k of at most 8"});
  EXPECT_TRUE(Contains(worse, "**MISSED**") && !Contains(worse, "ns on AVX2")) << worse;
  EXPECT_FALSE(Contains(any, "- FPR")) << "the same in both lists";
}

// The worst case is that of any share of hits.
TEST(Report, PromisesCountAllSharesOfHits) {
  const std::string page = PageOf([](json* file) {
    for (const auto& [layout, ns] : {std::pair<const char*, double>{"blocked", 2.0}, {"k_independent", 2.1}}) {
      AddLike(file, std::string("inlined/hash/50/") + layout + "/AVX2/1MB/10", {{"hit_percent", 0}}, ns);
    }
  });
  const std::string line = LineWith(page, {"- in cache, AVX2"});
  EXPECT_TRUE(Contains(line, "**MISSED**, 1.05x") && Contains(line, " 0 % hits")) << line;
}

// A row that tells its rounds, of the group that began then.
void SetRounds(json* row, std::vector<double> ns, int group) {
  (*row)["ns_each"] = ns, (*row)["repetitions"] = ns.size(), (*row)["group_began_ms"] = group;
  std::sort(ns.begin(), ns.end());
  (*row)["ns"] = ns[ns.size() / 2], (*row)["ns_min"] = ns.front(), (*row)["ns_max"] = ns.back();
}

// What was asked of `retrieval` and of building: each line's verdict is that of the numbers.
TEST(Report, JudgesRetrieval) {
  const auto lines = [](const std::string& page) { return Section(page, "### Retrieval and building"); };
  const std::string asked = lines(FullPage().text);
  const json a = json::parse(ReadFile(kCpuA));
  const auto ns = [&](const char* row) { return Row(a, row)["ns"].get<double>(); };
  EXPECT_TRUE(Contains(LineWith(asked, {"| FPR, 10 bits"}), "at most 0.168 %"));
  EXPECT_TRUE(Contains(LineWith(asked, {"| FPR, 10 bits"}), "| ok "));
  EXPECT_TRUE(Contains(LineWith(asked, {"| FPR, 16 bits", "0.00661 %"}), "**MISSED**"));
  EXPECT_TRUE(Contains(LineWith(asked, {"| false negatives", "0 of 160000000"}), "| ok "));
  const std::string batch =
      Format(ns("batch/hash/50/retrieval/AVX3/512MB/10") / ns("batch/hash/50/blocked/AVX3/512MB/10"), 2);
  EXPECT_TRUE(Contains(LineWith(asked, {"| batch, AVX-512", "512MB"}), batch + "x: "));
  EXPECT_TRUE(Contains(LineWith(asked, {"| batch, 512 MB", "`binary_fuse_8_own`"}), "| ok "));
  // Round by round where both tell their rounds: a noisy machine moves medians, but slows both.
  const std::string noisy = PageOf([](json* file) {
    json& ours = RowOf(file, "batch/hash/50/retrieval/AVX3/512MB/10");
    json& theirs = RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10");
    SetRounds(&ours, {30, 10, 4, 90, 6}, 1), SetRounds(&theirs, {10, 5, 2, 30, 2}, 1);
  });
  EXPECT_TRUE(Contains(LineWith(lines(noisy), {"| batch, AVX-512", "512MB"}), "3.00x: ")) << "medians: 2, least: 2";
  const std::string apart = PageOf([](json* file) {  // of two groups: what happened to each, nobody knows
    SetRounds(&RowOf(file, "batch/hash/50/retrieval/AVX3/512MB/10"), {30, 10, 4, 90, 6}, 1);
    SetRounds(&RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10"), {10, 5, 2, 30, 2}, 2);
  });
  EXPECT_TRUE(Contains(LineWith(lines(apart), {"| batch, AVX-512", "512MB"}), "2.00x: "));
  const std::string unequal = PageOf([](json* file) {
    SetRounds(&RowOf(file, "batch/hash/50/retrieval/AVX3/512MB/10"), {30, 10, 4, 90, 6}, 1);
    SetRounds(&RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10"), {10, 5, 2}, 1);
  });
  EXPECT_TRUE(Contains(LineWith(lines(unequal), {"| batch, AVX-512", "512MB"}), "2.00x: "));
  EXPECT_TRUE(Contains(LineWith(asked, {"| build, one thread, AVX-512", "goal 60"}), "| ok "));
  EXPECT_TRUE(Contains(LineWith(asked, {"| build, one thread, AVX2", "goal 110"}), "**MISSED**"));
  const std::string bulk =
      Format(ns("insert_batch/hash/none/blocked/AVX3/512MB/14.3") / ns("build/hash/none/blocked/AVX3/512MB/14.3"), 2);
  EXPECT_TRUE(Contains(LineWith(asked, {"| bulk build of `blocked`"}), bulk + "x: "));
  const double gain = ns("build/hash/none/retrieval/AVX3/16MB/10") /
                      ns("build_2_threads/hash/none/retrieval/AVX3/16MB/10"),
               possible = ns("build/hash/none/floor_registers/none/16MB/10") /
                          ns("build_2_threads/hash/none/floor_registers/none/16MB/10");
  EXPECT_TRUE(Contains(LineWith(asked, {"| build of `retrieval` on two threads", "**MISSED**"}),
                       Format(gain, 2) + " of " + Format(possible, 2) + " times"));
  EXPECT_TRUE(Contains(LineWith(asked, {"| build of `blocked` on two threads"}), "| ok "));
  EXPECT_EQ(FullPage().text.find("### Retrieval", FullPage().text.find("## Fixture CPU B")), std::string::npos)
      << "no row of it there";

  // The worst of all shares of hits counts, and what is not there is said to be not measured.
  const std::string worse = lines(PageOf([](json* file) {
    for (const auto& [layout, time] : {std::pair<const char*, double>{"blocked", 2.0}, {"retrieval", 2.4}}) {
      AddLike(file, std::string("batch/hash/50/") + layout + "/AVX3/1MB/10", {{"hit_percent", 100}}, time);
    }
  }));
  EXPECT_TRUE(Contains(LineWith(worse, {"| batch, AVX-512", "100 % hits"}), "1.20x: 2.40 to 2.00 ns"));
  EXPECT_TRUE(Contains(LineWith(worse, {"| batch, AVX-512"}), "**MISSED**"));
  const std::string partly = lines(PageOf([](json* file) {
    json& rows = (*file)["rows"];
    rows.erase(std::find(rows.begin(), rows.end(), RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10")));
  }));
  EXPECT_TRUE(Contains(LineWith(partly, {"| batch, AVX-512"}), "not measured")) << "of less than was asked";
  EXPECT_TRUE(Contains(LineWith(worse, {"| false negatives"}), "not measured")) << "without the accuracy file";
  EXPECT_TRUE(Contains(LineWith(worse, {"| FPR, 8 bits"}), "16MB")) << "of the largest filter instead";
  json accuracy = json::parse(ReadFile(kAccuracy));
  for (json& entry : accuracy["measured"]) {
    if (entry["layout"] != "retrieval") continue;
    entry["seeds"] = 1;
    if (entry["bits_per_key"] == 16) entry["fpr_low"] = 0.00006;
  }
  const TempDir dir;
  const std::string few = lines(Page({kCpuA, dir.Write("accuracy.json", accuracy.dump()), "--no-plots"}).text);
  EXPECT_TRUE(Contains(LineWith(few, {"| false negatives"}), "**MISSED**")) << "too few members were asked";
  EXPECT_TRUE(Contains(LineWith(few, {"| FPR, 16 bits"}), "undecided, the interval allows both"));
}

// What was asked of filters that threads fill and ask at once.
TEST(Report, JudgesConcurrency) {
  const auto lines = [](double fill, double single) {
    return Section(
        PageOf([&](json* file) {
          const std::string like = "single/hash/50/blocked/AVX3/16MB/10";
          const json sealed = {{"layout", "blocked_sealed"}, {"origin", "linefilter, sealed"}, {"target", "AVX3"}},
                     ours = {{"layout", "blocked_concurrent"}, {"origin", "linefilter, threads"}};
          const auto add = [&](json peer, const char* access, double ns, int hits = 50) {
            peer.update({{"access", access}, {"hit_percent", hits}});
            AddLike(file, like, peer, ns);
          };
          add(ours, "fill", 40, -1), add(ours, "fill_2_threads", fill, -1);
          add(sealed, "fill", 10, -1);
          add(sealed, "single_during_inserts", 5), add(ours, "single_during_inserts", single);
          add(sealed, "single", 4), add(ours, "single", 4.5);
        }),
        "### Threads that insert and ask at once");
  };
  // The loop in registers gains 3.7 / 1.93 = 1.92 times.
  const std::string good = lines(25, 6), bad = lines(30, 7);
  EXPECT_TRUE(Contains(LineWith(good, {"| insertion on two threads, one call per key"}), "1.60 of 1.92 times"));
  EXPECT_TRUE(Contains(LineWith(good, {"| insertion on two threads, one call per key"}), "| ok "));
  EXPECT_TRUE(Contains(LineWith(bad, {"| insertion on two threads, one call per key"}), "**MISSED**"));
  EXPECT_TRUE(Contains(LineWith(good, {"| insertion on two threads, in batches"}), "not measured"));
  EXPECT_TRUE(Contains(LineWith(good, {"| `single_during_inserts`", "| ok "}), "1.20x: 6.00 to 5.00 ns"));
  EXPECT_TRUE(Contains(LineWith(bad, {"| `single_during_inserts`"}), "**MISSED**"));
  EXPECT_TRUE(Contains(good, "2.50 times"));  // of one thread that fills the sequential filter: 25 to 10 ns
  ExpectSoundTables(good);
  EXPECT_FALSE(Contains(FullPage().text, "### Threads that insert")) << "no row of it there";
  // They are not `blocked`, and no peer of it.
  EXPECT_FALSE(Contains(Section(PageOf([](json* file) {
                                  AddLike(file, "single/hash/50/blocked/AVX3/16MB/10",
                                          {{"layout", "blocked_concurrent"}, {"origin", "linefilter, threads"}}, 0.1);
                                }),
                                "### Time against size"),
                        "blocked_concurrent"));
}

TEST(Report, SaysWhereWeLose) {
  const std::string losses = Section(FullPage().text, "### Where we lose");
  const std::string faster = LineWith(losses, {"faster at no higher FPR", "`rocksdb_bloom`"});
  EXPECT_TRUE(Contains(faster, " 1 of 6 |") && Contains(faster, "512MB")) << faster;
  EXPECT_TRUE(Contains(LineWith(losses, {"| smaller at no higher FPR"}), "`rocksdb_ribbon`"));
  EXPECT_TRUE(Contains(LineWith(losses, {"floor: above 1.25x", "| single"}), "24KB"));
  EXPECT_FALSE(Contains(losses, "leveldb")) << "slower and with `classic` in its place: no loss";
  const std::vector<std::string> head = Cells(LineWith(losses, {"| kind"})),
                                 split = Cells(
                                     LineWith(losses, {"faster at a higher FPR", "`split_block_256`", "inlined"}));
  ASSERT_EQ(head[5], "FPR, theirs / ours");
  EXPECT_EQ(split[5], "1.31x");
  EXPECT_GT(std::stod(split[4]), 1.1) << "the time that it gains";
  EXPECT_TRUE(Contains(LineWith(losses, {"floor: above 1.25x", "| dependent"}), "1MB"));
  EXPECT_TRUE(Contains(Section(FullPage().text, "### Where we lose", "Fixture CPU B"), "Nowhere in "));
}

// A faster peer without a rate is not called as accurate as ours.
TEST(Report, FindsFasterInserts) {
  const auto losses = [](double fpr, int queries) {
    return Section(PageOf([&](json* file) {
                     json& ours = RowOf(file, "insert_single/u64/none/blocked/AVX3/1MB/10");
                     ours["fpr"] = queries > 0 ? 0.01 : 0, ours["fpr_queries"] = queries;
                     AddLike(file, ours["row"],
                             {{"layout", "split_block_256"}, {"origin", "own implementation"}, {"fpr", fpr}}, 0.5);
                   }),
                   "### Where we lose");
  };
  const std::vector<std::string> rated = {"`split_block_256`", "insert_single", " 1 of 1 |"};
  EXPECT_TRUE(Contains(LineWith(losses(0.013, 1000000), rated), "faster at a higher FPR"));
  EXPECT_TRUE(Contains(LineWith(losses(0.0101, 1000000), rated), "faster at no higher FPR"));
  EXPECT_TRUE(Contains(LineWith(losses(0, 0), rated), "faster, FPR not measured"));
}

// A peer that is made 100 times faster must appear, worst of all.
TEST(Report, FindsAPlantedLoss) {
  json file = json::parse(ReadFile(kCpuA));
  for (json& row : file["rows"]) {
    if (row["row"] != "inlined/hash/50/k_independent/AVX2/16MB/10") continue;
    for (const char* field : {"ns", "ns_min", "ns_max"}) row[field] = 0.0371;
  }
  const TempDir dir;
  const Page page({dir.Write("cpu.json", file.dump()), "--no-plots"});
  const std::string losses = Section(page.text, "### Where we lose");
  const std::vector<std::string> cells = Cells(Lines(losses.substr(losses.find("|--")))[1]);
  EXPECT_EQ(cells[1], "`k_independent`");
  EXPECT_EQ(cells[2], "inlined");
  EXPECT_TRUE(Contains(LineWith(losses, {"0.0371"}), "16MB"));
}

TEST(Report, ComparesCpus) {
  const json a = json::parse(ReadFile(kCpuA)), b = json::parse(ReadFile(kCpuB));
  const std::string across = Section(FullPage().text, "## CPU against CPU");
  const std::vector<std::string> cells = Cells(LineWith(across, {"`blocked`", "| single", "| 1MB"}));
  ASSERT_EQ(cells.size(), 6u);
  EXPECT_EQ(cells[4], Format(Row(a, "single/hash/50/blocked/AVX3/1MB/10")["ns"], 2));
  EXPECT_EQ(cells[5], Format(Row(b, "single/hash/50/blocked/NEON/1MB/10")["ns"], 2));
  const Page alone({kCpuB, "--no-plots"});
  EXPECT_TRUE(Contains(Section(alone.text, "## CPU against CPU"), "On another one, run `tools/bench.sh`"));
}

// What is nothing but reading the line, or hashing the key, stands beside what contains it.
TEST(Report, ShowsFloors) {
  EXPECT_FALSE(Contains(FullPage().text, "No filter can be faster"));
  const json file = json::parse(ReadFile(kCpuA));
  const std::string hits = Section(FullPage().text, "### Hits, branches");
  EXPECT_EQ(Cells(LineWith(hits, {"| floor", "| dependent", "| 1MB"}))[5],
            Format(Row(file, "dependent/hash/50/floor_line/AVX3/1MB/10")["ns"], 2));
  const std::string page = PageOf([](json* changed) {
    AddLike(changed, "single/string/50/floor_hash/none/1MB/10", {{"size", "24KB"}}, 0.125);
  });
  EXPECT_EQ(Cells(LineWith(Section(page, "### What the keys cost"), {"| floor"})).back(),
            Format(Row(file, "single/string/50/floor_hash/none/1MB/10")["ns"], 2))
      << "of this size";
}

TEST(Report, ShowsAccuracy) {
  const std::string densities = Section(FullPage().text, "### False-positive rate by bits per key");
  const std::vector<std::string> cells = Cells(LineWith(densities, {"`blocked`", "| ", " 10.00 "}));
  EXPECT_EQ((std::vector<std::string>{cells[3], cells[6], cells[7]}),
            (std::vector<std::string>{"0.975", "0.973", "1.002x"}));
  const auto families = [](const std::string& page) { return Section(page, "### False-positive rate by family"); };
  EXPECT_TRUE(Contains(families(FullPage().text), "`urls`"));
  EXPECT_TRUE(Contains(families(FullPage().text), "every filter hashes them again"));
  json accuracy = json::parse(ReadFile(kAccuracy)), others = json::array();
  for (const json& entry : accuracy["measured"]) {
    if (entry["keys"] != "hash") others.push_back(entry);
  }
  accuracy["measured"] = others;
  const TempDir dir;
  const std::string page = Page({kCpuA, dir.Write("accuracy.json", accuracy.dump()), "--no-plots"}).text;
  EXPECT_FALSE(Contains(families(page), "hashes them again"));
}

// The commands under the tables find rows of the results, by the rules of linefilter_bench.
TEST(Report, ItsCommandsFindTheirRows) {
  const json a = json::parse(ReadFile(kCpuA)), b = json::parse(ReadFile(kCpuB));
  const std::regex command(R"re(Again: `build/release/linefilter_bench --rows '([^']+)')re");
  int commands = 0;
  for (std::sregex_iterator it(FullPage().text.begin(), FullPage().text.end(), command), end; it != end; ++it) {
    ++commands;
    const std::regex rows((*it)[1].str(), std::regex::ECMAScript);
    int found = 0;
    for (const json* file : {&a, &b}) {
      for (const json& row : (*file)["rows"]) found += std::regex_search(row["row"].get<std::string>(), rows);
    }
    EXPECT_GT(found, 0) << (*it)[1];
  }
  EXPECT_GT(commands, 10);
}

TEST(Report, DrawsThePlotsAlikeEachTime) {
  const Page again({kCpuB, kAccuracy, kCpuA});
  EXPECT_EQ(again.text, FullPage().text) << "the order of the files must not matter";
  int plots = 0;
  for (const char* name : {"pareto_fixture-cpu-a", "pareto_fixture-cpu-b", "size_fixture-cpu-a", "cpus", "fpr"}) {
    const std::string file = std::string("/") + name + ".svg", svg = ReadFile(FullPage().plots() + file);
    ++plots;
    EXPECT_EQ(svg, ReadFile(again.plots() + file)) << name;
    EXPECT_TRUE(Contains(svg, ">blocked") || Contains(svg, ">Fixture A")) << name << " has no label";
    EXPECT_TRUE(Contains(FullPage().text, "(plots/" + std::string(name) + ".svg)")) << name << " is not on the page";
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(FullPage().plots()), {}), plots);
  EXPECT_EQ(ReadFile(again.html()), ReadFile(FullPage().html()));
}

TEST(Report, CheckFindsWhatIsStale) {
  const Page page({kCpuA, kCpuB, kAccuracy});
  RunResult result = page.Check();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto expect_stale = [&](const std::string& what) {
    result = page.Check();
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(Contains(result.err, what)) << result.err;
  };
  std::string changed = page.text;
  changed[changed.find("0.973")] = '7';
  page.dir.Write("BENCHMARKS.md", changed);
  expect_stale("BENCHMARKS.md is stale");
  EXPECT_TRUE(Contains(result.err, "7.973")) << "the difference is shown";
  page.dir.Write("BENCHMARKS.md", page.text);

  const std::string svg = ReadFile(page.plots() + "/fpr.svg");
  page.dir.Write("plots/fpr.svg", svg + " ");
  expect_stale("fpr.svg is stale");
  // Another gnuplot draws other bytes from the same script: not stale. From another script: stale.
  const std::string version = "Produced by GNUPLOT ";
  std::string other = svg;
  other.insert(other.find(version) + version.size(), "9");
  page.dir.Write("plots/fpr.svg", other);
  EXPECT_EQ(page.Check().exit_code, 0);
  const std::string mark = "<!-- tools/report ";
  other.replace(other.find(mark) + mark.size(), 4, "0000");
  page.dir.Write("plots/fpr.svg", other);
  expect_stale("fpr.svg is stale");
  page.dir.Write("plots/fpr.svg", svg);
  page.dir.Write("plots/size_another-cpu.svg", svg);
  expect_stale("size_another-cpu.svg is of no result file");
  std::filesystem::remove(page.plots() + "/size_another-cpu.svg");

  // The same in HTML, whose plots may be another gnuplot's too (tests/bench/html_report_slow.py opens it).
  std::string html = ReadFile(page.html());
  html.insert(html.rfind(version) + version.size(), "9");
  page.dir.Write("benchmarks.html", html);
  EXPECT_EQ(page.Check().exit_code, 0);
  std::string other_mark = html;
  other_mark.replace(other_mark.rfind(mark) + mark.size(), 4, "0000");
  page.dir.Write("benchmarks.html", other_mark);
  expect_stale("benchmarks.html is stale");
  html[html.find("0.973")] = '7';
  page.dir.Write("benchmarks.html", html);
  expect_stale("benchmarks.html is stale");
}

TEST(Report, MakesDoWithWhatIsThere) {
  const json file = json::parse(ReadFile(kCpuA));
  const std::vector<std::pair<const char*, std::function<bool(const json&)>>> parts = {
      {"no floor", [](const json& row) { return row["floor"] == false; }},
      {"floors alone", [](const json& row) { return row["floor"] == true; }},
      {"no peers", [](const json& row) { return Contains(row["origin"], "linefilter"); }},
      {"peers alone", [](const json& row) { return !Contains(row["origin"], "linefilter"); }},
      {"smallest size", [](const json& row) { return row["size"] == "24KB"; }},
      {"largest size", [](const json& row) { return row["size"] == "2GB"; }},
      {"8 bits per key", [](const json& row) { return row["asked_bits_per_key"] == 8; }},
      {"single", [](const json& row) { return row["access"] == "single"; }},
      {"inlined", [](const json& row) { return row["access"] == "inlined"; }},
      {"batch", [](const json& row) { return row["access"] == "batch"; }},
      {"dependent", [](const json& row) { return row["access"] == "dependent"; }},
      {"build", [](const json& row) { return row["access"] == "build"; }},
      {"strings", [](const json& row) { return row["keys"] == "string"; }},
      {"absent keys", [](const json& row) { return row["hit_percent"] == 0; }},
      {"one target", [](const json& row) { return row["target"] == "SSE4"; }},
      {"special ones", [](const json& row) { return Contains(row["layout"], "blocked_"); }},
  };
  for (const auto& [name, keep] : parts) {
    SCOPED_TRACE(name);
    json part = file;
    part["rows"] = json::array();
    for (const json& row : file["rows"]) {
      if (keep(row)) part["rows"].push_back(row);
    }
    ASSERT_FALSE(part["rows"].empty());
    const TempDir dir;
    const Page page({dir.Write("cpu.json", part.dump())});
    ExpectSoundTables(page.text);
    EXPECT_EQ(page.Check().exit_code, 0);
  }
}

// Files without a row in common.
TEST(Report, ComparesCpusWithNothingInCommon) {
  json file = json::parse(ReadFile(kCpuB));
  file["rows"].erase(file["rows"].begin() + 1, file["rows"].end());
  file["rows"][0]["size"] = "4MB";
  file["rows"][0]["row"] = "single/hash/50/blocked/NEON/4MB/10";
  const TempDir dir;
  const Page page({kCpuA, dir.Write("cpu.json", file.dump())});
  ExpectSoundTables(page.text);
  EXPECT_TRUE(Contains(Section(page.text, "## CPU against CPU"), "no row in common"));
}

// Without an accuracy file the intervals are made of the numbers of queries.
TEST(Report, JudgesRatesOfTheTimedFilters) {
  const auto promise = [](double factor, double queries) {
    return LineWith(PageOf([&](json* file) {
                      for (json& row : (*file)["rows"]) {
                        if (row["fpr_queries"] == 0) continue;
                        const double theirs = 0.0234 * row["num_probes"].get<double>() / 5;
                        row["fpr"] = theirs * (row["layout"] == "blocked" ? factor : 1), row["fpr_queries"] = queries;
                      }
                    }),
                    {"- FPR", "measured"});
  };
  EXPECT_TRUE(Contains(promise(1.015, 1e9), "**holds**"));
  EXPECT_TRUE(Contains(promise(1.015, 1e6), "**holds within the measurement's error**"));
  EXPECT_TRUE(Contains(promise(1.022, 1e6), "**undecided, the intervals allow both**"));
  EXPECT_TRUE(Contains(promise(1.022, 1e9), "**MISSED**"));
}

// The rate of `blocked` is what the accuracy file says: a miss is said, and one that the intervals leave open.
TEST(Report, JudgesRatesByTheirIntervals) {
  // `blocked` has this factor and half width at 12 bits per key, an exact rate far below the rival's elsewhere.
  const auto promise = [](double factor, double half_width, double other_factor = 0.5) {
    json accuracy = json::parse(ReadFile(kAccuracy));
    for (json& entry : accuracy["measured"]) {
      if (entry["layout"] != "blocked" && entry["layout"] != "k_independent") continue;
      const bool ours = entry["layout"] == "blocked", at_12 = entry["bits_per_key"] == 12;
      const double fpr = 0.00413 * (!ours ? 1 : at_12 ? factor : other_factor), half = ours && at_12 ? half_width : 0;
      entry["fpr"] = fpr, entry["fpr_low"] = fpr * (1 - half), entry["fpr_high"] = fpr * (1 + half);
    }
    const TempDir dir;
    const Page page({kCpuA, dir.Write("accuracy.json", accuracy.dump()), "--no-plots"});
    return LineWith(Section(page.text, "### Pattern against pattern"), {"- FPR", "measured"});
  };
  EXPECT_TRUE(Contains(promise(1.3, 0.01), "**MISSED**"));
  EXPECT_TRUE(Contains(promise(1.04, 0.1), "**undecided, the intervals allow both**"));
  EXPECT_TRUE(Contains(promise(1.01, 0.1), "**holds within the measurement's error**"));
  EXPECT_TRUE(Contains(promise(1.01, 0.005), "**holds**"));
  EXPECT_TRUE(Contains(promise(1.04, 0.1, 1.03), "**MISSED**, 1.030x")) << "a sure miss before a greater unsure one";
}

// A filter that never errs, and rows with counters.
TEST(Report, TakesZeroRatesAndCounters) {
  json file = json::parse(ReadFile(kCpuA));
  for (json& row : file["rows"]) {
    row["cycles"] = 3.25, row["instructions"] = 17.5, row["cache_misses"] = 0;
    if (row["asked_bits_per_key"] == 20) row["fpr"] = 0;
  }
  json accuracy = json::parse(ReadFile(kAccuracy));
  for (json& entry : accuracy["measured"]) {
    if (entry["bits_per_key"] == 20) entry["fpr"] = entry["fpr_low"] = 0;
  }
  const TempDir dir;
  const Page page({dir.Write("cpu.json", file.dump()), dir.Write("accuracy.json", accuracy.dump())});
  ExpectSoundTables(page.text);
  EXPECT_TRUE(Contains(Section(page.text, "### The CPU's counters"), " 17.5 "));
}

void ExpectRefused(const std::string& path, const std::vector<std::string>& said) {
  const Page page({path}, false);
  EXPECT_EQ(page.result.exit_code, 2) << page.result.err;
  for (const std::string& part : said)
    EXPECT_TRUE(Contains(page.result.err, part)) << part << " in: " << page.result.err;
  EXPECT_FALSE(Contains(page.result.err, "Traceback")) << page.result.err;
  EXPECT_FALSE(std::filesystem::exists(page.out())) << "a page of bad results";
}

TEST(Report, RefusesBadFilesWithASentence) {
  const json good = json::parse(ReadFile(kCpuA));
  const std::string name = good["rows"][3]["row"];
  struct Case {
    std::function<void(json*)> spoil;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases = {
      {[](json* file) { (*file)["schema"] = "linefilter-bench-2"; }, {"'schema'", "linefilter-bench-2"}},
      {[](json* file) { file->erase("schema"); }, {"'schema'"}},
      {[](json* file) { file->erase("context"); }, {"context"}},
      {[](json* file) { (*file)["context"].erase("compiler"); }, {"context", "'compiler' is missing"}},
      {[](json* file) { (*file)["context"]["caches"] = "much"; }, {"context", "'caches'", "a list of texts"}},
      {[](json* file) { file->erase("rows"); }, {"'rows'"}},
      {[](json* file) { (*file)["rows"] = json::array(); }, {"'rows'"}},
      {[](json* file) { (*file)["rows"][3] = 5; }, {"row number 4"}},
      {[](json* file) { (*file)["rows"][3].erase("row"); }, {"row number 4", "'row'"}},
      {[](json* file) { (*file)["rows"][3].erase("ns"); }, {name, "'ns' is missing"}},
      {[](json* file) { (*file)["rows"][3]["ns"] = "fast"; }, {name, "'ns'", "\"fast\""}},
      {[](json* file) { (*file)["rows"][3]["ns"] = nullptr; }, {name, "'ns'", "null"}},
      {[](json* file) { (*file)["rows"][3]["ns"] = -1; }, {name, "'ns'"}},
      {[](json* file) { (*file)["rows"][3]["ns_min"] = 1e9; }, {name, "'ns'", "ns_min"}},
      {[](json* file) {
         SetRounds(&(*file)["rows"][3], {1, 2, 3}, 1), (*file)["rows"][3]["repetitions"] = 4;
       },
       {name, "'ns_each'", "as many times"}},
      {[](json* file) {
         SetRounds(&(*file)["rows"][3], {1, 2, 3}, 1), (*file)["rows"][3]["ns_max"] = 4;
       },
       {name, "'ns_each'", "ns_max"}},
      {[](json* file) { (*file)["rows"][3]["ns_each"] = 3; }, {name, "'ns_each'", "a list of numbers"}},
      {[](json* file) { (*file)["rows"][3]["group_began_ms"] = "now"; }, {name, "'group_began_ms'"}},
      {[](json* file) { (*file)["rows"][3]["access"] = "sideways"; }, {name, "'access'", "sideways"}},
      {[](json* file) { (*file)["rows"][3]["hit_percent"] = 33; }, {name, "'hit_percent'"}},
      {[](json* file) { (*file)["rows"][3]["size"] = "2GB"; }, {name, "'row'"}},
      {[](json* file) { (*file)["rows"][3]["floor"] = "no"; }, {name, "'floor'", "true or false"}},
      {[](json* file) { (*file)["rows"][3]["speed"] = 1; }, {name, "'speed' is unknown"}},
      {[](json* file) { (*file)["rows"].push_back((*file)["rows"][3]); }, {name, "twice"}},
  };
  ASSERT_EQ(good["rows"][3]["floor"], false);
  for (const Case& spoiled : cases) {
    json file = good;
    spoiled.spoil(&file);
    const TempDir dir;
    std::vector<std::string> said = spoiled.said;
    said.push_back("bad.json");
    ExpectRefused(dir.Write("bad.json", file.dump()), said);
  }
  json accuracy = json::parse(ReadFile(kAccuracy));
  accuracy["measured"][0].erase("fpr_low");
  const TempDir dir;
  ExpectRefused(dir.Write("bad.json", accuracy.dump()), {"'measured'", "'fpr_low' is missing"});
  ExpectRefused(dir.Write("bad.json", good.dump().substr(0, 5000)), {"no JSON"});
  ExpectRefused(dir.Write("bad.json", "[]"), {"one JSON object"});
  ExpectRefused(dir.File("none.json"), {"none.json", "cannot be read"});
  ExpectRefused(kAccuracy, {"no throughput file", "tools/bench.sh"});
}

json EngineRow(const char* engine, const char* filter, double bits, int value_bytes, int block_bytes, int filter_bytes,
               int false_positives, double ns) {
  json row = {{"engine", engine},
              {"origin", std::string(engine) + " 0.0"},
              {"filter", filter},
              {"asked_bits_per_key", bits},
              {"num_keys", 1000},
              {"value_bytes", value_bytes},
              {"block_bytes", block_bytes},
              {"keys_per_filter", value_bytes > 50 ? 50.0 : 100.0},
              {"filter_bytes", filter_bytes},
              {"bits_per_key", 8.0 * filter_bytes / 1000},
              {"expected_fpr", 0.01},
              {"model_fpr", 0.01},
              {"gets", 10000},
              {"false_positives", false_positives},
              {"fpr", false_positives / 10000.0},
              {"ns", ns},
              {"ns_each", {ns, ns, ns}}};
  if (row["engine"] == "rocksdb") row["multi_get_ns"] = ns / 2, row["multi_get_ns_each"] = {ns / 2};
  return row;
}

// What was asked of filters inside LevelDB and RocksDB.
TEST(Report, JudgesEngines) {
  const auto page = [](const std::function<void(json*)>& change) {
    json rows = {EngineRow("leveldb", "leveldb_bloom", 10, 62, 4096, 1000, 100, 2000),
                 EngineRow("leveldb", "leveldb_bloom", 11, 62, 4096, 1100, 80, 2000),
                 EngineRow("leveldb", "leveldb_bloom", 12, 62, 4096, 1200, 60, 2000),
                 EngineRow("leveldb", "auto", 10, 62, 4096, 1080, 90, 1990),
                 EngineRow("leveldb", "retrieval", 10, 62, 4096, 1105, 18, 1990),
                 EngineRow("leveldb", "leveldb_bloom", 10, 22, 4096, 1000, 100, 2000),
                 EngineRow("leveldb", "blocked", 10, 22, 4096, 1000, 119, 1990),
                 EngineRow("leveldb", "blocked", 10, 100, 65536, 1000, 108, 1990),
                 EngineRow("leveldb", "blocked", 10, 100, 1048576, 1000, 93, 1990),
                 EngineRow("rocksdb", "rocksdb_bloom", 10, 100, 4096, 1000, 100, 700),
                 EngineRow("rocksdb", "rocksdb_ribbon", 10, 100, 4096, 700, 100, 800),
                 EngineRow("rocksdb", "blocked", 10, 100, 4096, 1000, 100, 690),
                 EngineRow("rocksdb", "retrieval", 10, 100, 4096, 1000, 17, 695),
                 EngineRow("leveldb", "leveldb_bloom", 10, 100, 65536, 1000, 100, 500),
                 EngineRow("leveldb", "leveldb_bloom", 10, 100, 1048576, 1000, 100, 400),
                 EngineRow("leveldb", "retrieval", 10, 100, 65536, 1000, 101, 550),
                 EngineRow("leveldb", "retrieval", 10, 100, 1048576, 1000, 99, 1000),
                 EngineRow("leveldb", "retrieval", 10, 22, 4096, 1000, 17, 1990),
                 EngineRow("leveldb", "auto_trusted", 10, 22, 4096, 1000, 119, 1995),
                 EngineRow("leveldb", "leveldb_bloom_again", 10, 22, 4096, 1000, 100, 1980),
                 EngineRow("rocksdb", "rocksdb_bloom_again", 10, 100, 4096, 1000, 100, 707)};
    json file = {{"schema", "linefilter-engines-1"},
                 {"context", json::parse(ReadFile(kCpuA))["context"]},
                 {"rows", std::move(rows)}};
    change(&file);
    const TempDir dir;
    return Section(PageOf([](json*) {}, {dir.Write("engines.json", file.dump())}), "## Inside storage engines");
  };
  const std::string good = page([](json*) {});
  ExpectSoundTables(good);
  EXPECT_FALSE(Contains(good, "MISSED"));
  EXPECT_FALSE(Contains(good, "not measured"));
  EXPECT_TRUE(
      Contains(LineWith(good, {"| LevelDB, `retrieval`"}), "0.22x: 0.180 to 0.800 %, in 1.00x the bytes: 1105 to 1100"))
      << "against the filter of as many bytes, but for a hundredth";
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, `auto`, up to 60", "equal"}), "in 1.08x the bytes: 1080 to 1000"));
  EXPECT_EQ(Cells(LineWith(good, {"| LevelDB, `auto`, up to 60", "same filter bytes", "nothing is", "1.12x"}))[3], "")
      << "worse than the filter of the same bytes, which nobody forbids";
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, `blocked`, above", "equal"}), "1.19x"));
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, time per absent Get in blocks", "nothing is asked"}),
                       "`retrieval` in blocks of 1048576: 2.50x, 1000 to 400 ns"));
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, blocks of 64 KiB"}), "1.080x"));
  EXPECT_TRUE(Contains(LineWith(good, {"| RocksDB, `blocked`, absent MultiGet"}), "345 to 350 ns"));
  const auto missed = [&](const char* what, size_t row, const char* field, json value) {
    const std::string bad = page([&](json* file) { (*file)["rows"][row][field] = value; });
    EXPECT_TRUE(Contains(LineWith(bad, {what}), "**MISSED**")) << what;
  };
  missed("| LevelDB, `auto`, up to 60", 3, "fpr", 0.0101);
  missed("| LevelDB, blocks of 4 KiB, time per absent Get, `auto` and", 6, "ns_each", {2021, 2021, 2021});
  missed("| LevelDB, blocks of 4 KiB, time per absent Get, `auto`, verified by", 18, "ns_each", {2021, 2021, 2021});
  EXPECT_TRUE(Contains(LineWith(good, {"time per absent Get, `auto` and"}), "1.010x is chance"))
      << "what the same filters differ by in two databases";
  missed("| LevelDB, `retrieval`", 4, "filter_bytes", 1120);  // of 12 bits per key, then: 18 to 60
  missed("| LevelDB, `blocked`, above", 6, "fpr", 0.0121);
  missed("| LevelDB, blocks of 64 KiB", 8, "fpr", 0.0089);
  missed("| LevelDB, blocks of 64 KiB", 16, "fpr", 0.0111);
  missed("| LevelDB, blocks of 64 KiB", 8, "model_fpr", 0.0084);  // images of another density than was asked for
  missed("| RocksDB, `blocked`, absent Get", 11, "ns_each", {708, 708, 708});
  missed("| RocksDB, `retrieval`, absent MultiGet", 12, "multi_get_ns_each", {401});
  missed("| RocksDB, `retrieval`, same filter bytes", 12, "fpr", 0.0026);
  for (const size_t row : {8u, 15u}) {
    const std::string few = page([row](json* file) { (*file)["rows"].erase(row); });
    EXPECT_TRUE(Contains(LineWith(few, {"| LevelDB, blocks of 64 KiB"}), "not measured")) << "a part is not the whole";
  }
  const std::string alone = page([](json* file) { (*file)["rows"][4]["filter_bytes"] = 3000; });
  EXPECT_TRUE(Contains(LineWith(alone, {"| LevelDB, `retrieval`"}), "not measured")) << "no filter of as many bytes";
  const std::string perfect = page([](json* file) { (*file)["rows"][5]["false_positives"] = 0; });
  EXPECT_TRUE(Contains(LineWith(perfect, {"| LevelDB, `blocked`, above", "equal"}), "not measured")) << "too few Gets";
  EXPECT_TRUE(Contains(FullPage().text, "Not measured yet: `build/release/linefilter_bench_engines"));
  for (const auto& [field, value] : std::vector<std::pair<const char*, json>>{
           {"ns", 0}, {"gets", 0}, {"false_positives", 10001}, {"filter", ""}, {"speed", 1}}) {
    json file = {{"schema", "linefilter-engines-1"}, {"context", json::parse(ReadFile(kCpuA))["context"]}};
    file["rows"] = {EngineRow("leveldb", "auto", 10, 62, 4096, 1000, 90, 2000)};
    file["rows"][0][field] = value;
    const TempDir dir;
    ExpectRefused(dir.Write("engines.json", file.dump()), {"engines.json", "row number 1", field});
  }
}

#ifdef LINEFILTER_BENCH_ENGINES
// The file as the program writes it: a field that only one of the two knows would show when it is too late.
TEST(Report, ReadsWhatTheProgramOfEnginesWrites) {
  const TempDir dir;
  const std::string engines = dir.File("engines.json");
  const RunResult result = RunProgram({LINEFILTER_BENCH_ENGINES, "--quick", "--folder", dir.path(), "--out", engines});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = PageOf([](json*) {}, {engines});
  ExpectSoundTables(Section(page, "## Inside storage engines"));
}
#endif

TEST(Report, RefusesTwoFilesOfOneCpu) {
  const TempDir dir;
  const Page page({kCpuA, dir.Write("again.json", ReadFile(kCpuA))}, false);
  EXPECT_EQ(page.result.exit_code, 2);
  EXPECT_TRUE(Contains(page.result.err, "both of 'Fixture CPU A': remove the older one")) << page.result.err;
}

TEST(Report, RefusesFixturesAndAnEmptyFolder) {
  const TempDir dir;
  RunResult result = Report({"--out", dir.File("page.md"), "--plots", dir.File("plots"), kCpuA});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.err, "is a fixture of the tests")) << result.err;
  result = Report({"--out", dir.File("page.md"), "--plots", dir.File("plots"), "--results", dir.path()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.err, "run tools/bench.sh")) << result.err;
  EXPECT_TRUE(dir.Names().empty());
}

TEST(Report, RefusesWhatTheHtmlCannotShow) {
  const TempDir dir;
  json file = json::parse(ReadFile(kCpuB));
  file["context"]["cpu"] = "Fixture | CPU";
  const Page page({dir.Write("b.json", file.dump())}, false);
  EXPECT_EQ(page.result.exit_code, 2);
  EXPECT_TRUE(Contains(page.result.err, "tools/report: a table with rows of different lengths")) << page.result.err;
  EXPECT_FALSE(Contains(page.result.err, "Traceback"));
}

TEST(Report, SaysThatGnuplotIsMissing) {
  const TempDir dir, empty;
  std::string python = RunProgram({"python3", "-c", "import sys; print(sys.executable, end='')"}).out;
  ASSERT_FALSE(python.empty()) << "python3 is missing: tools/install_packages.sh bench";
  std::vector<std::string> arguments = {python,  kRoot + "/tools/report", "--allow-fixtures", kCpuB,
                                        "--out", dir.File("page.md"),     "--plots",          dir.File("plots")};
  RunResult result = RunProgram(arguments, {}, {{"PATH", empty.path()}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.err, "gnuplot is missing")) << result.err;
  EXPECT_TRUE(dir.Names().empty());
  arguments.push_back("--no-plots");
  result = RunProgram(arguments, {}, {{"PATH", empty.path()}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(dir.Names(), std::vector<std::string>{"page.md"});
}

// The committed page: of the committed results, and of nothing else.
TEST(Report, TheCommittedPageIsFresh) {
  int results = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/bench/results")) {
    if (entry.path().extension() != ".json") continue;
    ++results;
    EXPECT_FALSE(Contains(ReadFile(entry.path()), "Fixture CPU")) << entry.path();
  }
  const std::string page = kRoot + "/BENCHMARKS.md";
  ASSERT_EQ(std::filesystem::exists(page), results > 0) << "BENCHMARKS.md and results come together: tools/report";
  if (results == 0) return;
  EXPECT_FALSE(Contains(ReadFile(page), "Fixture CPU"));
  const RunResult result = Report({"--check"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace linefilter
