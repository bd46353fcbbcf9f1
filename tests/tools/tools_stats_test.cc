// linefilter stats, end to end: what it tells of an image is what its bits and its maker say.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/image/container_writer.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "nlohmann/json.hpp"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

class ToolsStatsTest : public ToolsTest {
 protected:
  // Of the one image that is asked.
  json Stats(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.begin(), "stats");
    const json report = Json(arguments, exit_code);
    EXPECT_TRUE(report["images"].is_array() && report["images"].size() == 1) << report;
    return report["images"].empty() ? json::object() : report["images"][0];
  }
};

// The program adds no columns. It tells the forms of an image that a library made, and keeps them while it adds
// nothing.
TEST_F(ToolsStatsTest, TellsFormsOfColumns) {
  const auto image_of = [this](const char* name, const std::vector<uint64_t>& noted) {
    BlockedFilter filter;
    EXPECT_TRUE(filter.Create(1000, FilterOptions::AtFpr(0.01)).ok());
    for (const uint64_t forms : noted) filter.NoteKeyForms(forms);
    filter.InsertKey(1);
    EXPECT_TRUE(filter.Save(dir_.File(name).c_str()).ok());
    return dir_.File(name);
  };
  const std::string several = image_of("several", {0x0000010203042285}), text = image_of("text", {1}),
                    unknown = image_of("unknown", {3, 4});
  const char* const told = "padded text or null, decimal(2), instant, real, integer, text";
  EXPECT_EQ(Stats({several})["key_forms"], told);
  EXPECT_EQ(Json({"info", several}, 0)["key_forms"], told);
  ASSERT_EQ(Run({"merge", several, several, "--out", dir_.File("merged")}).exit_code, 0);
  EXPECT_EQ(Stats({dir_.File("merged")})["key_forms"], told);
  for (const std::string& image : {text, unknown}) EXPECT_FALSE(Stats({image}).contains("key_forms"));
  EXPECT_EQ(Stats({text})["key_kind"], "text");
}

// All layouts that the program builds: one that is new is met here by itself.
TEST_F(ToolsStatsTest, TellsOfEachLayout) {
  const json plan = Json({"plan", "--num-keys", "20000", "--fpr", "0.01"}, 0);
  for (const json& row : plan["layouts"]) {
    const std::string layout = row["layout"];
    const std::string image = Build(layout, Lines(0, 20000), {"--fpr", "0.01", "--layout", layout});
    const json stats = Stats({image});
    EXPECT_EQ(stats["state"], "ok");
    if (stats.contains("block_fill_min")) {
      EXPECT_LT(stats["block_fill_min"], stats["fill_ratio"]) << layout;
      EXPECT_GT(stats["block_fill_max"], stats["fill_ratio"]) << layout;
      EXPECT_NEAR(stats["block_fill_median"], stats["fill_ratio"].get<double>(), 0.03) << layout;
    }
    EXPECT_NEAR(stats["size_per_num_keys"], 1, 0.05) << layout;
    EXPECT_FALSE(stats.contains("room_for")) << "nobody asked at which rate";
  }
}

