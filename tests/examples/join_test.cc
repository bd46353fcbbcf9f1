// examples/join: with a filter and without, the join finds what a plain one finds. Times are not judged.
#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "examples/join/measure.h"
#include "tests/testing/run_program.h"

namespace join::test {
namespace {

using linefilter::FilterOptions;
using linefilter::Layout;
using linefilter::test::RunProgram;

Found PlainJoin(const Customers& customers, const Orders& orders) {
  std::unordered_map<int64_t, uint32_t> discounts;
  for (size_t i = 0; i < customers.ids.size(); ++i) discounts.emplace(customers.ids[i], customers.discounts[i]);
  EXPECT_EQ(discounts.size(), customers.ids.size()) << "ids are different";
  EXPECT_EQ(discounts.count(HashTable::kNoKey), 0u);
  Found found;
  for (size_t row = 0; row < orders.customer_ids.size(); ++row) {
    const auto partner = discounts.find(orders.customer_ids[row]);
    if (partner == discounts.end()) continue;
    ++found.rows;
    found.row_numbers += row;
    found.rebate += uint64_t{orders.amounts[row]} * partner->second;
  }
  return found;
}

TEST(Join, EachWayFindsWhatAPlainJoinFinds) {
  constexpr uint64_t kRows = 20 * kBatchRows + 17;  // the last batch is a short one
  Orders orders;
  for (const uint64_t build : {1u, 3u, 1000u, 30000u}) {
    const Customers customers = MakeCustomers(build);
    for (const double selectivity : {0.001, 0.1, 0.9, 1.0}) {
      MakeOrders(kRows, build, selectivity, &orders);
      const Found expected = PlainJoin(customers, orders);
      for (const Layout layout : {Layout::kSplitBlock, Layout::kBlocked, Layout::kClassic}) {
        FilterOptions options = FilterOptions::AtBitsPerKey(10);
        options.layout = layout;
        const Cost cost = Measure(customers, orders, options, 1);
        ASSERT_TRUE(cost.status.ok()) << cost.status.message();
        EXPECT_TRUE(cost.found == expected) << build << " customers, " << selectivity;
        EXPECT_TRUE(cost.all_agree) << build << " customers, " << selectivity << ", " << LayoutName(layout);
      }
    }
  }
}

TEST(Join, SelectivityIsTheShareOfTheOrdersThatFindAPartner) {
  constexpr uint64_t kRows = 100000;
  Orders orders;
  for (const double selectivity : {0.01, 0.5, 1.0}) {
    MakeOrders(kRows, 1000, selectivity, &orders);
    const double share = static_cast<double>(PlainJoin(MakeCustomers(1000), orders).rows) / kRows;
    EXPECT_NEAR(share, selectivity, 0.01);
    EXPECT_EQ(share == 1.0, selectivity == 1.0);
  }
}

TEST(Join, TheTableProbesTheRowsThatAreAskedFor) {
  const Customers customers = MakeCustomers(100);
  const HashTable table = MakeTable(customers);
  std::vector<int64_t> keys(kBatchRows, customers.ids[7]);
  keys[0] = customers.ids[99];
  keys[1] = MakeCustomers(101).ids[100];  // nobody's
  const uint32_t rows[] = {0, 1, 2047};
  Match matches[kBatchRows];
  ASSERT_EQ(table.Probe(keys.data(), rows, 3, matches), 2u);
  EXPECT_EQ(matches[0].row, 0u);
  EXPECT_EQ(matches[0].payload, customers.discounts[99]);
  EXPECT_EQ(matches[1].row, 2047u);
  EXPECT_EQ(matches[1].payload, customers.discounts[7]);
  EXPECT_EQ(table.Probe(keys.data(), nullptr, kBatchRows, matches), kBatchRows - 1);
  EXPECT_EQ(table.Probe(keys.data(), nullptr, 0, matches), 0u);
}

linefilter::test::RunResult RunJoin(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = linefilter::test::OurProgram(JOIN_PROGRAM);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command);
}

TEST(JoinProgram, WritesALineForEachWay) {
  const linefilter::test::TempDir dir;
  const auto result = RunJoin(
      {"--rows", "1e5", "--build", "1000", "--rounds", "1", "--layout", "blocked", "--tsv", dir.File("join.tsv")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string tsv = linefilter::test::ReadFile(dir.File("join.tsv"));
  EXPECT_EQ(std::count(tsv.begin(), tsv.end(), '\n'), 1 + 7 * kWays) << tsv;
  EXPECT_EQ(tsv.find("build_rows\tselectivity_percent\tway\tns_per_row\tratio\t"), 0u) << tsv;
  EXPECT_NE(tsv.find("\n1000\t100\tcolumns\t"), std::string::npos) << tsv;
  EXPECT_NE(tsv.find("\t100000\t32768\t"), std::string::npos) << "all orders are found at 100 %: " << tsv;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2 + 7) << result.out;
}

TEST(JoinProgram, RefusesBadOptions) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"--rows"},
                                                                                         {"--rows", "0"},
                                                                                         {"--rows", "many"},
                                                                                         {"--selectivity", "101"},
                                                                                         {"--layout", "best"},
                                                                                         {"--fast", "1"}}) {
    const auto result = RunJoin(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments[0];
    EXPECT_NE(result.err.find("--selectivity P"), std::string::npos) << "usage: " << result.err;
  }
  const auto no_layout = RunJoin({"--rows", "1e4", "--build", "1000", "--layout", "retrieval"});
  EXPECT_EQ(no_layout.exit_code, 2) << "it takes no keys one by one";
  EXPECT_NE(no_layout.err.find("retrieval"), std::string::npos) << no_layout.err;
  EXPECT_EQ(RunJoin({"--rows", "1e4", "--tsv", "/nowhere/join.tsv"}).exit_code, 2);
}

}  // namespace
}  // namespace join::test
