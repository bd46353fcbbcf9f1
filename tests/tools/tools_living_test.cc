// The program's commands for a filter in a file that lives: create and add, end to end. uniq is in
// tools_living_test_uniq.cc, bench, completion and the manual page in tools_living_test_shell.cc.
#include <fcntl.h>
#include <sys/file.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "linefilter/rotating.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

class ToolsLivingTest : public ToolsTest {
 protected:
  std::string Create(const std::string& name, std::vector<std::string> more) {
    const std::string path = dir_.File(name);
    more.insert(more.begin(), {"create", path});
    const RunResult result = Run(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return path;
  }
  // Refused with a sentence that has `why`, and the image stays as it is.
  void ExpectRefused(const std::string& image, std::vector<std::string> more, const std::string& why) {
    const std::string before = test::ReadFile(image);
    more.insert(more.begin(), {"add", image});
    const RunResult result = Run(more, "a\nb\n");
    EXPECT_EQ(result.exit_code, 2) << why;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "") << why;
    EXPECT_EQ(test::ReadFile(image), before) << why;
  }
};

TEST_F(ToolsLivingTest, CreateAndAddAreABuildOfTheSameKeys) {
  const std::vector<std::vector<std::string>> kinds = {{"--layout", "auto"},
                                                       {"--layout", "blocked"},
                                                       {"--layout", "classic"},
                                                       {"--layout", "quotient"},
                                                       {"--removable"}};
  for (const std::vector<std::string>& kind : kinds) {
    for (const std::string num_keys : {"200", "5e4"}) {
      std::vector<std::string> same = {"--num-keys", num_keys, "--fpr", "1%", "--seed", "7"};
      same.insert(same.end(), kind.begin(), kind.end());
      std::vector<std::string> build = {"build", dir_.Write("none", ""), "--out", dir_.File("built")};
      build.insert(build.end(), same.begin(), same.end());
      const std::string created = Create("created", same);
      const json info = Json({"info", created}, 0);
      Json({"add", created, dir_.Write("keys", Lines(0, 100))}, 0);
      build[1] = dir_.File("keys");
      ASSERT_EQ(Run(build).exit_code, 0);
      EXPECT_EQ(test::ReadFile(created), test::ReadFile(dir_.File("built"))) << kind.back() << ", with keys added";
      EXPECT_EQ(info["capacity"], num_keys == "200" ? 200 : 50000) << kind.back();
    }
  }
  EXPECT_EQ(Create("to-bits", {"--num-keys", "1M", "--bits-per-key", "8"}), dir_.File("to-bits"));
  EXPECT_NEAR(static_cast<double>(std::filesystem::file_size(dir_.File("to-bits"))), 1e6, 2e4);
  const std::string bad = dir_.File("bad");
  ExpectBadUsage({"create", bad, "--num-keys", "0", "--fpr", "0.01"});
  ExpectBadUsage({"create", bad, "--fpr", "0.01"});
  ExpectBadUsage({"create", bad, "--num-keys", "9"});
  ExpectBadUsage({"create", bad, "--num-keys", "9", "--fpr", "0.01", "--layout", "retrieval"});
  ExpectBadUsage({"create", bad, "--num-keys", "9", "--bits-per-key", "10", "--grow"});
  ExpectBadUsage({"create", bad, "--num-keys", "9", "--fpr", "0.01", "--max-growth", "9"});
}