// Counted here from the very bytes.
void ExpectLoadOfBlocks(const std::string& image, const json& stats, size_t block_bytes) {
  const std::string bytes = ReadFile(image);
  const double most = static_cast<double>(8 * block_bytes);
  std::vector<size_t> loads(stats["num_blocks"].get<size_t>(), 0);
  ASSERT_EQ(stats["body_bytes"], block_bytes * loads.size());
  for (size_t i = 0; i < block_bytes * loads.size(); ++i) {
    loads[i / block_bytes] += std::bitset<8>(static_cast<unsigned char>(bytes[i])).count();
  }
  std::vector<size_t> sorted = loads;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_DOUBLE_EQ(stats["block_fill_min"], static_cast<double>(sorted.front()) / most);
  EXPECT_DOUBLE_EQ(stats["block_fill_median"], static_cast<double>(sorted[(sorted.size() - 1) / 2]) / most);
  EXPECT_DOUBLE_EQ(stats["block_fill_max"], static_cast<double>(sorted.back()) / most);
  const json& rows = stats["block_load"];
  EXPECT_GE(rows.size(), 5u);
  EXPECT_LE(rows.size(), 10u);
  EXPECT_EQ(rows.front()["one_bits_from"], sorted.front());
  EXPECT_EQ(rows.back()["one_bits_to"], sorted.back());
  double share = 0;
  for (const json& row : rows) {
    const size_t first = row["one_bits_from"], last = row["one_bits_to"];
    EXPECT_EQ(row["num_blocks"],
              std::count_if(loads.begin(), loads.end(), [&](size_t load) { return load >= first && load <= last; }))
        << row;
    share += row["share"].get<double>();
  }
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST_F(ToolsStatsTest, TheLoadIsThatOfTheBlocks) {
  for (const std::string layout : {"blocked", "split_block"}) {
    const std::string image = Build(layout, Lines(0, 5000), {"--bits-per-key", "10", "--layout", layout});
    ExpectLoadOfBlocks(image, Stats({image}), layout == "blocked" ? 64 : 32);
  }
}

TEST_F(ToolsStatsTest, BlocksWithLevelsAreToldByThem) {
  for (const std::string layout : {"retrieval", "quotient"}) {
    const std::string image = Build(layout, Lines(0, 20000), {"--bits-per-key", "10", "--layout", layout});
    const json stats = Stats({image});
    FilterFile file;
    ASSERT_TRUE(file.Map(image.c_str()).ok());
    std::vector<uint64_t> levels(FilterBase::kMaxLevels);
    levels.resize(file.view().CountLevels(levels.data()));
    std::vector<size_t> sorted;
    for (size_t level = 0; level < levels.size(); ++level) sorted.insert(sorted.end(), levels[level], level);
    EXPECT_EQ(stats["level_min"], sorted.front()) << layout;
    EXPECT_EQ(stats["level_median"], sorted[(sorted.size() - 1) / 2]) << layout;
    EXPECT_EQ(stats["level_max"], sorted.back()) << layout;
    EXPECT_FALSE(stats.contains("block_fill_min")) << "its bits say nothing";
    uint64_t num_blocks = 0;
    for (const json& row : stats["block_load"]) num_blocks += row["num_blocks"].get<uint64_t>();
    EXPECT_EQ(num_blocks, sorted.size()) << layout;
  }
  const json classic = Stats({Build("classic", Lines(0, 20000), {"--bits-per-key", "10", "--layout", "classic"})});
  EXPECT_FALSE(classic.contains("block_load")) << "a layout without blocks";
}

TEST_F(ToolsStatsTest, RepeatsOfRemovableKeysCount) {
  const json stats = Stats({Build("image", Lines(0, 5000) + Lines(0, 2000), {"--bits-per-key", "12", "--removable"})});
  EXPECT_EQ(stats["num_keys"], 7000);
  EXPECT_EQ(stats["approximate_size"], 7000);
}

// A filter whose keys are replaced has shorter entries than a new one; stats tells how much that is, and plan and
// oracle what it takes.
TEST_F(ToolsStatsTest, TellsWhatTurnoversLeaveAndWhenARebuildPays) {
  const std::string image =
      Build("image", Lines(0, 5000), {"--fpr", "0.01", "--layout", "quotient", "--removable", "--turnovers", "20"});
  const json fresh = Stats({image});
  EXPECT_EQ(fresh["removable"], true);
  EXPECT_EQ(fresh["approximate_size"], 5000);
  EXPECT_NEAR(fresh["length_lost"], 0, 0.3);
  EXPECT_EQ(fresh["rebuild_pays"], false);
  EXPECT_GT(fresh["level_median"], 40) << "5 bits, in eighths";
  const std::string more = dir_.Write("more", Lines(5000, 12000));
  Json({"add", image, more}, 0);
  Json({"add", image, more, "--remove"}, 0);
  const json turned = Stats({image});
  EXPECT_EQ(turned["approximate_size"], 5000);
  EXPECT_EQ(turned["rebuild_pays"], true) << "it was more than twice as full";
  EXPECT_NEAR(turned["rebuilt_fpr"], fresh["rebuilt_fpr"].get<double>(), 1e-9);
  EXPECT_NEAR(turned["length_lost"],
              std::log2(turned["expected_fpr"].get<double>() / turned["rebuilt_fpr"].get<double>()), 1e-6);
  EXPECT_GT(turned["length_lost"], 1);
  EXPECT_FALSE(
      Stats({Build("set", Lines(0, 5000), {"--fpr", "0.01", "--layout", "quotient"})}).contains("length_lost"));

  const auto rates_of = [&](const std::string& turnovers) {
    const json plan =
        Json({"plan", "--num-keys", "1e6", "--bits-per-key", "12", "--removable", "--turnovers", turnovers}, 0);
    EXPECT_EQ(plan["layouts"].size(), 1u) << "quotient";
    const json rows =
        Json({"oracle", "--from", "12", "--to", "12", "--removable", "--turnovers", turnovers}, 0)["rows"];
    EXPECT_EQ(rows.size(), 1u) << "quotient";
    return plan["layouts"][0]["expected_fpr"].get<double>();
  };
  EXPECT_NEAR(rates_of("0"), 0.0019244, 2e-6);
  EXPECT_NEAR(rates_of("20"), 0.0084, 2e-4);
  ExpectBadUsage({"plan", "--num-keys", "1e6", "--bits-per-key", "12", "--turnovers", "2"});
  ExpectBadUsage({"oracle", "--removable", "--layout", "blocked"});
}

// At the limit that is told the model still holds the rate; one key more, no longer.
TEST_F(ToolsStatsTest, TellsHowManyMoreKeysFit) {
  for (const std::string layout : {"blocked", "classic", "retrieval", "split_block", "quotient"}) {
    const std::string image = Build(layout, Lines(0, 20000), {"--bits-per-key", "12", "--layout", layout});
    const json stats = Stats({image, "--fpr", "0.02"});
    Layout id;
    ASSERT_TRUE(ParseLayout(layout.c_str(), &id));
    const uint64_t most = stats["keys_at_fpr"], bytes = stats["body_bytes"];
    const uint32_t probes = stats["num_probes"];
    EXPECT_LE(ExpectedFpr(id, most, bytes, probes), 0.02) << layout;
    EXPECT_GT(ExpectedFpr(id, most + 1, bytes, probes), 0.02) << layout;
    const double room = static_cast<double>(most) - stats["approximate_size"].get<double>();
    EXPECT_NEAR(stats["room_for"], layout == "retrieval" ? 0 : room, 1) << layout;
    EXPECT_GT(room, 1000) << layout;
    EXPECT_EQ(Stats({image, "--fpr", "1e-9"})["room_for"], 0) << layout << " is beyond that already";
  }
}

// Two stages, the newer one half full: a row for each, and room in that one alone.
TEST_F(ToolsStatsTest, TellsTheStagesOfAContainer) {
  BlockedFilter filters[2];
  FilterOptions options;
  options.fpr = 0.01;
  internal::ContainerStage stages[2];
  uint64_t next = 0;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(filters[i].Create(10000, options).ok());
    const uint64_t keys = i == 0 ? 10000 : 5000;
    for (uint64_t end = next + keys; next < end; ++next) filters[i].InsertKey(next);
    stages[i] = {filters[i].body(), filters[i].num_blocks(), keys, filters[i].num_probes()};
  }
  internal::Container container;
  container.stages = stages;
  container.num_stages = 2;
  container.num_keys = &next;
  std::string image(static_cast<size_t>(internal::ContainerBytes(container)), '\0');
  ASSERT_TRUE(internal::WriteContainerTo(container, &image[0], image.size()).ok());
  const std::string path = dir_.Write("container", image);
  const json stats = Stats({path, "--fpr", "0.02"});
  EXPECT_EQ(stats["layout"], "container");
  EXPECT_EQ(stats["num_keys"], 15000);
  ASSERT_EQ(stats["stages"].size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const json& row = stats["stages"][i];
    EXPECT_EQ(row["stage"], i);
    EXPECT_EQ(row["layout"], "blocked");
    EXPECT_EQ(row["num_keys"], stages[i].num_keys);
    EXPECT_EQ(row["num_blocks"], stages[i].num_blocks);
    EXPECT_EQ(row["num_probes"], stages[i].num_probes);
    EXPECT_DOUBLE_EQ(row["fill_ratio"], filters[i].FillRatio());
    EXPECT_DOUBLE_EQ(row["expected_fpr"], filters[i].ExpectedFpr());
  }
  // The limit is where both stages together reach the rate.
  const double newest = filters[1].ApproximateSize().keys;
  const double more = stats["room_for"].get<double>() + newest;
  const auto both = [&](double more_keys) {
    const uint64_t keys = static_cast<uint64_t>(more_keys);
    const double newer = ExpectedFpr(Layout::kBlocked, keys, filters[1].body_bytes(), filters[1].num_probes());
    return 1 - (1 - filters[0].ExpectedFpr()) * (1 - newer);
  };
  EXPECT_LE(both(more), 0.02 + 1e-12);
  EXPECT_GT(both(more + 2), 0.02 - 1e-12);
  EXPECT_GT(more, newest + 3000);
  EXPECT_EQ(Stats({path, "--fpr", "0.005"})["room_for"], 0) << "the older stage alone is beyond that";
  uint64_t num_blocks = 0;
  for (const json& row : stats["block_load"]) num_blocks += row["num_blocks"].get<uint64_t>();
  EXPECT_EQ(num_blocks, stages[0].num_blocks + stages[1].num_blocks);
  EXPECT_NE(Run({"stats", path}).out.find("\nstage "), std::string::npos) << "as text, too";
}

