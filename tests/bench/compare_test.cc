// `linefilter_bench compare`: what is the same, what differs, and what cannot be compared. All results are made up.
#include "bench/compare.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::bench {
namespace {

using Json = nlohmann::json;

// About normal, with deviation 1; a number of `seed` alone.
double Normal(uint64_t seed) {
  double sum = 0;
  for (uint64_t i = 0; i < 12; ++i) sum += static_cast<double>(MixHash(seed * 12 + i) >> 11) / 9007199254740992.0;
  return sum - 6;
}

Json RowOf(const std::string& access, const std::string& layout, const std::string& target, const std::string& size,
           const std::vector<double>& ns_each) {
  return {{"row", access + "/hash/50/" + layout + "/" + target + "/" + size + "/10"},
          {"access", access},
          {"keys", "hash"},
          {"layout", layout},
          {"target", target},
          {"size", size},
          {"body_bytes", 24576},
          {"floor", false},
          {"ns", ns_each[ns_each.size() / 2]},
          {"ns_each", ns_each}};
}

Json FileOf(const Json& rows, int passes) {
  Json context = {{"cpu", "made up"}, {"date", "today"}, {"commit", "1"}, {"targets", {"AVX2", "SSE4"}}};
  if (passes > 0) context["passes"] = passes;
  return {{"schema", "linefilter-bench-1"}, {"context", context}, {"rows", rows}};
}

// A run: each row has its time, and this run's scatter and drift around it.
struct RunOf {
  uint64_t seed;
  int passes = 15;
  double scatter = 0.008;
  double drift = 0.003;  // of the whole run's row, and along the run
  double slower = 1;     // rows of `blocked` on AVX2
  std::vector<std::string> layouts = {"blocked", "classic", "split_block", "retrieval"};

  Json Make() const {
    Json rows = Json::array();
    uint64_t number = 0;
    for (const std::string& layout : layouts) {
      for (const char* target : {"AVX2", "SSE4"}) {
        for (const char* access : {"single", "batch", "inlined", "insert_single", "insert_batch"}) {
          for (const char* size : {"24KB", "1MB", "8MB", "16MB", "64MB"}) {
            const double row = 1 + drift * Normal(seed * 100003 + ++number);
            const double slope = drift * Normal(seed * 100019 + number);
            const double time = (2 + static_cast<double>(number % 17)) * row *
                                (layout == "blocked" && std::string(target) == "AVX2" ? slower : 1);
            std::vector<double> each;
            for (int i = 0; i < passes; ++i) {
              const uint64_t repetition = seed * 1000003 + number * 64 + static_cast<uint64_t>(i);
              each.push_back(time * (1 + slope * i / passes + scatter * std::abs(Normal(repetition))));
            }
            rows.push_back(RowOf(access, layout, target, size, each));
          }
        }
      }
    }
    return FileOf(rows, passes);
  }
};

class Compare : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.File(name)) << text;
    return folder_.File(name);
  }
  std::string Write(const std::string& name, const Json& json) { return Write(name, json.dump()); }

  // Exit code; what was printed is in `said`.
  int Run(const CompareOptions& options) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = RunCompare(options);
    said = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return status;
  }
  int Run(const std::vector<std::string>& files) { return Run(CompareOptions{files, false, false, false}); }
  Json RunJson(const std::vector<std::string>& files) {
    Run(CompareOptions{files, false, false, true});
    return Json::parse(said);
  }
  bool Said(const std::string& text) const { return said.find(text) != std::string::npos; }

  test::TempDir folder_;
  std::string said;
};

TEST_F(Compare, TwoRunsOfOneMachineAreTheSame) {
  size_t compared = 0, different = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Json json = RunJson({Write("a.json", RunOf{2 * seed}.Make()), Write("b.json", RunOf{2 * seed + 1}.Make())});
    compared += json["compared"].get<size_t>();
    different += json["different"].get<size_t>();
    EXPECT_LE(json["interval_width"], 0.05);
  }
  EXPECT_EQ(compared, 2000u);
  EXPECT_LE(different, compared / 20);
}

