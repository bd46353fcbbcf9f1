// The program `linefilter`, end to end: what comes out, and the exit code (0 good, 1 the answer is negative, 2 bad
// usage or bad file). --secret is in tools_secret_test, stats in tools_stats_test.
#include <cstdint>
#include <sstream>

#include "tests/testing/image_parts.h"
#include "tests/testing/random.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

TEST_F(ToolsTest, BuildsQueriesAndVerifies) {
  for (const std::string layout : {"auto", "blocked", "classic", "retrieval"}) {
    const std::string image = dir_.File("image-" + layout), keys = dir_.Write("keys", Lines(0, 20000));
    const json built = Json({"build", keys, "--out", image, "--bits-per-key", "10", "--layout", layout}, 0);
    EXPECT_EQ(built["layout"], layout == "auto" ? "blocked" : layout);
    EXPECT_EQ(built["num_keys"], 20000);
    EXPECT_EQ(built["image_bytes"], std::filesystem::file_size(image));
    EXPECT_NEAR(built["bits_per_key"].get<double>(), 10, 0.1);
    const double fpr = layout == "retrieval" ? 0.0016 : 0.009;
    EXPECT_NEAR(built["expected_fpr"].get<double>(), fpr, 0.001);
    EXPECT_EQ(Run({"verify", image}).exit_code, 0);
    const json verified = Json({"verify", image, "--keys", keys}, 0);
    EXPECT_EQ(verified["checksum"], "ok");
    EXPECT_EQ(verified["keys_checked"], 20000);
    EXPECT_EQ(verified["keys_absent"], 0);
    const json asked = Json({"query", image, dir_.Write("asked", Lines(15000, 40000)), "--count"}, 0);
    EXPECT_EQ(asked["num_queries"], 25000);
    EXPECT_EQ(asked["maybe"].get<int>() + asked["absent"].get<int>(), 25000);
    EXPECT_NEAR(asked["maybe"].get<int>(), 5000 + 20000 * fpr, 90) << "5000 members, 0.9 % or 0.16 % of the rest";
  }
}

TEST_F(ToolsTest, BuildsTheSameBytesWithAnyNumberOfThreads) {
  const std::string keys = dir_.Write("keys", Lines(0, 300000));
  for (const std::string layout : {"blocked", "retrieval"}) {
    std::string images[2];
    for (const int threads : {1, 3}) {
      std::string& image = images[threads / 3];
      image = dir_.File("image-" + std::to_string(threads));
      Json({"build", keys, "--out", image, "--bits-per-key", "8", "--layout", layout, "--threads",
            std::to_string(threads)},
           0);
    }
    EXPECT_EQ(test::ReadFile(images[0]), test::ReadFile(images[1])) << layout;
  }
}

TEST_F(ToolsTest, SizesForKeysNotForLines) {
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += Lines(0, 1000);
  const std::string keys = dir_.Write("rows", rows), alone = dir_.Write("keys", Lines(0, 1000));
  for (const std::string layout : {"auto", "blocked", "classic", "retrieval"}) {
    const auto build = [&](const std::string& from, const std::string& to, std::vector<std::string> more) {
      std::vector<std::string> arguments = {"build", from, "--out", to, "--fpr", "0.01", "--layout", layout};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return Json(arguments, 0);
    };
    const json built = build(keys, dir_.File("of-rows"), {});
    build(alone, dir_.File("of-keys"), {});
    EXPECT_EQ(test::ReadFile(dir_.File("of-rows")), test::ReadFile(dir_.File("of-keys"))) << layout;
    EXPECT_EQ(built["keys_read"], 100000);
    EXPECT_EQ(built["num_keys"], 1000);
    EXPECT_EQ(built["repeats_removed"], 99000);
    const json sized = build(keys, dir_.File("sized"), {"--num-keys", "5e4"});
    EXPECT_EQ(sized["num_keys"], 50000);
    EXPECT_FALSE(sized.contains("repeats_removed"));
    EXPECT_GT(sized["body_bytes"].get<int>(), 40 * built["body_bytes"].get<int>());
    if (layout == "retrieval") continue;
    build(alone, dir_.File("also-sized"), {"--num-keys", "5e4"});
    const json united = Json({"merge", dir_.File("sized"), dir_.File("also-sized"), "--out", dir_.File("united")}, 0);
    EXPECT_EQ(united["body_bytes"], sized["body_bytes"]) << "made for the same number, they unite";
  }
  EXPECT_EQ(Run({"build", keys, "--out", dir_.File("no"), "--fpr", "0.01", "--num-keys", "0"}).exit_code, 2);
  EXPECT_EQ(Run({"build", keys, "--out", dir_.File("no"), "--fpr", "0.01", "--num-keys", "9", "--grow"}).exit_code, 2);
}

