// What a command of linefilter redis is asked for it does and says. What it is asked wrongly, of the wrong name, server
// or user, it refuses with a sentence that names its options and no secret.
#include <sstream>

#include "tests/testing/redis_relay.h"
#include "tests/tools/tools_redis_test.h"

namespace linefilter::test {
namespace {

TEST_F(ToolsRedisTest, WhatIsCreatedIsWhatWasAsked) {
  const json made = RedisJson({"create", "seen", "--num-keys", "1e6", "--bits-per-key", "12", "--seed", "7",
                               "--foldable", "--shard-bytes", "500000"});
  EXPECT_EQ(made["seed"], 7);
  EXPECT_EQ(made["num_blocks"].get<int>() % 64, 0);
  EXPECT_LE(made["shard_bytes"], 500032);
  EXPECT_EQ(made["shards"], (made["body_bytes"].get<int>() + 499999) / 500000);
  ExpectFailure(Redis({"create", "seen", "--num-keys", "1e6", "--bits-per-key", "12"}), "seen");
  Redis({"switch", "seen", "--begin", "--num-keys", "1e6", "--bits-per-key", "11.99", "--foldable"});
  EXPECT_EQ(RedisJson({"switch", "seen", "--commit"})["num_blocks"].get<int>() % 64, 0);
  for (const char* layout : {"classic", "quotient"}) {
    EXPECT_EQ(RedisJson({"create", layout, "--num-keys", "1e4", "--fpr", "0.01", "--layout", layout})["layout"],
              layout);
    EXPECT_EQ(RedisJson({"add", layout, "-"}, 0, Lines(0, 100))["new"], 100) << layout;
    EXPECT_EQ(RedisJson({"query", layout, "-"}, 0, Lines(0, 200))["maybe"], 100) << layout;
  }
  const json none = RedisJson({"create", "none", "--num-keys", "0", "--fpr", "0.01"});
  EXPECT_EQ(none["capacity"], RedisJson({"info", "none"})["capacity"]);
}

TEST_F(ToolsRedisTest, AFilterGoesWhenItIsSaid) {
  const auto left_of = [&](const char* name) { return RedisJson({"info", name}).value("expires_in_ms", -1); };
  Redis({"load", "loaded", Build("image", "a\n")});
  const json later = RedisJson({"expire", "loaded", "--after", "1e4"});
  EXPECT_EQ(later["expires"], true);
  EXPECT_EQ(later["expires_in_ms"], 10000000);
  EXPECT_GT(left_of("loaded"), 9000000);
  EXPECT_LE(left_of("loaded"), 10000000);
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
       std::vector<std::vector<std::string>>{{"--layout", "retrieval"}, {"--layout", "quotient"}, {"--grow"}}) {
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
    words.insert(words.end(), {"--num-keys", "1000", "--fpr", "0.1", "--server", relay.address(), "--patience", "60s"});
    words.insert(words.begin(), "redis");
    return Run(words);
  };
  refuses = [](const Words& words) { return words[0] == "GETRANGE" && words[1] != "seen"; };  // the sample
  ExpectFailure(through({"create", "seen"}), "filter seen is there, as asked");
  ExpectFailure(through({"switch", "seen", "--begin"}), "begun; ");
  EXPECT_TRUE(RedisJson({"info", "seen"}).contains("next_generation"));
}

// There are as many shards as `plan --redis` plans with, on one server.
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
    ExpectFailure(Redis({"add", name, "-"}, "a\n"), name);
    ExpectFailure(Redis({"query", name, "-"}, "a\n"), name);
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
    ExpectFailure(Redis({"query", name, "-"}, "a\n"), "");
  }
  for (const char* name : {"query", "--x", "{tag}a", "with blank", "\xff\xfe"}) {
    if (name[0] == '-') continue;
    EXPECT_EQ(Redis({"create", name, "--num-keys", "10", "--fpr", "0.1"}).exit_code, 0) << name;
    EXPECT_EQ(Redis({"add", name, "-"}, "a\n").exit_code, 0) << name;
    EXPECT_EQ(RedisJson({"query", name, "-"}, 0, "a\n")["maybe"], 1) << name;
  }
}

// A server that is not reachable is told by an exit code of its own: a script waits and tries again.
TEST_F(ToolsRedisTest, NoServerIsSaidSo) {
  const auto ask = [&](const char* server, int exit_code) {
    const RunResult result =
        Run({"redis", "query", "seen", "--server", server, "--patience", "100ms", "--timeout", "100ms"}, "a\n");
    ExpectFailure(result, "linefilter: redis query seen: ", exit_code);
    EXPECT_GT(result.err.size(), 60u) << server << result.err;
  };
  for (const char* server : {"127.0.0.1:1", "unix:/nowhere/socket", "no.such.host.invalid:6379"}) ask(server, 3);
  for (const char* server : {"127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:port", ":", ","}) ask(server, 2);
  const std::string image = Build("image", "a\n");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"create", "a", "--num-keys", "10", "--fpr", "1%"},
                                             {"add", "a"},
                                             {"info", "a"},
                                             {"load", "a", image},
                                             {"dump", "a", "--out", dir_.File("bad")},
                                             {"switch", "a", "--commit"},
                                             {"expire", "a", "--never"},
                                             {"delete", "a"},
                                             {"bench", "--num-keys", "40k"}}) {
    std::vector<std::string> all = {"redis"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--server", "127.0.0.1:1", "--patience", "10ms"});
    const RunResult result = Run(all, "a\n");
    EXPECT_EQ(result.exit_code, 3) << words[0] << result.err;
  }
}

