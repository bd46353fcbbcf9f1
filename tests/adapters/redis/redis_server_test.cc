// The servers that the other tests of Redis start (testing/redis_server.h): they wait for their port, tell why they do
// not start, and are gone afterwards. What they answer, keep or forget those tests would miss.
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

namespace linefilter::test {
namespace {

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

}  // namespace
}  // namespace linefilter::test