TEST_F(ToolsTest, BuildsToARate) {
  const std::string keys = dir_.Write("keys", Lines(0, 50000));
  for (const double fpr : {0.05, 0.001}) {
    const json built = Json({"build", keys, "--out", dir_.File("image"), "--fpr", std::to_string(fpr)}, 0);
    EXPECT_LE(built["expected_fpr"].get<double>(), fpr);
    EXPECT_GT(built["expected_fpr"].get<double>(), fpr * 0.95);
  }
}

TEST_F(ToolsTest, BuildsOfAStreamThatNobodyCounted) {
  const std::string image = dir_.File("grown"), keys = Lines(0, 100000);
  const RunResult built = Run({"build", "-", "--out", image, "--fpr", "0.01", "--grow", "--json"}, keys + keys);
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const json report = json::parse(built.out);
  EXPECT_EQ(report["layout"], "container");
  EXPECT_EQ(report["keys_read"], 200000);
  EXPECT_NEAR(report["num_keys"].get<int>(), 100000, 1000) << "those that were certainly new: 1 % may be missing";
  EXPECT_EQ(report["num_stages"], 5) << "4096, 12288, 28672, 61440, 126976 keys";
  EXPECT_LT(report["expected_fpr"].get<double>(), 0.01);
  EXPECT_EQ(report["image_bytes"], std::filesystem::file_size(image));
  EXPECT_EQ(Json({"verify", image, "--keys", dir_.Write("keys", keys)}, 0)["keys_absent"], 0);
  const json asked = Json({"query", image, dir_.Write("asked", Lines(200000, 300000)), "--count"}, 0);
  EXPECT_LT(asked["maybe"].get<int>(), 1100) << "1 % and chance";
  const json info = Json({"info", image}, 0);
  EXPECT_EQ(info["layout"], "container");
  ASSERT_EQ(info["stages"].size(), 5u);
  EXPECT_EQ(info["stages"][1]["num_keys"], 8192);
  EXPECT_EQ(info["num_keys"], report["num_keys"]);

  // Limited growth is smaller; at its end nothing is lost, but the rate is, and the exit code says so.
  const auto grow = [&](const char* max_growth) {
    return Run({"build", "-", "--out", image, "--fpr", "0.01", "--grow", "--max-growth", max_growth, "--json"}, keys);
  };
  const RunResult limited = grow("31"), ended = grow("8");
  ASSERT_EQ(limited.exit_code, 0) << limited.err;
  EXPECT_LT(json::parse(limited.out)["body_bytes"].get<uint64_t>(), report["body_bytes"].get<uint64_t>());
  ASSERT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_NE(json::parse(ended.out)["growth"].get<std::string>().find("max_growth"), std::string::npos);
  EXPECT_EQ(Json({"verify", image, "--keys", dir_.Write("keys", keys)}, 0)["keys_absent"], 0);

  const std::vector<std::string> build = {"build", dir_.Write("few", "a\n"), "--out", dir_.File("bad")};
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), build.begin(), build.end());
    ExpectBadUsage(more);
  };
  refused({"--bits-per-key", "10", "--grow"});
  refused({"--fpr", "0.01", "--max-growth", "10"});
  refused({"--fpr", "0.01", "--grow", "--threads", "2"});
  refused({"--fpr", "0.01", "--grow", "--layout", "classic"});
  refused({"--fpr", "0.01", "--grow", "--foldable"});
  refused({"--fpr", "1e-8", "--grow", "--max-growth", "1000"});
}

