// `linefilter fpr` as a guard: what each filter and each list of keys is judged, and what stays of it in files.
#include <cstdint>
#include <regex>

#include "tests/testing/image_parts.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

// At 5 % few keys decide: 2,400 of them.
class ToolsFprTest : public ToolsTest {
 protected:
  static constexpr int kMembers = 10000;
  static constexpr int kAbsent = 5000;

  void SetUp() override {
    ToolsTest::SetUp();
    members_ = dir_.Write("members", Lines(0, kMembers));
    absent_ = dir_.Write("absent", Lines(100000, 100000 + kAbsent));
    filter_ = Build("filter", Lines(0, kMembers), {"--fpr", "5%"});
  }
  // The arguments of a guard over a filter.
  std::vector<std::string> Of(const std::string& filter, std::vector<std::string> more) const {
    std::vector<std::string> all = {"fpr", "--filter", filter, "--members", members_, "--absent", absent_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  json Judged(const std::string& filter, std::vector<std::string> more, int exit_code) const {
    return Json(Of(filter, std::move(more)), exit_code);
  }

  std::string members_, absent_, filter_;
};

TEST_F(ToolsFprTest, AFilterAtItsRateIsWithin) {
  for (const std::vector<std::string>& limit :
       {std::vector<std::string>{"--at-most", "5%"}, std::vector<std::string>{"--expected"}}) {
    const json judged = Judged(filter_, limit, 0);
    EXPECT_EQ(judged["verdict"], "within");
    EXPECT_EQ(judged["num_keys"], kMembers);
    EXPECT_EQ(judged["num_queries"], kAbsent);
    EXPECT_EQ(judged["num_lost"], 0);
    EXPECT_LE(judged["fpr_high"].get<double>(), 1.5 * judged["limit"].get<double>());
    EXPECT_FALSE(judged.contains("num_queries_needed"));
  }
  EXPECT_EQ(Judged(filter_, {"--expected"}, 0)["limit"], Json({"info", filter_}, 0)["expected_fpr"]);
  EXPECT_EQ(Run(Of(filter_, {"--at-most", "5%"})).err, "") << "nothing to say";
}

TEST_F(ToolsFprTest, AFilterAboveItsRateIsAbove) {
  const RunResult above = Run(Of(filter_, {"--at-most", "2%"}));
  EXPECT_EQ(above.exit_code, 1);
  EXPECT_NE(above.err.find("above the limit of 2 %"), std::string::npos) << above.err;
  EXPECT_EQ(Judged(filter_, {"--at-most", "2%"}, 1)["verdict"], "above");
}

TEST_F(ToolsFprTest, TooFewKeysDecideNothingAndItSaysHowMany) {
  absent_ = dir_.Write("few", Lines(100000, 100100));
  const json few = Judged(filter_, {"--at-most", "5%"}, 2);
  EXPECT_EQ(few["verdict"], "undecided");
  const int needed = few["num_queries_needed"];
  EXPECT_GT(needed, 1000);
  EXPECT_LT(needed, 20000);
  absent_ = dir_.Write("enough", Lines(100000, 100000 + needed));
  EXPECT_EQ(Judged(filter_, {"--at-most", "5%"}, 0)["verdict"], "within");
  EXPECT_EQ(Judged(filter_, {"--at-most", "5%", "--resolution", "1.01"}, 2)["verdict"], "undecided");
  EXPECT_EQ(Judged(filter_, {"--at-most", "5%", "--confidence", "0.9999999999999"}, 2)["verdict"], "undecided");
}

// Other members, of which another filter knows the first ones: what is lost outranks all else.
TEST_F(ToolsFprTest, ALostMemberOutranksAll) {
  members_ = dir_.Write("more", Lines(0, kMembers + 100));
  absent_ = dir_.Write("none of them is absent", Lines(0, 10));
  for (const char* const at_most : {"5%", "99%", "0.001%"}) {
    const RunResult lost = Run(Of(filter_, {"--at-most", at_most}));
    EXPECT_EQ(lost.exit_code, 1) << at_most;
    EXPECT_NE(lost.err.find("\"key-1000"), std::string::npos) << "named: " << lost.err;
  }
  const json judged = Judged(filter_, {"--at-most", "5%"}, 1);
  EXPECT_EQ(judged["lost"].size(), 10u) << "the first ten";
  EXPECT_GT(judged["num_lost"], 80);
  EXPECT_EQ(judged["num_absent_members"], 10);
  for (const json& row : judged["lost"]) {
    EXPECT_EQ(row["lost_key"], "\"key-" + std::to_string(row["position"].get<int>()) + "\"");
  }
  EXPECT_EQ(Run(Of(filter_, {})).exit_code, 1) << "without a limit, too";
}

TEST_F(ToolsFprTest, MembersAmongTheAbsentKeysAreFoundAndNamed) {
  absent_ = dir_.Write("mixed", Lines(100000, 103000) + Lines(7000, 7012) + Lines(7000, 7001));
  const json mixed = Judged(filter_, {"--at-most", "5%"}, 2);
  EXPECT_EQ(mixed["verdict"], "undecided");
  EXPECT_EQ(mixed["num_absent_members"], 12);
  EXPECT_EQ(mixed["num_queries"], 3000) << "without them";
  EXPECT_EQ(mixed["num_repeats"], 1);
  ASSERT_EQ(mixed["absent_members"].size(), 10u);
  EXPECT_EQ(mixed["absent_members"][0]["absent_member"], "\"key-7000\"");
  EXPECT_EQ(mixed["absent_members"][0]["position"], 3000) << "in the list of absent keys";
  EXPECT_NE(mixed["sentence"].get<std::string>().find("key-7009"), std::string::npos);
  EXPECT_EQ(Judged(filter_, {"--at-most", "1%"}, 1)["verdict"], "above") << "certain all the same";
  absent_ = members_;
  EXPECT_EQ(Judged(filter_, {"--at-most", "5%"}, 2)["num_absent_members"], kMembers);
  EXPECT_EQ(Run(Of(filter_, {})).exit_code, 2) << "without a limit, too";
}

// One false positive that is asked for again and again is one.
TEST_F(ToolsFprTest, RepeatsCountOnce) {
  const RunResult maybes = Run({"query", filter_, absent_, "--print", "maybe"});
  const std::string lucky = maybes.out.substr(0, maybes.out.find('\n') + 1);
  std::string repeats = Lines(100000, 104000);
  for (int i = 0; i < 2000; ++i) repeats += lucky;
  absent_ = dir_.Write("repeats", repeats);
  const json judged = Judged(filter_, {"--at-most", "5%"}, 0);
  EXPECT_EQ(judged["num_queries"], 4000);
  EXPECT_EQ(judged["num_repeats"], 2000);
}

TEST_F(ToolsFprTest, AsksEveryKindOfImage) {
  for (const char* const layout : SomeOf({"blocked", "classic", "quotient", "retrieval"})) {
    Build("of a layout", Lines(0, kMembers), {"--fpr", "5%", "--layout", layout});
    EXPECT_EQ(Judged(dir_.File("of a layout"), {"--at-most", "5%"}, 0)["layout"], layout);
  }
  Build("grown", Lines(0, kMembers), {"--fpr", "5%", "--grow"});
  EXPECT_EQ(Judged(dir_.File("grown"), {"--at-most", "5%"}, 0)["layout"], "container");
  const std::string secret = dir_.Write("secret", "00112233445566778899aabbccddeeff\n");
  Build("keyed", Lines(0, kMembers), {"--fpr", "5%", "--secret", secret});
  EXPECT_EQ(Judged(dir_.File("keyed"), {"--at-most", "5%", "--secret", secret}, 0)["verdict"], "within");
  const RunResult closed = Run(Of(dir_.File("keyed"), {"--at-most", "5%"}));
  EXPECT_EQ(closed.exit_code, 2);
  EXPECT_NE(closed.err.find("--secret"), std::string::npos) << closed.err;
}

TEST_F(ToolsFprTest, TakesKeysInEveryForm) {
  std::string members, absent;
  for (uint64_t key = 0; key < kMembers; ++key) test::AppendLittleEndian(&members, key, 8);
  for (uint64_t key = 0; key < kAbsent; ++key) test::AppendLittleEndian(&absent, key + kMembers - 3, 8);
  Build("u64", members, {"--fpr", "5%", "--u64"});
  const std::vector<std::string> guard = {
      "fpr",       "--filter", dir_.File("u64"), "--members", "-",
      "--at-most", "5%",       "--u64",          "--absent",  dir_.Write("u", absent)};
  const json numbers = Json(guard, 2, members);
  EXPECT_EQ(numbers["absent_members"][0]["absent_member"], "9997") << "an integer is shown as one";
  EXPECT_EQ(numbers["num_absent_members"], 3);
  const RunResult lines = Run(Of(dir_.File("u64"), {"--at-most", "5%"}));
  EXPECT_EQ(lines.exit_code, 2);
  EXPECT_NE(lines.err.find("linefilter fpr --filter "), std::string::npos) << lines.err;
  EXPECT_NE(lines.err.find("--members"), std::string::npos) << lines.err;
  const std::string of_members = "key-1,a\nkey-2,a\n", of_absent = "no,b\nkey-2,b\n";
  const json fields = Json({"fpr", "--filter", filter_, "--members", dir_.Write("x", of_members), "--absent", "-",
                            "--at-most", "5%", "--field", "1", "--delimiter", ","},
                           2, of_absent);
  EXPECT_EQ(fields["num_absent_members"], 1);
  EXPECT_EQ(fields["num_lost"], 0);
}

TEST_F(ToolsFprTest, AFreshFilterIsHeldToItsRate) {
  const std::vector<std::string> fresh = {"fpr", "--num-keys", "10000", "--bits-per-key"};
  const auto judged = [&](std::vector<std::string> more, int exit_code) {
    more.insert(more.begin(), fresh.begin(), fresh.end());
    return Json(more, exit_code);
  };
  const json within = judged({"10", "--at-most", "1.1%"}, 0);
  EXPECT_EQ(within["verdict"], "within");
  EXPECT_GT(within["num_queries"], 8000);
  EXPECT_LT(within["num_queries"], 16000) << "what the limit needs";
  EXPECT_EQ(judged({"10", "--at-most", "0.4%"}, 1)["verdict"], "above");
  EXPECT_EQ(judged({"10", "--at-most", "1%", "--num-queries", "100"}, 2)["verdict"], "undecided");
  EXPECT_LT(judged({"10", "--at-most", "1e-9"}, 1)["num_queries"], 2000000) << "1e11 for a filter at the limit";
  ExpectBadUsage({"fpr", "--num-keys", "1", "--expected"});
  EXPECT_EQ(judged({"10", "--expected"}, 0)["verdict"], "within");
  EXPECT_EQ(judged({"10", "--expected", "--layout", "retrieval", "--seeds", "2"}, 0)["verdict"], "within");
  EXPECT_FALSE(judged({"10", "--num-queries", "1000"}, 0).contains("verdict")) << "no limit, no verdict";
}

TEST_F(ToolsFprTest, BadUsageIsNoVerdict) {
  const auto refused = [&](std::vector<std::string> more) { ExpectBadUsage(Of(filter_, std::move(more))); };
  refused({"--at-most", "0"});
  refused({"--at-most", "1"});
  refused({"--at-most", "1%", "--expected"});
  refused({"--at-most", "1%", "--resolution", "1"});
  refused({"--at-most", "1%", "--resolution", "inf"});
  refused({"--at-most", "1%", "--confidence", "1"});
  refused({"--at-most", "1%", "--layout", "blocked"});
  refused({"--at-most", "1%", "--num-queries", "10"});
  refused({"--junit", dir_.File("no limit.xml")});
  refused({"--name", "no limit"});
  refused({"--at-most", "1%", "--junit", dir_.File("no folder/bad")});
  refused({"--at-most", "1%", "--baseline", dir_.File("no folder/bad")});
  refused({"--at-most", "1%", "--junit", filter_});
  refused({"--at-most", "1%", "--junit", absent_});
  refused({"--baseline", members_});
  refused({"--baseline", "-"});
  refused({"--baseline", dir_.path()});
  refused({"--baseline", dir_.Write("base", "{}\n"), "--junit", dir_.File("base")});
  ExpectBadUsage({"fpr", "--filter", filter_, "--at-most", "1%"});
  ExpectBadUsage({"fpr", "--members", members_, "--absent", absent_, "--at-most", "1%"});
  ExpectBadUsage({"fpr", "--filter", filter_, "--members", "-", "--absent", "-", "--at-most", "1%"});
  ExpectBadUsage({"fpr", "--filter", filter_, "--members", filter_, "--absent", absent_, "--at-most", "1%"});
  ExpectBadUsage({"fpr", "--filter", filter_, "--members", members_, "--absent", dir_.File("bad"), "--expected"});
  ExpectBadUsage({"fpr", "--filter", dir_.File("bad"), "--members", members_, "--absent", absent_, "--expected"});
  members_ = dir_.Write("nothing", "");
  refused({"--at-most", "1%"});
}

TEST_F(ToolsFprTest, ADamagedImageIsNotAsked) {
  std::string bytes = ReadFile(filter_);
  bytes[100] ^= 1;
  const RunResult damaged = Run(Of(dir_.Write("damaged", bytes), {"--at-most", "5%"}));
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_NE(damaged.err.find("the image is damaged"), std::string::npos) << damaged.err;
  EXPECT_EQ(damaged.out, "");
}

TEST_F(ToolsFprTest, NoAbsentKeysTellNoRate) {
  absent_ = dir_.Write("nothing", "");
  const json judged = Judged(filter_, {"--at-most", "5%"}, 2);
  EXPECT_EQ(judged["verdict"], "undecided");
  EXPECT_TRUE(judged["measured_fpr"].is_null());
}

TEST_F(ToolsFprTest, AClosedOutputIsTold) {
  const std::string line = ShellProgram() + "fpr --filter '" + filter_ + "' --members '" + members_ + "' --absent '" +
                           absent_ + "' --at-most 5% > /dev/full";
  const RunResult full = RunProgram({"/bin/sh", "-c", line});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_NE(full.err.find("standard output"), std::string::npos) << full.err;
}

}  // namespace
}  // namespace linefilter::test