// What the library calls its fields are options here, in each command; a filter's name is its user's own.
TEST_F(ToolsRedisTest, SentencesNameTheOptions) {
  Redis({"create", "seen", "--num-keys", "10", "--fpr", "0.1"});
  const RunResult alone = Redis({"add", "seen", "-", "--print", "new", "--wait-replicas", "1", "--wait", "1ms"}, "a\n");
  EXPECT_EQ(alone.exit_code, 3) << "no replica is there";
  EXPECT_NE(alone.err.find("(--wait-replicas, --wait)"), std::string::npos) << alone.err;
  EXPECT_EQ(alone.err.find("::"), std::string::npos) << alone.err;
  const std::vector<std::string> create = {"create", "new", "--num-keys", "10"};
  const auto made_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), create.begin(), create.end());
    return Redis(more);
  };
  ExpectFailure(made_with({"--bits-per-key", "100"}), "--bits-per-key is 100");
  ExpectFailure(made_with({"--fpr", "2"}), "--fpr is 2");
  ExpectFailure(made_with({"--fpr", "0"}), "--fpr: '0' is no rate");
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
                                  Run({"redis", "info", name, "--server", "127.0.0.1:1", "--patience", "1ms"})}) {
    EXPECT_GE(result.exit_code, 2);
    EXPECT_EQ(result.err.find('\033'), std::string::npos) << result.err;
  }
}

TEST_F(ToolsRedisTest, APasswordInTheAddressIsNotTold) {
  for (const char* server : {"user:hush@127.0.0.1:6379", ":hush@host", "redis://:hush@host:6379", "a:1,u:hush@b:1"}) {
    const RunResult result = Run({"redis", "query", "seen", "-", "--server", server, "--patience", "100ms"}, "a\n");
    ExpectFailure(result, "--password-file");
    EXPECT_EQ(result.err.find("hush"), std::string::npos) << result.err;
  }
}

TEST_F(ToolsRedisTest, UsageNamesTheProgram) {
  EXPECT_NE(Run({"redis"}).err.find("Usage: linefilter redis "), std::string::npos) << Run({"redis"}).err;
  EXPECT_NE(Run({}).err.find("Usage: linefilter "), std::string::npos) << Run({}).err;
}

std::vector<std::vector<std::string>> BadCommands(const std::string& keys, const TempDir& dir) {
  return {
      {},
      {"nothing"},
      {"--json"},
      {"create"},
      {"create", "a"},
      {"create", "a", "--num-keys", "10"},
      {"create", "a", "--num-keys", "10", "--fpr", "0"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--bits-per-key", "10"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--layout", "container"},
      {"create", "a", "--num-keys", "10", "--fpr", "0.1", "--password", "secret"},
      {"add", "a"},
      {"add", "a", keys, "--print", "maybe"},
      {"add", "a", keys, "--print", "new", "--json"},
      {"add", "a", keys, "--print", "new", "--remove"},
      {"add", "a", keys, "--print", "removed"},
      {"add", "a", keys, "--generation", "0123456789abcdef"},
      {"add", "a", keys, "--remove", "--generation", "0x0123456789abcd"},
      {"add", "a", dir.File("nothing")},
      {"query", "a", keys, "--u64"},
      {"query", "a", keys, "--wait-replicas", "1"},
      {"query", "a", keys, "--timeout", "0"},
      {"query", "a", keys, "--patience", "1e12"},
      {"query", "a", keys, "--database", "1e9"},
      {"query", "a", keys, "--password-file", dir.File("nothing")},
      {"query", "a", keys, "--password-file", dir.path()},
      {"query", "a", keys, "--password-file", dir.Write("empty", "\n")},
      {"query", "a", keys, "--database", "99"},
      {"add", "a", keys, "--wait-replicas", "1e6"},
      {"load", "a"},
      {"dump", "a"},
      {"dump", "a", "--out", dir.path()},
      {"dump", "a", "--out", dir.File("nowhere/x")},
      {"switch", "a"},
      {"switch", "a", "--begin", "--commit"},
      {"switch", "a", "--begin"},
      {"switch", "a", "--begin", "--num-keys", "10"},
      {"switch", "a", "--begin", "--fpr", "0.1"},
      {"switch", "a", "--commit", "--fpr", "0.1"},
      {"switch", "a", "--commit", "--removable"},
      {"switch", "a", "--commit", "--not-removable"},
      {"switch", "a", "--begin", "--num-keys", "10", "--fpr", "0.1", "--removable", "--not-removable"},
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
  };
}

TEST_F(ToolsRedisTest, BadUsage) {
  const std::string keys = dir_.Write("keys", "a\n");
  for (const std::vector<std::string>& words : BadCommands(keys, dir_)) {
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
    EXPECT_EQ(help.out.find("--tls-ca") != std::string::npos, command != "") << command;
    // It cannot be made empty.
    EXPECT_TRUE((command != "create" && command != "switch") || help.out.find(", retrieval") == std::string::npos);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

// The command line does not tell the password of the server.
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
}  // namespace linefilter::test
