// linefilter redis, end to end, against a server of our own: what is added is found, what fails says so and what to do,
// and nothing that Redis did not answer is ever "absent".
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/redis_relay.h"
#include "tests/testing/redis_tools_fixture.h"

namespace linefilter {
namespace {

using nlohmann::json;
using test::Lines;
using test::RunResult;

class ToolsRedisTest : public test::RedisToolsTest {
 protected:
  // Of the image that a dump of the filter is.
  std::string Dump(const std::string& name, const std::vector<std::string>& more = {}) {
    const std::string out = dir_.File("dump-" + name);
    std::vector<std::string> words = {"dump", name, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(Redis(words).exit_code, 0);
    return out;
  }
};

TEST_F(ToolsRedisTest, WhatIsAddedIsFound) {
  const json made = RedisJson({"create", "seen", "--num-keys", "1e5", "--fpr", "0.01"});
  EXPECT_EQ(made["layout"], "blocked");
  EXPECT_EQ(made["num_keys"], 100000);
  EXPECT_EQ(RedisJson({"query", "seen", "--keys", "-"}, 1, Lines(0, 1000))["maybe"], 0) << "1: none";
  const json added = RedisJson({"add", "seen", "--keys", "-"}, 0, Lines(0, 20000));
  EXPECT_EQ(added["keys_read"], 20000);
  EXPECT_EQ(added["failed"], 0);
  EXPECT_GE(added["new"], 19990) << "nearly all: the filter is hardly filled";
  EXPECT_EQ(added["new"].get<int>() + added["known"].get<int>(), 20000);
  EXPECT_EQ(RedisJson({"query", "seen", "--keys", "-"}, 0, Lines(0, 20000))["maybe"], 20000);
  EXPECT_EQ(RedisJson({"query", "seen", "--keys", "-"}, 0, Lines(19999, 30000))["absent"], 10000);
  const json info = RedisJson({"info", "seen"});
  EXPECT_EQ(info["num_keys"], 100000);
  EXPECT_NEAR(info["estimated_keys"].get<double>(), 20000, 400);
  EXPECT_EQ(info["lost_shards"], 0);
  EXPECT_EQ(info["cluster"], false);
  EXPECT_EQ(RedisJson({"delete", "seen"})["deleted"], true);
  EXPECT_TRUE(Keys().empty());
  EXPECT_EQ(RedisJson({"delete", "seen"}, 1)["deleted"], false) << "1: there was none";
  ExpectFailure(Redis({"query", "seen", "--keys", "-"}, "a\n"), "seen");
}

// A pipe of unique lines, on as many machines as want: each key comes out of one of them.
TEST_F(ToolsRedisTest, AddPrintsWhatWasNew) {
  Redis({"create", "seen", "--num-keys", "1e5", "--fpr", "0.0001"});
  EXPECT_EQ(Redis({"add", "seen", "--keys", "-", "--print", "new"}, "a\nb\na\n\nlast").out, "a\nb\n\nlast\n");
  EXPECT_EQ(Redis({"add", "seen", "--keys", "-", "--print", "new"}, "b\nc\n").out, "c\n");
  EXPECT_EQ(Redis({"add", "seen", "--keys", "-", "--print", "known"}, "b\nd\n").out, "b\n");
  EXPECT_EQ(Redis({"add", "seen", "--keys", "-", "--print", "failed"}, "e\n").out, "");
  EXPECT_EQ(Redis({"query", "seen", "--keys", "-"}, "e\nf\n").out, "maybe\te\nabsent\tf\n");
  EXPECT_EQ(Redis({"query", "seen", "--keys", "-", "--print", "absent"}, "e\nf\n").out, "f\n");
  const std::string two("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
  EXPECT_EQ(Redis({"add", "seen", "--keys", "-", "--u64", "--print", "new"}, two).out, two);
  EXPECT_EQ(Redis({"query", "seen", "--keys", "-", "--u64", "--count"}, two).out,
            "num_queries  2\nmaybe        2\nabsent       0\n");
}

// A key that was acknowledged and not printed is known next time: it ends with the batch that cannot be printed, and
// says how many these are.
TEST_F(ToolsRedisTest, AddEndsWhereItCannotPrint) {
  const std::string keys = dir_.Write("keys", Lines(0, 20000));  // five batches
  const auto run = [&](const std::string& output) {
    client_->Do({"FLUSHALL"});
    Redis({"create", "seen", "--num-keys", "1e6", "--fpr", "0.00001"});
    std::string line = ShellProgram();
    for (const std::string& word : Words({"add", "seen", "--keys", keys, "--print", "new"})) line += " " + word;
    return test::RunProgram({"sh", "-c", "(" + line + "; echo exit $? >&2) " + output});
  };
  const auto num_added = [&] { return RedisJson({"query", "seen", "--keys", keys})["maybe"].get<int>(); };
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const RunResult full = run("> /dev/full");
  for (const char* words :
       {"No space left", "4096 keys, 4096 of them acknowledged", "4096 of the last batch", "exit 2"}) {
    EXPECT_NE(full.err.find(words), std::string::npos) << full.err;
  }
  EXPECT_EQ(num_added(), 4096);
  const RunResult left = run("| sh -c 'read one'");  // may read more, and the pipe holds a batch or two
  for (const char* words : {"Broken pipe", "were to be printed and are not", "exit 2"}) {
    EXPECT_NE(left.err.find(words), std::string::npos) << left.err;
  }
  EXPECT_LT(num_added(), 20000);
}

// A connection does not get the number of a stream that is closed: keys would be commands.
TEST_F(ToolsRedisTest, AClosedStreamIsNoConnection) {
  Redis({"create", "seen", "--num-keys", "10", "--fpr", "0.01"});
  client_->Do({"SET", "victim", "lives"});
  std::string commands;
  for (int i = 0; i < 2000; ++i) commands += "DEL victim\r\n";  // more than is kept back until the end
  const std::string keys = dir_.Write("keys", commands);
  for (const std::string closed : {">&-", ">&- 2>&-"}) {
    std::string line = ShellProgram();
    for (const std::string& word : Words({"query", "seen", "--keys", "-", "--print", "absent"})) line += " " + word;
    const RunResult result = test::RunProgram({"sh", "-c", line + " <" + keys + " " + closed});
    EXPECT_EQ(client_->Text({"GET", "victim"}), "lives") << closed;
    EXPECT_EQ(result.exit_code, 2) << "what could not be printed is no success";
    if (closed == ">&-") ExpectFailure(result, "cannot write to standard output: ");
  }
}

// Whatever is built here is asked there, and comes back.
TEST_F(ToolsRedisTest, ImagesOfAllLayoutsGoAndComeBack) {
  const std::string queries = Lines(0, 3000) + Lines(100000, 110000);
  std::vector<std::vector<std::string>> kinds = {{"--layout", "blocked"},
                                                 {"--layout", "classic"},
                                                 {"--layout", "retrieval"},
                                                 {"--layout", "counting"},
                                                 {"--grow"}};
  for (size_t i = 0; i < kinds.size(); ++i) {
    const std::string name = "of-" + kinds[i].back();
    std::vector<std::string> more = {"--fpr", "0.02"};
    more.insert(more.end(), kinds[i].begin(), kinds[i].end());
    const std::string image = Build(name, Lines(0, 3000), more);
    EXPECT_EQ(RedisJson({"load", name, image})["created"], true);
    const RunResult here = Run({"query", "--filter", image, "--keys", "-"}, queries);
    const RunResult there = Redis({"query", name, "--keys", "-"}, queries);
    EXPECT_EQ(there.out, here.out) << name;
    EXPECT_EQ(there.exit_code, 0);
    const std::string back = Dump(name);
    EXPECT_EQ(Run({"query", "--filter", back, "--keys", "-"}, queries).out, here.out) << name;
    if (kinds[i].back() == "--grow") {
      EXPECT_TRUE(test::ReadFile(back) == test::ReadFile(image)) << "how it goes on is there, too";
    }
    const json info = RedisJson({"info", name});
    EXPECT_EQ(info["layout"], Json({"info", image}, 0)["layout"]);
    EXPECT_EQ(info["body_bytes"], Json({"info", image}, 0)["body_bytes"]);
    EXPECT_NEAR(info["estimated_keys"].get<double>(), 3000, 200) << name;
  }
}

TEST_F(ToolsRedisTest, LoadAddsTheKeysOfAnImage) {
  const std::string one = Build("one", Lines(0, 4000)), two = Build("two", Lines(4000, 8000));
  EXPECT_EQ(RedisJson({"load", "all", one})["created"], true);
  EXPECT_EQ(RedisJson({"load", "all", two})["created"], false);
  EXPECT_EQ(RedisJson({"query", "all", "--keys", "-"}, 0, Lines(0, 8000))["maybe"], 8000);
  const std::string small = Build("small", Lines(0, 10)), empty = Build("empty", "");
  ExpectFailure(Redis({"load", "all", small}), "redis load: ");
  const RunResult least = Redis({"load", "empty", empty, "--json"});
  EXPECT_EQ(json::parse(least.out)["body_bytes"], 64) << "an empty filter of the least size";
  EXPECT_NE(least.err.find("no keys, so filter empty has the least size, 64 bytes"), std::string::npos) << least.err;
  EXPECT_EQ(least.exit_code, 0);
  EXPECT_EQ(Redis({"load", "all", empty}).err, "") << "that brings nothing to a filter that has its size";
  EXPECT_EQ(Redis({"load", "sealed", Build("sealed", "", {"--fpr", "0.01", "--layout", "retrieval"})}).err, "");
  const RunResult switched = Redis({"switch", "all", empty, "--no-writers"});
  EXPECT_EQ(switched.exit_code, 0) << switched.err;
  EXPECT_NE(switched.err.find("no keys, so filter all has the least size"), std::string::npos) << switched.err;
  ExpectFailure(Redis({"load", "new", dir_.Write("text", "no image at all")}), "image ");
  ExpectFailure(Redis({"load", "new", dir_.File("nothing")}), "nothing");
  std::string damaged = test::ReadFile(one);
  damaged[100] ^= 1;
  ExpectFailure(Redis({"load", "new", dir_.Write("damaged", damaged)}), "damaged");
  ExpectFailure(Redis({"info", "new"}), "new");
}

// A shard that the server lost is not an empty one.
TEST_F(ToolsRedisTest, ALostShardIsNeverAbsent) {
  Redis({"create", "seen", "--num-keys", "1e4", "--fpr", "0.01"});
  Redis({"add", "seen", "--keys", "-"}, "a\n");
  client_->Do({"DEL", ShardOf("seen")});
  ExpectFailure(Redis({"query", "seen", "--keys", "-"}, "a\nb\n"), "lost");
  ExpectFailure(Redis({"dump", "seen", "--out", dir_.File("bad")}), "lost");
  const RunResult added = Redis({"add", "seen", "--keys", "-", "--print", "failed"}, "c\nd\n");
  EXPECT_EQ(added.out, "c\nd\n");
  EXPECT_EQ(added.exit_code, 2);
  EXPECT_NE(added.err.find("2 keys, 0 of them acknowledged"), std::string::npos) << added.err;
  EXPECT_EQ(RedisJson({"add", "seen", "--keys", "-"}, 2, "c\nd\n")["failed"], 2);
  EXPECT_EQ(RedisJson({"info", "seen"}, 2)["lost_shards"], 1);
  EXPECT_FALSE(std::filesystem::exists(dir_.File("bad")));
}

// Keys that were acknowledged are gone with the filter: whoever added only the others would get "absent" for them.
TEST_F(ToolsRedisTest, AddSaysWhatBecameOfWhatWasAcknowledged) {
  const std::string keys = Lines(0, 6000);  // two batches
  const struct {
    const char* what;
    std::function<void()> happens;  // between the two
    bool is_lost, may_be_added;
  } cases[] = {{"deleted",
                [&] {
                  Redis({"delete", "seen"});
                },
                true, false},
               {"lost a shard",
                [&] {
                  client_->Do({"DEL", ShardOf("seen")});
                },
                true, false},
               {"taken by something else",
                [&] {
                  client_->Do({"SET", "seen", "hello"});
                },
                false, false},
               {"full",
                [&] {
                  client_->Do({"CONFIG", "SET", "maxmemory", "1"});
                },
                false, true}};
  for (const auto& now : cases) {
    client_->Do({"FLUSHALL"});
    Redis({"create", "seen", "--num-keys", "1e4", "--fpr", "0.01"});
    test::RedisRelay relay(server_->port());
    bool is_written = false, has_happened = false;
    relay.after = [&](const test::RedisRelay::Words& words) {
      is_written = is_written || words[0] == "BITFIELD";
      const bool looks_at_record = words[0] == "GETRANGE" && words[1] == "seen";  // a batch ends so
      if (!is_written || !looks_at_record || has_happened) return;
      has_happened = true;
      now.happens();
    };
    const RunResult result =
        Run({"redis", "add", "seen", "--keys", "-", "--print", "failed", "--server", relay.address()}, keys);
    client_->Do({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(result.exit_code, 2) << now.what;
    EXPECT_NE(result.err.find("after 6000 keys, 4096 of them acknowledged"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("What was acknowledged is lost, too") != std::string::npos, now.is_lost) << result.err;
    EXPECT_EQ(result.err.find("Add the others") != std::string::npos, now.may_be_added) << result.err;
  }
}

// What the server cannot or should not do is said, with what to do.
TEST_F(ToolsRedisTest, AFullServerAndAReplicaAreSaidSo) {
  Redis({"create", "seen", "--num-keys", "1e4", "--fpr", "0.01"});
  Redis({"add", "seen", "--keys", "-"}, "a\n");
  client_->Do({"CONFIG", "SET", "maxmemory", "1"});
  const RunResult full = Redis({"add", "seen", "--keys", "-", "--print", "new"}, "b\n");
  client_->Do({"CONFIG", "SET", "maxmemory", "0"});
  ExpectFailure(full, "maxmemory");
  client_->Do({"REPLICAOF", "127.0.0.1", "1"});
  std::vector<std::string> words = {"redis",     "query", "seen",      "--keys", "-", "--server", server_->address(),
                                    "--timeout", "60000", "--patience"};
  words.push_back("200");
  ExpectFailure(Run(words, "a\nb\n"), "replica");
  words.push_back("--replica-reads");
  EXPECT_EQ(Run(words, "a\nb\n").out, "maybe\ta\nabsent\tb\n");
  for (const char* command : {"info", "dump", "query"}) {
    std::vector<std::string> of_new = {command, "just-made", "--replica-reads"};
    if (of_new[0] == "dump") of_new.insert(of_new.end(), {"--out", dir_.File("bad")});
    if (of_new[0] == "query") of_new.insert(of_new.end(), {"--keys", "-"});
    ExpectFailure(Redis(of_new, "a\n"), "it may only be late");
  }
  client_->Do({"REPLICAOF", "NO", "ONE"});
}

TEST_F(ToolsRedisTest, AKeyedFilterNeedsItsSecret) {
  const std::string secret = dir_.Write("secret", "00112233445566778899aabbccddeeff\n"),
                    other = dir_.Write("other", "ff112233445566778899aabbccddeeff\n");
  const json made = RedisJson({"create", "seen", "--num-keys", "1e4", "--fpr", "0.01", "--secret", secret});
  EXPECT_EQ(made["hash"], "keyed");
  EXPECT_TRUE(made.contains("secret_check"));
  EXPECT_EQ(Redis({"add", "seen", "--keys", "-", "--secret", secret}, "a\n").exit_code, 0);
  EXPECT_EQ(Redis({"query", "seen", "--keys", "-", "--secret", secret}, "a\n").out, "maybe\ta\n");
  ExpectFailure(Redis({"query", "seen", "--keys", "-"}, "a\n"), "secret");
  ExpectFailure(Redis({"query", "seen", "--keys", "-", "--secret", other}, "a\n"), "secret");
  EXPECT_EQ(RedisJson({"switch", "seen", "--begin", "--num-keys", "100", "--fpr", "0.1", "--secret", secret})["hash"],
            "keyed");
  const std::string image = Dump("seen", {"--secret", secret});
  EXPECT_EQ(Run({"query", "--filter", image, "--keys", "-", "--secret", secret}, "a\n").out, "maybe\ta\n");
}

TEST_F(ToolsRedisTest, WhatIsCreatedIsWhatWasAsked) {
  const json made = RedisJson({"create", "seen", "--num-keys", "1e6", "--bits-per-key", "12", "--seed", "7",
                               "--foldable", "--shard-bytes", "500000", "--expire", "10000"});
  EXPECT_EQ(made["seed"], 7);
  EXPECT_EQ(made["num_blocks"].get<int>() % 64, 0);
  EXPECT_LE(made["shard_bytes"], 500032);
  EXPECT_EQ(made["shards"], (made["body_bytes"].get<int>() + 499999) / 500000);
  const json info = RedisJson({"info", "seen"});
  EXPECT_GT(info["expires_in_ms"], 9000000);
  EXPECT_LE(info["expires_in_ms"], 10000000);
  ExpectFailure(Redis({"create", "seen", "--num-keys", "1e6", "--bits-per-key", "12"}), "seen");
  Redis({"switch", "seen", "--begin", "--num-keys", "1e6", "--bits-per-key", "11.99", "--foldable"});
  EXPECT_EQ(RedisJson({"switch", "seen", "--commit"})["num_blocks"].get<int>() % 64, 0);
  for (const char* layout : {"classic", "counting"}) {
    EXPECT_EQ(RedisJson({"create", layout, "--num-keys", "1e4", "--fpr", "0.01", "--layout", layout})["layout"],
              layout);
    EXPECT_EQ(RedisJson({"add", layout, "--keys", "-"}, 0, Lines(0, 100))["new"], 100) << layout;
    EXPECT_EQ(RedisJson({"query", layout, "--keys", "-"}, 0, Lines(0, 200))["maybe"], 100) << layout;
  }
  const json none = RedisJson({"create", "none", "--num-keys", "0", "--fpr", "0.01"});
  EXPECT_EQ(none["num_keys"], RedisJson({"info", "none"})["num_keys"]);
}

TEST_F(ToolsRedisTest, AFilterGoesWhenItIsSaid) {
  const auto left_of = [&](const char* name) { return RedisJson({"info", name}).value("expires_in_ms", -1); };
  const std::string image = Build("image", "a\n");
  EXPECT_EQ(RedisJson({"load", "loaded", image, "--expire", "100"})["created"], true);
  EXPECT_GT(left_of("loaded"), 0);
  EXPECT_LE(left_of("loaded"), 100000);
  ExpectFailure(Redis({"load", "loaded", image, "--expire", "1000"}), "nothing was loaded");
  const json later = RedisJson({"expire", "loaded", "--after", "1e4"});
  EXPECT_EQ(later["expires"], true);
  EXPECT_EQ(later["expires_in_ms"], 10000000);
  EXPECT_GT(left_of("loaded"), 9000000);
  EXPECT_EQ(RedisJson({"expire", "loaded", "--never"})["expires"], false);
  EXPECT_EQ(left_of("loaded"), -1);
  for (const std::string& key : Keys()) EXPECT_EQ(client_->Integer({"PTTL", key}), -1) << key;
  Redis({"expire", "loaded", "--after", "1"});
  EXPECT_TRUE(test::WaitUntil([&] { return Redis({"info", "loaded"}).exit_code == 2; }));
  ExpectFailure(Redis({"expire", "loaded", "--after", "1"}), "has expired");
  ExpectFailure(Redis({"expire", "nothing", "--after", "1"}), "no filter nothing");
}

// Layouts that take no keys, or no images: which other command does it.
TEST_F(ToolsRedisTest, ARefusalNamesTheCommandThatDoesIt) {
  const RunResult made = Redis({"create", "r", "--num-keys", "1e4", "--fpr", "0.01", "--layout", "retrieval"});
  Redis({"create", "set", "--num-keys", "10", "--fpr", "0.1"});
  const RunResult begun =
      Redis({"switch", "set", "--begin", "--num-keys", "1e4", "--fpr", "0.01", "--layout", "retrieval"});
  for (const char* command : {"linefilter build", "linefilter redis load"}) {
    ExpectFailure(made, command);
    ExpectFailure(begun, command);
  }
  for (const std::vector<std::string>& layout :
       std::vector<std::vector<std::string>>{{"--layout", "retrieval"}, {"--layout", "counting"}, {"--grow"}}) {
    std::vector<std::string> more = {"--fpr", "0.01"};
    more.insert(more.end(), layout.begin(), layout.end());
    const std::string name = "of" + layout.back(), image = Build(name, Lines(0, 100), more);
    EXPECT_EQ(RedisJson({"load", name, image})["created"], true);
    ExpectFailure(Redis({"load", name, image}), "linefilter redis switch");
  }
}

// A filter that was made is there, whatever fails behind.
TEST_F(ToolsRedisTest, WhatIsMadeIsSaidToBe) {
  using Words = test::RedisRelay::Words;
  std::function<bool(const Words&)> refuses;
  test::RedisRelay relay(server_->port());
  relay.before = [&](const Words& words) {
    return refuses(words) ? test::RedisRelay::Act("-ERR not now\r\n") : test::RedisRelay::Act();
  };
  const auto through = [&](std::vector<std::string> words) {
    words.insert(words.end(),
                 {"--num-keys", "1000", "--fpr", "0.1", "--server", relay.address(), "--patience", "60000"});
    words.insert(words.begin(), "redis");
    return Run(words);
  };
  refuses = [](const Words& words) {  // the record's time to live
    return words[0] == "EVAL" && words[1].find("'PEXPIRE'") != std::string::npos && words[3] == "timed";
  };
  ExpectFailure(through({"create", "timed", "--expire", "100"}), "filter timed is there, without its --expire");
  EXPECT_EQ(RedisJson({"info", "timed"})["num_keys"], 1000);
  refuses = [](const Words& words) { return words[0] == "GETRANGE" && words[1] != "seen"; };  // the sample
  ExpectFailure(through({"create", "seen"}), "filter seen is there, as asked");
  ExpectFailure(through({"switch", "seen", "--begin"}), "begun; ");
  EXPECT_TRUE(RedisJson({"info", "seen"}).contains("next_generation"));
}

// As many shards as `plan --redis` plans with, on one server.
TEST_F(ToolsRedisTest, ShardsAreThoseOfThePlan) {
  for (const char* keys : {"1000", "5e7", "6e7", "1.2e8"}) {
    const json plan = Json({"plan", "--redis", "--num-keys", keys, "--fpr", "0.01"}, 0);
    const json made = RedisJson({"create", keys, "--num-keys", keys, "--fpr", "0.01"});
    EXPECT_EQ(made["shards"], plan["shards"]) << keys;
    EXPECT_EQ(made["body_bytes"], plan["body_bytes"]) << keys;
    double memory = 0;
    for (const std::string& key : Keys()) memory += static_cast<double>(client_->Integer({"MEMORY", "USAGE", key}));
    const double planned = plan["memory_bytes"];
    EXPECT_LE(memory, 1.001 * planned + 4000) << keys << ": as Redis counts it";
    EXPECT_GE(memory, 0.99 * planned - 4000) << keys;
    Redis({"delete", keys});
  }
}

TEST_F(ToolsRedisTest, OtherPeoplesKeysAreLeftAlone) {
  client_->Do({"SET", "text", "hello"});
  client_->Do({"RPUSH", "list", "hello"});
  for (const char* name : {"text", "list"}) {
    ExpectFailure(Redis({"info", name}), name);
    ExpectFailure(Redis({"create", name, "--num-keys", "10", "--fpr", "0.1"}), name);
    ExpectFailure(Redis({"add", name, "--keys", "-"}, "a\n"), name);
    ExpectFailure(Redis({"query", name, "--keys", "-"}, "a\n"), name);
    ExpectFailure(Redis({"load", name, Build("image", "a\n")}), name);
    ExpectFailure(Redis({"switch", name, "--commit"}), name);
    ExpectFailure(Redis({"delete", name}), name);
  }
  EXPECT_EQ(client_->Text({"GET", "text"}), "hello");
  EXPECT_EQ(Keys().size(), 2u);
}

TEST_F(ToolsRedisTest, BadNamesAreRefused) {
  for (const std::string& name : {std::string(), std::string(201, 'a'), std::string("two\nlines")}) {
    ExpectFailure(Redis({"create", name, "--num-keys", "10", "--fpr", "0.1"}), "");
    ExpectFailure(Redis({"query", name, "--keys", "-"}, "a\n"), "");
  }
  for (const char* name : {"query", "--x", "{tag}a", "with blank", "\xff\xfe"}) {
    if (name[0] == '-') continue;
    EXPECT_EQ(Redis({"create", name, "--num-keys", "10", "--fpr", "0.1"}).exit_code, 0) << name;
    EXPECT_EQ(Redis({"add", name, "--keys", "-"}, "a\n").exit_code, 0) << name;
    EXPECT_EQ(RedisJson({"query", name, "--keys", "-"}, 0, "a\n")["maybe"], 1) << name;
  }
}

TEST_F(ToolsRedisTest, NoServerIsSaidSo) {
  for (const char* server : {"127.0.0.1:1", "unix:/nowhere/socket", "no.such.host.invalid:6379", "127.0.0.1:0",
                             "127.0.0.1:99999", "127.0.0.1:port", ":", ","}) {
    const RunResult result = Run(
        {"redis", "query", "seen", "--keys", "-", "--server", server, "--patience", "100", "--timeout", "100"}, "a\n");
    ExpectFailure(result, "linefilter: redis query seen: ");
    EXPECT_GT(result.err.size(), 60u) << server << result.err;
  }
}

// What the library calls its fields are options here, in each command; a filter's name is its user's own.
TEST_F(ToolsRedisTest, SentencesNameTheOptions) {
  Redis({"create", "seen", "--num-keys", "10", "--fpr", "0.1"});
  const RunResult alone =
      Redis({"add", "seen", "--keys", "-", "--print", "new", "--wait-replicas", "1", "--wait", "1"}, "a\n");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_NE(alone.err.find("(--wait-replicas, --wait)"), std::string::npos) << alone.err;
  EXPECT_EQ(alone.err.find("::"), std::string::npos) << alone.err;
  const std::vector<std::string> create = {"create", "new", "--num-keys", "10"};
  const auto made_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), create.begin(), create.end());
    return Redis(more);
  };
  ExpectFailure(made_with({"--bits-per-key", "100"}), "--bits-per-key is 100");
  ExpectFailure(made_with({"--fpr", "2"}), "--fpr is 2");
  ExpectFailure(made_with({"--fpr", "0"}), "neither --bits-per-key nor --fpr");
  ExpectFailure(made_with({"--fpr", "0.1", "--shard-bytes", "1e12"}), "--shard-bytes is 1000000000000");
  for (const std::string name : {"RedisServers::tls", "RedisServers::tls_key and all", "e", "shard_bytes is taken"}) {
    client_->Do({"SET", name, "hello"});
    const std::string err = Redis({"info", name}).err;
    EXPECT_NE(err.find(name + " "), std::string::npos) << err;
  }
}

// What a terminal would obey is not for it.
TEST_F(ToolsRedisTest, NamesAreShownClean) {
  const std::string name = "a\033[2Jb";
  for (const RunResult& result : {Redis({"info", name}), Redis({"delete", std::string("\033") + std::string(200, 'x')}),
                                  Run({"redis", "info", name, "--server", "127.0.0.1:1", "--patience", "1"})}) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err.find('\033'), std::string::npos) << result.err;
  }
}

TEST_F(ToolsRedisTest, APasswordInTheAddressIsNotTold) {
  for (const char* server : {"user:hush@127.0.0.1:6379", ":hush@host", "redis://:hush@host:6379", "a:1,u:hush@b:1"}) {
    const RunResult result =
        Run({"redis", "query", "seen", "--keys", "-", "--server", server, "--patience", "100"}, "a\n");
    ExpectFailure(result, "--password-file");
    EXPECT_EQ(result.err.find("hush"), std::string::npos) << result.err;
  }
}

TEST_F(ToolsRedisTest, UsageNamesTheProgram) {
  EXPECT_NE(Run({"redis"}).err.find("Usage: linefilter redis "), std::string::npos) << Run({"redis"}).err;
  EXPECT_NE(Run({}).err.find("Usage: linefilter "), std::string::npos) << Run({}).err;
}

TEST_F(ToolsRedisTest, BadUsage) {
  const std::string keys = dir_.Write("keys", "a\n");
  const std::vector<std::vector<std::string>> bad = {
      {},
      {"nothing"},
      {"--json"},
      {"create"},
      {"create", "a"},
      {"create", "a", "--num-keys", "10"},
      {"create", "a", "--num-keys", "10", "--fpr", "0"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--expire", "0"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--bits-per-key", "10"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--layout", "container"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--expire", "1e18"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--password", "secret"},
      {"add", "a"},
      {"add", "a", "--keys", keys, "--print", "maybe"},
      {"add", "a", "--keys", keys, "--print", "new", "--json"},
      {"add", "a", "--keys", dir_.File("nothing")},
      {"query", "a", "--keys", keys, "--u64"},
      {"query", "a", "--keys", keys, "--wait-replicas", "1"},
      {"query", "a", "--keys", keys, "--timeout", "0"},
      {"query", "a", "--keys", keys, "--patience", "1e12"},
      {"query", "a", "--keys", keys, "--database", "1e9"},
      {"query", "a", "--keys", keys, "--password-file", dir_.File("nothing")},
      {"query", "a", "--keys", keys, "--password-file", dir_.path()},
      {"query", "a", "--keys", keys, "--password-file", dir_.Write("empty", "\n")},
      {"query", "a", "--keys", keys, "--database", "99"},
      {"add", "a", "--keys", keys, "--wait-replicas", "1e6"},
      {"load", "a"},
      {"dump", "a"},
      {"dump", "a", "--out", dir_.path()},
      {"dump", "a", "--out", dir_.File("nowhere/x")},
      {"switch", "a"},
      {"switch", "a", "--begin", "--commit"},
      {"switch", "a", "--begin"},
      {"switch", "a", "--begin", "--num-keys", "10"},
      {"switch", "a", "--begin", "--fpr", "0.1"},
      {"switch", "a", "--commit", "--fpr", "0.1"},
      {"switch", "a", "image", "--abandon"},
      {"switch", "a", "--begin", "--num-keys", "10", "--fpr", "0.1", "--generation", "0123456789abcdef"},
      {"switch", "a", "image", "--generation", "0123456789abcdef"},
      {"switch", "a", "--commit", "--generation", "7"},
      {"switch", "a", "--commit", "--no-writers"},
      {"delete"},
      {"delete", "a", "--wait-replicas", "1"},
      {"delete", "a", "b"},
      {"info"},
      {"expire", "a"},
      {"expire", "a", "--after", "0"},
      {"expire", "a", "--after", "1e18"},
      {"expire", "a", "--after", "10", "--never"},
      {"load", "a", keys, "--expire", "0"},
  };
  for (const std::vector<std::string>& words : bad) {
    if (words.empty()) {
      ExpectBadUsage({"redis"});
    } else {
      ExpectBadUsage(Words(words));
    }
  }
  EXPECT_TRUE(Keys().empty());
}

TEST_F(ToolsRedisTest, EveryCommandIsExplained) {
  for (const std::string command :
       {"", "create", "add", "query", "info", "load", "dump", "switch", "expire", "delete", "bench"}) {
    std::vector<std::string> words = {"redis"};
    if (!command.empty()) words.push_back(command);
    words.push_back("--help");
    const RunResult help = Run(words);
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_NE(help.out.find("Exit code"), std::string::npos) << command;
    // What a command cannot do is no option of it.
    EXPECT_EQ(help.out.find("--tls-ca") != std::string::npos, command != "" && command != "bench") << command;
    // It cannot be made empty.
    EXPECT_TRUE((command != "create" && command != "switch") || help.out.find(", retrieval") == std::string::npos);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

// Of a server with a password, on the command line of which nothing is told.
TEST(ToolsRedisPasswordTest, ComesFromTheEnvironmentOrAFile) {
  test::RedisServerOptions options;
  options.password = "open sesame";
  test::RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  const test::TempDir dir;
  const auto create = [&](const std::string& name, const test::Environment& environment, std::string file) {
    std::vector<std::string> words = test::OurProgram(LINEFILTER_PROGRAM);
    for (const char* word : {"redis", "create"}) words.push_back(word);
    words.insert(words.end(), {name, "--num-keys", "10", "--fpr", "0.1", "--server", server.address()});
    if (!file.empty()) words.insert(words.end(), {"--password-file", dir.Write("password", file)});
    return test::RunProgram(words, {}, environment);
  };
  EXPECT_EQ(create("a", {{"LINEFILTER_REDIS_PASSWORD", "open sesame"}}, "").exit_code, 0);
  EXPECT_EQ(create("b", {}, "open sesame\n").exit_code, 0);
  EXPECT_EQ(create("c", {{"LINEFILTER_REDIS_PASSWORD", "wrong"}}, "open sesame\r\n").exit_code, 0) << "the file wins";
  for (const RunResult& result :
       {create("d", {}, ""), create("d", {{"LINEFILTER_REDIS_PASSWORD", "wrong!"}}, ""), create("d", {}, "wrong!\n")}) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_GT(result.err.size(), 40u);
    EXPECT_EQ(result.err.find("wrong!"), std::string::npos) << "a password is not told: " << result.err;
    for (const char* word : {"LINEFILTER_REDIS_PASSWORD", "--password-file"}) {
      EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
    }
  }
}

// Users of Redis' ACL: one who has no password needs none, one who is unknown is refused.
TEST(ToolsRedisPasswordTest, AUserMayHaveNone) {
  test::RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  test::RedisClient client(server.address());
  client.Do({"ACL", "SETUSER", "free", "on", "nopass", "~*", "&*", "+@all"});
  client.Do({"ACL", "SETUSER", "default", "off"});  // this connection stays
  const auto as = [&](const std::string& user, std::vector<std::string> words) {
    std::vector<std::string> all = test::OurProgram(LINEFILTER_PROGRAM);
    words.insert(words.end(), {"--server", server.address(), "--user", user});
    all.insert(all.end(), words.begin(), words.end());
    return test::RunProgram(all, {}, {});
  };
  const std::vector<std::string> create = {"redis", "create", "a", "--num-keys", "10", "--fpr", "0.1"};
  EXPECT_EQ(as("free", create).exit_code, 0);
  const RunResult bench =
      as("free", {"redis", "bench", "--num-keys", "10000", "--rounds", "1", "--batch", "100", "--seconds", "0.001"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  const RunResult refused = as("nobody", create);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--user and the password"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace linefilter
