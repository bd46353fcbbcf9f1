// The benchmark does not lie: a filter that loses a key ends the program, whatever the build; so do targets that
// disagree and key sets that overlap. The plan names every row once, and results go on where they ended.
#include "bench/measure.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "bench/memory.h"
#include "bench/plan.h"
#include "bench/queries.h"
#include "bench/results.h"
#include "bench/threads.h"
#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "tests/testing/temp_dir.h"
#include "tools/measure/key_families.h"
#include "tools/measure/layouts.h"

namespace linefilter::bench {
namespace {

// Knows its members exactly, but for a fault.
enum class Fault { kNone, kLosesOneInATenThousand, kSecondTargetSaysMaybe };

using Asked = std::pair<Access, size_t>;
std::vector<Asked> asked;  // access and target of all lookups, without repetitions

class ExactFilter : public PeerFilter {
 public:
  ExactFilter(const Spec& spec, Fault fault) : fault_(fault) {
    ForMembers(spec, [&](const Keys& keys) { members_.insert(keys.integers, keys.integers + keys.size); });
  }
  uint64_t bytes() const override { return 8 * members_.size(); }
  uint32_t num_probes() const override { return 3; }
  double expected_fpr() const override { return 0.25; }
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    if (asked.empty() || asked.back() != Asked(access, target)) asked.emplace_back(access, target);
    uint64_t maybes = 0;
    for (size_t i = 0; i < keys.size; ++i) {
      bool maybe = members_.count(keys.integers[i]) != 0;
      if (fault_ == Fault::kLosesOneInATenThousand) maybe &= MixHash(keys.integers[i]) % 10000 != 0;
      if (fault_ == Fault::kSecondTargetSaysMaybe) maybe |= target == 1;
      if (access == Access::kBatch) answers[i] = maybe;
      maybes += maybe;
    }
    return access == Access::kBatch ? 0 : maybes;
  }

