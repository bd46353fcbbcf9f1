// linefilter plan --redis, end to end: what it plans fits, and nothing smaller would.
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/sizing.h"
#include "nlohmann/json.hpp"
#include "tests/testing/tools_fixture.h"

namespace linefilter {
namespace {

using nlohmann::json;
using test::RunResult;

class ToolsPlanTest : public test::ToolsTest {
 protected:
  static std::vector<std::string> Words(const std::string& num_keys, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"plan", "--redis", "--num-keys", num_keys, "--fpr", "0.01"});
    return more;
  }
  json Plan(const std::string& num_keys, const std::vector<std::string>& more = {}) {
    return Json(Words(num_keys, more), 0);
  }
  // Rates as `redis bench` prints them, all times `factor`.
  std::string Rates(const std::string& name, double factor) {
    const json rates = {{"lookups_sync", 12e3 * factor},
                        {"lookups_pipelined", 490e3 * factor},
                        {"inserts_sync", 10e3 * factor},
                        {"inserts_pipelined", 120e3 * factor},
                        {"batch", 256}};
    return dir_.Write(name, rates.dump());
  }
};

constexpr double kMiB = 1048576;

TEST_F(ToolsPlanTest, TheBitsAreThoseOfTheLayout) {
  const json plan = Plan("1e8");
  Sizing sizing;
  ASSERT_TRUE(SizeForFpr(Layout::kBlocked, 100000000, 0.01, &sizing).ok());
  EXPECT_EQ(plan["body_bytes"], sizing.body_bytes);
  EXPECT_EQ(plan["num_probes"], sizing.num_probes);
  EXPECT_EQ(plan["expected_fpr"], sizing.expected_fpr);
  EXPECT_EQ(plan["filters"], 1);
  const json by_bits = Json({"plan", "--redis", "--num-keys", "1e8", "--bits-per-key", "16"}, 0);
  EXPECT_NEAR(by_bits["body_bytes"].get<double>(), 2e8, 64);
}

// A batch is divided among filters and masters, and each part is a write: pipelining lives by the keys of one.
TEST_F(ToolsPlanTest, SmallPartsOfABatchCostMore) {
  const std::vector<std::string> traffic = {"--lookups", "1e5", "--inserts", "1e4"};
  const auto plan = [&](const char* keys, const char* batch) {
    std::vector<std::string> more = traffic;
    more.insert(more.end(), {"--batch", batch});
    return Plan(keys, more);
  };
  const json same = plan("1e8", "256"), one = plan("1e8", "1"), four = plan("1e8", "4"), most = plan("1e8", "1000");
  EXPECT_EQ(same["keys_per_write"], 256);
  EXPECT_NEAR(same["time_of_node"].get<double>(), 1e5 / 490e3 + 1e4 / 120e3, 0.002) << "as it was measured";
  EXPECT_NEAR(one["synchronous_callers"].get<double>(), 10, 0);
  EXPECT_GT(one["masters"], 1) << "1e5 / 12e3, and more: a node cannot";
  EXPECT_GT(four["time_of_node"].get<double>(), 1.5 * same["time_of_node"].get<double>());
  EXPECT_LE(most["time_of_node"], same["time_of_node"]);
  EXPECT_LT(plan("1e12", "256")["keys_per_write"], 5) << "many masters, several filters";
  EXPECT_NE(Run(Words("1e12")).err.find("redis bench --batch"), std::string::npos) << "far from what was measured";
  EXPECT_EQ(Run(Words("1e8")).err, "");
}

// An AOF takes the insertions down as they come.
TEST_F(ToolsPlanTest, TheDiskTakesWhatIsInserted) {
  EXPECT_EQ(Plan("1e8", {"--lookups", "1e5"})["disk_bytes_per_second_of_node"], 0);
  const json plan = Plan("1e8", {"--inserts", "1e4"});
  EXPECT_EQ(plan["disk_bytes_per_second_of_node"], 39 * plan["num_probes"].get<int>() * 1e4) << "each bit is named";
}