TEST_F(ToolsTest, QueryPrintsWhatIsAsked) {
  const std::string image = Build("image", "apple\npear\n", {"--bits-per-key", "60"});
  const std::string keys = "apple\nstone\npear\niron\n";
  const auto query = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"query", image, "-"});
    return Run(more, keys);
  };
  EXPECT_EQ(query({"--print", "maybe"}).out, "apple\npear\n");
  EXPECT_EQ(query({"--print", "absent"}).out, "stone\niron\n");
  EXPECT_EQ(query({"--print", "absent"}).exit_code, 0);
  const std::string all = query({}).out;
  for (const char* line : {"maybe\tapple\n", "absent\tstone\n", "maybe\tpear\n", "absent\tiron\n"}) {
    EXPECT_NE(all.find(line), std::string::npos) << all;
  }
  EXPECT_EQ(Run({"query", image, "-"}, "stone\n").exit_code, 1) << "the answer is negative";
  EXPECT_EQ(Run({"query", image, "-", "--count"}, "stone\niron\n").exit_code, 1);
  EXPECT_EQ(Run({"query", image, "-", "--print", "maybe"}, "pear\n").exit_code, 0);
}

TEST_F(ToolsTest, VerifySaysWhichKeyIsMissing) {
  const std::string image = Build("image", Lines(0, 1000), {"--bits-per-key", "30"});
  const json missing = Json({"verify", image, "--keys", "-"}, 1, "key-1\nkey-2\nnot a member\nkey-3\n");
  EXPECT_EQ(missing["keys_checked"], 4);
  EXPECT_EQ(missing["keys_absent"], 1);
}

// A key is any bytes but the newline: nothing is trimmed, decoded or cut.
TEST_F(ToolsTest, KeysAreBytes) {
  const std::string nul("nul\0inside", 10);
  const std::string image =
      Build("image", "crlf\r\n  blanks \t\n" + nul + "\n\xff\xfe\n\nlast without newline", {"--bits-per-key", "60"});
  for (const std::string& key : {std::string("crlf\r"), std::string("  blanks \t"), nul, std::string("\xff\xfe"),
                                 std::string(), std::string("last without newline")}) {
    EXPECT_TRUE(Knows(image, key)) << key;
  }
  for (const std::string& key : {std::string("crlf"), std::string("blanks"), std::string("nul"), std::string("\xff")}) {
    EXPECT_FALSE(Knows(image, key)) << key;
  }
  const RunResult asked = Run({"query", image, "-", "--print", "maybe"}, "crlf\r\ncrlf\n" + nul + "\nnul\n");
  EXPECT_EQ(asked.out, "crlf\r\n" + nul + "\n") << "printed as they were read";
  EXPECT_EQ(Json({"verify", image, "--keys", "-"}, 0, "crlf\r\n\n")["keys_checked"], 2)
      << "an empty line is the empty key";
  EXPECT_EQ(Json({"verify", image, "--keys", "-"}, 0, "crlf\r")["keys_checked"], 1);
}

TEST_F(ToolsTest, HugeLinesAreKeysToo) {
  std::string huge(5000000, 'x');
  huge[4000000] = '\r';
  const std::string image = Build("image", "before\n" + huge + "\nafter\n", {"--bits-per-key", "60"});
  EXPECT_TRUE(Knows(image, huge));
  EXPECT_TRUE(Knows(image, "before"));
  EXPECT_TRUE(Knows(image, "after"));
  EXPECT_FALSE(Knows(image, huge.substr(0, 4999999))) << "not a piece of it";
  const RunResult asked = Run({"query", image, "-", "--print", "maybe"}, huge + "y\n" + huge + "\nafter");
  EXPECT_TRUE(asked.out == huge + "\nafter\n");
}

