// linefilter redis, end to end, against a server of our own: what is added is found, what fails says so and what to do,
// and nothing that Redis did not answer is ever "absent".
#include "tests/tools/tools_redis_test.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>

#include "tests/testing/redis_relay.h"

namespace linefilter::test {

TEST_F(ToolsRedisTest, WhatIsAddedIsFound) {
  const json made = RedisJson({"create", "seen", "--num-keys", "1e5", "--fpr", "0.01"});
  EXPECT_EQ(made["layout"], "blocked");
  EXPECT_EQ(made["capacity"], 100000);
  EXPECT_EQ(RedisJson({"query", "seen", "-"}, 1, Lines(0, 1000))["maybe"], 0) << "1: none";
  const json added = RedisJson({"add", "seen", "-"}, 0, Lines(0, 20000));
  EXPECT_EQ(added["keys_read"], 20000);
  EXPECT_EQ(added["failed"], 0);
  EXPECT_GE(added["new"], 19990) << "nearly all: the filter is hardly filled";
  EXPECT_EQ(added["new"].get<int>() + added["known"].get<int>(), 20000);
  EXPECT_EQ(RedisJson({"query", "seen", "-"}, 0, Lines(0, 20000))["maybe"], 20000);
  EXPECT_EQ(RedisJson({"query", "seen", "-"}, 0, Lines(19999, 30000))["absent"], 10000);
  const json info = RedisJson({"info", "seen"});
  EXPECT_EQ(info["capacity"], 100000);
  EXPECT_NEAR(info["approximate_size"].get<double>(), 20000, 400);
  EXPECT_EQ(info["lost_shards"], 0);
  EXPECT_EQ(info["cluster"], false);
  EXPECT_EQ(RedisJson({"delete", "seen"})["deleted"], true);
  EXPECT_TRUE(Keys().empty());
  EXPECT_EQ(RedisJson({"delete", "seen"}, 1)["deleted"], false) << "1: there was none";
  ExpectFailure(Redis({"query", "seen", "-"}, "a\n"), "seen");
}

TEST_F(ToolsRedisTest, WhatIsRemovedIsGone) {
  EXPECT_EQ(RedisJson({"create", "seen", "--num-keys", "1e4", "--fpr", "0.001", "--removable"})["layout"], "quotient");
  RedisJson({"add", "seen", "-"}, 0, Lines(0, 5000));
  const json removed = RedisJson({"add", "seen", "-", "--remove"}, 0, Lines(0, 2000));
  EXPECT_EQ(removed["removed"], 2000);
  EXPECT_EQ(removed["absent"].get<int>() + removed["failed"].get<int>() + removed["unknown"].get<int>(), 0);
  EXPECT_EQ(RedisJson({"query", "seen", "-"}, 0, Lines(2000, 5000))["maybe"], 3000);
  EXPECT_GE(RedisJson({"add", "seen", "-", "--remove"}, 0, Lines(0, 2000))["absent"], 1980);
  Redis({"create", "set", "--num-keys", "1e4", "--fpr", "0.001"});
  ExpectFailure(Redis({"add", "set", "-", "--remove"}, "a\n"), "gives no key back");
}

TEST_F(ToolsRedisTest, WarnsOfMoreKeysThanItWasMadeFor) {
  Redis({"create", "small", "--num-keys", "1000", "--fpr", "0.01"});
  EXPECT_EQ(Redis({"add", "small", "-"}, Lines(0, 500)).err, "");
  const json info = RedisJson({"info", "small", "--fpr", "0.01"});
  EXPECT_NEAR(info["room_for"].get<double>(), 500, 100);
  const RunResult added = Redis({"add", "small", "-"}, Lines(0, 2000));
  EXPECT_EQ(added.exit_code, 0);
  EXPECT_EQ(added.err.find("linefilter: warning: small was made for 1000 keys and holds about "), 0u) << added.err;
  EXPECT_EQ(std::count(added.err.begin(), added.err.end(), '\n'), 1) << "once";
  EXPECT_EQ(Redis({"info", "small"}).err.find("linefilter: warning: small"), 0u);
  EXPECT_EQ(RedisJson({"info", "small", "--fpr", "0.01"})["room_for"], 0);
  EXPECT_EQ(Redis({"info", "small", "--fpr", "1"}).exit_code, 2);
}

// A pipe of unique lines, on as many machines as want: each key comes out of one of them.
TEST_F(ToolsRedisTest, AddPrintsWhatWasNew) {
  Redis({"create", "seen", "--num-keys", "1e5", "--fpr", "0.0001"});
  EXPECT_EQ(Redis({"add", "seen", "-", "--print", "new"}, "a\nb\na\n\nlast").out, "a\nb\n\nlast\n");
  EXPECT_EQ(Redis({"add", "seen", "-", "--print", "new"}, "b\nc\n").out, "c\n");
  EXPECT_EQ(Redis({"add", "seen", "-", "--print", "known"}, "b\nd\n").out, "b\n");
  EXPECT_EQ(Redis({"add", "seen", "-", "--print", "failed"}, "e\n").out, "");
  EXPECT_EQ(Redis({"query", "seen", "-"}, "e\nf\n").out, "maybe\te\nabsent\tf\n");
  EXPECT_EQ(Redis({"query", "seen", "-", "--print", "absent"}, "e\nf\n").out, "f\n");
  const std::string two("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
  EXPECT_EQ(Redis({"add", "seen", "-", "--u64", "--print", "new"}, two).out, two);
  EXPECT_EQ(Redis({"query", "seen", "-", "--u64", "--count"}, two).out,
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
    for (const std::string& word : Words({"add", "seen", keys, "--print", "new"})) line += " " + word;
    return test::RunProgram({"sh", "-c", "(" + line + "; echo exit $? >&2) " + output});
  };
  const auto num_added = [&] { return RedisJson({"query", "seen", keys})["maybe"].get<int>(); };
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
    for (const std::string& word : Words({"query", "seen", "-", "--print", "absent"})) line += " " + word;
    const RunResult result = test::RunProgram({"sh", "-c", line + " <" + keys + " " + closed});
    EXPECT_EQ(client_->Text({"GET", "victim"}), "lives") << closed;
    EXPECT_EQ(result.exit_code, 2) << "what could not be printed is no success";
    if (closed == ">&-") ExpectFailure(result, "cannot write to standard output: ");
  }
}

// Whatever is built here is asked there, and comes back.
TEST_F(ToolsRedisTest, ImagesOfAllLayoutsGoAndComeBack) {
  const std::string queries = Lines(0, 3000) + Lines(100000, 110000);
  std::vector<std::vector<std::string>> kinds = {{"--layout", "blocked"},   {"--layout", "classic"},
                                                 {"--layout", "retrieval"}, {"--layout", "quotient"},
                                                 {"--removable"},           {"--grow"}};
  for (size_t i = 0; i < kinds.size(); ++i) {
    const std::string name = "of-" + kinds[i].back();
    std::vector<std::string> more = {"--fpr", "0.02"};
    more.insert(more.end(), kinds[i].begin(), kinds[i].end());
    const std::string image = Build(name, Lines(0, 3000), more);
    EXPECT_EQ(RedisJson({"load", name, image})["created"], true);
    const RunResult here = Run({"query", image, "-"}, queries);
    const RunResult there = Redis({"query", name, "-"}, queries);
    EXPECT_EQ(there.out, here.out) << name;
    EXPECT_EQ(there.exit_code, 0);
    const std::string back = Dump(name);
    EXPECT_EQ(Run({"query", back, "-"}, queries).out, here.out) << name;
    json here_told = Json({"info", image}, 0), back_told = Json({"info", back}, 0);
    EXPECT_EQ(back_told["key_kind"], "unknown") << "Redis does not keep it";
    if (kinds[i].back() == "--grow") {
      for (const char* const name_of : {"image", "key_kind", "image_bytes"}) here_told[name_of] = back_told[name_of];
      EXPECT_EQ(back_told, here_told) << "how it goes on is there, too";
    }
    const json info = RedisJson({"info", name});
    EXPECT_EQ(info["layout"], Json({"info", image}, 0)["layout"]);
    EXPECT_EQ(info["body_bytes"], Json({"info", image}, 0)["body_bytes"]);
    EXPECT_NEAR(info["approximate_size"].get<double>(), 3000, 200) << name;
  }
}

TEST_F(ToolsRedisTest, LoadAddsTheKeysOfAnImage) {
  const std::string one = Build("one", Lines(0, 4000)), two = Build("two", Lines(4000, 8000));
  EXPECT_EQ(RedisJson({"load", "all", one})["created"], true);
  EXPECT_EQ(RedisJson({"load", "all", two})["created"], false);
  EXPECT_EQ(RedisJson({"query", "all", "-"}, 0, Lines(0, 8000))["maybe"], 8000);
  const std::string small = Build("small", Lines(0, 10)), empty = Build("empty", "");
  ExpectFailure(Redis({"load", "all", small}), "redis load: ");
  const RunResult least = Redis({"load", "empty", empty, "--json"});
  EXPECT_EQ(json::parse(least.out)["body_bytes"], 64) << "an empty filter of the least size";
  EXPECT_NE(least.err.find("no keys, so filter empty has the least size, 64 bytes"), std::string::npos) << least.err;
  EXPECT_EQ(least.exit_code, 0);
  const std::string nothing = Redis({"load", "all", empty}).err;
  EXPECT_EQ(nothing.find("no keys"), std::string::npos) << "that brings nothing to a filter that has its size";
  EXPECT_EQ(nothing.find("linefilter: warning: all was made for 4000 keys"), 0u) << nothing;
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
  Redis({"add", "seen", "-"}, "a\n");
  client_->Do({"DEL", ShardOf("seen")});
  ExpectFailure(Redis({"query", "seen", "-"}, "a\nb\n"), "lost");
  ExpectFailure(Redis({"dump", "seen", "--out", dir_.File("bad")}), "lost");
  const RunResult added = Redis({"add", "seen", "-", "--print", "failed"}, "c\nd\n");
  EXPECT_EQ(added.out, "c\nd\n");
  EXPECT_EQ(added.exit_code, 2);
  EXPECT_NE(added.err.find("2 keys, 0 of them acknowledged"), std::string::npos) << added.err;
  EXPECT_EQ(RedisJson({"add", "seen", "-"}, 2, "c\nd\n")["failed"], 2);
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
    std::atomic<bool> is_written{false}, has_happened{false};
    relay.after = [&](const test::RedisRelay::Words& words) {
      is_written = is_written || words[0] == "BITFIELD";
      const bool looks_at_record = words[0] == "GETRANGE" && words[1] == "seen";  // a batch ends so
      if (!is_written || !looks_at_record || has_happened) return;
      has_happened = true;
      now.happens();
    };
    const RunResult result = Run({"redis", "add", "seen", "-", "--print", "failed", "--server", relay.address()}, keys);
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
  Redis({"add", "seen", "-"}, "a\n");
  client_->Do({"CONFIG", "SET", "maxmemory", "1"});
  const RunResult full = Redis({"add", "seen", "-", "--print", "new"}, "b\n");
  client_->Do({"CONFIG", "SET", "maxmemory", "0"});
  ExpectFailure(full, "maxmemory");
  client_->Do({"REPLICAOF", "127.0.0.1", "1"});
  std::vector<std::string> words = {"redis",     "query", "seen",      "-", "--server", server_->address(),
                                    "--timeout", "60s",   "--patience"};
  words.push_back("200ms");
  ExpectFailure(Run(words, "a\nb\n"), "replica", 3);
  words.push_back("--replica-reads");
  EXPECT_EQ(Run(words, "a\nb\n").out, "maybe\ta\nabsent\tb\n");
  for (const char* command : {"info", "dump", "query"}) {
    std::vector<std::string> of_new = {command, "just-made", "--replica-reads"};
    if (of_new[0] == "dump") of_new.insert(of_new.end(), {"--out", dir_.File("bad")});
    if (of_new[0] == "query") of_new.insert(of_new.end(), {"-"});
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
  EXPECT_EQ(Redis({"add", "seen", "-", "--secret", secret}, "a\n").exit_code, 0);
  EXPECT_EQ(Redis({"query", "seen", "-", "--secret", secret}, "a\n").out, "maybe\ta\n");
  ExpectFailure(Redis({"query", "seen", "-"}, "a\n"), "secret");
  ExpectFailure(Redis({"query", "seen", "-", "--secret", other}, "a\n"), "secret");
  EXPECT_EQ(RedisJson({"switch", "seen", "--begin", "--num-keys", "100", "--fpr", "0.1", "--secret", secret})["hash"],
            "keyed");
  const std::string image = Dump("seen", {"--secret", secret});
  EXPECT_EQ(Run({"query", image, "-", "--secret", secret}, "a\n").out, "maybe\ta\n");
}

}  // namespace linefilter::test