// Redis' allocator counts a string of 64 MiB and a little as 80: shards end below that.
TEST_F(ToolsPlanTest, ShardsAreWhatRedisCountsAs64MiB) {
  for (const char* keys : {"1e8", "1e9", "123456789012"}) {
    const json plan = Plan(keys);
    const double shards = plan["shards"], bytes = plan["shard_bytes"], body = plan["body_bytes"];
    EXPECT_LE(bytes + 16, 64 * kMiB - 32) << keys << ": and its mark";
    EXPECT_GE(shards * bytes, body) << keys;
    EXPECT_LT((shards - plan["filters"].get<double>()) * bytes, body) << keys << ": a shard too many";
    EXPECT_LE(plan["memory_bytes"].get<double>(), shards * (64 * kMiB + 200)) << keys;
  }
}

TEST_F(ToolsPlanTest, SeveralFiltersAboveTheMostBlocksOfOne) {
  EXPECT_EQ(Plan("2e11")["filters"], 1);
  // Near the least rate each filter less leaves the others a rate that wants fewer bits.
  const json near_the_least = Json({"plan", "--redis", "--num-keys", "2.995e12", "--fpr", "1.777e-7"}, 0);
  EXPECT_EQ(near_the_least["filters"], 86) << "of 85 each would have more than the most blocks";
  for (const json& plan : {Plan("1e12"), Plan("1e13"), near_the_least}) {
    const double filters = plan["filters"], body = plan["body_bytes"];
    EXPECT_GT(filters, 1);
    EXPECT_EQ(plan["round_trips_lookup"], filters) << "one after another";
    EXPECT_LE(body / filters, 64.0 * 4294967296.0) << filters;
    EXPECT_GT(body / (filters - 1), 64.0 * 4294967296.0) << filters << ": one less would do";
  }
}

struct Bound {
  const char* by;
  std::vector<std::string> options;
};

TEST_F(ToolsPlanTest, EachLimitBinds) {
  const std::vector<Bound> bounds = {
      {"nothing: one server does", {"--lookups", "1000"}},
      {"memory", {"--node-gb", "4"}},
      {"time of Redis' thread", {"--node-gb", "1000", "--lookups", "2e6"}},
      {"network", {"--node-gb", "1000", "--lookups", "1e5", "--gigabits", "0.1"}},
  };
  for (const Bound& bound : bounds) {
    const json plan = Plan("1e10", bound.options);
    EXPECT_EQ(plan["bound_by"], bound.by);
    const double masters = plan["masters"];
    EXPECT_TRUE(masters == 1 || masters >= 3) << "a cluster has three masters";
    EXPECT_EQ(masters == 1, std::string(bound.by).find("nothing") == 0) << bound.by;
    EXPECT_EQ(plan["nodes"], 2 * masters);
    EXPECT_LE(plan["time_of_node"], 0.6) << bound.by;
    EXPECT_GE(plan["shards_of_node"].get<double>(), plan["shards"].get<double>() / masters) << bound.by;
  }
  EXPECT_EQ(Plan("1e9", {"--lookups", "3e5"})["masters"], 3) << "two would do, and are no cluster";
  const json small = Plan("1e10", {"--node-gb", "4"});
  EXPECT_LE(small["memory_of_node"], 0.9 * 4e9);
  const json network = Plan("1e10", {"--node-gb", "1000", "--lookups", "1e5", "--gigabits", "0.1"});
  EXPECT_LE(network["megabits_in_of_node"], 50);
}

TEST_F(ToolsPlanTest, MoreOfAnythingNeedsNoLess) {
  const auto masters = [&](std::vector<std::string> more) { return Plan("1e10", more)["masters"].get<int>(); };
  for (const char* what : {"--lookups", "--inserts"}) {
    int before = 0;
    for (const char* rate : {"1e4", "3e4", "1e5", "3e5", "1e6", "3e6"}) {
      const int now = masters({what, rate});
      EXPECT_GE(now, before) << what << " " << rate;
      before = now;
    }
    EXPECT_GT(before, 5) << what;
  }
  EXPECT_EQ(Plan("1e10", {"--replicas", "0"})["nodes"], Plan("1e10")["masters"]);
  const json once = Plan("1e9", {"--inserts", "1e4"}), twice = Plan("1e9", {"--inserts", "1e4", "--rebuild"});
  EXPECT_EQ(twice["memory_bytes"], 2 * once["memory_bytes"].get<uint64_t>());
  EXPECT_GT(twice["time_of_node"], 1.9 * once["time_of_node"].get<double>()) << "writers add to both";
}