TEST_F(ToolsTest, IntegersAreTheirEightBytes) {
  const std::vector<uint64_t> integers = test::RandomHashes(10000, 1);
  std::string bytes;
  for (const uint64_t integer : integers) test::AppendLittleEndian(&bytes, integer, 8);
  const std::string image = Build("image", bytes, {"--bits-per-key", "20", "--u64", "--seed", "42"});
  FilterFile file;
  ASSERT_TRUE(file.Load(image.c_str()).ok());
  EXPECT_EQ(file.view().seed(), 42u);
  for (const uint64_t integer : integers) ASSERT_TRUE(file.view().MayContainKey(integer));
  EXPECT_EQ(Json({"verify", image, "--keys", "-", "--u64"}, 0, bytes)["keys_checked"], 10000);
  const std::string one = bytes.substr(8, 8);
  EXPECT_EQ(Run({"query", image, "-", "--u64", "--count"}, one).exit_code, 0);
  EXPECT_EQ(Run({"query", image, "-", "--u64", "--count"}, "absent!!").exit_code, 1);
  ExpectBadUsage(
      {"build", dir_.Write("odd", bytes.substr(0, 13)), "--out", dir_.File("bad"), "--fpr", "0.01", "--u64"});
}

TEST_F(ToolsTest, TheSameKeysGiveTheSameFileByEveryWay) {
  const std::string keys = Lines(0, 5000), expected = test::ReadFile(Build("image", keys));
  const std::string path = dir_.File("again");
  ASSERT_EQ(Run({"build", "-", "--out", path, "--bits-per-key", "12"}, keys).exit_code, 0);
  EXPECT_EQ(test::ReadFile(path), expected) << "standard input";
  const RunResult piped = test::RunProgram(
      {"/bin/sh", "-c", "cat | " + ShellProgram() + "build - --out '" + path + "' --bits-per-key 12"}, keys);
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(test::ReadFile(path), expected) << "a pipe";
  ASSERT_EQ(
      Run({"build", dir_.Write("k", keys.substr(0, keys.size() - 1)), "--out", path, "--bits-per-key", "12"}).exit_code,
      0);
  EXPECT_EQ(test::ReadFile(path), expected) << "without the last newline, and over an old file";
  EXPECT_NE(test::ReadFile(Build("seeded", keys, {"--bits-per-key", "12", "--seed", "1"})), expected);
}

TEST_F(ToolsTest, NoKeysAreALegalSet) {
  const std::string image = Build("empty", "");
  EXPECT_EQ(std::filesystem::file_size(image), 17u) << "8 bytes, and what says that its keys are lines";
  EXPECT_EQ(Run({"verify", image}).exit_code, 0);
  EXPECT_EQ(Run({"verify", image, "--keys", dir_.Write("none", "")}).exit_code, 0);
  EXPECT_EQ(Run({"query", image, "-", "--count"}, "a\nb\n").exit_code, 1);
  EXPECT_EQ(Json({"info", image}, 0)["body_bytes"], 0);
  EXPECT_EQ(Run({"query", Build("image", "a\n"), "-", "--count"}, "").exit_code, 1) << "none is a maybe";
  Build("by rate", "", {"--fpr", "0.01"});
}

// Measurements that nobody can make.
const std::vector<std::vector<std::string>> kNoMeasurements = {
    {"plan", "--num-keys", "18446744073709551615", "--fpr", "0.01"},  // past what can be addressed
    {"fpr", "--num-keys", "1e15"},                                    // past memory
    {"fpr", "--layout", "blocked", "--num-probes", "17"},
    {"fpr", "--layout", "classic", "--num-probes", "31"},
    {"fpr", "--layout", "retrieval", "--num-probes", "1"},
    {"fpr", "--layout", "retrieval", "--num-keys", "1e11", "--num-queries", "10"},
    {"fpr", "--num-probes", "4294967297"},  // not taken for 1
    {"fpr", "--layout", "auto"},
    {"fpr", "--num-keys", "1000", "--num-queries", "3", "--seeds", "4"},
    {"fpr", "--num-keys", "3e9", "--keys", "four_byte"},  // more than there are
    {"fpr", "--num-keys", "1000", "--keys", "strided", "--num-queries", "1e16"},
    {"fpr", "--num-keys", "1000", "--precision", "1e-9"},  // more than anybody can ask
    {"fpr", "--keys", "nonsense"},
    {"oracle", "--num-keys", "0"},
    {"oracle", "--layout", "auto"},
};