 private:
  Fault fault_;
  std::set<uint64_t> members_;
};

Peer MakePeer(Fault fault) {
  Peer peer;
  peer.name = "exact";
  peer.origin = "test";
  peer.targets = {"first", "second"};
  peer.kinds = {KeyKind::kHash};
  peer.accesses = {Access::kSingle, Access::kBatch};
  peer.make = [fault](const Spec& spec) { return std::make_unique<ExactFilter>(spec, fault); };
  return peer;
}

Group MakeGroup(const Peer& peer) {
  Group group;
  group.name = "test";
  group.spec.body_bytes = 24 << 10;
  group.spec.bits_per_key = 10;
  group.spec.num_keys = 19660;
  for (const size_t target : {0u, 1u}) {
    group.rows.push_back({&peer, target, Access::kSingle, 50, "single/" + peer.targets[target]});
    group.rows.push_back({&peer, target, Access::kBatch, 50, "batch/" + peer.targets[target]});
  }
  return group;
}

Effort Short() {
  Effort effort;
  effort.repetitions = 3;
  effort.min_seconds = 1e-6;
  effort.fpr_queries = 20000;
  return effort;
}

std::vector<Measured> MeasureFault(Fault fault) {
  const Peer peer = MakePeer(fault);
  Counters counters;
  return MeasureGroup(MakeGroup(peer), Short(), &counters);
}

// The report divides them round by round.
TEST(Measure, RoundsPutRowsThatAreComparedSideBySide) {
  asked.clear();
  MeasureFault(Fault::kNone);
  const Asked single1(Access::kSingle, 0), single2(Access::kSingle, 1), batch1(Access::kBatch, 0),
      batch2(Access::kBatch, 1);
  const std::vector<Asked> rounds = {single1, single2, batch1,  batch2,  // forwards
                                     batch1,  single2, single1,          // and back
                                     single2, batch1,  batch2};
  EXPECT_NE(std::search(asked.begin(), asked.end(), rounds.begin(), rounds.end()), asked.end());
}

TEST(Measure, ARowSaysWhatItsFilterIs) {
  const Peer peer = MakePeer(Fault::kNone);
  const Group group = MakeGroup(peer);
  Counters counters;
  const std::vector<Measured> measured = MeasureGroup(group, Short(), &counters);
  ASSERT_EQ(measured.size(), 4u);
  for (size_t i = 0; i < measured.size(); ++i) {
    EXPECT_EQ(measured[i].row, &group.rows[i]);
    EXPECT_EQ(measured[i].image_bytes, 8u * 19660);
    EXPECT_EQ(measured[i].num_probes, 3u);
    EXPECT_EQ(measured[i].fpr, 0) << "an exact set has no false positives";
    EXPECT_EQ(measured[i].fpr_queries, 20000u);
    EXPECT_EQ(measured[i].expected_fpr, 0.25);
    ASSERT_EQ(measured[i].ns.size(), 3u);
    for (const double ns : measured[i].ns) EXPECT_GT(ns, 0);
  }
}

TEST(MeasureDeathTest, ALostKeyEndsTheProgram) {
  EXPECT_DEATH(MeasureFault(Fault::kLosesOneInATenThousand), "FALSE NEGATIVE: single/first");
}

TEST(MeasureDeathTest, TargetsThatDisagreeEndTheProgram) {
  EXPECT_DEATH(MeasureFault(Fault::kSecondTargetSaysMaybe), "single/second: .* maybes, but 0 by other code");
}

// What is built while it is timed is asked for its members too.
TEST(MeasureDeathTest, ABuildThatLosesAKeyEndsTheProgram) {
  class Spoiled : public ExactFilter {
   public:
    explicit Spoiled(const Spec& spec) : ExactFilter(spec, Fault::kNone) {}
    uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
      const uint64_t maybes = ExactFilter::Lookup(target, access, keys, answers);
      return built_ && maybes > 0 ? maybes - 1 : maybes;
    }
    void Build(size_t, Access, const Spec&) override { built_ = true; }

   private:
    bool built_ = false;
  };
  Peer peer = MakePeer(Fault::kNone);
  peer.accesses = {Access::kSingle, Access::kBuild};
  peer.rebuilds = true;
  peer.make = [](const Spec& spec) { return std::make_unique<Spoiled>(spec); };
  Group group = MakeGroup(peer);
  group.rows = {{&peer, 0, Access::kBuild, -1, "build/first"}};
  Counters counters;
  EXPECT_DEATH(MeasureGroup(group, Short(), &counters), "FALSE NEGATIVE: build/first: 1 of ");
}

TEST(MeasureDeathTest, AnAbsentKeyThatIsAMemberEndsTheProgram) {
  static const tools::KeyFamily overlapping = {"overlapping", "absent keys are members", 1u << 20,
                                               [](uint64_t number, bool, char* out) {
                                                 memcpy(out, &number, sizeof(number));
                                                 return sizeof(number);
                                               },
                                               false};
  Spec spec;
  spec.kind = KeyKind::kString;
  spec.body_bytes = 24 << 10;
  spec.num_keys = 19660;
  spec.family = &overlapping;
  EXPECT_DEATH(Queries{spec}, "not disjoint");
}

// Zero, where a huge page begins, and said to be what it is.
TEST(HugeBuffer, IsReadyAndKnown) {
  HugeBuffer buffer(uint64_t{5} << 20);
  ASSERT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % (2u << 20), 0u);
  EXPECT_EQ(buffer.size(), uint64_t{5} << 20);
  EXPECT_TRUE(std::all_of(buffer.data(), buffer.data() + buffer.size(), [](uint8_t byte) { return byte == 0; }));
  ReadAllPages();
  std::ifstream smaps("/proc/self/smaps");
  const double percent = HugePagePercent();
  if (smaps.good()) {
    EXPECT_GE(percent, 0) << "the buffer asked for huge pages";
  }
  EXPECT_LE(percent, 100);
}