TEST_F(ToolsLivingTest, AddedKeysAreInTheImage) {
  const std::string secret = dir_.Write("secret", std::string(16, '\xc3'));
  const std::string first = dir_.Write("first", Lines(0, 9000)), second = dir_.Write("second", Lines(8000, 20000));
  const std::vector<std::vector<std::string>> kinds = {{"--layout", "blocked"},          {"--layout", "classic"},
                                                       {"--layout", "quotient"},         {"--grow"},
                                                       {"--grow", "--max-growth", "20"}, {"--secret", secret}};
  for (std::vector<std::string> kind : kinds) {
    const bool grows = kind[0] == "--grow", is_keyed = kind[0] == "--secret";
    const std::string name = kind.back();
    kind.insert(kind.end(), {"--num-keys", grows ? "1000" : "20000", "--fpr", "0.01"});
    const std::string image = Create("image", kind);
    const std::vector<std::string> with = is_keyed ? kind : std::vector<std::string>();
    const auto run = [&](std::vector<std::string> arguments) {
      if (is_keyed) arguments.insert(arguments.end(), {"--secret", secret});
      return Json(arguments, 0);
    };
    EXPECT_EQ(run({"add", image, first})["keys_read"], 9000) << name;
    const json added = run({"add", image, second, first});
    EXPECT_EQ(added["keys_read"], 21000) << name;
    EXPECT_NEAR(added["keys_new"].get<int>(), 11000, 100) << name << ": some may look like others";
    EXPECT_NEAR(added["expected_fpr"].get<double>(), grows ? 0.006 : 0.01, 0.003) << name;
    EXPECT_EQ(added["capacity"], grows ? 31000 : 20000) << name;
    EXPECT_EQ(run({"verify", image, "--keys", first, "--keys", second})["keys_absent"], 0) << name;
  }
  for (const std::string num_keys : {"5000", "100"}) {
    const RunResult over = Run({"add", Create("small", {"--num-keys", num_keys, "--fpr", "0.01"}), first, "--json"});
    EXPECT_EQ(over.exit_code, 0);
    EXPECT_NE(over.err.find("made for " + num_keys + " keys"), std::string::npos) << over.err;
    EXPECT_TRUE(json::parse(over.out)["over_capacity"].get<bool>());
  }
  const std::string ended = Create("ended", {"--grow", "--num-keys", "100", "--fpr", "0.01", "--max-growth", "4"});
  EXPECT_NE(Json({"add", ended, first}, 1)["growth"].get<std::string>().find("max_growth"), std::string::npos);
}

TEST_F(ToolsLivingTest, RemovesWhatALayoutGivesBack) {
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--layout", "quotient", "--removable"}, {"--removable"}}) {
    std::vector<std::string> arguments = {"--num-keys", "1000", "--bits-per-key", "60"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    const std::string image = Create("image", arguments);
    Json({"add", image, dir_.Write("keys", Lines(0, 100))}, 0);
    const json removed = Json({"add", image, "--remove"}, 0, Lines(0, 60) + "never in\n");
    EXPECT_EQ(removed["keys_read"], 61);
    EXPECT_EQ(removed["keys_removed"], 60);
    EXPECT_EQ(Json({"query", image}, 1, Lines(0, 60))["maybe"], 0);
    EXPECT_EQ(Json({"query", image}, 0, Lines(60, 100))["maybe"], 40);
  }
  EXPECT_EQ(Json({"info", dir_.File("image")}, 0)["removable"], true) << "of --removable, layout quotient";
}

TEST_F(ToolsLivingTest, SaysWhyNoKeyIsRemoved) {
  const std::vector<std::string> few = {"--num-keys", "9", "--fpr", "0.01"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), few.begin(), few.end());
    return more;
  };
  ExpectRefused(Create("plain", few), {"--remove"}, "make it with --removable");
  ExpectRefused(Create("set", with({"--layout", "quotient"})), {"--remove"}, "made without --removable");
  ExpectRefused(Create("growing", with({"--grow"})), {"--remove"}, "several stages and gives no key back");
  EXPECT_EQ(Json({"info", dir_.File("set")}, 0)["removable"], false);
  EXPECT_FALSE(Json({"info", dir_.File("plain")}, 0).contains("removable"));
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{"--removable", "--grow"}, {"--removable", "--layout", "blocked"}}) {
    std::vector<std::string> arguments = with(bad);
    arguments.insert(arguments.begin(), {"create", dir_.File("none")});
    ExpectBadUsage(arguments);
  }
}

