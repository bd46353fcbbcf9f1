// What the program tells of an image is true, the images that it folds and merges hold their keys, and damaged ones are
// not asked.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <tuple>

#include "tests/testing/image_parts.h"
#include "tests/testing/layouts.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {

using nlohmann::json;

TEST_F(ToolsTest, FoldsAnImageByAFactorToARateOrToASize) {
  const std::string keys = dir_.Write("keys", Lines(0, 5000)), large = dir_.File("large"), out = dir_.File("out");
  const json built = Json({"build", keys, "--out", large, "--bits-per-key", "40", "--foldable"}, 0);
  EXPECT_EQ(built["layout"], "blocked");
  EXPECT_EQ(built["body_bytes"], 64 * 448) << "391 blocks would do";
  const json halved = Json({"fold", large, "--by", "2", "--out", out}, 0);
  EXPECT_EQ(halved["factor"], 2);
  EXPECT_EQ(halved["num_blocks_before"], 448);
  EXPECT_EQ(halved["num_blocks"], 224);
  EXPECT_EQ(halved["num_keys"], 5000);
  EXPECT_EQ(halved["image_bytes"], std::filesystem::file_size(out));
  EXPECT_LT(halved["expected_fpr_before"].get<double>(), halved["expected_fpr"].get<double>());
  EXPECT_EQ(Json({"verify", out, "--keys", keys}, 0)["keys_absent"], 0);
  EXPECT_EQ(Json({"info", out}, 0)["expected_fpr"], halved["expected_fpr"]);
  const json to_rate = Json({"fold", large, "--fpr", "0.05", "--out", out}, 0);
  EXPECT_LE(to_rate["expected_fpr"].get<double>(), 0.05);
  EXPECT_GT(to_rate["factor"].get<int>(), 2);
  EXPECT_EQ(Json({"verify", out, "--keys", keys}, 0)["keys_absent"], 0);
  const json to_size = Json({"fold", large, "--to-bytes", "8e3", "--out", out}, 0);
  EXPECT_EQ(to_size["factor"], 4) << "7168 bytes of blocks";
  EXPECT_LE(to_size["image_bytes"].get<int>(), 8000);
  EXPECT_EQ(Run({"fold", large, "--by", "7", "--out", large}).exit_code, 0) << "in its own place";
  EXPECT_EQ(Json({"verify", large, "--keys", keys}, 0)["keys_absent"], 0);
  EXPECT_EQ(Json({"info", large}, 0)["num_blocks"], 64);
}

