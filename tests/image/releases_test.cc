// The images of every release are read for ever: tests/releases/VERSION, kept by tools/keep_images.sh.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "tests/testing/targets.h"

namespace linefilter {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = LINEFILTER_SOURCE_DIR "/tests/releases";

HashSecret SecretIn(const fs::path& folder) {
  std::ifstream file(folder / "secret", std::ios::binary);
  HashSecret secret;
  file.read(reinterpret_cast<char*>(secret.bytes), sizeof(secret.bytes));
  return secret;
}

void ExpectAnswers(const FilterView& view, uint64_t num_keys, uint64_t maybes) {
  ASSERT_TRUE(view.status().ok()) << view.status().message();
  EXPECT_TRUE(view.Verify().ok()) << view.Verify().message();
  for (uint64_t i = 0; i < num_keys; ++i) ASSERT_TRUE(view.MayContainKey(std::to_string(i))) << "lost key " << i;
  uint64_t found = 0;
  for (uint64_t i = num_keys; i < num_keys + 20000; ++i) found += view.MayContainKey(std::to_string(i));
  EXPECT_EQ(found, maybes);
}

// Of one release, on every target; returns how many images there were.
size_t Read(const fs::path& folder) {
  const HashSecret secret = SecretIn(folder);
  std::ifstream answers(folder / "answers.txt");
  size_t images = 0;
  for (std::string line; std::getline(answers, line); ++images) {
    std::string name;
    uint64_t num_keys = 0, maybes = 0;
    EXPECT_TRUE(std::istringstream(line) >> name >> num_keys >> maybes) << line;
    SCOPED_TRACE((folder / name).string());
    const std::string path = (folder / name).string();
    const HashSecret* const needed = name.find("keyed") == std::string::npos ? nullptr : &secret;
    FilterFile mapped, loaded;
    EXPECT_TRUE(mapped.Map(path.c_str(), VerifyMode::kAuto, MapAdvice::kWillNeed, needed).ok());
    EXPECT_TRUE(loaded.Load(path.c_str(), {}, kNoMemoryLimit, needed).ok());
    ExpectAnswers(mapped.view(), num_keys, maybes);
    ExpectAnswers(loaded.view(), num_keys, maybes);
  }
  return images;
}

TEST(Releases, AreReadByThisVersion) {
  if (!fs::exists(LINEFILTER_SOURCE_DIR)) GTEST_SKIP() << "no source tree on this machine";
  test::OnEveryTarget([&](const char*) {
    size_t releases = 0;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
      ++releases;
      const auto is_image = [](const fs::directory_entry& file) { return file.path().extension() == ".filter"; };
      const size_t files =
          static_cast<size_t>(std::count_if(fs::directory_iterator(entry.path()), fs::directory_iterator(), is_image));
      EXPECT_EQ(Read(entry.path()), files) << "each file has its answers";
      EXPECT_GE(files, 37u);
    }
    EXPECT_GE(releases, 1u);
  });
}

template <class Filter>
void ExpectRefuses(const std::string& image, const FilterOptions& options) {
  Filter filter;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), options).code(), StatusCode::kCorrupt);
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(filter.MayContainKey(std::to_string(i))) << "lost key " << i;
}

// Before 0.1.0 the hash, the in-block hash and the check were others: what was written then is refused, and no key of
// it is ever "absent" (tests/image/earlier, which nothing makes anew).
TEST(Releases, AnImageOfAnEarlierStateIsRefusedAndLosesNoKey) {
  const fs::path folder = LINEFILTER_SOURCE_DIR "/tests/image/earlier";
  if (!fs::exists(folder)) GTEST_SKIP() << "no source tree on this machine";
  const HashSecret secret = SecretIn(folder);
  int images = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".filter") continue;
    ++images;
    SCOPED_TRACE(entry.path().string());
    const HashSecret* const needed = entry.path().string().find("keyed") == std::string::npos ? nullptr : &secret;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const FilterView view(image.data(), image.size(), VerifyMode::kTrusted, needed);
    EXPECT_EQ(view.status().code(), StatusCode::kCorrupt) << view.status().message();
    FilterFile mapped, loaded;
    EXPECT_EQ(mapped.Map(entry.path().c_str(), VerifyMode::kTrusted, MapAdvice::kWillNeed, needed).code(),
              StatusCode::kCorrupt);
    EXPECT_EQ(loaded.Load(entry.path().c_str(), {}, kNoMemoryLimit, needed).code(), StatusCode::kCorrupt);
    FilterOptions options;
    if (needed != nullptr) options.hash_id = HashId::kKeyed, options.secret = secret;
    ExpectRefuses<BlockedFilter>(image, options);
    ExpectRefuses<ClassicFilter>(image, options);
    ExpectRefuses<QuotientFilter>(image, options);
    ExpectRefuses<ConcurrentFilter>(image, options);
    ExpectRefuses<ScalableFilter>(image, options);
    ExpectRefuses<RotatingFilter>(image, options);
    for (uint64_t i = 0; i < 5000; ++i) {
      const std::string key = std::to_string(i);
      ASSERT_TRUE(view.MayContainKey(key) && mapped.view().MayContainKey(key) && loaded.view().MayContainKey(key) &&
                  ImageMayContainKey(image.data(), image.size(), key, VerifyMode::kLazy))
          << "lost key " << key;
    }
  }
  EXPECT_EQ(images, 13);
}

// All documents say the same: the one sentence, however its lines are broken.
void ExpectSentence(const std::string& sentence, const std::vector<const char*>& documents) {
  const fs::path root = LINEFILTER_SOURCE_DIR;
  if (!fs::exists(root)) GTEST_SKIP() << "no source tree on this machine";
  for (const char* const name : documents) {
    std::ifstream file(root / name);
    std::string text;
    for (std::string word; file >> word;) text += word + " ";
    EXPECT_NE(text.find(sentence), std::string::npos) << name;
  }
}

TEST(Releases, OneSentenceTellsThatTheFormatIsFrozen) {
  ExpectSentence("Image format 1 is frozen: its bytes and their answers never change.",
                 {"CHANGELOG.md", "doc/FORMAT.md", "doc/LIMITS.md", "doc/VERSIONING.md"});
}

TEST(Releases, OneSentenceTellsThatTheRecordOfRedisIsFrozen) {
  ExpectSentence("Record version 1 of Redis is frozen: its keys, its bytes and its rules never change.",
                 {"CHANGELOG.md", "doc/REDIS.md", "doc/LIMITS.md", "doc/VERSIONING.md"});
}

// What is kept when a version is released: by tools/keep_images.sh, and by tools/keep_records.sh in its folder redis.
TEST(Releases, AreAllKept) {
  if (!fs::exists(LINEFILTER_SOURCE_DIR)) GTEST_SKIP() << "no source tree on this machine";
  std::ifstream changelog(LINEFILTER_SOURCE_DIR "/CHANGELOG.md");
  int versions = 0;
  for (std::string line; std::getline(changelog, line);) {
    if (line.rfind("## ", 0) != 0) continue;
    ++versions;
    if (line.find("(unreleased)") != std::string::npos) continue;
    EXPECT_TRUE(fs::exists(fs::path(kFolder) / line.substr(3, line.find(' ', 3) - 3) / "redis")) << line;
  }
  EXPECT_GE(versions, 1);
}

}  // namespace
}  // namespace linefilter