// Each task once, by two threads where there are two CPUs; and again, and with fewer tasks than threads.
TEST(TwoThreads, RunEachTaskOnce) {
  const Executor executor = TwoThreads();
  ASSERT_EQ(executor.num_threads, kTwoThreads);
  for (size_t num_tasks = 0; num_tasks <= kTwoThreads; ++num_tasks) {
    std::array<std::atomic<int>, kTwoThreads> runs = {};
    for (int round = 0; round < 100; ++round) {
      executor.run(
          executor.context, [](void* argument, size_t index) { ++(*static_cast<decltype(runs)*>(argument))[index]; },
          &runs, num_tasks);
    }
    for (size_t i = 0; i < kTwoThreads; ++i) EXPECT_EQ(runs[i], i < num_tasks ? 100 : 0);
  }
  if (!HasSecondCpu()) return;
  // Two tasks that wait for each other end only if both run at once.
  std::atomic<int> arrived{0};
  executor.run(
      executor.context,
      [](void* argument, size_t) {
        std::atomic<int>& count = *static_cast<std::atomic<int>*>(argument);
        ++count;
        while (count < 2) std::this_thread::yield();
      },
      &arrived, kTwoThreads);
  EXPECT_EQ(arrived, 2);
}

TEST(Queries, HitsAreWhatTheyAreCalled) {
  Spec spec;
  spec.body_bytes = 24 << 10;
  spec.num_keys = 19660;
  const Queries queries(spec);
  std::set<uint64_t> members;
  ForMembers(spec, [&](const Keys& keys) { members.insert(keys.integers, keys.integers + keys.size); });
  ASSERT_EQ(members.size(), 19660u);
  for (const int percent : kHitPercents) {
    const Keys& keys = queries.WithHits(percent);
    size_t hits = 0;
    for (size_t i = 0; i < keys.size; ++i) hits += members.count(keys.integers[i]);
    EXPECT_GE(keys.size, size_t{1} << 17) << "a branch predictor learns fewer";
    EXPECT_NEAR(100.0 * static_cast<double>(hits) / static_cast<double>(keys.size), percent, percent == 50 ? 1.5 : 0);
  }
}

TEST(Plan, EveryRowHasANameOfItsOwn) {
  for (const Plan plan : {Plan::kFull, Plan::kQuick, Plan::kCpus, Plan::kBuilds, Plan::kQuotient}) {
    PlanOptions options;
    options.plan = plan;
    std::set<std::string> names;
    size_t rows = 0;
    double seconds = 0;
    for (const Group& group : MakePlan(options)) {
      seconds += EstimatedSeconds(group, 7, 0.01);
      for (const Row& row : group.rows) {
        ++rows;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
      }
    }
    EXPECT_GT(rows, 100u);
    EXPECT_LT(seconds, 90 * 60);
  }
}

// Peers of one density have rows there alone; every layout of the library has rows of its own; and both ways of
// building stand beside the loop that tells what a second thread gives.
TEST(Plan, RowsAreOfWhatPeersCan) {
  std::set<std::string> names, fuse_densities;
  for (const Group& group : MakePlan(PlanOptions())) {
    bool has_two_threads = false, has_yardstick = false;
    for (const Row& row : group.rows) {
      names.insert(row.name);
      if (row.peer->name == "binary_fuse_8_own") fuse_densities.insert(row.name.substr(row.name.rfind('/') + 1));
      if (!IsOnTwoThreads(row.access)) continue;
      (row.peer->is_floor ? has_yardstick : has_two_threads) = true;
    }
    EXPECT_EQ(has_two_threads, has_yardstick) << group.name;
    EXPECT_LT(MostBytes(group), uint64_t{22} << 30) << group.name;
  }
  EXPECT_EQ(fuse_densities, std::set<std::string>{"10"});
  for (const Layout layout : tools::BuildableLayouts()) {
    const char* const name = LayoutName(layout);
    int rows = 0, builds = 0;
    for (const std::string& row : names) {
      const bool is_of_layout = row.find(std::string("/") + name + "/") != std::string::npos;
      rows += is_of_layout;
      builds += is_of_layout && row.rfind("build/hash/", 0) == 0;
    }
    EXPECT_GE(rows, 100) << name;
    EXPECT_GE(builds, 1) << name;
  }
}

