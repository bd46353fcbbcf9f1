// What `linefilter fpr` leaves in files: a baseline that is compared the next time, and JUnit XML that parsers take.
#include <regex>
#include <set>

#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

class ToolsFprFilesTest : public ToolsTest {
 protected:
  void SetUp() override {
    ToolsTest::SetUp();
    members_ = dir_.Write("members", Lines(0, 10000));
    absent_ = dir_.Write("absent", Lines(100000, 110000));
    filter_ = Build("users", Lines(0, 10000), {"--fpr", "5%"});
    baseline_ = dir_.File("fpr.jsonl");
    junit_ = dir_.File("junit.xml");
  }
  std::vector<std::string> Of(const std::string& filter, std::vector<std::string> more) const {
    std::vector<std::string> all = {"fpr", "--filter", filter, "--members", members_, "--absent", absent_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  json Compared(const std::string& filter, int exit_code, const std::string& name = "users") const {
    return Json(Of(filter, {"--baseline", baseline_, "--name", name}), exit_code);
  }
  // What python reads of the file, as JSON: the attributes of all elements by their names.
  json Parsed() const {
    const RunResult result = RunProgram({"/usr/bin/python3", "-c",
                                         "import json, sys, xml.etree.ElementTree as tree\n"
                                         "found = {e.tag: {**e.attrib, 'text': e.text or ''} "
                                         "for e in tree.parse(sys.argv[1]).iter()}\n"
                                         "print(json.dumps(found))",
                                         junit_});
    EXPECT_EQ(result.exit_code, 0) << result.err << ReadFile(junit_);
    return json::parse(result.out, nullptr, false);
  }

  std::string members_, absent_, filter_, baseline_, junit_;
};

TEST_F(ToolsFprFilesTest, ABaselineIsWrittenOnceAndThenCompared) {
  EXPECT_EQ(Compared(filter_, 0)["baseline"], "new");
  const std::string first = ReadFile(baseline_);
  EXPECT_TRUE(std::regex_match(first, std::regex(R"re(\{"bits_per_key": \d\.\d+, "false_positives": \d+, )re"
                                                 R"re("fpr": 0\.\d+, "lost": 0, "name": "users", )re"
                                                 R"re("num_keys": 10000, "num_queries": 10000\}\n)re")))
      << first;
  EXPECT_EQ(Compared(filter_, 0)["baseline"], "compared");
  EXPECT_EQ(ReadFile(baseline_), first);
  EXPECT_EQ(Run(Of(filter_, {"--baseline", baseline_})).exit_code, 0) << "the name is that of the file by default";
  EXPECT_EQ(ReadFile(baseline_), first);
  Compared(filter_, 0, "zebras");
  Compared(filter_, 0, "ants");
  const std::string all = ReadFile(baseline_);
  EXPECT_NE(all.find(first), std::string::npos) << "a line that is there stays as it is";
  EXPECT_LT(all.find("ants"), all.find("users"));
  EXPECT_LT(all.find("users"), all.find("zebras"));
  dir_.Write("fpr.jsonl", all.substr(all.find(first)) + all.substr(0, all.find(first)));
  Compared(filter_, 0, "bees");
  EXPECT_GT(ReadFile(baseline_).find("bees"), all.size() - 10) << "at the end of one that is not sorted";
}

TEST_F(ToolsFprFilesTest, AHigherRateOrMoreBitsAreAboveTheBaseline) {
  Compared(filter_, 0);
  const std::string first = ReadFile(baseline_);
  const json worse = Compared(Build("worse", Lines(0, 10000), {"--fpr", "9%"}), 1);
  EXPECT_EQ(worse["verdict"], "above");
  EXPECT_NE(worse["sentence"].get<std::string>().find("baseline"), std::string::npos);
  const json larger = Compared(Build("larger", Lines(0, 10000), {"--fpr", "4%"}), 1);
  EXPECT_NE(larger["sentence"].get<std::string>().find("bits per key"), std::string::npos);
  EXPECT_EQ(ReadFile(baseline_), first);
  // Both limits hold.
  EXPECT_EQ(Run(Of(filter_, {"--baseline", baseline_, "--at-most", "5%"})).exit_code, 0);
  EXPECT_EQ(Run(Of(filter_, {"--baseline", baseline_, "--at-most", "2%"})).exit_code, 1);
  EXPECT_EQ(Run(Of(dir_.File("worse"), {"--baseline", baseline_, "--at-most", "20%", "--name", "users"})).exit_code, 1);
}

TEST_F(ToolsFprFilesTest, NoBaselineIsMadeOfWhatFailed) {
  EXPECT_EQ(Run(Of(filter_, {"--baseline", baseline_, "--at-most", "2%"})).exit_code, 1);
  members_ = dir_.Write("others", Lines(5000, 15000));
  Compared(filter_, 1);
  members_ = dir_.Write("members", Lines(0, 10000));
  absent_ = dir_.Write("few", Lines(100000, 100200));
  const json few = Compared(filter_, 2);
  EXPECT_EQ(few["baseline"], "not written");
  EXPECT_GT(few["num_queries_needed"], 1000) << "too few to be compared with";
  EXPECT_FALSE(std::filesystem::exists(baseline_));
  absent_ = dir_.Write("enough", Lines(100000, 100000 + 2 * few["num_queries_needed"].get<int>()));
  Compared(filter_, 0);
}

// Chance must not decide whether the same filter passes the next time, with other absent keys.
TEST_F(ToolsFprFilesTest, AFilterKeepsToItsOwnBaseline) {
  absent_ = dir_.Write("few", Lines(100000, 100200));
  const uint64_t needed = Compared(filter_, 2)["num_queries_needed"];
  absent_ = dir_.Write("absent", Lines(100000, 100000 + needed));
  std::set<int> passed;
  for (int i = 0; i < 60; ++i) {
    const uint64_t first = 200000 + static_cast<uint64_t>(i) * needed;
    baseline_ = dir_.File("baseline " + std::to_string(i / 6));
    absent_ = dir_.Write("others", Lines(first, first + needed));
    if (Run(Of(filter_, {"--baseline", baseline_, "--name", "users"})).exit_code == 0) passed.insert(i);
  }
  EXPECT_GE(passed.size(), 56u) << "99 of 100, and the first counts of a baseline may be a little too few";
  const std::vector<std::string> fresh = {"fpr", "--num-keys", "10000", "--at-most", "1.1%", "--baseline", baseline_};
  EXPECT_GT(Json(fresh, 0)["num_queries"], 500000) << "a new line is worth more questions than a limit";
  EXPECT_EQ(Json(fresh, 0)["baseline"], "compared");
}

TEST_F(ToolsFprFilesTest, AFileThatIsNoBaselineIsRefusedByItsLine) {
  Compared(filter_, 0);
  const std::string good = ReadFile(baseline_);
  for (const std::string& bad :
       {std::string("<<<<<<< HEAD\n"), std::string("{}\n"), std::string("[]\n"), std::string(200, '\0') + "\n",
        std::string("{\"name\": \"a\", \"bits_per_key\": 1, \"num_queries\": 5, \"false_positives\": 6}\n"),
        std::string("{\"name\": \"a\", \"bits_per_key\": 1, \"num_queries\": -5, \"false_positives\": 6}\n"), good}) {
    dir_.Write("fpr.jsonl", good + bad);
    const RunResult result = Run(Of(filter_, {"--baseline", baseline_}));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("line 2"), std::string::npos) << result.err;
    EXPECT_EQ(ReadFile(baseline_), good + bad) << "left as it was";
  }
  dir_.Write("fpr.jsonl", "\n" + good + "\n");
  Compared(filter_, 0);
}

// Before all keys are asked, as it could be an hour: these never end.
TEST_F(ToolsFprFilesTest, WhatCannotBeWrittenIsFoundFirst) {
  for (const char* const option : {"--junit", "--baseline"}) {
    const RunResult result = Run({"fpr", "--filter", filter_, "--members", "/dev/zero", "--absent", absent_,
                                  "--at-most", "5%", option, dir_.File("no folder/file")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("no folder"), std::string::npos) << result.err;
  }
}

TEST_F(ToolsFprFilesTest, ABaselineThatHasTheNameIsOnlyRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TempDir folder;
  baseline_ = folder.File("fpr.jsonl");
  Compared(filter_, 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  Compared(filter_, 0);
  const RunResult other = Run(Of(filter_, {"--baseline", baseline_, "--name", "other"}));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("cannot be written in its folder"), std::string::npos) << other.err;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST_F(ToolsFprFilesTest, JunitTellsTheVerdict) {
  const std::vector<std::string> within = {"--at-most", "5%", "--junit", junit_};
  EXPECT_EQ(Run(Of(filter_, within)).exit_code, 0);
  json parsed = Parsed();
  EXPECT_EQ(parsed["testsuite"]["tests"], "1");
  EXPECT_EQ(parsed["testsuite"]["failures"], "0");
  EXPECT_EQ(parsed["testcase"]["name"], "users");
  EXPECT_FALSE(parsed.contains("failure") || parsed.contains("error"));
  EXPECT_NE(parsed["system-out"]["text"].get<std::string>().find("\nmeasured_fpr"), std::string::npos);

  EXPECT_EQ(Run(Of(filter_, {"--at-most", "1%", "--junit", junit_})).exit_code, 1);
  parsed = Parsed();
  EXPECT_EQ(parsed["testsuite"]["failures"], "1");
  EXPECT_EQ(parsed["failure"]["type"], "above");
  EXPECT_NE(parsed["failure"]["message"].get<std::string>().find("above the limit of 1 %"), std::string::npos);

  absent_ = members_;
  EXPECT_EQ(Run(Of(filter_, within)).exit_code, 2);
  parsed = Parsed();
  EXPECT_EQ(parsed["testsuite"]["errors"], "1");
  EXPECT_EQ(parsed["error"]["type"], "undecided");

  EXPECT_EQ(Run(Of(dir_.Write("no image", "what?"), within)).exit_code, 2);
  EXPECT_EQ(Parsed()["error"]["type"], "broken") << "CI shows a file that is missing, too";
}

// A file of an earlier run, which passed, must not stand for one that was refused.
TEST_F(ToolsFprFilesTest, JunitTellsOfWhatIsRefused) {
  const auto expect_broken = [&](std::vector<std::string> arguments, const std::string& words) {
    dir_.Write("junit.xml", "<testsuite><testcase name='of an earlier run'/></testsuite>");
    arguments.insert(arguments.end(), {"--junit", junit_});
    EXPECT_EQ(Run(arguments).exit_code, 2) << words;
    const json error = Parsed()["error"];
    EXPECT_EQ(error["type"], "broken") << words;
    EXPECT_NE(error["message"].get<std::string>().find(words), std::string::npos) << error;
  };
  expect_broken(Of(filter_, {"--baseline", dir_.Write("bad", "{}\n")}), "line 1 has no \"name\"");
  expect_broken(Of(filter_, {"--at-most", "100%"}), "--at-most 1 is no rate");
  expect_broken(Of(filter_, {}), "goes with a limit");
  expect_broken({"fpr", "--filter", filter_, "--members", members_, "--absent", filter_, "--at-most", "5%"},
                "the image");
  expect_broken({"fpr", "--bits-per-key", "100", "--at-most", "5%"}, "--bits-per-key 100");
  expect_broken({"fpr", "--bits-per-key", "40", "--layout", "classic", "--at-most", "1e-11"}, "the limit needs");
  EXPECT_EQ(Run(Of(filter_, {"--at-most", "5%", "--junit", absent_})).exit_code, 2);
  EXPECT_EQ(ReadFile(absent_), Lines(100000, 110000)) << "what is read is not replaced";
}

// Names and keys are any bytes; a parser must get them back, or what stands for them.
TEST_F(ToolsFprFilesTest, JunitHoldsAnyBytes) {
  members_ =
      dir_.Write("odd", "<a href=\"x\">&amp;]]>\n\x01\x1b[31m\n\xff\xfe\n\xed\xa0\x80\n\xef\xbf\xbf\nk\xc3\xa4se\n");
  const std::string name = "<b> & \"q\" 'z' ]]> \xc3\xa4 \xff \x02\n\ttwo";
  EXPECT_EQ(Run(Of(filter_, {"--at-most", "5%", "--junit", junit_, "--name", name})).exit_code, 1);
  const json parsed = Parsed();
  EXPECT_EQ(parsed["testcase"]["name"], "<b> & \"q\" 'z' ]]> \xc3\xa4 \xef\xbf\xbd \\x02\n\ttwo");
  const std::string message = parsed["failure"]["message"];
  EXPECT_NE(message.find("<a href="), std::string::npos) << message;
  EXPECT_EQ(Run(Of(filter_, {"--baseline", baseline_, "--name", name})).exit_code, 1);
  members_ = dir_.File("members");
  EXPECT_EQ(Compared(filter_, 0, name)["baseline"], "new");
  EXPECT_EQ(Compared(filter_, 0, name)["baseline"], "compared") << "the name is found again";
}

TEST_F(ToolsFprFilesTest, JunitGoesToStandardOutputToo) {
  const RunResult result = Run(Of(filter_, {"--at-most", "5%", "--junit", "-"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.compare(0, 5, "<?xml"), 0) << result.out;
  EXPECT_NE(result.err.find("verdict"), std::string::npos) << "the report makes room";
}

}  // namespace
}  // namespace linefilter::test