// Pages that are written while a child saves are there twice; at most all of them.
TEST_F(ToolsPlanTest, InsertsNeedHeadroom) {
  EXPECT_EQ(Plan("1e9")["copied_while_saving"], 0);
  const json some = Plan("1e9", {"--inserts", "1e4"});
  EXPECT_NEAR(some["copied_while_saving"].get<double>(), 1 - std::exp(-1e4 * 4096 / 1e8), 1e-4);
  const double data = some["data_of_node"], memory = some["memory_of_node"];
  EXPECT_GT(memory, data * (1 + some["copied_while_saving"].get<double>()));
  EXPECT_LT(memory, 2 * data + 0.3e9);
}

TEST_F(ToolsPlanTest, ChecksAreSharedByABatch) {
  EXPECT_NEAR(Plan("1e7", {"--batch", "100"})["checks_per_key"].get<double>(), 0.01, 1e-9) << "one shard";
  EXPECT_GT(Plan("1e12", {"--batch", "100"})["checks_per_key"], 0.99);
  EXPECT_EQ(Plan("1e12", {"--batch", "1"})["checks_per_key"], 1.0);
}

TEST_F(ToolsPlanTest, LargerShardsAreFewer) {
  const json normal = Plan("1e11"), large = Plan("1e11", {"--shard-bytes", "5e8"});
  EXPECT_LT(large["shards"], normal["shards"].get<int>() / 7);
  EXPECT_EQ(large["shard_bytes"], 500000000);
  EXPECT_LT(large["checks_per_key"], normal["checks_per_key"]);
}

TEST_F(ToolsPlanTest, TakesTheRatesOfAServer) {
  const std::vector<std::string> traffic = {"--lookups", "1e6", "--node-gb", "1000"};
  const auto with = [&](const std::string& rates) {
    std::vector<std::string> all = traffic;
    if (!rates.empty()) all.insert(all.end(), {"--rates", rates});
    return Plan("1e10", all);
  };
  const json assumed = with("");
  EXPECT_NE(assumed["rates"].get<std::string>().find("assumed"), std::string::npos) << "said, not hidden";
  const std::string same = Rates("same", 1), slow = Rates("slow", 0.25);
  EXPECT_EQ(with(same)["masters"], assumed["masters"]);
  EXPECT_EQ(with(same)["rates"], same);
  EXPECT_GT(with(slow)["masters"], 2 * assumed["masters"].get<int>());
}

// Whoever asks one by one waits for the network most of the time, in which the server serves others.
TEST_F(ToolsPlanTest, AFarNetworkNeedsMoreCallersAndNoMoreServers) {
  const json far = {{"lookups_sync", 100},
                    {"lookups_pipelined", 490e3},
                    {"inserts_sync", 100},
                    {"inserts_pipelined", 120e3},
                    {"batch", 256}};
  const std::vector<std::string> traffic = {"--lookups", "1e6", "--node-gb", "1000"};
  std::vector<std::string> measured = traffic;
  measured.insert(measured.end(), {"--rates", dir_.Write("far", far.dump())});
  const json near = Plan("1e10", traffic), plan = Plan("1e10", measured);
  EXPECT_EQ(plan["masters"], near["masters"]);
  EXPECT_EQ(plan["synchronous_callers"], 1e4);
}

TEST_F(ToolsPlanTest, EndsForTheLargestOfAll) {
  const json plan = Plan("1e15", {"--lookups", "1e9", "--inserts", "1e8"});
  EXPECT_GT(plan["clusters"], 1);
  EXPECT_GE(plan["clusters"].get<double>() * 1000, plan["nodes"].get<double>());
  const json busy = Plan("1e15", {"--lookups", "1e13"});
  EXPECT_LE(busy["time_of_node"], 0.6);
  EXPECT_GT(busy["time_of_node"], 0.59) << "far fewer would do";
}

TEST_F(ToolsPlanTest, EndsWhereNoNumberOfMastersIsEnough) {
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--lookups", "1e15"}, {"--inserts", "1e15"}, {"--lookups", "1", "--gigabits", "1e-300"}}) {
    const RunResult refused = Run(Words("1e15", more));
    EXPECT_EQ(refused.exit_code, 2) << more.back() << refused.out;
    EXPECT_NE(refused.err.find("local copies"), std::string::npos) << refused.err;
  }
}