TEST(Plan, RowsThatStandAreLeftOut) {
  PlanOptions options;
  options.plan = Plan::kQuick;
  options.rows = "^single/hash/50/blocked/";
  std::vector<Group> groups = MakePlan(options);
  ASSERT_FALSE(groups.empty());
  const std::string first = groups[0].rows[0].name;
  EXPECT_EQ(first.rfind("single/hash/50/blocked/", 0), 0u) << first;
  options.done = {first};
  for (const Group& group : MakePlan(options)) {
    for (const Row& row : group.rows) EXPECT_NE(row.name, first);
  }
}

TEST(Results, GoOnWhereTheyEndedOnTheSameMachineOnly) {
  const test::TempDir folder;
  const std::string path = folder.File("results.json");
  const nlohmann::json context = {
      {"cpu", "A"},    {"commit", "1"},          {"program", "p"}, {"compiler", "g++"}, {"flags", "-O3"},
      {"effort", "7"}, {"huge_pages", "always"}, {"words", 5},     {"date", "now"},     {"missing_peers", {"x"}}};
  const Peer peer = MakePeer(Fault::kNone);
  const Group group = MakeGroup(peer);
  Counters counters;
  Results first;
  ASSERT_EQ(first.Open(path, context, false), "");
  const std::vector<Measured> all = MeasureGroup(group, Short(), &counters);
  for (const Measured& measured : all) first.Add(measured);
  ASSERT_EQ(first.Save(), "");
  const nlohmann::json written = nlohmann::json::parse(std::ifstream(path));
  for (size_t i = 0; i < all.size(); ++i) {
    const nlohmann::json& row = written["rows"][i];
    EXPECT_EQ(row["group_began_ms"], all[0].group_began_ms) << "rounds in common";
    ASSERT_EQ(row["ns_each"].size(), all[i].ns.size());
    for (size_t round = 0; round < all[i].ns.size(); ++round) {
      EXPECT_NEAR(row["ns_each"][round].get<double>(), all[i].ns[round], 1e-4 * all[i].ns[round]) << "in their order";
    }
  }

  Results second;
  ASSERT_EQ(second.Open(path, context, false), "");
  EXPECT_EQ(second.RowNames(), (std::set<std::string>{"single/first", "batch/first", "single/second", "batch/second"}));

  nlohmann::json other = context;
  other["cpu"] = "B";
  EXPECT_NE(Results().Open(path, other, false).find("another cpu (\"A\", now \"B\")"), std::string::npos);
  EXPECT_EQ(Results().Open(path, other, true), "") << "--fresh";
  other = context;
  other["effort"] = "3";
  EXPECT_NE(Results().Open(path, other, false).find("another effort (\"7\", now \"3\")"), std::string::npos);
  other = context;
  other["program"] = "q";
  EXPECT_EQ(Results().Open(path, other, false), "") << "the commit tells what it is made of";
  other["commit"] = "1-dirty";
  ASSERT_NE(Results().Open(path, other, false), "");
  Results dirty;
  ASSERT_EQ(dirty.Open(path, other, true), "");
  ASSERT_EQ(dirty.Save(), "");
  EXPECT_EQ(Results().Open(path, other, false), "");
  other["program"] = "r";
  EXPECT_NE(Results().Open(path, other, false).find("another program (\"q\", now \"r\")"), std::string::npos);
  for (const char* text : {"{\"schema\": 1}", "[]", "{\"schema\": \"linefilter-bench-1\", \"context\": []}",
                           "{\"schema\": \"linefilter-bench-1\", \"context\": {\"cpu\": 1}, \"rows\": 7}"}) {
    std::ofstream(path) << text;
    EXPECT_NE(Results().Open(path, context, false), "") << text;
  }
  std::ofstream(path) << "{\"schema\": \"linefilter-bench-1\"";
  EXPECT_NE(Results().Open(path, context, false).find("is no results file"), std::string::npos);
}

TEST(Results, MedianOfEvenAndOddNumbers) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2.5);
}

}  // namespace
}  // namespace linefilter::bench
