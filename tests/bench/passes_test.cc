// Passes over a plan: each row once in each, large filters alone between them, and a file that is complete after every
// pass. No time is judged.
#include "bench/passes.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/available.h"
#include "bench/parts.h"
#include "bench/portable.h"
#include "bench/slow.h"
#include "gtest/gtest.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::bench {
namespace {

// Before anything asks for it.
const bool kPlanted = setenv("LINEFILTER_BENCH_SLOW", "^batch/hash/50/blocked/:12.5", 1) == 0;

std::vector<Group> SmallPlan() {
  PlanOptions options;
  options.plan = Plan::kSmoke;
  options.rows = "^(batch|build)/[^/]*/[^/]*/(blocked|retrieval|split_block_256)/";
  return MakePlan(options);
}

PassOptions Options() {
  PassOptions options;
  options.effort.repetitions = 3;
  options.effort.min_seconds = 1e-6;
  options.effort.fpr_queries = 1000;
  options.large_bytes = 128 << 10;
  options.large_rounds = 2;
  return options;
}

nlohmann::json Measure(const PassOptions& options, const std::vector<Group>& groups) {
  const test::TempDir folder;
  Results results;
  EXPECT_EQ(results.Open(folder.File("a.json"), {{"date", "today"}}, false), "");
  EXPECT_EQ(MeasureInPasses(options, groups, {"what the caller left out"}, &results), 0);
  return nlohmann::json::parse(std::ifstream(folder.File("a.json")));
}

TEST(Passes, MeasureEachRowInEachPass) {
  const std::vector<Group> groups = SmallPlan();
  const nlohmann::json file = Measure(Options(), groups);
  EXPECT_EQ(file["context"]["passes"], 3);
  EXPECT_EQ(file["context"]["complete"], true);
  EXPECT_EQ(file["context"]["left_out"], (std::vector<std::string>{"what the caller left out"}));
  std::map<std::string, nlohmann::json> rows;
  for (const nlohmann::json& row : file["rows"]) rows[row["row"]] = row;
  size_t planned = 0, goals = 0;
  for (const Group& group : groups) {
    for (const Row& row : group.rows) {
      ++planned;
      ASSERT_EQ(rows.count(row.name), 1u) << row.name;
      const nlohmann::json& measured = rows[row.name];
      const bool is_large = group.spec.body_bytes == 128 << 10;
      EXPECT_EQ(measured["ns_each"].size(), !is_large ? 3u : IsBuild(row.access) ? 1u : 2u) << row.name;
      EXPECT_EQ(measured["lines"], 1) << row.name;
      EXPECT_EQ(measured.contains("rate_goal"), group.spec.rate_goal > 0) << row.name;
      goals += measured.contains("rate_goal");
      if (measured.contains("rate_goal")) {
        EXPECT_LT(measured["expected_fpr"], 0.0103) << row.name;
      }
    }
  }
  EXPECT_EQ(rows.size(), planned);
  EXPECT_GE(goals, 6u);
}

TEST(Passes, LeaveOutWhatTheTimeIsOverFor) {
  PassOptions options = Options();
  options.minutes = 1e-9;
  const nlohmann::json file = Measure(options, SmallPlan());
  EXPECT_EQ(file["context"]["complete"], true);
  ASSERT_EQ(file["context"]["left_out"].size(), 2u);
  EXPECT_EQ(file["context"]["left_out"][1], "128KB, hash keys, 10 bits per key, blocked: the time was over");
  for (const nlohmann::json& row : file["rows"]) EXPECT_NE(row["size"], "128KB");
}

// Building takes most: it goes first, and the filter is then filled by insertion.
TEST(Passes, LeaveOutWhatDoesNotFit) {
  std::vector<Group> groups = {SmallPlan().back()};
  ASSERT_TRUE(groups[0].spec.built_later);
  const auto alone = [](const Group&) { return uint64_t{0}; };
  const uint64_t with_builds = MostBytes(groups[0]), reserve = uint64_t{1} << 30;
  EXPECT_TRUE(LeaveOutTooLarge(with_builds + reserve, alone, &groups).empty());
  const size_t rows = groups[0].rows.size();
  std::vector<std::string> left_out = LeaveOutTooLarge(with_builds + reserve - 1, alone, &groups);
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_NE(left_out[0].find("128KB, hash keys, 10 bits per key, building: needs 102"), std::string::npos)
      << left_out[0];
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_FALSE(groups[0].spec.built_later);
  EXPECT_EQ(groups[0].rows.size(), rows - 1);
  left_out = LeaveOutTooLarge(reserve, alone, &groups);
  EXPECT_EQ(left_out.size(), 1u);
  EXPECT_TRUE(groups.empty());
}

// Filters that live all the time are together in memory: of those the largest are left out, not all.
TEST(Passes, KeepAsManyFiltersAsFit) {
  PlanOptions options;
  options.plan = Plan::kCpus;
  const std::vector<Group> all = MakePlan(options);
  const auto kept = [](const Group& group) { return BytesKeptInPasses(PassOptions(), group); };
  const auto count = [](const std::vector<Group>& groups, const auto& wanted) {
    return static_cast<size_t>(std::count_if(groups.begin(), groups.end(), wanted));
  };
  const auto is_kept = [&](const Group& group) { return kept(group) > 0; };
  for (const uint64_t gib : {2u, 4u, 64u}) {
    std::vector<Group> groups = all;
    const std::vector<std::string> left_out = LeaveOutTooLarge(gib << 30, kept, &groups);
    uint64_t bytes = 0;
    for (const Group& group : groups) bytes += kept(group);
    EXPECT_LE(bytes, gib << 30);
    EXPECT_EQ(groups[0].rows.size(), all[0].rows.size()) << "the smallest come first";
    EXPECT_GE(8 * count(groups, is_kept), 7 * count(all, is_kept)) << gib << " GiB";
    EXPECT_EQ(left_out.empty(), gib == 64);
  }
}

TEST(Available, IsWhatTheControlGroupLeaves) {
  const auto write = [](const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << text;
  };
  const auto available = [&](const std::string& cgroup, const std::map<std::string, std::string>& files) {
    const test::TempDir root;
    write(root.File("proc/meminfo"), "MemTotal: 9 kB\nMemAvailable:    8000 kB\n");
    write(root.File("proc/self/cgroup"), cgroup);
    for (const auto& [name, text] : files) write(root.File("sys/fs/cgroup" + name), text);
    return AvailableMemory(root.path());
  };
  EXPECT_EQ(available("", {}), 8000u << 10);
  EXPECT_EQ(available("0::/\n", {{"/memory.max", "max\n"}, {"/memory.current", "5\n"}}), 8000u << 10);
  EXPECT_EQ(available("0::/\n", {{"/memory.max", "9000\n"}, {"/memory.current", "5000\n"}}), 4000u);
  EXPECT_EQ(available("0::/a/b\n", {{"/a/memory.max", "9000\n"},
                                    {"/a/memory.current", "5000\n"},
                                    {"/a/b/memory.max", "8000\n"},
                                    {"/a/b/memory.current", "1\n"}}),
            4000u)
      << "a group that holds ours has less";
  EXPECT_EQ(available("0::/\n", {{"/memory.max", "9000\n"},
                                 {"/memory.current", "8000\n"},
                                 {"/memory.stat", "anon 1000\ninactive_file 7000\n"}}),
            8000u)
      << "files that the kernel gives up are free";
  const std::map<std::string, std::string> version_1 = {{"/memory/c/memory.limit_in_bytes", "9000\n"},
                                                        {"/memory/c/memory.usage_in_bytes", "8000\n"},
                                                        {"/memory/c/memory.stat", "total_inactive_file 3000\n"}};
  EXPECT_EQ(available("5:cpu:/c\n4:hugetlb,memory:/c\n0::/\n", version_1), 4000u);
  EXPECT_EQ(available("5:cpu:/c\n", version_1), 8000u << 10);
  EXPECT_EQ(available("4:memory:/docker/1\n",
                      {{"/memory/memory.limit_in_bytes", "700\n"}, {"/memory/memory.usage_in_bytes", "800\n"}}),
            0u)
      << "a container that sees its own group at the root";
}

TEST(Portable, StaysOnAFastCpu) {
  const test::TempDir root;
  EXPECT_EQ(FastestCpu({}, root.path()), -1);
  EXPECT_EQ(FastestCpu({0, 1, 5}, root.path()), 5) << "the system does not tell";
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = root.File("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq");
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/cpuinfo_max_freq") << (cpu < 2 ? 5000000 : 3800000) << "\n";
  }
  EXPECT_EQ(FastestCpu({0, 1, 2, 3}, root.path()), 1) << "slow cores come last";
  EXPECT_EQ(FastestCpu({2, 3}, root.path()), 3) << "the others are not ours";
}

