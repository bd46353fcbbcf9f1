// What no sound server does, but something at its address may: garbage, pieces, too much, silence, connections that end
// in the midst, redirects without end. Each command has exactly one answer, and none is another's.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "tests/testing/redis_fake_server.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"

namespace linefilter::redis_internal {
namespace {

using test::RedisFakeServer;
using test::RedisReplies;

RedisServers ServersOf(const RedisFakeServer& server, uint32_t patience_ms = 0) {
  RedisServers servers = test::PatientServers(server.address());
  servers.patience_ms = patience_ms;
  return servers;
}

// n times GET i.
Batch Gets(size_t n) {
  Batch batch;
  for (size_t i = 0; i < n; ++i) {
    batch.Add(KeyOf("a"), Kind::kRead, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{i});
  }
  return batch;
}

std::string Bulk(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

// What follows "GET ".
RedisFakeServer::Answer Echo(const std::string& command) { return Bulk(command.substr(4)); }

TEST(RedisFaults, WhatSpeaksAnotherProtocolIsSaidAtOnce) {
  for (const char* text :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "\x15\x03\x01\x00\x02", "$600000000\r\n", "*2000000\r\n"}) {
    RedisFakeServer server([text](const std::string&) { return text; }, false);
    Router router;
    const Status status = router.Connect(ServersOf(server, test::kLongMs));
    EXPECT_EQ(status.code(), StatusCode::kIoError) << text;
    EXPECT_NE(std::string(status.message()).find("does not speak Redis' protocol"), std::string::npos)
        << status.message();
  }
}

// A command that has one integer is answered by strings without an end: nobody waits for that, or keeps it.
TEST(RedisFaults, AnAnswerOfTooManyBytesIsGarbage) {
  const std::string mebibyte(size_t{1} << 20, 'x');
  RedisFakeServer server([&](const std::string&) { return "*100000\r\n" + Bulk(mebibyte) + Bulk(mebibyte); });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  RedisReplies replies;
  EXPECT_EQ(replies.Run(&router, Gets(1)).code(), StatusCode::kIoError);
}

TEST(RedisFaults, GarbageInTheMidstFailsWhatHasNoAnswerYet) {
  RedisFakeServer server([](const std::string& command) -> RedisFakeServer::Answer {
    return command == "GET 5" ? "garbage\r\n" : Echo(command);
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  RedisReplies replies;
  EXPECT_EQ(replies.Run(&router, Gets(10)).code(), StatusCode::kIoError);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(replies.code(i), i < 5 ? StatusCode::kOk : StatusCode::kIoError);
    if (i < 5) {
      EXPECT_EQ(replies.text(i), std::to_string(i));
    }
  }
  EXPECT_TRUE(replies.Run(&router, Gets(5)).ok()) << "on a new connection";
}

TEST(RedisFaults, RepliesInPiecesAreReplies) {
  RedisFakeServer server([](const std::string& command) {
    RedisFakeServer::Answer answer = Echo(command);
    answer.drips = true;
    return answer;
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  RedisReplies replies;
  const Status status = replies.Run(&router, Gets(20));
  ASSERT_TRUE(status.ok()) << status.message();
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(replies.text(i), std::to_string(i));
}

// More than a buffer holds, so that a reply lies across its end.
TEST(RedisFaults, RepliesMayComeAllAtOnce) {
  constexpr size_t kCommands = 1000;
  const auto reply_to = [](size_t i) { return std::string(300 + i % 100, static_cast<char>('a' + i % 26)); };
  RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
    if (command != "GET " + std::to_string(kCommands - 1)) return "";
    std::string all;
    for (size_t i = 0; i < kCommands; ++i) all += Bulk(reply_to(i));
    return all;
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  RedisReplies replies;
  const Status status = replies.Run(&router, Gets(kCommands));
  ASSERT_TRUE(status.ok()) << status.message();
  for (size_t i = 0; i < kCommands; ++i) ASSERT_EQ(replies.text(i), reply_to(i)) << i;
}

TEST(RedisFaults, MoreRepliesThanQuestionsAreNobodys) {
  RedisFakeServer server([](const std::string& command) -> RedisFakeServer::Answer {
    const std::string echo = Echo(command).bytes;
    return command == "GET 4" ? echo + "$5\r\nextra\r\n$5\r\nex" : echo;
  });
  RedisServers servers = ServersOf(server);
  for (const bool replica_reads : {true, false}) {
    servers.replica_reads = replica_reads;
    Router router;
    ASSERT_TRUE(router.Connect(servers).ok());
    RedisReplies replies;
    for (int round = 0; round < 3; ++round) {
      const Status status = replies.Run(&router, Gets(5));
      EXPECT_EQ(status.ok(), replica_reads) << "where a reply to ROLE follows, they are noticed";
      for (size_t i = 0; i < 5; ++i) EXPECT_EQ(replies.text(i), std::to_string(i));
    }
  }
}

// Half a reply, and then the connection ends, or nothing comes any more.
TEST(RedisFaults, HalfAReplyIsNone) {
  for (const bool closes : {true, false}) {
    RedisFakeServer server([closes](const std::string& command) {
      RedisFakeServer::Answer answer = Echo(command);
      if (command == "GET 3") {
        answer.bytes.resize(answer.bytes.size() - 3);
        answer.closes = closes;
      }
      return answer;
    });
    RedisServers servers = ServersOf(server);
    servers.replica_reads = true;  // else the reply to ROLE follows
    EXPECT_TRUE(test::HoldsAtSomeScale([&](uint32_t scale) {
      if (!closes) servers.timeout_ms = 50 * scale;
      Router router;
      EXPECT_TRUE(test::ConnectInTheEnd(&router, servers));
      RedisReplies replies;
      EXPECT_EQ(replies.Run(&router, Gets(4)).code(), StatusCode::kUnavailable);
      EXPECT_EQ(replies.code(3), StatusCode::kUnavailable);
      return replies.code(2) == StatusCode::kOk;
    }));
  }
}

// The next connection begins with a reply, not with the rest of this one.
TEST(RedisFaults, HalfAListIsForgottenWithItsConnection) {
  std::atomic<int> count{0};
  RedisFakeServer server([&count](const std::string&) -> RedisFakeServer::Answer {
    RedisFakeServer::Answer answer("*3\r\n:1\r\n$3\r\nab");
    answer.closes = true;
    return ++count == 1 ? answer : "*3\r\n:4\r\n:5\r\n:6\r\n";
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  RedisReplies replies;
  EXPECT_TRUE(replies.Run(&router, Gets(1)).ok());
  EXPECT_EQ(replies.text(0), "[4 5 6]");
}

TEST(RedisFaults, AConnectionThatEndsAgainAndAgainIsMadeAgain) {
  std::atomic<int> count{0};
  RedisFakeServer server([&count](const std::string& command) {
    RedisFakeServer::Answer answer = Echo(command);
    if (++count % 7 == 0) {
      answer.bytes.resize(static_cast<size_t>(count) % answer.bytes.size());
      answer.closes = true;
    }
    return answer;
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  for (int round = 0; round < 10; ++round) {
    RedisReplies replies;
    const Status status = replies.Run(&router, Gets(4));
    ASSERT_TRUE(status.ok()) << status.message();
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(replies.text(i), std::to_string(i));
  }
}

TEST(RedisFaults, WhatIsForNowOnlyIsAskedAgainAsLongAsPatienceLasts) {
  for (const char* error : {"LOADING x", "CLUSTERDOWN x", "TRYAGAIN x", "MASTERDOWN x", "BUSY x"}) {
    std::atomic<int> count{0};
    RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
      return ++count <= 6 ? "-" + std::string(error) + "\r\n" : Echo(command);
    });
    Router router;
    ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
    RedisReplies replies;
    EXPECT_EQ(replies.Run(&router, Gets(2)).code(), StatusCode::kUnavailable) << error;
    EXPECT_NE(replies.text(0).find(error), std::string::npos) << replies.text(0);
    ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
    EXPECT_TRUE(replies.Run(&router, Gets(2)).ok()) << error;
    EXPECT_EQ(replies.text(1), "1");
  }
}

// What is waited for in one batch is not there for the next one of the call; what goes well takes nothing of it.
TEST(RedisFaults, ThePatienceOfACallIsThatOfAllItsBatchesTogether) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  EXPECT_TRUE(test::HoldsAtSomeScale([](uint32_t scale) {
    std::atomic<steady_clock::time_point> dark_until{steady_clock::time_point()};
    RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
      return steady_clock::now() < dark_until.load() ? "-LOADING x\r\n" : Echo(command);
    });
    const milliseconds patience(100 * scale), dark(70 * scale);
    Router router;
    EXPECT_TRUE(router.Connect(ServersOf(server, static_cast<uint32_t>(patience.count()))).ok());
    RedisReplies replies;
    const Router::Call call(&router);
    std::this_thread::sleep_for(2 * patience);
    dark_until = steady_clock::now() + dark;
    if (!replies.Run(&router, Gets(2)).ok()) return false;  // a machine that was stalled
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(replies.Run(&router, Gets(2)).ok());
    dark_until = steady_clock::now() + dark;
    return replies.Run(&router, Gets(2)).code() == StatusCode::kUnavailable;
  }));
}

// write (fails once) check write check: both checks are asked again, after all writes.
TEST(RedisFaults, AChecksAnswerIsYoungerThanAllThatWentBeforeIt) {
  std::atomic<int> count{0};
  RedisFakeServer server([&count](const std::string& command) -> RedisFakeServer::Answer {
    return ++count == 2 ? "-TRYAGAIN x\r\n" : Echo(command);
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  Batch batch;
  for (size_t i = 0; i < 6; ++i) {
    batch.Add(KeyOf("a"), i % 2 == 0 ? Kind::kCheck : Kind::kWrite, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{i});
  }
  RedisReplies replies;
  ASSERT_TRUE(replies.Run(&router, batch).ok());
  const std::vector<std::string> expected = {"GET 0", "GET 1", "GET 2", "GET 3", "GET 4", "GET 5",  //
                                             "GET 1", "GET 2", "GET 4"};
  EXPECT_EQ(server.commands(), expected);
}

// The write is redirected to a slow node: the check at the other one waits for it.
TEST(RedisFaults, ACheckWaitsForWhatAnotherNodeWasAsked) {
  std::mutex mutex;
  std::vector<std::string> log;
  const auto note = [&](const std::string& line) {
    const std::lock_guard<std::mutex> lock(mutex);
    log.push_back(line);
  };
  RedisFakeServer slow([&](const std::string& command) -> RedisFakeServer::Answer {
    if (command == "ASKING") return "+OK\r\n";
    usleep(20000);
    note("slow " + command);
    return Echo(command);
  });
  RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
    note(command);
    return command == "GET 0" ? "-ASK 15495 " + slow.address() + "\r\n" : Echo(command);
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  Batch batch;
  for (const Kind kind : {Kind::kWrite, Kind::kCheck}) {
    batch.Add(KeyOf("a"), kind, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{batch.size() - 1});
  }
  RedisReplies replies;
  const Status status = replies.Run(&router, batch);
  ASSERT_TRUE(status.ok()) << status.message();
  const std::lock_guard<std::mutex> lock(mutex);
  EXPECT_EQ(log, (std::vector<std::string>{"GET 0", "GET 1", "slow GET 0", "GET 1"}));
}

TEST(RedisFaults, RedirectsWithoutEndEnd) {
  std::atomic<RedisFakeServer*> self{nullptr};
  for (const char* redirect : {"MOVED 15495 ", "ASK 15495 "}) {
    RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
      if (command.substr(0, 3) != "GET") return "+OK\r\n";
      return "-" + std::string(redirect) + self.load()->address() + "\r\n";
    });
    self = &server;
    Router router;
    ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
    RedisReplies replies;
    const Status status = replies.Run(&router, Gets(3));
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.message();
    EXPECT_LT(server.commands().size(), 200u);
  }
}

// Nodes that do not know their own name leave the host out.
TEST(RedisFaults, ARedirectWithoutAHostIsToTheSameHost) {
  std::atomic<int> port{0}, count{0};
  RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
    return ++count == 1 ? "-MOVED 15495 :" + std::to_string(port) + "\r\n" : Echo(command);
  });
  port = std::stoi(server.address().substr(server.address().find(':') + 1));
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  RedisReplies replies;
  const Status status = replies.Run(&router, Gets(1));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(replies.text(0), "0");
}

// Whoever may not ask for the map is told by each redirect, and remembers it.
TEST(RedisFaults, RedirectsAreFollowedWithoutAMap) {
  RedisFakeServer other(Echo);
  RedisFakeServer server([&](const std::string&) { return "-MOVED 15495 " + other.address() + "\r\n"; });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  RedisReplies replies;
  for (int i = 0; i < 3; ++i) {
    const Status status = replies.Run(&router, Gets(1));
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(server.commands().size(), 1u);
  EXPECT_EQ(other.commands().size(), 3u);
}

// WAIT on another connection than that of the write says nothing about it.
TEST(RedisFaults, WhatWasWrittenOnALostConnectionIsNotKnownToBeReplicated) {
  const struct {
    int closing;  // the number of the reply after which the connection ends; 0: none
    Kind second;  // the second command is of this kind
    StatusCode code;
  } kCases[] = {{0, Kind::kInsert, StatusCode::kOk},
                {1, Kind::kInsert, StatusCode::kOk},  // all is written again
                {2, Kind::kRead, StatusCode::kOk},
                {2, Kind::kCheck, StatusCode::kUnavailable}};  // behind the role: written before, checked on another
  for (const auto& one : kCases) {
    std::atomic<int> count{0};
    RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
      if (command == "WAIT 1 10") return ":1\r\n";
      RedisFakeServer::Answer answer = Echo(command);
      answer.closes = ++count == one.closing;
      return answer;
    });
    RedisServers servers = ServersOf(server, test::kLongMs);
    servers.wait_replicas = 1;
    servers.wait_ms = 10;
    Router router;
    ASSERT_TRUE(router.Connect(servers).ok());
    Batch batch;
    for (const Kind kind : {Kind::kInsert, one.second}) {
      batch.Add(KeyOf("a"), kind, 2);
      batch.Arg("GET");
      batch.Arg(uint64_t{batch.size() - 1});
    }
    RedisReplies replies;
    const Status status = replies.Run(&router, batch);
    EXPECT_EQ(status.code(), one.code) << status.message();
    EXPECT_EQ(replies.text(1), "1");
  }
}

TEST(RedisFaults, ARedirectToNowhereIsAnError) {
  RedisFakeServer server([](const std::string&) { return "-MOVED to nowhere\r\n"; });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  RedisReplies replies;
  EXPECT_FALSE(replies.Run(&router, Gets(3)).ok());
}

TEST(RedisFaults, WhoDoesNotTellItsRoleIsRefused) {
  std::atomic<const char*> role{nullptr};
  RedisFakeServer server(
      [&role](const std::string& command) -> RedisFakeServer::Answer {
        return command == "ROLE" ? role.load() : "-ERR unknown command 'CLUSTER'\r\n";
      },
      false);
  const struct {
    const char* role;
    StatusCode code;
  } kCases[] = {
      {"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n", StatusCode::kOk},
      {"*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:1\r\n$9\r\nconnected\r\n:1\r\n", StatusCode::kUnavailable},
      {"*2\r\n$8\r\nsentinel\r\n*0\r\n", StatusCode::kInvalidArgument},
      {"-ERR unknown command 'ROLE'\r\n", StatusCode::kUnsupported},
      {"-NOPERM no\r\n", StatusCode::kInvalidArgument},
      {"+OK\r\n", StatusCode::kIoError},
      {"*0\r\n", StatusCode::kIoError},
  };
  for (const auto& one : kCases) {
    role = one.role;
    Router router;
    const Status status = router.Connect(ServersOf(server));
    EXPECT_EQ(status.code(), one.code) << one.role << status.message();
  }
}

TEST(RedisFaults, AMapThatMakesNoSenseIsRefused) {
  std::atomic<const char*> map{nullptr};
  RedisFakeServer server([&map](const std::string&) { return map.load(); }, false);
  for (const char* wrong : {"+OK\r\n", ":1\r\n", "*1\r\n:1\r\n", "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
                            "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*3\r\n:0\r\n:1\r\n*0\r\n",
                            "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:0\r\n"}) {
    map = wrong;
    Router router;
    EXPECT_EQ(router.Connect(ServersOf(server)).code(), StatusCode::kIoError) << wrong;
  }
  map = "*0\r\n";  // a cluster without slots
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  EXPECT_TRUE(router.is_cluster());
  RedisReplies replies;
  EXPECT_EQ(replies.Run(&router, Gets(1)).code(), StatusCode::kUnavailable);
}

// No cluster has so many nodes, and nobody remembers them, or looks for each among all others.
TEST(RedisFaults, AMapOfTooManyNodesIsRefused) {
  std::atomic<const char*> served{nullptr};
  RedisFakeServer server([&served](const std::string&) { return served.load(); }, false);
  const auto node = [](int i) {
    return "*2\r\n" + Bulk("10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256)) + ":7000\r\n";
  };
  // One slot each, and the same replicas.
  const auto map_of = [&](int ranges, int masters, int replicas) {
    std::string map = "*" + std::to_string(ranges) + "\r\n";
    for (int i = 0; i < ranges; ++i) {
      const std::string slot = ":" + std::to_string(i % 16384) + "\r\n";
      map += "*" + std::to_string(3 + replicas) + "\r\n" + slot + slot + node(i % masters);
      for (int replica = 0; replica < replicas; ++replica) map += node(10000 + replica);
    }
    return map;
  };
  struct {
    int ranges, masters, replicas;
    bool is_one;
  } const kMaps[] = {{1000, 1000, 3, true},  {16384, 1000, 1, true}, {1, 1, 1000, true},
                     {1001, 1001, 1, false}, {16385, 3, 1, false},   {1, 1, 1001, true}};
  std::deque<std::string> maps;
  for (const auto& one : kMaps) {
    SCOPED_TRACE(std::to_string(one.ranges) + " " + std::to_string(one.masters) + " " + std::to_string(one.replicas));
    maps.push_back(map_of(one.ranges, one.masters, one.replicas));
    served = maps.back().c_str();
    Router router;
    EXPECT_EQ(router.Connect(ServersOf(server)).code(), one.is_one ? StatusCode::kOk : StatusCode::kIoError);
    if (one.is_one) {
      EXPECT_EQ(router.num_masters(), static_cast<size_t>(one.masters));
    }
  }
}

}  // namespace
}  // namespace linefilter::redis_internal
