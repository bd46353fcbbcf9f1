// Redirects without end, without a host or to nowhere come to an end, and a role or a map that makes no sense is
// refused.
#include <deque>

#include "tests/adapters/redis/redis_faults_test.h"

namespace linefilter::redis_internal {

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
    EXPECT_TRUE(test::Says(StatusCode::kUnavailable, replies.Run(&router, Gets(3))));
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
  ASSERT_TRUE(test::IsOk(replies.Run(&router, Gets(1))));
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
    ASSERT_TRUE(test::IsOk(replies.Run(&router, Gets(1))));
  }
  EXPECT_EQ(server.commands().size(), 1u);
  EXPECT_EQ(other.commands().size(), 3u);
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
    EXPECT_TRUE(test::Says(one.code, router.Connect(ServersOf(server)))) << one.role;
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

}  // namespace linefilter::redis_internal