TEST_F(Compare, AKernelThatIsSlowerByTenPercentIsFound) {
  RunOf slow{2};
  slow.slower = 1.1;
  const std::vector<std::string> files = {Write("a.json", RunOf{1}.Make()), Write("b.json", slow.Make())};
  const Json json = RunJson(files);
  size_t rows = 0, found = 0, false_alarms = 0;
  for (const Json& row : json["rows"]) {
    const bool is_slow = row["row"].get<std::string>().find("/blocked/AVX2/") != std::string::npos;
    const std::string verdict = row["others"][0]["verdict"];
    rows += is_slow;
    found += is_slow && verdict == "slower";
    false_alarms += !is_slow && verdict != "same";
  }
  EXPECT_EQ(rows, 25u);
  EXPECT_GE(found, 23u);
  EXPECT_LE(false_alarms, 175u / 20);
  EXPECT_EQ(Run(files), 1);
  EXPECT_TRUE(Said("single/hash/50/blocked/AVX2/24KB/10")) << said;
  EXPECT_TRUE(Said("slower B")) << said;
}

// All rows are slower than in the other run, on the same CPU or on another one; floors as much or not.
struct SlowerRun {
  double slower = 1, floors = 1;
  const char* cpu = "x";
};

Json Make(const SlowerRun& run) {
  Json json = RunOf{1}.Make();
  for (Json& row : json["rows"]) {
    for (Json& ns : row["ns_each"]) ns = ns.get<double>() * run.slower;
  }
  json["rows"].push_back(RowOf("single", "floor_empty", "none", "1MB", std::vector<double>(15, 0.25 * run.floors)));
  json["rows"].back()["floor"] = true;
  json["context"]["cpu"] = run.cpu;
  return json;
}

TEST_F(Compare, AMachineThatWasSlowerAsAWholeIsNotDifferent) {
  const std::string first = Write("a.json", Make({}));
  EXPECT_EQ(Run({first, Write("b.json", Make({1.02, 1.015, "x"}))}), 0) << said;
  EXPECT_TRUE(Said("ratios are without what all rows of a size took longer: 16MB +2.0 % 1MB +2.0 %")) << said;
  EXPECT_EQ(Run({first, Write("b.json", Make({1.06, 1.05, "x"}))}), 0) << said;
  EXPECT_EQ(Run({first, Write("b.json", Make({1 / 1.06, 1 / 1.05, "x"}))}), 0) << said;
}

// The machine is not to blame where its floors are as fast as before; and two CPUs differ as a whole.
TEST_F(Compare, WhatTheMachineDoesNotExplainIsDifferent) {
  const std::string first = Write("a.json", Make({}));
  EXPECT_EQ(Run({first, Write("b.json", Make({1.06, 1.0, "x"}))}), 1) << said;
  EXPECT_TRUE(Said("1 of 201 rows are the same, 200 differ")) << said;
  EXPECT_EQ(Run({first, Write("b.json", Make({1.06, 1.05, "y"}))}), 1) << said;
  EXPECT_TRUE(Said("0 of 201 rows are the same, 201 differ")) << said;
  EXPECT_FALSE(Said("The same CPU")) << said;
}

// Passes that scatter say themselves how little is known.
TEST_F(Compare, ANoisyRunMakesWiderIntervals) {
  RunOf noisy{3}, calm{3};
  noisy.scatter = 0.1;
  const std::string other = Write("b.json", RunOf{4}.Make());
  EXPECT_GT(RunJson({Write("a.json", noisy.Make()), other})["interval_width"],
            2 * RunJson({Write("c.json", calm.Make()), other})["interval_width"].get<double>());
}