TEST_F(ToolsLivingTest, RefusesWhatTakesNoKey) {
  const std::vector<std::string> small = {"--fpr", "0.01"};
  ExpectRefused(Build("solved", Lines(0, 100), {"--fpr", "0.01", "--layout", "retrieval"}), {}, "linefilter create");
  ExpectRefused(Build("empty", "", small), {}, "no room for a key");
  ExpectRefused(dir_.Write("broken", "no image at all"), {}, "truncated");
  ExpectRefused(Create("plain", {"--num-keys", "99", "--fpr", "0.01"}),
                {"--secret", dir_.Write("secret", std::string(16, '\xc3'))}, "leave out --secret");
  ExpectRefused(Create("other", {"--num-keys", "99", "--fpr", "0.01"}), {dir_.File("other")}, "file of the keys");
  ExpectRefused(Create("field", {"--num-keys", "99", "--fpr", "0.01"}), {"--field", "2"}, "image is as it was");
  ExpectBadUsage({"add", "-"}, "a\n");
  ExpectBadUsage({"add", dir_.File("missing")}, "a\n");
  EXPECT_FALSE(std::filesystem::exists(dir_.File("missing.lock")));
  ExpectBadUsage({"add", Create("whole", {"--num-keys", "99", "--fpr", "0.01"}), dir_.File("no keys")});
}

// Text and integers are different keys: a filter that has one kind takes the other one from nobody by mistake.
TEST_F(ToolsLivingTest, KeepsToItsKindOfKeys) {
  const std::string image = Create("image", {"--num-keys", "1e4", "--fpr", "0.01"});
  EXPECT_EQ(Json({"info", image}, 0)["key_kind"], "unknown");
  Json({"add", image, "--u64"}, 0, "12345678");
  EXPECT_EQ(Json({"info", image}, 0)["key_kind"], "integer");
  ExpectRefused(image, {}, "--u64");
  for (const std::string grow : {"--grow", ""}) {
    std::vector<std::string> create = {"--num-keys", "50", "--fpr", "0.01"};
    if (!grow.empty()) create.push_back(grow);
    const std::string of_text = Create("of text", create);
    Json({"add", of_text}, 0, "a\n");
    EXPECT_EQ(Json({"info", of_text}, 0)["key_kind"], "text");
    ExpectRefused(of_text, {"--u64"}, "its keys are text");
    EXPECT_EQ(Run({"uniq", "--u64", "--filter", of_text}, "12345678").exit_code, 2);
  }
  const std::string seen = dir_.File("seen");
  Run({"uniq", "--u64", "--filter", seen}, "12345678");
  EXPECT_EQ(Json({"info", seen}, 0)["key_kind"], "integer");
}

TEST_F(ToolsLivingTest, AWindowTakesKeysToo) {
  FilterOptions options;
  options.fpr = 0.01;
  RotatingFilter window;
  ASSERT_TRUE(window.Create(1000, 3, options, Rotation::kByCount).ok());
  const std::string image = dir_.File("window");
  ASSERT_TRUE(window.Save(image.c_str()).ok());
  EXPECT_EQ(Json({"add", image}, 0, Lines(0, 100))["keys_new"], 100);
  EXPECT_EQ(Run({"uniq", "--filter", image}, Lines(50, 150)).out, Lines(100, 150));
  Json({"add", image, dir_.Write("many", Lines(1000, 5000))}, 0);
  EXPECT_FALSE(Knows(image, "key-0")) << "it is out of the window";
  EXPECT_TRUE(Knows(image, "key-4999"));
}