// Shards are whole, so one master more may do worse: 33 bear it, 34 to 37 do not, and a bisection would end there.
TEST_F(ToolsPlanTest, NothingSmallerWouldDo) {
  EXPECT_EQ(Plan("1e10", {"--lookups", "1797303"})["masters"], 33);
  EXPECT_EQ(Plan("1e10", {"--lookups", "1925119"})["masters"], 43) << "51 do as well, 44 to 50 do not";
}

TEST_F(ToolsPlanTest, RefusesWithASentence) {
  const std::vector<std::vector<std::string>> bad = {
      {"--batch", "0"},
      {"--replicas", "101"},
      {"--gigabits", "0"},
      {"--gigabits", "-1"},
      {"--node-gb", "0.1"},
      {"--node-gb", "-5"},
      {"--lookups", "1e16"},
      {"--inserts", "1e16"},
      {"--lookups", "x"},
      {"--rates", dir_.File("nothing")},
      {"--rates", dir_.path()},
      {"--lookups", "1e15"},  // more than a small filter can be spread over
      {"--shard-bytes", "1"},
      {"--shard-bytes", "536870912"},
      {"--rates", dir_.Write("empty", "")},
      {"--rates", dir_.Write("list", "[1]")},
      {"--rates", dir_.Write("half", "{\"lookups_sync\": 5}")},
      {"--rates", dir_.Write("null", "{\"lookups_sync\": null}")},
      {"--rates", Rates("zero", 0)},
      {"--rates", Rates("huge", 1e20)},
  };
  for (const std::vector<std::string>& more : test::Some(bad)) ExpectBadUsage(Words("1e8", more));
  const auto expect_words = [&](const std::vector<std::string>& more, const std::vector<std::string>& told) {
    const std::string err = Run(Words("1e8", more)).err;
    for (const std::string& word : told) EXPECT_NE(err.find(word), std::string::npos) << err;
  };
  expect_words({"--rates", dir_.path()}, {"plan: " + dir_.path() + ": cannot be read: "});
  expect_words({"--shard-bytes", "77"}, {"--shard-bytes 77 "});
  expect_words({"--shard-bytes", "5e8", "--node-gb", "1"}, {"--node-gb 1 ", "500000000"});
  expect_words({"--shard-bytes", "1e6", "--lookups", "1e15"}, {"shards of 1000000 bytes"});
  for (const char* keys : {"0", "1e16"}) ExpectBadUsage(Words(keys));
  for (const char* fpr : {"0", "1", "-1", "1e-30"}) {
    ExpectBadUsage({"plan", "--redis", "--num-keys", "1e8", "--fpr", fpr});
  }
  const std::string minus_one = Run({"plan", "--redis", "--num-keys", "1e8", "--fpr", "-1"}).err;
  EXPECT_NE(minus_one.find("it must lie above 0 and below 1"), std::string::npos) << minus_one;
  // Of 1e12 keys no filter has a rate below 1e12 / 2^64.
  for (const std::vector<std::string>& kind : {std::vector<std::string>{}, {"--redis"}}) {
    for (const char* fpr : {"1e-12", "1.54e-8", "5.4e-8"}) {
      std::vector<std::string> arguments = {"plan", "--num-keys", "1e12", "--fpr", fpr};
      arguments.insert(arguments.end(), kind.begin(), kind.end());
      const RunResult result = Run(arguments);
      EXPECT_NE(result.err.find("probability 5.42e-08"), std::string::npos) << fpr << ": " << result.err;
      EXPECT_EQ(result.exit_code, 2) << fpr;
    }
  }
  ExpectBadUsage({"plan", "--redis", "--num-keys", "1e8"});
  // Without --redis they say nothing, so they are refused.
  for (const char* option :
       {"--lookups", "--inserts", "--replicas", "--node-gb", "--gigabits", "--batch", "--shard-bytes", "--rates"}) {
    ExpectBadUsage({"plan", "--num-keys", "1e8", "--fpr", "0.01", option, "1"});
  }
  ExpectBadUsage({"plan", "--num-keys", "1e8", "--fpr", "0.01", "--rebuild"});
}

}  // namespace
}  // namespace linefilter
