// A node of the tests' cluster that is killed and started again. (A node serves nothing for its first 2 s.)

#include "gtest/gtest.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

TEST(RedisCluster, ANodeComesBackWithItsSlotsAndData) {
  RedisServerOptions options;
  options.append_only = true;
  RedisCluster cluster(options);
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  const size_t owner = cluster.OwnerOf(cluster.SlotOf("a"));
  cluster.client(owner).Do({"SET", "a", "1"});
  cluster.node(owner).Kill();
  ASSERT_TRUE(cluster.RestartNode(owner));
  EXPECT_EQ(RedisClient(cluster.node(owner).address()).Text({"GET", "a"}), "1");
}

}  // namespace
}  // namespace linefilter::test