// An image that has more keys than it was made for, as a growing filter that reached its end writes: a warning, once.
TEST_F(ToolsStatsTest, WarnsOfMoreKeysThanAnImageWasMadeFor) {
  const std::string fits = Build("fits", Lines(0, 4000), {"--fpr", "0.01", "--grow", "--max-growth", "1"});
  const std::string good = Build("good", Lines(0, 4000), {"--bits-per-key", "10"});
  const std::string full = dir_.path() + "/full";
  const RunResult built =
      Run({"build", "-", "--out", full, "--fpr", "0.01", "--grow", "--max-growth", "1"}, Lines(0, 9000));
  EXPECT_EQ(built.exit_code, 1) << "the image is written";
  for (const std::string command : {"info", "stats"}) {
    for (const std::string& image : {fits, good}) EXPECT_EQ(Run({command, image}).err, "") << command;
    const RunResult warned = Run({command, full, "--json"});
    EXPECT_EQ(warned.exit_code, 0);
    EXPECT_EQ(warned.err.find("linefilter: warning: " + full + " was made for 4096 keys and holds about "), 0u)
        << warned.err;
    EXPECT_EQ(std::count(warned.err.begin(), warned.err.end(), '\n'), 1) << "once";
    const json all = json::parse(warned.out);
    const json& told = command == "info" ? all : all["images"][0];
    EXPECT_EQ(told["capacity"], 4096);
    EXPECT_NEAR(told["approximate_size"], 8900, 5 * told["size_error"].get<double>() + 100);
  }
}

