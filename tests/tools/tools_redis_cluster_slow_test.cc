// linefilter redis with a cluster of three nodes: shards on all of them, the script's row where its key is.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

class ToolsRedisClusterTest : public ToolsTest {
 protected:
  json Redis(std::vector<std::string> words, std::string_view input = {}) {
    words.insert(words.begin(), "redis");
    words.insert(words.end(), {"--server", cluster_.addresses(), "--patience", "60s", "--timeout", "60s"});
    return Json(words, 0, input);
  }
  size_t NumKeys(size_t node) { return static_cast<size_t>(cluster_.client(node).Integer({"DBSIZE"})); }

  RedisCluster cluster_;
};

TEST_F(ToolsRedisClusterTest, AFilterIsOnAllNodes) {
  ASSERT_TRUE(cluster_.ok()) << cluster_.why();
  const json plan = Json({"plan", "--redis", "--num-keys", "4e6", "--fpr", "0.01", "--lookups", "4e5"}, 0);
  ASSERT_EQ(plan["masters"], 3);
  const json made = Redis({"create", "seen", "--num-keys", "4e6", "--fpr", "0.01"});
  EXPECT_EQ(made["cluster"], true);
  EXPECT_EQ(made["shards"], plan["shards"]) << "as planned for three masters";
  EXPECT_EQ(made["shard_bytes"], plan["shard_bytes"]);
  EXPECT_EQ(Redis({"add", "seen", "-"}, Lines(0, 20000))["failed"], 0);
  size_t with_shards = 0;
  for (size_t node = 0; node < RedisCluster::kNumNodes; ++node) with_shards += NumKeys(node) != 0;
  EXPECT_GE(with_shards, 2u) << "12 shards by chance: of three nodes one may have none, once in 40 times";
  EXPECT_EQ(Redis({"query", "seen", "-"}, Lines(0, 20000))["maybe"], 20000);
  EXPECT_EQ(Redis({"info", "seen"})["masters"], 3);
  EXPECT_EQ(Redis({"delete", "seen"})["deleted"], true);
}

TEST_F(ToolsRedisClusterTest, TheBenchmarkMeasuresACluster) {
  ASSERT_TRUE(cluster_.ok()) << cluster_.why();
  const json result = Redis({"bench", "--num-keys", "40000", "--rounds", "1", "--batch", "500", "--seconds", "0.02"});
  EXPECT_NEAR(result["measured_fpr"].get<double>(), 0.01, 0.0011);
  for (size_t node = 0; node < RedisCluster::kNumNodes; ++node) EXPECT_EQ(NumKeys(node), 0u) << node;
}

TEST_F(ToolsRedisClusterTest, TheBenchmarkIsNotIllInPlaceOfACluster) {
  ASSERT_TRUE(cluster_.ok()) << cluster_.why();
  const RunResult result = Run({"redis", "bench", "--ill", "--num-keys", "40000", "--rounds", "1", "--seconds", "0.02",
                                "--batch", "500", "--server", cluster_.node(0).address()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--ill goes before a lone server"), std::string::npos) << result.err;
  for (size_t node = 0; node < RedisCluster::kNumNodes; ++node) EXPECT_EQ(NumKeys(node), 0u) << node;
}

}  // namespace
}  // namespace linefilter::test
