// The servers that the other tests of Redis start (testing/redis_server.h, testing/redis_cluster.h): they answer, keep
// or forget what they are told to, and are gone afterwards.
#include "tests/testing/redis_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_cluster.h"

namespace linefilter::test {
namespace {

TEST(RedisServer, AnswersAndForgetsWhatIsNotKeptOnDisk) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisClient client(server.address());
  client.Do({"SET", "a", "1"});
  EXPECT_EQ(client.Text({"GET", "a"}), "1");
  ASSERT_TRUE(server.Restart()) << server.why();
  EXPECT_EQ(client.Ask({"PING"}).kind, RedisReply::Kind::kLost);  // the connection of before
  EXPECT_EQ(client.Do({"GET", "a"}).kind, RedisReply::Kind::kNil);
}

TEST(RedisServer, KeepsWhatIsAcknowledgedWhenKilled) {
  RedisServerOptions options;
  options.append_only = true;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  RedisClient(server.address()).Do({"SET", "a", "1"});
  server.Kill();
  EXPECT_FALSE(RedisClient(server.address()).Ask({"PING"}).ok());
  ASSERT_TRUE(server.Restart()) << server.why();
  EXPECT_EQ(RedisClient(server.address()).Text({"GET", "a"}), "1");
}

TEST(RedisServer, WantsItsPassword) {
  RedisServerOptions options;
  options.password = "secret";
  options.unix_socket = true;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  EXPECT_EQ(server.address().substr(0, 6), "unix:/");
  EXPECT_EQ(RedisClient(server.address()).Ask({"PING"}).text.substr(0, 6), "NOAUTH");
  EXPECT_EQ(RedisClient(server.address(), "secret").Text({"PING"}), "PONG");
}

TEST(RedisServer, RefusesWhatIsTooMuch) {
  RedisServerOptions options;
  options.max_memory = 16 << 20;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  RedisClient client(server.address());
  client.Do({"SET", "small", "1"});
  std::string refusal;
  for (int i = 0; i < 100 && refusal.empty(); ++i) {
    const RedisReply reply = client.Ask({"SET", std::to_string(i), std::string(1 << 20, 'x')});
    if (!reply.ok()) refusal = reply.text;
  }
  EXPECT_EQ(refusal.substr(0, 3), "OOM") << refusal;
  EXPECT_EQ(client.Text({"GET", "small"}), "1");
}

TEST(RedisServer, AReplicaFollows) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServerOptions options;
  options.replica_of = server.port();
  RedisServer replica(options);
  ASSERT_TRUE(replica.ok()) << replica.why();
  RedisClient client(replica.address());
  ASSERT_TRUE(WaitUntil([&client] { return client.Fact({"INFO", "replication"}, "master_link_status") == "up"; }));
  EXPECT_EQ(client.Ask({"SET", "a", "1"}).text.substr(0, 8), "READONLY");
}

TEST(RedisServer, WaitsForItsPortIfAnotherHasIt) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  server.Kill();
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(server.port());
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  std::thread another([&server, fd] {
    EXPECT_TRUE(WaitUntil([&server] { return server.Log().find("in use") != std::string::npos; }));
    close(fd);
  });
  EXPECT_TRUE(server.Restart()) << server.why();
  another.join();
}

TEST(RedisServer, TellsWhyItDoesNotStart) {
  RedisServerOptions options;
  options.more = {"--no-such-option", "1"};
  RedisServer server(options);
  EXPECT_FALSE(server.ok());
  EXPECT_NE(server.why().find("no-such-option"), std::string::npos) << server.why();
}

TEST(RedisServer, EndsWithWhoStartedIt) {
  int pids[2];
  ASSERT_EQ(pipe(pids), 0);
  const pid_t child = fork();
  if (child == 0) {
    RedisServer server;
    const pid_t pid = server.pid();
    if (write(pids[1], &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  pid_t pid = 0;
  ASSERT_EQ(read(pids[0], &pid, sizeof(pid)), static_cast<ssize_t>(sizeof(pid)));
  close(pids[0]);
  close(pids[1]);
  ASSERT_GT(pid, 0);
  // Gone, or dead and not yet asked for by the system's first process.
  EXPECT_TRUE(WaitUntil([pid] {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(in >> number >> name >> state) || state == "Z";
  }));
}

TEST(RedisCluster, ServesAllSlotsAndMovesOne) {
  RedisCluster cluster;
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  const uint32_t slot = cluster.SlotOf("{a}");
  const size_t owner = cluster.OwnerOf(slot), to = (owner + 1) % RedisCluster::kNumNodes;
  cluster.client(owner).Do({"SET", "{a}1", "one"});
  cluster.client(owner).Do({"SET", "{a}2", "two"});
  EXPECT_EQ(cluster.client(to).Ask({"GET", "{a}1"}).text.substr(0, 6), "MOVED ");

  cluster.StartMove(slot, to);
  EXPECT_EQ(cluster.MoveKeys(slot, to, 1), 1u);
  int told_ask = 0;
  for (const char* key : {"{a}1", "{a}2"}) {
    const RedisReply reply = cluster.client(owner).Ask({"GET", key});
    if (reply.ok()) continue;
    EXPECT_EQ(reply.text.substr(0, 4), "ASK ") << reply.text;
    ++told_ask;
  }
  EXPECT_EQ(told_ask, 1);
  EXPECT_EQ(cluster.MoveKeys(slot, to, 10), 1u);
  cluster.FinishMove(slot, to);
  EXPECT_EQ(cluster.OwnerOf(slot), to);
  EXPECT_EQ(cluster.client(to).Text({"GET", "{a}1"}), "one");
  EXPECT_EQ(cluster.client(to).Text({"GET", "{a}2"}), "two");
  EXPECT_EQ(cluster.client(owner).Ask({"GET", "{a}1"}).text.substr(0, 6), "MOVED ");
}

}  // namespace
}  // namespace linefilter::test