TEST(Passes, NeedAFileThatCanBeWritten) {
  const test::TempDir folder;
  const auto error_of = [](const std::string& path) {
    Results results;
    EXPECT_EQ(results.Open(path, {}, true), "");
    return results.CheckThatItCanBeWritten();
  };
  EXPECT_EQ(error_of(folder.File("a.json")), "");
  EXPECT_TRUE(folder.Names().empty());
  for (const std::string& path : {folder.path(), folder.File("none/a.json")}) {
    EXPECT_NE(error_of(path).find("choose another --out"), std::string::npos) << error_of(path);
  }
}

TEST(Plan, OfCpusHasEveryLayoutAndTargetAndEveryRate) {
  PlanOptions options;
  options.plan = Plan::kCpus;
  std::map<std::string, size_t> rows;
  std::map<double, size_t> peers_of_goal;
  for (const Group& group : MakePlan(options)) {
    if (group.spec.rate_goal > 0 && group.spec.body_bytes == MiB) ++peers_of_goal[group.spec.rate_goal];
    for (const Row& row : group.rows) EXPECT_EQ(++rows[row.name], 1u) << row.name;
  }
  EXPECT_GE(peers_of_goal[0.01], 8u);
  EXPECT_GE(peers_of_goal[0.0001], 6u);
  for (const Peer& peer : AllPeers()) {
    if (!peer.is_layout) continue;
    for (const std::string& target : peer.targets) {
      for (const char* size : {"24KB", "1MB", "2MB", "512MB"}) {
        if (peer.targets.size() == 1 && std::string(size) == "512MB") continue;  // its rows of rates tell it
        EXPECT_EQ(rows.count("single/hash/50/" + peer.name + "/" + target + "/" + size + "/10"), 1u) << peer.name;
      }
    }
  }
}

TEST(Slow, RowsAreSlowerThatMatch) {
  ASSERT_TRUE(kPlanted);
  EXPECT_EQ(PlantedSlowness("batch/hash/50/blocked/AVX2/1MB/10"), 0.125);
  EXPECT_EQ(PlantedSlowness("single/hash/50/blocked/AVX2/1MB/10"), 0);
  int calls = 0;
  for (const double slowness : {0.0, 0.5}) Slowed(slowness, [&] { ++calls; });
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace linefilter::bench