TEST_F(ToolsTest, RefusesNonsenseWithASentence) {
  const std::string keys = dir_.Write("keys", "a\nb\n"), out = dir_.File("bad");
  const auto build = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"build", keys, "--out", out});
    return more;
  };
  for (const char* bits : SomeOf({"0", "0.5", "65", "1e9", "-1", "nan", "inf", "ten", "", "10x", "0x10", "1e999"})) {
    ExpectBadUsage(build({"--bits-per-key", bits}));
    ExpectBadUsage({"plan", "--num-keys", "1000", "--bits-per-key", bits});
    ExpectBadUsage({"fpr", "--num-keys", "1000", "--bits-per-key", bits});
  }
  for (const char* fpr : SomeOf({"0", "1", "2", "-0.1", "nan", "1e-300", "100%", "1%%", "%", ""})) {
    ExpectBadUsage(build({"--fpr", fpr}));
    ExpectBadUsage({"plan", "--num-keys", "1000", "--fpr", fpr});
  }
  for (const char* count :
       SomeOf({"-1", "1.5", "many", "18446744073709551616", "20000000T", "1e30", "1m", "1.5", "1 k", "k", ""})) {
    ExpectBadUsage({"plan", "--num-keys", count, "--fpr", "0.01"});
    ExpectBadUsage({"fpr", "--num-keys", count});
  }
  for (const std::vector<std::string>& arguments : kNoMeasurements) ExpectBadUsage(arguments);
  ExpectBadUsage(build({"--fpr", "0.01", "--threads", "0"}));
  for (const char* share : SomeOf({"0", "1", "-0.1", "2", "nan", "", "100%"})) {
    ExpectBadUsage({"fpr", "--num-keys", "1000", "--precision", share});
    ExpectBadUsage({"fpr", "--num-keys", "1000", "--confidence", share});
  }
  for (const char* count : SomeOf({"0", "-1", "1.5", "1e9", "many"})) {
    ExpectBadUsage({"fpr", "--num-keys", "1000", "--threads", count});
    ExpectBadUsage({"fpr", "--num-keys", "1000", "--seeds", count});
  }
  const RunResult endless = Run({"fpr", "--num-keys", "1000", "--bits-per-key", "64", "--precision", "0.01"});
  EXPECT_EQ(endless.exit_code, 2);
  EXPECT_NE(endless.err.find("--num-queries"), std::string::npos) << endless.err;
  const std::string families = Run({"fpr", "--keys", "nonsense"}).err;
  for (const char* name : {"nonsense", "sequential", "shared_prefix", "uuid", "hash"}) {
    EXPECT_NE(families.find(name), std::string::npos) << families;
  }
  for (const char* bits : SomeOf({"0.5", "65", "-1", "nan"})) {
    ExpectBadUsage({"oracle", "--from", bits});
    ExpectBadUsage({"oracle", "--to", bits});
  }
  for (const char* step : SomeOf({"0", "-1", "1e-9", "x"})) ExpectBadUsage({"oracle", "--step", step});
  for (const char* seed : SomeOf({"-1", "x", "1.5", "18446744073709551616"}))
    ExpectBadUsage(build({"--fpr", "0.01", "--seed", seed}));
  for (const char* layout : SomeOf({"", "Blocked", "bloom", "9"}))
    ExpectBadUsage(build({"--fpr", "0.01", "--layout", layout}));
  ExpectBadUsage(build({}));
  ExpectBadUsage(build({"--fpr", "0.01", "--bits-per-key", "10"}));
  ExpectBadUsage(build({"--fpr", "0.01", "--no-such-option"}));
  ExpectBadUsage({});
  ExpectBadUsage({"no-such-command"});
  ExpectBadUsage({"query", keys});
  ExpectBadUsage({"query", Build("good", "a\n"), keys, "--print", "both"});
  ExpectBadUsage({"info"});
  ExpectBadUsage({"verify"});
}

