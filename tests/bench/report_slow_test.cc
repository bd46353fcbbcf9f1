// tools/report: from result files to BENCHMARKS.md, plots and HTML. The results of the fixtures must give the tables
// and sentences that they were made for, and every number of a table must stand in them.
#include "tests/bench/report_slow_test.h"

#include <map>
#include <set>

namespace linefilter::test {
namespace {

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

TEST(Report, NamesTheMachinesAndPeers) {
  const std::string machines = Section(FullPage().text, "## The machines");
  const std::vector<std::string> head = Cells(Lines(machines)[2]);
  EXPECT_EQ(std::vector<std::string>(head.begin(), head.begin() + 4),
            (std::vector<std::string>{"", "Fixture CPU A", "Fixture CPU B", "accuracy file"}));
  EXPECT_TRUE(Contains(LineWith(machines, {"| targets"}), "AVX3, AVX2, SSE4"));
  EXPECT_TRUE(Contains(LineWith(machines, {"| counters"}), "| none "));
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
  EXPECT_EQ(cells[1], "`k_independent` (by us)") << "a reimplementation says so";
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
  const std::regex command(R"re(Again: `build/release/linefilter_bench (?:--plan cpus )?--rows '([^']+)')re");
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

}  // namespace
}  // namespace linefilter::test
