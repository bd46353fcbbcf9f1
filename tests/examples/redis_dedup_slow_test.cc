// examples/redis_dedup with a million items, 30 % of them repeated, and four writers: no duplicate accepted, none lost;
// the table of the levels is printed.
#include <cstdio>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/redis_dedup.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

TEST(RedisDedup, OfAMillion) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  const RunResult run = RunDedup({"--server", server.address(), "--items", "1e6", "--patience-ms", "60000"});
  std::map<std::string, double> facts = DedupFacts(run.out);
  ExpectAllAcceptedOnce(run, facts, 1e6);
  EXPECT_EQ(facts["Redis did not answer"], 0) << run.err;
  EXPECT_GT(facts["local copy answered"], 1000) << "the copies save nothing";
  // Of 700,000 new ones Redis knows all but its false positives (0.2 % while it fills up) to be new.
  EXPECT_GT(facts["Redis answered"], 690000);
  EXPECT_LE(facts["Redis answered"], 700000);
  fputs(run.out.c_str(), stdout);
}

}  // namespace
}  // namespace linefilter::test