TEST_F(ToolsLivingTest, PrintsTheLinesThatWereNew) {
  const std::string image = Create("image", {"--num-keys", "1000", "--bits-per-key", "60"});
  const std::string lines = "1\tpear\n2\tapple\n3\tpear\n4\tplum";
  EXPECT_EQ(Run({"add", image, "--field", "2", "--print", "new"}, lines).out, "1\tpear\n2\tapple\n4\tplum\n");
  EXPECT_EQ(Run({"add", image, "--print", "known"}, "fig\nplum\npear\n").out, "plum\npear\n");
  EXPECT_EQ(Run({"add", image, "-0", "--print", "new"}, std::string("a\nb\0fig\0c", 9)).out,
            std::string("a\nb\0c\0", 6));
  // A reader who goes ends it as he ends others, and the lines that he did not take are new again.
  const std::string keys = dir_.Write("keys", Lines(0, 200000)), before = test::ReadFile(image);
  const RunResult closed = RunProgram(
      {"bash", "-c", ShellProgram() + "add " + image + " " + keys + " --print new | :; exit ${PIPESTATUS[0]}"});
  EXPECT_EQ(closed.exit_code, 141);
  EXPECT_EQ(closed.err, "");
  EXPECT_EQ(test::ReadFile(image), before);
}

// Two at a time, each killed at random: what was reported is in the image.
TEST_F(ToolsLivingTest, ReportedKeysAreNotLost) {
  const std::string image = Create("image", {"--grow", "--num-keys", "1000", "--fpr", "0.001"});
  const int batches = IsSlowBuild() || IsEmulated() ? 3 : 25;
  std::string reported[2];
  std::vector<std::thread> adders;
  for (int adder = 0; adder < 2; ++adder) {
    adders.emplace_back([&, adder] {
      for (int i = 0; i < batches; ++i) {
        const std::string keys = Lines((2 * i + adder) * 1000, (2 * i + adder + 1) * 1000);
        std::vector<std::string> add = OurProgram(LINEFILTER_PROGRAM);
        const std::string milliseconds = std::to_string(1 + (7 * i + 3 * adder) % 12);
        add.insert(add.begin(),
                   {"timeout", "-s", "KILL", "0.0" + std::string(2 - milliseconds.size(), '0') + milliseconds});
        add.insert(add.end(), {"add", image});
        if (i % 3 == 2) add.erase(add.begin(), add.begin() + 4);  // not killed
        if (RunProgram(add, keys).exit_code == 0) reported[adder] += keys;
      }
    });
  }
  for (std::thread& adder : adders) adder.join();
  const json verified = Json({"verify", image, "--keys", "-"}, 0, reported[0] + reported[1]);
  EXPECT_EQ(verified["keys_absent"], 0);
  EXPECT_GE(verified["keys_checked"].get<int>(), 2000 * (batches / 3)) << "those that were not killed";
}

TEST_F(ToolsLivingTest, WaitsForItsTurnAndSaysSo) {
  const std::string image = Create("image", {"--num-keys", "1000", "--fpr", "0.01"});
  const int lock = open((image + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  std::atomic<bool> has_ended{false};
  RunResult result;
  std::thread adder([&] {
    result = Run({"add", image}, "a\n");
    has_ended = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(has_ended);
  EXPECT_FALSE(Knows(image, "a"));
  close(lock);
  adder.join();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("waiting"), std::string::npos) << result.err;
  EXPECT_TRUE(Knows(image, "a"));
}

// The image of a program that does not know the lock is left.
TEST_F(ToolsLivingTest, DoesNotWriteOverAnImageThatWasReplacedMeanwhile) {
  const std::string image = Create("image", {"--num-keys", "1000", "--fpr", "0.01"}), other = Build("other", "b\n");
  const RunResult result = RunProgram({"bash", "-c",
                                       "(while flock -n " + image + ".lock true; do sleep 0.01; done; sleep 0.5; mv " +
                                           other + " " + image + "; echo a) | " + ShellProgram() + "add " + image});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("replaced it meanwhile"), std::string::npos) << result.err;
  EXPECT_TRUE(Knows(image, "b"));
  EXPECT_FALSE(Knows(image, "a"));
}

}  // namespace
}  // namespace linefilter::test
