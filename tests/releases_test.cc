// The images of every release are read for ever: tests/releases/VERSION, kept by tools/keep_images.sh.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/file.h"
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
  std::string name;
  uint64_t num_keys = 0, maybes = 0;
  while (answers >> name >> num_keys >> maybes) {
    SCOPED_TRACE((folder / name).string());
    const std::string path = (folder / name).string();
    const HashSecret* const needed = name.find("keyed") == std::string::npos ? nullptr : &secret;
    FilterFile mapped, loaded;
    EXPECT_TRUE(mapped.Map(path.c_str(), MapAdvice::kWillNeed, needed).ok());
    EXPECT_TRUE(loaded.Load(path.c_str(), {}, kNoMemoryLimit, needed).ok());
    ExpectAnswers(mapped.view(), num_keys, maybes);
    ExpectAnswers(loaded.view(), num_keys, maybes);
    ++images;
  }
  EXPECT_TRUE(answers.eof()) << "a line of answers.txt cannot be read";
  return images;
}

TEST(Releases, AreReadByThisVersion) {
  if (!fs::exists(LINEFILTER_SOURCE_DIR)) GTEST_SKIP() << "no source tree on this machine";
  test::OnEveryTarget([&](const char*) {
    size_t releases = 0;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
      ++releases;
      const auto is_image = [](const fs::directory_entry& file) { return file.path().extension() == ".filter"; };
      const size_t files = static_cast<size_t>(
          std::count_if(fs::directory_iterator(entry.path()), fs::directory_iterator(), is_image));
      EXPECT_EQ(Read(entry.path()), files) << "each file has its answers";
      EXPECT_GE(files, 15u);
    }
    EXPECT_GE(releases, 1u);
  });
}

// tools/keep_images.sh keeps them when a version is released.
TEST(Releases, AreAllKept) {
  if (!fs::exists(LINEFILTER_SOURCE_DIR)) GTEST_SKIP() << "no source tree on this machine";
  std::ifstream changelog(LINEFILTER_SOURCE_DIR "/CHANGELOG.md");
  int versions = 0;
  for (std::string line; std::getline(changelog, line);) {
    if (line.rfind("## ", 0) != 0) continue;
    ++versions;
    if (line.find("(unreleased)") != std::string::npos) continue;
    EXPECT_TRUE(fs::exists(fs::path(kFolder) / line.substr(3, line.find(' ', 3) - 3))) << line;
  }
  EXPECT_GE(versions, 1);
}

}  // namespace
}  // namespace linefilter