// The size is for fewer keys than come: the rate is that of the bits, and not what the size was for.
TEST_F(ToolsStatsTest, BuildTellsTheRateOfTheKeysThatCame) {
  const std::string fits = dir_.path() + "/fits", image = dir_.path() + "/image";
  const auto built = [&](const std::string& out, std::vector<std::string> more, int keys, const std::string& warning) {
    std::vector<std::string> build = {"build", "-", "--out", out, "--json"};
    build.insert(build.end(), more.begin(), more.end());
    const RunResult result = Run(build, Lines(0, keys));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err.find(warning), 0u) << result.err;
    EXPECT_EQ(result.err.empty(), warning.empty());
    EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 1) << "once";
    const json told = json::parse(result.out);
    EXPECT_EQ(told["expected_fpr"], keys > 5000 ? Stats({out})["expected_fpr"] : told["expected_fpr"]);
    return told["expected_fpr"].get<double>();
  };
  const std::string warning = "linefilter: warning: " + image + " was made for 5000 keys and holds about ";
  EXPECT_NEAR(built(fits, {"--fpr", "0.01", "--num-keys", "5000"}, 5000, ""), 0.01, 0.001);
  EXPECT_GT(built(image, {"--fpr", "0.01", "--num-keys", "5000"}, 20000, warning), 0.2);
  EXPECT_GT(built(image, {"--like", fits}, 20000, warning), 0.2);
  const std::string few = dir_.path() + "/few";
  built(few, {"--like", fits}, 500, "");
  EXPECT_EQ(Stats({few})["capacity"], 5000) << "it was made for as many, whatever came";
  built(image, {"--like", few}, 5000, "");
  EXPECT_GT(built(image, {"--fpr", "0.01", "--num-keys", "5000", "--layout", "retrieval"}, 500000,
                  "linefilter: warning: " + image + " was made for 5000 keys and holds so many more that"),
            0.9);
  EXPECT_EQ(Run({"info", image}).err.find(" inf "), std::string::npos);
}

