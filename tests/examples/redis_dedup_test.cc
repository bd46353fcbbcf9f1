// examples/redis_dedup: four processes accept each item once, whichever level answers; also when Redis goes away in the
// middle, with what it had or without. (1e6 items: redis_dedup_slow_test.)
#include "tests/testing/redis_dedup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_proxy.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

TEST(RedisDedup, AcceptsEachItemOnce) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  for (const char* kind : {"email", "url"}) {
    const RunResult run = RunDedup({"--server", server.address(), "--kind", kind, "--items", "2e4", "--within-ms", "50",
                                    "--patience-ms", "60000"});
    std::map<std::string, double> facts = DedupFacts(run.out);
    ExpectAllAcceptedOnce(run, facts, 20000);
    EXPECT_GT(facts["Redis answered"], 13000) << run.out;
    EXPECT_LE(facts["Redis answered"], 14000) << "several writers were told that a key is certainly new";
    EXPECT_EQ(facts["Redis did not answer"], 0) << run.out;
    EXPECT_EQ(facts["Redis"], 20000 - facts["local copy answered"]) << run.out;
    EXPECT_EQ(facts["insertions that failed"], 0) << run.out;
  }
  EXPECT_EQ(RedisClient(server.address()).Integer({"DBSIZE"}), 0) << "a filter was left behind";
}

// A list of somebody's own: lines as they are, of which each is accepted once.
TEST(RedisDedup, TakesTheLinesOfAFile) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "http://example.org/" + std::to_string(i * i % 1000) + "?q=\xc3\xa4\n\n";
  std::set<int> distinct;
  for (int i = 0; i < 1000; ++i) distinct.insert(i * i % 1000);
  const TempDir folder;
  const std::string list = folder.Write("list", lines + "the last has no end");
  const RunResult run = RunDedup({"--server", server.address(), "--list", list, "--patience-ms", "60000"});
  std::map<std::string, double> facts = DedupFacts(run.out);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(facts["local copy"], 3001) << run.out;
  EXPECT_EQ(facts["accepted"], static_cast<double>(distinct.size() + 1));
  EXPECT_EQ(facts["duplicates accepted"], 0);
  EXPECT_EQ(facts["items lost"], 0);
}

// Four writers and their copies each have a connection, and send this much before the first batch is done and the first
// copy is there.
constexpr size_t kConnections = 8, kCommandsToBegin = 15;

// Before the program begins; it ends after some 40,000 commands.
constexpr size_t kSomeCommands = 1000;

// Waits until all writers are at work and nothing goes through.
bool IsHeldInTheMiddle(RedisProxy* proxy) {
  while (WaitUntil([proxy] { return proxy->is_held(); })) {
    if (proxy->ConnectionsThatSent(kCommandsToBegin) >= kConnections) return true;
    proxy->HoldAfter(kSomeCommands);
  }
  return false;
}

// The writers are held in the midst of their work, each with a batch of which nobody knows what became; there the
// server ends, and perhaps comes back.
void RunWhileTheServerEnds(RedisServer* server, bool comes_back, const char* pause_ms,
                           std::map<std::string, double>* facts) {
  ASSERT_TRUE(server->ok()) << server->why();
  RedisProxy proxy(server->port());
  proxy.HoldAfter(kSomeCommands);
  RunResult run;
  std::thread program([&run, &proxy, pause_ms] {
    run = RunDedup({"--server", proxy.address(), "--items", "1e5", "--patience-ms", "60000", "--pause-ms", pause_ms,
                    "--within-ms", "3000"});
  });
  EXPECT_TRUE(IsHeldInTheMiddle(&proxy));
  server->Kill();
  if (comes_back) {
    EXPECT_TRUE(server->Restart()) << server->why();
  }
  proxy.Release();
  program.join();
  *facts = DedupFacts(run.out);
  ExpectAllAcceptedOnce(run, *facts, 100000);
}

TEST(RedisDedup, GoesOnWithoutRedis) {
  RedisServer server;
  std::map<std::string, double> facts;
  RunWhileTheServerEnds(&server, false, "80", &facts);
  EXPECT_GT(facts["Redis did not answer"], 0) << "it ended too late";
  EXPECT_GT(facts["insertions that failed"], 0);
}

TEST(RedisDedup, RedisComesBackWithAllItHad) {
  RedisServerOptions options;
  options.append_only = true;
  RedisServer server(options);
  std::map<std::string, double> facts;
  RunWhileTheServerEnds(&server, true, "0", &facts);
  EXPECT_EQ(facts["Redis did not answer"], 0) << "that is what patience is for";
  EXPECT_EQ(facts["insertions that failed"], 0);
}

TEST(RedisDedup, RedisComesBackEmpty) {
  RedisServer server;
  std::map<std::string, double> facts;
  RunWhileTheServerEnds(&server, true, "80", &facts);
  EXPECT_GT(facts["insertions that failed"], 0) << "it takes an empty server for an empty filter";
}