TEST_F(ToolsTest, RefusesToFoldWhatCannotBe) {
  const std::string image = Build("image", Lines(0, 800), {"--bits-per-key", "64"}), bad = dir_.File("bad");
  const RunResult refused = Run({"fold", image, "--by", "7", "--out", bad});
  EXPECT_NE(refused.err.find("100 blocks cannot be folded by 7: by 5 or 10"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find(image), std::string::npos) << refused.err;
  std::string damaged = test::ReadFile(image);
  damaged[5000] = static_cast<char>(damaged[5000] ^ 1);
  const std::string other = dir_.Write("damaged", damaged),
                    classic = Build("classic", Lines(0, 800), {"--bits-per-key", "10", "--layout", "classic"});
  for (const std::vector<std::string>& arguments : Some<std::vector<std::string>>({
           {"fold", image, "--by", "7", "--out", bad},
           {"fold", image, "--out", bad},
           {"fold", image, "--by", "2", "--fpr", "0.5", "--out", bad},
           {"fold", image, "--by", "0", "--out", bad},
           {"fold", image, "--fpr", "0", "--out", bad},
           {"fold", image, "--fpr", "1e-12", "--out", bad},
           {"fold", image, "--to-bytes", "70", "--out", bad},
           {"fold", image, "--by", "2"},
           {"fold", other, "--by", "1", "--out", bad},
           {"fold", classic, "--by", "2", "--out", bad},
           {"fold", dir_.File("none"), "--by", "2", "--out", bad},
           {"merge", image, other, "--out", bad},
           {"merge", image, classic, "--out", bad},
           {"merge", image, dir_.File("none"), "--out", bad},
           {"merge", "--out", bad},
           {"merge", image},
           {"build", "-", "--out", bad, "--fpr", "0.1", "--foldable", "--layout", "retrieval"},
       })) {
    ExpectBadUsage(arguments);
  }
  const RunResult misfit = Run({"merge", image, image, classic, "--out", bad});
  EXPECT_NE(misfit.err.find(image + " and " + classic + ": "), std::string::npos) << misfit.err;
  EXPECT_NE(misfit.err.find("the layout is another"), std::string::npos) << misfit.err;
  EXPECT_NE(misfit.err.find("--layout blocked"), std::string::npos)
      << "how to build what can be united: " << misfit.err;
  // "here" is the one that is named first, also if it is empty; what fits to an empty set is compared with the next
  // one.
  const std::string none = Build("none", "");
  const RunResult empty = Run({"merge", none, classic, "--out", bad});
  EXPECT_NE(empty.err.find(none + " and " + classic + ": "), std::string::npos) << empty.err;
  EXPECT_NE(empty.err.find("the layout is another: blocked, 0 bytes"), std::string::npos) << empty.err;
  const std::string probes = Build("probes", Lines(0, 800), {"--bits-per-key", "10"});
  const RunResult third = Run({"merge", none, image, probes, "--out", bad});
  EXPECT_NE(third.err.find(image + " and " + probes + ": "), std::string::npos) << third.err;
  EXPECT_NE(third.err.find("the num_probes is another: blocked, 6400 bytes"), std::string::npos) << third.err;
  EXPECT_NE(third.err.find("--like " + image), std::string::npos) << third.err;
  const std::string retrieval = Build("retrieval", "a\n", {"--fpr", "1%", "--layout", "retrieval"});
  const RunResult never = Run({"merge", retrieval, retrieval, "--out", bad});
  EXPECT_NE(never.err.find("--layout blocked"), std::string::npos) << never.err;
}

TEST_F(ToolsTest, AKeyOfTwoImagesIsRemovedTwice) {
  const std::string keys = Lines(0, 2000), small = dir_.File("small"), out = dir_.File("out"),
                    image = Build("image", keys,
                                  {"--bits-per-key", "40", "--foldable", "--removable", "--layout", "quotient"});
  EXPECT_EQ(Json({"fold", image, "--by", "2", "--out", small}, 0)["removable"], true);
  EXPECT_EQ(Json({"merge", image, small, "--out", out, "--at-most", "0.02"}, 0)["images"][0]["folded_by"], 2);
  for (const int absent : {0, 0, 2000}) {
    EXPECT_EQ(Json({"verify", out, "--keys", "-"}, absent != 0, keys)["keys_absent"], absent);
    EXPECT_EQ(Json({"add", out, "--remove"}, 0, keys)["keys_removed"], 2000 - absent);
  }
}

TEST_F(ToolsTest, MergesImagesOfUnequalSizes) {
  const std::string large = Build("large", Lines(0, 2000), {"--bits-per-key", "20", "--foldable"}),
                    other = Build("other", Lines(2000, 4000), {"--bits-per-key", "20", "--foldable"}),
                    none = Build("none", "", {"--bits-per-key", "20"}), small = dir_.File("small"),
                    out = dir_.File("out");
  ASSERT_EQ(Run({"fold", other, "--by", "2", "--out", small}).exit_code, 0);
  const RunResult refused = Run({"merge", large, small, none, "--out", out});
  EXPECT_EQ(refused.exit_code, 1) << "nobody asked for another rate";
  EXPECT_NE(refused.err.find("Nothing is written. Build images to merge of one size"), std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  for (const std::string rate : {"0", "2", "-1"}) {
    EXPECT_EQ(Run({"merge", large, small, "--out", out, "--at-most=" + rate}).exit_code, 2) << rate;
  }
  EXPECT_EQ(Run({"merge", large, small, "--out", out, "--at-most", "1e-6"}).exit_code, 1);
  const json merged = Json({"merge", large, small, none, "--out", out, "--at-most", "0.05"}, 0);
  EXPECT_LE(merged["expected_fpr"].get<double>(), 0.05);
  EXPECT_EQ(merged["num_images"], 3);
  EXPECT_EQ(merged["num_blocks"], 64) << "128 and 64";
  ASSERT_EQ(merged["images"].size(), 3u);
  EXPECT_EQ(merged["images"][0]["merged"], large);
  EXPECT_EQ(merged["images"][0]["folded_by"], 2);
  EXPECT_EQ(merged["images"][1]["folded_by"], 1);
  EXPECT_NEAR(merged["approximate_size"].get<double>(), 4000, 100);
  EXPECT_FALSE(merged.contains("num_keys")) << "keys may be in several";
  EXPECT_EQ(Json({"verify", out, "--keys", "-"}, 0, Lines(0, 4000))["keys_absent"], 0);
  EXPECT_EQ(Run({"merge", out, large, "--out", out, "--any-rate"}).exit_code, 0) << "in its own place";
  EXPECT_EQ(Json({"verify", out, "--keys", "-"}, 0, Lines(0, 4000))["keys_absent"], 0);
}

// Days of unequal sizes whose keys are too many for one of them, also where each day is given twice.
TEST_F(ToolsTest, DoesNotMergeDaysOfUnequalSizesIntoNothing) {
  const std::string out = dir_.File("out");
  std::vector<std::string> merge = {"merge", "--out", out};
  int first = 0;
  for (const int keys : {9290, 9800, 10410, 11030}) {
    merge.push_back(Build("day" + std::to_string(keys), Lines(first, first + keys), {"--fpr", "0.01", "--exact-size"}));
    first += keys;
  }
  const RunResult refused = Run(merge);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("where the union would have an expected false-positive rate of "), std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  const RunResult twice = Run({"merge", "--out", out, merge[3], merge[4], merge[3], merge[4]});
  EXPECT_EQ(twice.exit_code, 1) << twice.err;
  const RunResult equal = Run({"merge", "--out", out, merge[3], merge[3], "--at-most", "1e-6"});
  EXPECT_EQ(equal.exit_code, 1);
  EXPECT_EQ(equal.err.find("linefilter: merge: the union would have an expected false-positive rate of "), 0u)
      << equal.err;
  const std::string empty = Build("empty", Lines(0, 0), {"--fpr", "0.01"});
  EXPECT_EQ(Run({"merge", "--out", out, empty, merge[3]}).exit_code, 0);
}

// A week of files, each for 90 to 110 % of the keys that the first was made for.
TEST_F(ToolsTest, BuildsImagesThatCanBeMerged) {
  const std::string first = Build("first", Lines(0, 10000), {"--fpr", "0.001"}), week = dir_.File("week");
  std::vector<std::string> merge = {"merge", "--out", week, first};
  for (int day = 1; day < 7; ++day) {
    const std::string image = dir_.File("day" + std::to_string(day));
    const RunResult built =
        Run({"build", "-", "--out", image, "--like", first}, Lines(10000 * day, 10000 * day + 9000 + 300 * day));
    ASSERT_EQ(built.exit_code, 0) << built.err;
    EXPECT_EQ(std::filesystem::file_size(image), std::filesystem::file_size(first));
    merge.push_back(image);
  }
  const json merged = Json(merge, 0);
  EXPECT_EQ(merged["body_bytes"], Json({"info", first}, 0)["body_bytes"]);
  std::string all;
  for (int day = 0; day < 7; ++day) all += Lines(10000 * day, 10000 * day + (day == 0 ? 10000 : 9000 + 300 * day));
  const std::string one = dir_.File("one");
  const double of_one = Json({"build", "-", "--out", one, "--like", first}, 0, all)["expected_fpr"];
  EXPECT_LE(merged["expected_fpr"].get<double>(), 1.25 * of_one) << "that of one filter of all keys";
  const std::string absent = Lines(1000000, 1020000);
  const double maybes = 20000 - Json({"verify", week, "--keys", "-"}, 1, absent)["keys_absent"].get<double>();
  EXPECT_LE(maybes, 1.25 * of_one * 20000);
  for (int day = 0; day < 7; ++day) {
    EXPECT_EQ(Json({"verify", week, "--keys", "-"}, 0, Lines(10000 * day, 10000 * day + 9000))["keys_absent"], 0)
        << day;
  }
  const std::string retrieval = Build("retrieval", Lines(0, 100), {"--fpr", "0.01", "--layout", "retrieval"});
  EXPECT_NE(Run({"build", "-", "--out", week, "--like", retrieval}, "a\n").err.find("is united with none"),
            std::string::npos);
  for (const char* const other :
       {"--foldable", "--exact-size", "--grow", "--seed=3", "--layout=blocked", "--fpr=0.1"}) {
    const RunResult both = Run({"build", "-", "--out", week, "--like", first, other}, "a\n");
    EXPECT_EQ(both.exit_code, 2) << other;
    EXPECT_NE(both.err.find("not both"), std::string::npos) << both.err;
  }
}

// By default, images of nearly as many keys have one size, so they just unite; --exact-size refuses that.
TEST_F(ToolsTest, BuildsImagesOfFewSizes) {
  const std::string out = dir_.File("out");
  for (const bool exact : {false, true}) {
    std::vector<std::string> options = {"--fpr", "0.01"};
    if (exact) options.push_back("--exact-size");
    const std::string one = Build("one", Lines(0, 20100), options),
                      other = Build("other", Lines(20100, 40240), options);
    const json info = Json({"info", one}, 0);
    EXPECT_EQ(info["num_blocks"].get<uint64_t>() % 4 == 0, !exact) << info["num_blocks"];
    const RunResult merged = Run({"merge", one, other, "--out", out});
    EXPECT_EQ(merged.exit_code, exact ? 1 : 0) << merged.err;
    if (exact) continue;
    EXPECT_EQ(Json({"info", out}, 0)["num_blocks"], info["num_blocks"]);
    EXPECT_EQ(Json({"verify", out, "--keys", "-"}, 0, Lines(0, 40240))["keys_absent"], 0);
    EXPECT_EQ(Run({"fold", one, "--by", "4", "--out", out}).exit_code, 0);
  }
  for (const char* const other : {"--foldable", "--grow"}) {
    EXPECT_EQ(Run({"build", "-", "--out", out, "--fpr", "0.1", "--exact-size", other}, "a\n").exit_code, 2);
  }
}

// A name of one letter stands in many sentences.
TEST_F(ToolsTest, AnErrorNamesTheImage) {
  std::string bytes = test::ReadFile(Build("image", "a\n"));
  bytes[0] = static_cast<char>(bytes[0] ^ 1);
  dir_.Write("a", bytes);
  const RunResult result =
      test::RunProgram({"/bin/sh", "-c", "cd '" + dir_.path() + "' && " + ShellProgram() + "verify a"});
  EXPECT_NE(result.err.find("image a: "), std::string::npos) << result.err;
}

TEST_F(ToolsTest, KeysAreHashedAsInParquetFiles) {
  const std::string image = Build("image", Lines(0, 1000), {"--fpr", "1%", "--hash", "parquet"}),
                    plain = Build("plain", Lines(0, 1000), {"--fpr", "1%", "--hash", "xxh3"});
  const json info = Json({"info", image}, 0);
  EXPECT_EQ(info["hash"], "parquet");
  EXPECT_FALSE(info.contains("seed")) << "it has none";
  EXPECT_EQ(Json({"info", plain}, 0)["hash"], "xxh3");
  EXPECT_EQ(Json({"query", image, image + ".keys"}, 0)["maybe"], 1000);
  const std::string bytes = test::ReadFile(image);
  const FilterView view(bytes.data(), bytes.size(), VerifyMode::kWhole);
  std::istringstream lines(Lines(0, 1000));
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(view.MayContainHash(ParquetHash(line))) << line;
  const std::string made = dir_.File("made");
  EXPECT_EQ(Json({"create", made, "--num-keys", "9", "--fpr", "1%", "--hash", "parquet"}, 0)["hash"], "parquet");
  for (const std::vector<std::string>& wrong :
       Some<std::vector<std::string>>({{"--hash", "xxh64"}, {"--hash", "parquet", "--seed", "1"}})) {
    std::vector<std::string> all = {"create", dir_.File("bad"), "--num-keys", "9", "--fpr", "1%"};
    all.insert(all.end(), wrong.begin(), wrong.end());
    ExpectBadUsage(all);
  }
}

TEST_F(ToolsTest, InfoTellsAllOfTheImage) {
  const std::string image = Build("image", Lines(0, 30000),
                                  {"--bits-per-key", "10", "--layout", "blocked", "--seed", "18446744073709551615"});
  const json info = Json({"info", image}, 0);
  EXPECT_EQ(info["layout"], "blocked");
  EXPECT_EQ(info["hash"], "xxh3");
  EXPECT_EQ(info["seed"], ~uint64_t{0}) << "all 64 bits";
  EXPECT_EQ(info["num_blocks"].get<uint64_t>() * 64, info["body_bytes"]);
  EXPECT_EQ(info["image_bytes"], std::filesystem::file_size(image));
  EXPECT_EQ(info["num_keys"], 30000);
  EXPECT_EQ(info["checksum"], "ok");
  EXPECT_NEAR(info["approximate_size"].get<double>(), 30000, 600);
  EXPECT_NEAR(info["fill_ratio"].get<double>(), 0.45, 0.06);
  EXPECT_NEAR(info["expected_fpr"].get<double>(), 0.0097, 0.0006);
  EXPECT_GE(info["num_probes"].get<int>(), 5);
  const RunResult text = Run({"info", image});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("blocked"), std::string::npos);
  EXPECT_NE(text.out.find("expected_fpr"), std::string::npos) << "the same names as text";
}

// Two stages of 4 and 12 blocks, written from the format.
TEST_F(ToolsTest, InfoShowsTheStagesOfAContainer) {
  test::ImageParts parts;
  parts.layout = 5, parts.num_probes = 0;
  parts.body = std::string(256, '\x0f') + std::string(768, '\0');
  std::string table;
  for (const auto& [num_blocks, num_keys, num_probes] :
       {std::tuple<uint64_t, uint64_t, uint64_t>{4, 100, 1}, {12, 0, 7}}) {
    test::AppendLittleEndian(&table, num_blocks, 8);
    test::AppendLittleEndian(&table, num_keys, 8);
    test::AppendLittleEndian(&table, 1 + 256 * num_probes, 8);
  }
  parts.extensions = test::Extension(0x8002, table);
  const std::string image = dir_.File("container");
  std::ofstream(image, std::ios::binary) << test::Assemble(parts);
  const json info = Json({"info", image}, 0);
  EXPECT_EQ(info["layout"], "container");
  EXPECT_EQ(info["num_blocks"], 16);
  EXPECT_EQ(info["checksum"], "ok");
  EXPECT_DOUBLE_EQ(info["fill_ratio"].get<double>(), 0.125);
  EXPECT_NEAR(info["expected_fpr"].get<double>(), 0.5, 1e-7) << "of the first stage, the second is empty";
  ASSERT_EQ(info["stages"].size(), 2u);
  EXPECT_EQ(info["stages"][0]["num_keys"], 100);
  EXPECT_NEAR(info["stages"][0]["expected_fpr"].get<double>(), 0.5, 1e-7);
  EXPECT_EQ(info["stages"][1]["num_blocks"], 12);
  EXPECT_EQ(info["stages"][1]["num_probes"], 7);
  EXPECT_EQ(info["stages"][1]["fill_ratio"], 0);
  EXPECT_EQ(Run({"verify", image}).exit_code, 0);
}

// Lazily a member of the damaged part is "maybe", and the exit code tells; elsewhere "absent" is answered.
TEST_F(ToolsTest, QuerySaysHowDamageIsFound) {
  const std::string keys = Lines(0, 100000), image = Build("image", keys);
  const std::string sound = test::ReadFile(image);
  for (const char* mode : {"whole", "lazy", "trusted"}) {
    EXPECT_EQ(Run({"query", image, "-", "--verify", mode, "--count"}, keys).exit_code, 0) << mode;
  }
  std::string bytes = sound;
  std::fill_n(bytes.begin() + 65536, 30000, '\0');
  const std::string damaged = dir_.Write("damaged", bytes);
  const auto count = [&](const char* mode, const std::string& asked, int exit_code) {
    const RunResult result = Run({"query", damaged, "-", "--verify", mode, "--json"}, asked);
    EXPECT_EQ(result.exit_code, exit_code) << mode;
    EXPECT_EQ(result.err.find("body bytes 65536 to") != std::string::npos, exit_code == 2) << result.err;
    return result.out.empty() ? json() : json::parse(result.out);
  };
  EXPECT_TRUE(count("whole", keys, 2).empty());
  EXPECT_GT(count("trusted", keys, 0)["absent"], 10000) << "which is why it must be said";
  EXPECT_EQ(count("lazy", keys, 2)["absent"], 0);
  EXPECT_GT(count("lazy", Lines(200000, 210000), 2)["absent"], 3000);
  ExpectBadUsage({"query", image, dir_.Write("keys", keys), "--verify", "no"});
  ExpectBadUsage({"query", image, dir_.File("keys"), "--no-verify"});
}

TEST_F(ToolsTest, DamagedImagesAreNotAsked) {
  const std::string large = test::ReadFile(Build("large", Lines(0, 100000))),
                    small = test::ReadFile(Build("small", Lines(0, 100)));
  const auto damaged = [&](std::string bytes, size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 8);
    return bytes;
  };
  for (const std::string& bytes :
       Some<std::string>({damaged(large, 70000), damaged(large, large.size() - 7), large.substr(0, large.size() - 1),
                          damaged(small, 5), small.substr(1), std::string("no image"), std::string()})) {
    const std::string image = dir_.Write("damaged", bytes);
    EXPECT_EQ(Run({"verify", image}).exit_code, 2) << bytes.size();
    EXPECT_EQ(Run({"verify", image, "--keys", "-"}, "key-1\n").exit_code, 2);
    EXPECT_EQ(Run({"info", image}).exit_code, 2);
    const RunResult asked = Run({"query", image, "-"}, "key-1\n");
    EXPECT_EQ(asked.exit_code, 2);
    EXPECT_EQ(asked.out, "") << "no answer that could be wrong";
    EXPECT_NE(asked.err, "");
  }
}

