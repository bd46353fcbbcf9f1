// The report makes do with parts of results, and refuses bad files with a sentence; its check finds what is stale, and
// the committed page must be what the committed results say.
#include "tests/bench/report_slow_test.h"

namespace linefilter::test {

TEST(Report, DrawsThePlotsAlikeEachTime) {
  const Page again({kCpuB, kAccuracy, kCpuA});
  EXPECT_EQ(again.text, FullPage().text) << "the order of the files must not matter";
  int plots = 0;
  for (const char* name :
       {"choose", "pareto_fixture-cpu-a", "pareto_fixture-cpu-b", "size_fixture-cpu-a", "cpus", "fpr"}) {
    const std::string file = std::string("/") + name + ".svg", svg = ReadFile(FullPage().plots() + file);
    ++plots;
    EXPECT_EQ(svg, ReadFile(again.plots() + file)) << name;
    EXPECT_TRUE(Contains(svg, ">blocked") || Contains(svg, ">Fixture A") || Contains(svg, ">linefilter blocked"))
        << name << " has no label";
    EXPECT_TRUE(Contains(FullPage().text, "plots/" + std::string(name) + ".svg)")) << name << " is not on the page";
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
  const std::string summary = ReadFile(page.out()), accuracy = ReadFile(page.pages() + "/accuracy.md");
  std::string changed = accuracy;
  changed[changed.find("0.973")] = '7';
  page.dir.Write("benchmarks/accuracy.md", changed);
  expect_stale("accuracy.md is stale");
  EXPECT_TRUE(Contains(result.err, "7.973")) << "the difference is shown";
  page.dir.Write("benchmarks/accuracy.md", accuracy);
  page.dir.Write("BENCHMARKS.md", summary + "\n");
  expect_stale("BENCHMARKS.md is stale");
  page.dir.Write("BENCHMARKS.md", summary);
  page.dir.Write("benchmarks/another-cpu.md", accuracy);
  expect_stale("another-cpu.md is of no result file");
  std::filesystem::remove(page.pages() + "/another-cpu.md");

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
  using Part = std::pair<const char*, std::function<bool(const json&)>>;
  const std::vector<Part> some = {
      {"floors alone", [](const json& row) { return row["floor"] == true; }},
      {"no peers", [](const json& row) { return Contains(row["origin"], "linefilter"); }},
      {"smallest size", [](const json& row) { return row["size"] == "24KB"; }},
      {"inlined", [](const json& row) { return row["access"] == "inlined"; }},
      {"absent keys", [](const json& row) { return row["hit_percent"] == 0; }},
      {"special ones", [](const json& row) { return Contains(row["layout"], "blocked_"); }},
  };
  const std::vector<Part> others = {
      {"no floor", [](const json& row) { return row["floor"] == false; }},
      {"peers alone", [](const json& row) { return !Contains(row["origin"], "linefilter"); }},
      {"largest size", [](const json& row) { return row["size"] == "2GB"; }},
      {"8 bits per key", [](const json& row) { return row["asked_bits_per_key"] == 8; }},
      {"single", [](const json& row) { return row["access"] == "single"; }},
      {"batch", [](const json& row) { return row["access"] == "batch"; }},
      {"dependent", [](const json& row) { return row["access"] == "dependent"; }},
      {"build", [](const json& row) { return row["access"] == "build"; }},
      {"strings", [](const json& row) { return row["keys"] == "string"; }},
      {"one target", [](const json& row) { return row["target"] == "SSE4"; }},
  };
  for (const auto& [name, keep] : SomeOrAll(some, others)) {
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
      {[](json* file) {
         (*file)["rows"][3].update({{"ns_each", json::array()}, {"repetitions", 0}});
       },
       {name, "'repetitions'"}},
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
}

TEST(Report, RefusesFilesThatAreNoResultsWithASentence) {
  const json good = json::parse(ReadFile(kCpuA));
  json accuracy = json::parse(ReadFile(kAccuracy));
  accuracy["measured"][0].erase("fpr_low");
  const TempDir dir;
  ExpectRefused(dir.Write("bad.json", accuracy.dump()), {"'measured'", "'fpr_low' is missing"});
  ExpectRefused(dir.Write("bad.json", good.dump().substr(0, 5000)), {"no JSON"});
  ExpectRefused(dir.Write("bad.json", "[]"), {"one JSON object"});
  ExpectRefused(dir.File("none.json"), {"none.json", "cannot be read"});
  ExpectRefused(kAccuracy, {"no throughput file", "tools/bench.sh"});
}

TEST(Report, RefusesTimesThatMeanNothing) {
  const auto refuse = [](const json& context, const std::vector<std::string>& said) {
    json file = json::parse(ReadFile(kCpuA));
    file["context"].update(context);
    const TempDir dir;
    ExpectRefused(dir.Write("bad.json", file.dump()), said);
  };
  refuse({{"planted", "blocked:10"}}, {"bad.json", "slower on purpose", "blocked:10"});
  refuse({{"plan", "smoke"}}, {"bad.json", "--smoke", "times mean nothing"});
  refuse({{"plan", "builds"}}, {"bad.json", "--plan builds", "asks no filter"});
  refuse({{"complete", false}, {"passes", 3}}, {"bad.json", "interrupted after 3 passes"});
}

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
  const Environment without = {{"PATH", empty.path()}};
  std::vector<std::string> arguments = {"--allow-fixtures",  kCpuB,     "--out",
                                        dir.File("page.md"), "--plots", dir.File("plots")};
  RunResult result = Report(arguments, without);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.err, "gnuplot is missing")) << result.err;
  EXPECT_TRUE(dir.Names().empty());
  arguments.push_back("--no-plots");
  result = Report(arguments, without);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(dir.Names(), (std::vector<std::string>{"benchmarks", "page.md"}));
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
  const RunResult result = RunProgram({kRoot + "/tools/report", "--check"});  // as a user starts it
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace linefilter::test