// Bits that go, unnoticed: the store still refuses what comes twice, so what Redis told is judged by itself.
TEST(RedisDedup, ReportsThatAKeyWasToldNewTwice) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisProxy proxy(server.port());
  proxy.HoldAfter(kSomeCommands);
  RunResult run;
  std::thread program([&] {
    run = RunDedup({"--server", proxy.address(), "--items", "1e5", "--within-ms", "1000000"});
  });
  EXPECT_TRUE(IsHeldInTheMiddle(&proxy));
  proxy.HoldAfter(5 * kSomeCommands);  // keys that no copy has
  EXPECT_TRUE(WaitUntil([&] { return proxy.is_held(); }));
  RedisClient client(server.address());
  std::string shard;
  for (const RedisReply& key : client.Do({"KEYS", "{redis_dedup:*"}).items) shard = key.text;
  const int64_t mark = client.Integer({"STRLEN", shard}) - 16;  // stays
  EXPECT_GT(mark, 0);
  if (mark > 0) client.Do({"SETRANGE", shard, "0", std::string(static_cast<size_t>(mark), '\0')});
  proxy.Release();
  program.join();
  std::map<std::string, double> facts = DedupFacts(run.out);
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_GT(facts["told new twice"], 0) << run.out;
  EXPECT_EQ(facts["duplicates accepted"], 0) << "the UNIQUE column";
}

// Nothing is left behind: no writer, no folder, no filter; and of whom nobody could interrupt, no writer, and for an
// hour the filter.
TEST(RedisDedup, CleansUpWhenInterrupted) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisClient client(server.address());
  std::vector<int> signals = {SIGINT, SIGTERM};
#ifdef __linux__
  signals.push_back(SIGKILL);
#endif
  for (const int signal : signals) {
    const TempDir folder;
    const pid_t child = fork();
    if (child == 0) {
#ifdef __linux__
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // of a test that is ended
#endif
      setenv("TMPDIR", folder.path().c_str(), 1);
      dup2(open("/dev/null", O_WRONLY), 1);
      dup2(open("/dev/null", O_WRONLY), 2);
      execl(LINEFILTER_BINARY_DIR "/redis_dedup", "redis_dedup", "--server", server.address().c_str(), "--items", "1e7",
            nullptr);
      _exit(127);
    }
    ASSERT_GT(child, 0);
    const auto clients = [&client] { return client.Fact({"INFO", "clients"}, "connected_clients"); };
    EXPECT_TRUE(WaitUntil([&] { return std::atoi(clients().c_str()) > 4; })) << "no writer is at work";
    kill(child, signal);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WaitUntil([&] { return clients() == "1"; })) << "writers are still there";
    if (signal != SIGKILL) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
      EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
      EXPECT_EQ(client.Integer({"DBSIZE"}), 0) << "a filter was left behind";
      continue;
    }
    for (const RedisReply& key : client.Do({"KEYS", "*"}).items) EXPECT_GT(client.Integer({"PTTL", key.text}), 0);
  }
}

TEST(RedisDedup, TakesAPasswordFromTheEnvironment) {
  RedisServerOptions options;
  options.password = "open sesame";
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  const std::vector<std::string> words = {"--server", server.address(), "--items", "1000", "--patience-ms", "100"};
  EXPECT_EQ(RunDedup(words, {{"LINEFILTER_REDIS_PASSWORD", "open sesame"}}).exit_code, 0);
  EXPECT_EQ(RunDedup(words).exit_code, 2);
}

TEST(RedisDedup, ExplainsItself) {
  const RunResult help = RunDedup({"--help"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_EQ(help.err, "");
  for (const char* option : {"--items N", "--list FILE", "--user NAME"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << help.out;
  }
}

TEST(RedisDedup, SaysThatItCannotPrint) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  const RunResult run = RunProgram({"sh", "-c",
                                    LINEFILTER_BINARY_DIR "/redis_dedup --items 1000 --server " + server.address() +
                                        " --patience-ms 60000 > /dev/full"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("cannot write to standard output: No space left"), std::string::npos) << run.err;
}

TEST(RedisDedup, TakesAUserOfTheAcl) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisClient(server.address()).Do({"ACL", "SETUSER", "free", "on", "nopass", "~*", "&*", "+@all"});
  const std::vector<std::string> words = {"--server", server.address(), "--items", "1000", "--patience-ms", "60000"};
  for (const std::string user : {"free", "nobody"}) {
    std::vector<std::string> as_user = words;
    as_user.insert(as_user.end(), {"--user", user});
    EXPECT_EQ(RunDedup(as_user).exit_code, user == "free" ? 0 : 2);
  }
}

TEST(RedisDedup, RefusesWhatCannotBe) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisClient(server.address()).Do({"SET", "taken", "by another"});
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--name", "taken"},
                                             {"--items"},
                                             {"--list", "/nowhere/list"},
                                             {"--list", "/dev/null"},
                                             {"--list", "/dev/null", "--items", "1000"},
                                             {"--items", "many"},
                                             {"--kind", "trade"},
                                             {"--no-such-option", "1"},
                                             {"--server", "unix:/nonexistent/socket", "--patience-ms", "1"}}) {
    std::vector<std::string> arguments = {"--server", server.address()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const RunResult run = RunDedup(arguments);
    EXPECT_EQ(run.exit_code, 2) << more[0] << run.out;
    EXPECT_GT(run.err.size(), 20u) << more[0];
  }
  EXPECT_EQ(RedisClient(server.address()).Text({"GET", "taken"}), "by another");
  EXPECT_NE(RunDedup({"--server", "--server", "x"}).err.find("--server needs a value"), std::string::npos);
}

}  // namespace
}  // namespace linefilter::test