TEST_F(ToolsTest, AnImageOfCallersHashesCannotBeAskedByKey) {
  test::ImageParts parts;
  parts.body.assign(640, '\0');
  parts.hash_id = 0;
  const std::string image = dir_.Write("image", test::Assemble(parts));
  EXPECT_EQ(Json({"info", image}, 0)["hash"], "caller");
  EXPECT_EQ(Run({"verify", image}).exit_code, 0) << "its bytes are good";
  const RunResult asked = Run({"query", image, "-"}, "a\n");
  EXPECT_EQ(asked.exit_code, 2) << "not a \"maybe\" that means nothing";
  EXPECT_NE(asked.err.find("only the writer can ask it"), std::string::npos) << asked.err;
}

// tools/keep_images.sh: all of a release's folder, or none of it.
TEST_F(ToolsTest, TheImagesOfAReleaseAreKeptCompletelyOrNotAtAll) {
  namespace fs = std::filesystem;
  const fs::path script = LINEFILTER_SOURCE_DIR "/tools/keep_images.sh", root = dir_.File("root");
  if (!fs::exists(script) || IsEmulated()) GTEST_SKIP() << "no source tree, or a program that no script can start";
  fs::create_directories(root / "tools");
  fs::copy(script, root / "tools");
  const auto keep = [&] { return test::RunProgram({"bash", (root / "tools/keep_images.sh").string(), "9.9.9"}); };
  const fs::path releases = root / "tests/releases", program = root / "build/release/linefilter";
  EXPECT_NE(keep().err.find("build it first"), std::string::npos) << keep().err;
  EXPECT_FALSE(fs::exists(releases));
  fs::create_directories(program.parent_path());
  std::ofstream(program) << "#!/bin/sh\ncase \"$*\" in *retrieval_keyed*) exit 2;; esac\nexec '" LINEFILTER_PROGRAM
                            "' \"$@\"\n";
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_NE(keep().exit_code, 0) << "the last image cannot be made";
  EXPECT_TRUE(fs::is_empty(releases)) << "nothing is left, so the next run works";
  fs::remove(program);
  fs::create_symlink(LINEFILTER_PROGRAM, program);
  EXPECT_EQ(keep().exit_code, 0) << keep().err;
  EXPECT_EQ(std::distance(fs::directory_iterator(releases), fs::directory_iterator()), 1);
  std::ifstream answers(releases / "9.9.9/answers.txt");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(answers), {}, '\n'),
            static_cast<std::ptrdiff_t>(5 * (EveryLayout().size() + 2) + 2))
      << "also removable, container; removed, parquet";
  EXPECT_EQ(fs::file_size(releases / "9.9.9/secret"), 16u);
  EXPECT_NE(keep().err.find("never written again"), std::string::npos);
}

}  // namespace linefilter::test