TEST_F(ToolsStatsTest, InfoTellsTheRoomToo) {
  const std::string image = Build("image", Lines(0, 20000), {"--bits-per-key", "12"});
  const RunResult info = Run({"info", image, "--fpr", "0.02", "--json"});
  EXPECT_EQ(json::parse(info.out)["room_for"], Stats({image, "--fpr", "0.02"})["room_for"]);
  EXPECT_EQ(json::parse(info.out)["capacity"], 20000);
  const RunResult wrong = Run({"info", image, "--fpr", "2"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("info: --fpr 2 is no rate"), std::string::npos) << wrong.err;
}

// An image that was sized for more keys than came, and one of keys that came again.
TEST_F(ToolsStatsTest, TheEstimateTellsHowManyKeysCame) {
  const std::string lines = Lines(0, 5000) + Lines(0, 5000);
  const std::string image = Build("image", lines, {"--bits-per-key", "10", "--num-keys", "10000"});
  EXPECT_NEAR(Stats({image})["size_per_num_keys"], 0.5, 0.03);
  EXPECT_NEAR(Stats({Build("image", lines, {"--bits-per-key", "10"})})["size_per_num_keys"], 1, 0.03);
}

// One that is broken keeps nobody from the others.
TEST_F(ToolsStatsTest, SeveralImagesAreToldOneByOne) {
  const std::string first = Build("first", Lines(0, 30000)), broken = dir_.Write("broken", "no image"),
                    second = Build("second", Lines(0, 20000)), empty = Build("empty", "");
  std::string bytes = ReadFile(second);
  bytes[1000] = static_cast<char>(bytes[1000] ^ 1);
  const std::string damaged = dir_.Write("damaged", bytes);
  const json images = Json({"stats", first, broken, damaged, second, empty}, 2)["images"];
  ASSERT_EQ(images.size(), 5u);
  EXPECT_EQ(images[0]["num_keys"], 30000);
  EXPECT_EQ(images[1]["state"], "damaged");
  EXPECT_EQ(images[2]["state"], "damaged");
  EXPECT_FALSE(images[2].contains("fill_ratio")) << "numbers of damaged bits";
  EXPECT_EQ(images[3]["num_keys"], 20000);
  EXPECT_EQ(images[4]["state"], "empty set");
  const RunResult text = Run({"stats", first, broken, second});
  EXPECT_EQ(text.exit_code, 2);
  for (const std::string& path : {first, broken, second}) EXPECT_NE(text.out.find(path + "\n"), std::string::npos);
  EXPECT_NE(text.err.find(broken), std::string::npos) << text.err;
  EXPECT_EQ(Run({"stats", first, second, empty}).exit_code, 0);
}

// With and without a secret in one list.
TEST_F(ToolsStatsTest, AKeyedImageTakesItsSecret) {
  const std::string hex = dir_.Write("hex", "00112233445566778899aabbccddeeff\n"),
                    plain = Build("plain", Lines(0, 100)),
                    keyed = Build("keyed", Lines(0, 20000), {"--bits-per-key", "12", "--secret", hex});
  const json both = Json({"stats", plain, keyed, "--secret", hex}, 0)["images"];
  EXPECT_EQ(both[1]["num_keys"], 20000);
  EXPECT_EQ(Stats({keyed}, 2)["state"], "secret missing");
}

TEST_F(ToolsStatsTest, RefusesBadUsage) {
  const std::string image = Build("image", "a\n");
  ExpectBadUsage({"stats"});
  ExpectBadUsage({"stats", ""});
  for (const char* rate : {"0", "1", "-1", "nan", "much"}) ExpectBadUsage({"stats", image, "--fpr", rate});
  ExpectBadUsage({"stats", image, "--no-such-option"});
}

}  // namespace
}  // namespace linefilter::test
