// How long a server is waited for: timeout_ms for each reply, whatever signals and single bytes come; and what is left
// when it is given up.
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "tests/testing/redis_fake_server.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {
namespace {

using test::ConnectInTheEnd;
using test::RedisFakeServer;
using test::RedisReplies;

RedisServers ServersOf(const RedisFakeServer& server, uint32_t timeout_ms, uint32_t patience_ms = 0) {
  RedisServers servers = test::PatientServers(server.address());
  servers.deadlines.reply_ms = timeout_ms;
  servers.deadlines.admin_ms = patience_ms;
  return servers;
}

Batch Get(size_t n = 1) {
  Batch batch;
  for (size_t i = 0; i < n; ++i) {
    batch.Add(KeyOf("a"), Kind::kRead, 2);
    batch.Arg("GET");
    batch.Arg("a");
  }
  return batch;
}

// A signal each 5 ms, to this thread alone: the fake server is made before.
class Signals {
 public:
  explicit Signals(int flags) {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, nullptr);
    Block(SIG_UNBLOCK);
    const itimerval time = {{0, 5000}, {0, 5000}};
    setitimer(ITIMER_REAL, &time, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
  }
  static void Block(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(how, &set, nullptr);
  }
};

TEST(RedisFaultsWaiting, SignalsNeitherEndNorLengthenIt) {
  for (const int flags : {0, SA_RESTART}) {
    for (const bool in_time : {true, false}) {
      Signals::Block(SIG_BLOCK);
      std::atomic<bool> given_up{false};
      RedisFakeServer server([&, in_time](const std::string&) {
        usleep(30000);
        for (int i = 0; !in_time && !given_up && i < 20000; ++i) usleep(1000);
        return "+OK\r\n";
      });
      Router router;
      ASSERT_TRUE(ConnectInTheEnd(&router, ServersOf(server, in_time ? test::kLongMs : 60)));
      const Signals signals(flags);
      RedisReplies replies;
      const Status status = replies.Run(&router, Get());
      given_up = true;
      EXPECT_EQ(status.code(), in_time ? StatusCode::kOk : StatusCode::kUnavailable) << status.message();
    }
  }
}

TEST(RedisFaultsWaiting, AByteNowAndThenIsNoAnswer) {
  for (const bool connecting : {true, false}) {
    RedisFakeServer server(
        [](const std::string&) {
          RedisFakeServer::Answer answer("+" + std::string(1000, 'x') + "\r\n");  // 20 s
          answer.drips = true;
          answer.pause_us = 20000;
          return answer;
        },
        !connecting);
    Router router;
    Status status;
    if (connecting) {
      status = router.Connect(ServersOf(server, 60));
    } else {
      ASSERT_TRUE(ConnectInTheEnd(&router, ServersOf(server, 60)));
      RedisReplies replies;
      status = replies.Run(&router, Get());
    }
    EXPECT_TRUE(test::Says(StatusCode::kUnavailable, status, "did not answer within 60 ms"));
  }
}

// Each of many has its own time; and a large one the time that its bytes take.
TEST(RedisFaultsWaiting, ManyOrLargeAnswersTakeTheirTime) {
  EXPECT_TRUE(test::HoldsAtSomeScale([](uint32_t scale) {
    RedisFakeServer many([scale](const std::string&) {
      usleep(3000 * scale);
      return "+OK\r\n";
    });
    Router router;
    EXPECT_TRUE(ConnectInTheEnd(&router, ServersOf(many, 60 * scale, test::kLongMs)));
    const uint64_t connections = router.num_connections();
    return RedisReplies().Run(&router, Get(50)).ok() && router.num_connections() == connections;
  }));
  EXPECT_TRUE(test::HoldsAtSomeScale([](uint32_t scale) {
    RedisFakeServer large([scale](const std::string&) {
      RedisFakeServer::Answer answer("$160000\r\n" + std::string(160000, 'x') + "\r\n");
      answer.drips = true;
      answer.drop = 16000;
      answer.pause_us = 10000 * scale;
      return answer;
    });
    Router router;
    EXPECT_TRUE(ConnectInTheEnd(&router, ServersOf(large, 60 * scale)));
    return RedisReplies().Run(&router, Get()).ok();
  }));
}

TEST(RedisFaultsWaiting, WaitHasTheTimeThatItWaitsAtTheServer) {
  for (const uint32_t wait_ms : {20000u, UINT32_MAX - 50}) {  // the sum of both is no 32-bit number
    EXPECT_TRUE(test::HoldsAtSomeScale([wait_ms](uint32_t scale) {
      RedisFakeServer server([scale](const std::string& command) {
        if (command.substr(0, 4) == "WAIT") usleep(200000 * scale);
        return ":1\r\n";
      });
      RedisServers servers = ServersOf(server, 60 * scale);
      servers.wait_replicas = 1;
      servers.wait_ms = wait_ms;
      Router router;
      EXPECT_TRUE(ConnectInTheEnd(&router, servers));
      return RedisReplies().Run(&router, "a", Kind::kInsert, {"SET", "a", "1"}).ok();
    }));
  }
}

TEST(RedisFaultsWaiting, WithoutATimeOutNobodyIsAsked) {
  RedisFakeServer server([](const std::string&) { return "+OK\r\n"; });
  RedisServers servers = ServersOf(server, 0);
  Router router;
  EXPECT_EQ(router.Connect(servers).code(), StatusCode::kInvalidArgument);
  servers.deadlines.reply_ms = 1000;
  servers.deadlines.connect_ms = 0;
  EXPECT_EQ(router.Connect(servers).code(), StatusCode::kInvalidArgument);
  servers.deadlines.connect_ms = 1000;
  servers.deadlines.request_ms = 0;
  EXPECT_EQ(router.Connect(servers).code(), StatusCode::kInvalidArgument);
}

// Else what the system has not sent yet would come after what is sent again.
TEST(RedisFaultsWaiting, WhatIsGivenUpIsReset) {
  std::atomic<bool> was_asked{false};
  int num_given_up = 0;
  RedisFakeServer server([&was_asked](const std::string&) {
    was_asked = true;
    return "";
  });
  RedisServers servers = ServersOf(server, 60);
  servers.replica_reads = true;  // nothing else is asked
  Router router;
  ASSERT_TRUE(ConnectInTheEnd(&router, servers));
  const int num_resets = server.num_resets();
  EXPECT_TRUE(test::WaitUntil([&] {  // once, unless the server has not had its turn before that
    EXPECT_EQ(RedisReplies().Run(&router, Get()).code(), StatusCode::kUnavailable);
    ++num_given_up;
    return was_asked.load();
  }));
  EXPECT_TRUE(test::WaitUntil([&] { return server.num_resets() >= num_resets + num_given_up; }));
}

// More than the system takes at once, to a server that is gone.
TEST(RedisFaultsWaiting, WritingToAClosedConnectionIsAnErrorAndNoSignal) {
  RedisFakeServer server([](const std::string& command) {
    RedisFakeServer::Answer answer("+OK\r\n");
    answer.closes = command == "GET a";
    return answer;
  });
  signal(SIGPIPE, SIG_DFL);
  for (int round = 0; round < 3; ++round) {
    Router router;
    RedisServers servers = ServersOf(server, test::kLongMs);
    servers.replica_reads = true;
    ASSERT_TRUE(router.Connect(servers).ok());
    RedisReplies replies;
    EXPECT_TRUE(replies.Run(&router, Get()).ok());
    usleep(20000);
    EXPECT_EQ(replies.Run(&router, "a", Kind::kWrite, {"SET", "a", std::string(16 << 20, 'x')}).code(),
              StatusCode::kUnavailable);
  }
}

TEST(RedisFaultsWaiting, ConnectionsAreNotForWhatTheProgramStarts) {
  RedisFakeServer server([](const std::string&) { return "+OK\r\n"; });
  const auto is_open = [](int fd) { return fcntl(fd, F_GETFD) != -1; };
  std::vector<bool> before;
  for (int fd = 0; fd < 256; ++fd) before.push_back(is_open(fd));
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  int num_new = 0;
  for (int fd = 0; fd < 256; ++fd) {
    if (before[static_cast<size_t>(fd)] || !is_open(fd)) continue;
    num_new += 1;  // that of the server among them, which is not ours
    if ((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) num_new += 100;
  }
  EXPECT_EQ(num_new, 102);
}

}  // namespace
}  // namespace linefilter::redis_internal
