// Batches that grow while the server works on their first commands (Router::RunGrowing): they are answered as whole
// ones are, whatever becomes of the server meanwhile.
#include <string>

#include "gtest/gtest.h"
#include "tests/adapters/redis/redis_master_server.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {
namespace {

using test::PatientServers;
using test::RedisFakeServer;

TEST(RedisFaultsMaster, ABatchThatGrowsIsAnsweredAsAWhole) {
  MasterServer server;
  Router router;
  ASSERT_TRUE(router.Connect(PatientServers(server.address())).ok());
  for (const size_t n : {1, 2, 3000}) {
    for (const size_t piece : {1, 100, 2999, 3000}) {
      const size_t before = server.num_commands(), roles_before = server.num_roles();
      GrowingGets gets(n, piece);
      const auto is_asked = [&] { return server.num_commands() != before; };
      if (n > piece) gets.SetBeforeLast([&] { EXPECT_TRUE(test::WaitUntil(is_asked)) << "while the batch grows"; });
      ASSERT_TRUE(test::IsOk(gets.Run(&router))) << n << " by " << piece;
      gets.ExpectAll();
      EXPECT_EQ(server.num_commands() - before, n);
      EXPECT_EQ(server.num_roles() - roles_before, n == 1 ? 1u : 2u) << "the check is behind both";
    }
  }
}

// Wherever the connection is lost.
TEST(RedisFaultsMaster, ABatchThatGrowsOutlivesItsConnection) {
  for (const char* const last : {"GET 0", "GET 99", "GET 700", "GET 1500", "GET 2998", "GET 2999"}) {
    for (const size_t piece : {1, 100, 2999}) {
      MasterServer other, server;
      Router router;
      ASSERT_TRUE(router.Connect(PatientServers(server.address() + "," + other.address())).ok());
      server.CloseAfter(last);
      GrowingGets lost(3000, piece);
      ASSERT_TRUE(test::IsOk(lost.Run(&router))) << last << " by " << piece;
      lost.ExpectAll();
      server.CloseAfter(last);
      server.SetMasters(1);
      GrowingGets moved(3000, piece);
      ASSERT_TRUE(test::IsOk(moved.Run(&router))) << last << " by " << piece;
      moved.ExpectAll();
      EXPECT_EQ(other.num_commands(), 3000u) << "all of it, of the new master";
    }
    MasterServer server;
    Router router;
    ASSERT_TRUE(router.Connect(PatientServers(server.address())).ok());
    server.CloseAfter(last);
    server.SetMasters(1);
    GrowingGets gone(3000, 100);
    ASSERT_EQ(gone.Run(&router).code(), StatusCode::kUnavailable) << last;
    gone.ExpectNoneIsForgotten();
  }
}

// It has become a node of a cluster, or sends us elsewhere for once, while the batch grows.
TEST(RedisFaultsMaster, ABatchThatGrowsIsRedirected) {
  for (const char* const redirect : {"MOVED 15495", "MOVED 0", "ASK 15495"}) {
    RedisFakeServer other([](const std::string& command) { return "+" + command.substr(4) + "\r\n"; });
    RedisFakeServer server([&](const std::string& command) {
      return command.substr(0, 3) == "GET" ? "-" + std::string(redirect) + " " + other.address() + "\r\n" : "+OK\r\n";
    });
    RedisServers servers = PatientServers(server.address());
    const bool is_answered = std::string(redirect) != "MOVED 0";  // that is another slot, again and again
    if (!is_answered) servers.deadlines.admin_ms = 200;
    servers.replica_reads = true;
    Router router;
    ASSERT_TRUE(router.Connect(servers).ok());
    GrowingGets gets(5000, 256);
    const Status status = gets.Run(&router);
    EXPECT_EQ(status.ok(), is_answered) << redirect << ": " << status.message();
    if (is_answered) gets.ExpectAll();
  }
}

}  // namespace
}  // namespace linefilter::redis_internal
