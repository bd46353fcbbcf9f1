// A URL of Redis says where the servers are and who asks. What is no such URL changes nothing, and is not shown.
#include <string>

#include "gtest/gtest.h"
#include "linefilter/redis_servers.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

struct Case {
  const char *url, *addresses, *user, *password;
  int database;
  bool tls;
};

TEST(RedisUrl, IsTakenAsOtherClientsTakeIt) {
  const Case cases[] = {
      {"redis://10.0.0.1", "10.0.0.1", "", "", 0, false},
      {"redis://db.example.org:6380/3", "db.example.org:6380", "", "", 3, false},
      {"rediss://db.example.org", "db.example.org", "", "", 0, true},
      {"redis://bob:secret@a:1,b:2/0?cluster", "a:1,b:2", "bob", "secret", 0, false},
      {"redis://:p%40s%3As%2F@a?cluster=true", "a", "", "p@s:s/", 0, false},
      {"redis://bob@[::1]:6379/", "[::1]:6379", "bob", "", 0, false},
      {"redis://bob:a:b@c@a", "a", "bob", "a:b@c", 0, false},
  };
  for (const Case& each : cases) {
    RedisServers servers;
    servers.addresses = "old";
    servers.user = "somebody";
    servers.password = "old";
    servers.database = 7;
    servers.tls = true;
    servers.deadlines.request_ms = 33;
    ASSERT_TRUE(IsOk(servers.SetUrl(each.url))) << each.url;
    EXPECT_EQ(servers.addresses, each.addresses);
    EXPECT_EQ(servers.user, each.user);
    EXPECT_EQ(servers.password, each.password);
    EXPECT_EQ(servers.database, each.database);
    EXPECT_EQ(servers.tls, each.tls);
    EXPECT_EQ(servers.deadlines.request_ms, 33u) << "the rest stays";
  }
}

TEST(RedisUrl, IsRefusedWithoutBeingShown) {
  for (const char* url : {"",
                          "a:6379",
                          "http://a",
                          "redis:/a",
                          "REDIS://a",
                          "redis://",
                          "redis://secret@",
                          "redis://:secret@a:b",
                          "redis://:secret@a/x",
                          "redis://:secret@a/-1",
                          "redis://:secret@a/1/2",
                          "redis://:secret@a?cluster=no",
                          "redis://:secret@a?timeout=1",
                          "redis://:secret%@a",
                          "redis://:secret%4@a",
                          "redis://:secret%zz@a",
                          "redis://:secret@a,,b",
                          "redis://:secret@unix:/path",
                          "redis://:secret@a:99999",
                          "redis://::1:6379"}) {
    RedisServers servers;
    servers.addresses = "old";
    const Status status = servers.SetUrl(url);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << url;
    EXPECT_EQ(std::string(status.message()).find("secret"), std::string::npos) << status.message();
    EXPECT_EQ(servers.addresses, "old") << url;
    EXPECT_EQ(servers.password, "") << url;
  }
}

}  // namespace
}  // namespace linefilter::test