TEST_F(Compare, IntervalsThatOverlapAreTheSame) {
  const std::vector<double> first = {10, 10, 10, 10, 10}, near = {10, 10.05, 10.1, 10.1, 10.1}, far(5, 12.0);
  const auto file = [&](const char* name, const std::vector<double>& each) {
    return Write(name, FileOf(Json::array({RowOf("single", "blocked", "AVX2", "1MB", each)}), 5));
  };
  EXPECT_EQ(Run({file("a.json", first), file("b.json", near)}), 0) << said;
  EXPECT_TRUE(Said("1 of 1 rows are the same, 0 differ")) << said;
  EXPECT_EQ(Run({file("a.json", first), file("b.json", far)}), 1) << said;
  EXPECT_EQ(Run({file("a.json", far), file("b.json", first)}), 1) << said;
  EXPECT_TRUE(Said("faster B")) << said;
  EXPECT_EQ(Run({file("a.json", first), file("b.json", near), file("c.json", far)}), 1) << said;
  EXPECT_TRUE(Said("slower C")) << said;
}

TEST_F(Compare, OfFilesThatAreNotSpreadLittleIsKnown) {
  const auto file = [&](const char* name, double ns, int passes) {
    return Write(name,
                 FileOf(Json::array({RowOf("single", "blocked", "AVX2", "1MB", std::vector<double>(7, ns))}), passes));
  };
  EXPECT_EQ(Run({file("a.json", 10, 7), file("b.json", 10.5, 7)}), 1) << said;
  EXPECT_EQ(Run({file("a.json", 10, 0), file("b.json", 10.5, 0)}), 0) << said;
  EXPECT_TRUE(Said("not spread over its run")) << said;
}

// It has fewer repetitions than passes, so it lay in one place.
TEST_F(Compare, OfAFilterThatLivesAloneLessIsKnown) {
  const auto file = [&](const char* name, double slower, size_t repetitions) {
    Json json = RunOf{1}.Make();
    json["rows"].push_back(RowOf("single", "alone", "AVX2", "512MB", std::vector<double>(repetitions, 10 * slower)));
    return Write(name, json);
  };
  const auto verdict = [&](double slower, size_t repetitions) {
    const Json json = RunJson({file("a.json", 1, repetitions), file("b.json", slower, repetitions)});
    return json["rows"].back()["others"][0]["verdict"].get<std::string>();
  };
  EXPECT_EQ(verdict(1.03, 15), "slower");
  EXPECT_EQ(verdict(1.03, 9), "same");
  EXPECT_EQ(verdict(1.05, 9), "slower");
  EXPECT_EQ(verdict(1.05, 1), "same");
  EXPECT_EQ(verdict(1.15, 1), "slower");
}

TEST_F(Compare, ARowThatTookNoTimeIsTheSameAsItself) {
  Json json = RunOf{1}.Make();
  json["rows"].push_back(RowOf("single", "floor_empty", "none", "1MB", std::vector<double>(15, 0.0)));
  const std::string file = Write("a.json", json);
  EXPECT_EQ(Run({file, file}), 0) << said;
  EXPECT_TRUE(Said("201 of 201 rows are the same")) << said;
}

TEST_F(Compare, AfterAFewPassesLittleIsKnown) {
  const auto file = [&](const char* name, double ns) {
    Json rows = Json::array();
    rows.push_back(RowOf("single", "blocked", "AVX2", "1MB", std::vector<double>(2, ns)));
    return Write(name, FileOf(rows, 2));
  };
  EXPECT_EQ(Run({file("a.json", 10), file("b.json", 10.6)}), 0) << said;
  EXPECT_EQ(Run({file("a.json", 10), file("b.json", 15.0)}), 1) << said;
}