TEST_F(ToolsTest, RefusesFilesThatAreNotThere) {
  const std::string keys = dir_.Write("keys", "a\n"), image = Build("image", "a\n"), missing = dir_.File("missing");
  ExpectBadUsage({"build", missing, "--out", dir_.File("bad"), "--fpr", "0.01"});
  ExpectBadUsage({"build", dir_.path(), "--out", dir_.File("bad"), "--fpr", "0.01"});  // a folder
  ExpectBadUsage({"build", keys, "--out", missing + "/image", "--fpr", "0.01"});
  ExpectBadUsage({"build", keys, "--out", dir_.path(), "--fpr", "0.01"});
  ExpectBadUsage({"query", missing, keys});
  ExpectBadUsage({"query", image, missing});
  ExpectBadUsage({"query", dir_.path(), keys});
  EXPECT_EQ(Run({"info", missing}).exit_code, 2);
  EXPECT_EQ(Run({"verify", missing}).exit_code, 2);
  EXPECT_EQ(Run({"verify", image, "--keys", missing}).exit_code, 2);
  const std::string before = test::ReadFile(image);
  ExpectBadUsage({"build", missing, "--out", image, "--fpr", "0.01"});
  EXPECT_EQ(test::ReadFile(image), before) << "a failed build leaves the old file";
}

// Standard output that takes nothing: the answer did not arrive, so this is no success.
TEST_F(ToolsTest, AFullDiskIsNoSuccess) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const std::string image = Build("image", Lines(0, 1000)), keys = dir_.Write("keys", Lines(0, 1000));
  for (const std::string& command :
       {"query '" + image + "' '" + keys + "'", "info '" + image + "'", std::string("plan --num-keys 10 --fpr 0.1")}) {
    const RunResult result = test::RunProgram({"/bin/sh", "-c", ShellProgram() + command + " > /dev/full"});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_NE(result.err, "") << command;
  }
}

TEST_F(ToolsTest, ExplainsItself) {
  for (const std::string command : {"", "build", "create", "add", "uniq", "bench", "completion", "query", "info",
                                    "stats", "verify", "fold", "merge", "fpr", "oracle", "plan", "parquet", "redis"}) {
    const RunResult help =
        Run(command.empty() ? std::vector<std::string>{"--help"} : std::vector<std::string>{command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_GT(help.out.size(), 100u) << command;
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
  EXPECT_NE(Run({"build", "--help"}).out.find("carriage return"), std::string::npos)
      << "that CRLF is kept is documented";
}

// Minutes of work with nowhere to put it.
TEST_F(ToolsTest, AnAccuracyRunNeedsAFileBeforeItStarts) {
  const std::string bench = LINEFILTER_BINARY_DIR "/linefilter_bench";
  if (!std::filesystem::exists(bench)) GTEST_SKIP() << "built without linefilter_bench";
  std::vector<std::string> arguments = test::OurProgram(bench);
  arguments.push_back("--accuracy");
  const RunResult result = test::RunProgram(arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--out"), std::string::npos) << result.err;
}

// Progress is for people: nothing but errors comes to a standard error that is no terminal.
TEST_F(ToolsTest, IsQuietInScripts) {
  const std::string keys = dir_.Write("keys", Lines(0, 300000));
  const RunResult built = Run({"build", keys, "--out", dir_.File("image"), "--fpr", "0.01"});
  EXPECT_EQ(built.exit_code, 0);
  EXPECT_EQ(built.err, "");
  EXPECT_EQ(Run({"verify", dir_.File("image"), "--keys", keys}).err, "");
}

}  // namespace
}  // namespace linefilter::test
