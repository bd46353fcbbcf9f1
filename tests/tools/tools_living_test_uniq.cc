// linefilter uniq, end to end.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

class ToolsUniqTest : public ToolsTest {
 protected:
  // Its summary, and what it printed.
  json Summary(std::vector<std::string> arguments, std::string_view input, std::string* out) {
    arguments.insert(arguments.begin(), "uniq");
    arguments.push_back("--json");
    const RunResult result = Run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    *out = result.out;
    return json::parse(result.err.substr(0, result.err.rfind('}') + 1), nullptr, false);
  }
  RunResult Bash(const std::string& script) { return RunProgram({"bash", "-c", script}); }
};

TEST_F(ToolsUniqTest, PrintsALineWhereItComesFirst) {
  std::string out;
  const json summary = Summary({}, "b\na\nb\n\na\nc\n\nlast", &out);
  EXPECT_EQ(out, "b\na\n\nc\nlast\n");
  EXPECT_EQ(summary["lines"], 8);
  EXPECT_EQ(summary["kept"], 5);
  EXPECT_EQ(summary["expected_wrongly_dropped"], 0);
  Summary({"--field", "2", "--delimiter", ","}, "1,x,p\n2,y,q\n3,x,r\n", &out);
  EXPECT_EQ(out, "1,x,p\n2,y,q\n");
  Summary({"--null"}, std::string("a\nb\0c\0a\nb\0", 10), &out);
  EXPECT_EQ(out, std::string("a\nb\0c\0", 6));
  Summary({"--u64"}, "12345678abcdefgh12345678", &out);
  EXPECT_EQ(out, "12345678abcdefgh");
  Summary({dir_.Write("one", "a\nb"), dir_.Write("two", "b\nc\n")}, "", &out);
  EXPECT_EQ(out, "a\nb\nc\n") << "files are one stream";
  Summary({"--num-keys", "100", "--fpr", "1e-6"}, Lines(0, 90) + Lines(0, 90), &out);
  EXPECT_EQ(out, Lines(0, 90));
}

// The number that it tells is what happens, whatever fills the filter and however often lines come.
TEST_F(ToolsUniqTest, ExpectsAsManyWrongDropsAsThereAre) {
  const int n = IsSlowBuild() ? 20000 : 100000;
  const std::string count = std::to_string(n), half = std::to_string(n / 2);
  const auto create = [&](const char* name, std::vector<std::string> more) {
    more.insert(more.begin(), {"create", dir_.File(name), "--fpr", "0.05"});
    EXPECT_EQ(Run(more).exit_code, 0);
    return dir_.File(name);
  };
  const std::vector<std::vector<std::string>> filters = {
      {"--num-keys", count, "--fpr", "0.2"},
      {"--num-keys", half, "--fpr", "0.02"},
      {"--filter", create("growing", {"--grow", "--num-keys", "500"})},
      {"--filter", create("classic", {"--layout", "classic", "--num-keys", count})},
      {"--filter", Build("half full", Lines(0, n / 2), {"--fpr", "0.05", "--num-keys", count})}};
  for (const std::vector<std::string>& filter : filters) {
    std::string out;
    const json summary = Summary(filter, Lines(1000000, 1000000 + n) + Lines(1000000, 1000000 + n), &out);
    EXPECT_EQ(summary["lines"], 2 * n);
    const double dropped = n - summary["kept"].get<double>();
    const double expected = summary["expected_wrongly_dropped"].get<double>();
    EXPECT_GT(expected, 100) << filter[1];
    EXPECT_NEAR(dropped, expected, 5 * std::sqrt(expected) + 0.02 * expected) << filter[1];
  }
}

TEST_F(ToolsUniqTest, HandsLinesOnAtOnce) {
  const RunResult result = Bash("coproc uniq { " + ShellProgram() +
                                "uniq; }; echo a >&${uniq[1]}; printf 'a\\nb\\nc' >&${uniq[1]}; "
                                "read -r -t 60 one <&${uniq[0]}; read -r -t 60 two <&${uniq[0]}; echo \"$one $two\"");
  EXPECT_EQ(result.out, "a b\n") << result.err;
}

TEST_F(ToolsUniqTest, KnowsTheLinesOfEarlierRuns) {
  const std::string state = dir_.File("state");
  std::string out;
  Summary({"--filter", state, "--num-keys", "1000", "--fpr", "1e-6"}, Lines(0, 50), &out);
  EXPECT_EQ(out, Lines(0, 50)) << "a missing one is made";
  Summary({"--filter", state}, Lines(20, 70), &out);
  EXPECT_EQ(out, Lines(50, 70));
  EXPECT_EQ(Json({"verify", state, "--keys", "-"}, 0, Lines(0, 70))["keys_absent"], 0);
  const RunResult over = Run({"uniq", "--filter", state}, Lines(0, 3000));
  EXPECT_NE(over.err.find("made for 1000 keys"), std::string::npos) << over.err;

  const std::string broken = dir_.Write("broken", "no image at all");
  const RunResult refused = Run({"uniq", "--filter", broken}, "a\n");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(test::ReadFile(broken), "no image at all");
  ExpectBadUsage({"uniq", "--filter", "-"}, "a\n");
  std::filesystem::create_symlink("nowhere", dir_.File("link"));
  ExpectBadUsage({"uniq", "--filter", dir_.File("link")}, "a\n");
  std::filesystem::remove(dir_.File("link"));
  std::filesystem::create_symlink(state, dir_.File("link"));
  EXPECT_EQ(Run({"uniq", "--filter", dir_.File("link")}, "key-1\nanother\n").out, "another\n");
  EXPECT_TRUE(Knows(state, "another")) << "it is the file that is changed";
  EXPECT_TRUE(std::filesystem::is_symlink(dir_.File("link")));
  ExpectBadUsage({"uniq", "--filter", dir_.File("no/folder")}, "a\n");
  ExpectBadUsage({"uniq", "--num-keys", "0"}, "a\n");
}

TEST_F(ToolsUniqTest, AFullDiskLeavesTheFilter) {
  const RunResult full =
      Bash("seq 100000 | " + ShellProgram() + "uniq --filter " + dir_.File("state") + " > /dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_NE(full.err.find("prints lines again"), std::string::npos) << full.err;
  EXPECT_EQ(full.err.find("linefilter:"), full.err.rfind("linefilter:")) << "it is told once: " << full.err;
  EXPECT_FALSE(std::filesystem::exists(dir_.File("state")));
}

// A line that nobody has got comes again; one that was got does not.
TEST_F(ToolsUniqTest, WhoStopsItLosesNothing) {
  const std::string state = dir_.File("state"), keys = dir_.Write("keys", Lines(0, 200000));
  const std::string uniq = ShellProgram() + "uniq --filter " + state + " --num-keys 1e6 ";
  const RunResult closed = Bash(uniq + keys + " | :; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(closed.exit_code, 141);
  EXPECT_EQ(closed.err, "");
  EXPECT_FALSE(std::filesystem::exists(state));
  const RunResult stopped = Bash("coproc uniq { exec " + uniq +
                                 "; }; pid=$uniq_PID; exec 3<&${uniq[0]}; echo a >&${uniq[1]}; "
                                 "read -r -t 60 one <&3; kill -TERM $pid; wait $pid; code=$?; echo \"$one $code\"");
  EXPECT_EQ(stopped.out, "a 143\n") << stopped.err;
  EXPECT_NE(stopped.err.find("kept"), std::string::npos) << "the summary comes: " << stopped.err;
  EXPECT_TRUE(Knows(state, "a"));
}

}  // namespace
}  // namespace linefilter::test