TEST_F(Compare, RowsOfOneFileAloneAreNamed) {
  RunOf few{1};
  few.layouts = {"blocked"};
  CompareOptions options{{Write("a.json", RunOf{1}.Make()), Write("b.json", few.Make())}, false, true, false};
  EXPECT_EQ(Run(options), 0) << said;
  EXPECT_TRUE(Said("150 rows are in A alone:")) << said;
  EXPECT_TRUE(Said("  single/hash/50/retrieval/AVX2/24KB/10\n")) << said;
  std::swap(options.files[0], options.files[1]);
  EXPECT_EQ(Run(options), 0) << said;
  EXPECT_TRUE(Said("150 rows are in B alone:")) << said;
  few.layouts = {"another"};
  EXPECT_EQ(Run({options.files[0], Write("c.json", few.Make())}), 2) << said;
  EXPECT_TRUE(Said("the files have no row in common")) << said;
}

TEST_F(Compare, SaysWhatWasInterruptedLeftOutOrPlanted) {
  Json file = RunOf{1}.Make();
  file["context"]["complete"] = false;
  file["context"]["planted"] = "blocked:10";
  file["context"]["left_out"] = {"512MB: needs 9 MiB, 8 are free"};
  file["context"]["plan"] = "smoke";
  file["rows"][1]["huge_page_percent"] = 40;
  Run({Write("a.json", file), Write("b.json", RunOf{1}.Make())});
  EXPECT_TRUE(Said("It was interrupted")) << said;
  EXPECT_TRUE(Said("LINEFILTER_BENCH_SLOW=blocked:10")) << said;
  EXPECT_TRUE(Said("left out: 512MB: needs 9 MiB")) << said;
  EXPECT_TRUE(Said("its times mean nothing")) << said;
  EXPECT_TRUE(Said("only 40 % was in huge pages")) << said;
}

TEST_F(Compare, TargetsOfOneFile) {
  RunOf run{1};
  run.slower = 1.3;  // AVX2, and the other one of `blocked` not
  CompareOptions options{{Write("a.json", run.Make())}, true, false, false};
  EXPECT_EQ(Run(options), 1) << said;
  EXPECT_TRUE(Said("A  AVX2\nB  SSE4\n")) << said;
  EXPECT_TRUE(Said("single/hash/50/blocked/1MB/10")) << said;
  options.json = true;
  Run(options);
  EXPECT_EQ(Json::parse(said)["compared"], 100);
}

TEST_F(Compare, RefusesWhatItCannotCompare) {
  const std::string good = Write("good.json", RunOf{1}.Make());
  EXPECT_EQ(Run({good}), 2);
  EXPECT_TRUE(Said("two files or more")) << said;
  EXPECT_EQ(Run(CompareOptions{{good, good}, true, false, false}), 2);
  EXPECT_EQ(Run({good, folder_.File("none.json")}), 2);
  EXPECT_TRUE(Said("none.json cannot be read")) << said;
  Json other = RunOf{1}.Make();
  other["schema"] = "linefilter-engines-1";
  Json lacks = RunOf{1}.Make();
  lacks["rows"][3].erase("target");
  Json twice = RunOf{1}.Make();
  twice["rows"].push_back(twice["rows"][0]);
  Json negative = RunOf{1}.Make();
  negative["rows"][5]["ns_each"][1] = -1;
  Json empty = RunOf{1}.Make();
  empty["rows"] = Json::array();
  for (const auto& [text, said_of_it] :
       std::vector<std::pair<std::string, std::string>>{{"", "no results file"},
                                                        {good.substr(0, 3), "no results file"},
                                                        {RunOf{1}.Make().dump().substr(0, 5000), "no results file"},
                                                        {"[]", "no results file"},
                                                        {other.dump(), "its schema is \"linefilter-engines-1\""},
                                                        {lacks.dump(), "row single/hash/50/blocked/AVX2/16MB/10: "},
                                                        {twice.dump(), "is there twice"},
                                                        {negative.dump(), "a time below 0"},
                                                        {empty.dump(), "has no rows"}}) {
    EXPECT_EQ(Run({good, Write("bad.json", text)}), 2) << text.substr(0, 100);
    EXPECT_TRUE(Said(said_of_it)) << said;
    EXPECT_TRUE(Said("bad.json")) << said;
  }
}

}  // namespace
}  // namespace linefilter::bench
