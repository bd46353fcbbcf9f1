// The bytes of an image never change: the library, on every target, and the reference make the images of
// tests/golden/images.txt, byte for byte, and find the same false positives.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/golden/golden_table.h"
#include "tests/testing/building.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

std::string TablePath() {
  const char* path = std::getenv("LINEFILTER_GOLDEN");  // for a test program that was moved to another machine
  return path != nullptr ? path : LINEFILTER_SOURCE_DIR "/tests/golden/images.txt";
}

HashSecret Secret() {
  HashSecret secret;
  std::copy(std::begin(kGoldenSecret), std::end(kGoldenSecret), secret.bytes);
  return secret;
}

FilterOptions OptionsOf(const GoldenCase& c) {
  FilterOptions options;
  options.bits_per_key = c.bits_per_key;
  options.num_probes = c.asked_probes;
  options.seed = c.seed;
  options.hash_id = static_cast<HashId>(c.HashIdNumber());
  if (c.hash == "keyed") options.secret = Secret();
  EXPECT_TRUE(ParseLayout(c.asked.c_str(), &options.layout)) << c.asked;
  if (FactsOf(options.layout).chooses_removal) {  // its num_probes tells that
    options.num_probes = 0;
    options.removable = c.asked_probes == 1;
  }
  return options;
}

// add_key(key) and add_hash(hash) for all keys of the case, hashed by the library unless they are the caller's.
template <class AddKey, class AddHash>
void AddKeys(const GoldenCase& c, const AddKey& add_key, const AddHash& add_hash) {
  for (uint64_t i = 0; i < c.num_keys; ++i) {
    if (c.hash == "caller") {
      add_hash(c.KeyHash(i));
    } else if (c.keys == "u64") {
      add_key(i);
    } else {
      add_key(std::string_view("key-" + std::to_string(i)));
    }
  }
}

template <class Owner>
std::string ImageWithKeys(const GoldenCase& c, Owner filter) {
  AddKeys(
      c, [&](auto key) { filter.InsertKey(key); }, [&](uint64_t hash) { filter.InsertHash(hash); });
  return ImageOf(filter);
}

std::string ImageOfScalable(const GoldenCase& c) {
  FilterOptions options = OptionsOf(c);
  options.fpr = c.bits_per_key;
  options.bits_per_key = 0;
  GrowthOptions growth;
  growth.max_growth = c.stages.growth;
  return ImageWithKeys(c, Created<ScalableFilter>(c.stages.capacity, options, growth));
}

std::string ImageOfRotating(const GoldenCase& c) {
  const uint32_t generations = static_cast<uint32_t>(c.stages.sizes.size());
  const uint64_t each = c.stages.capacity;
  const Rotation rotation = c.stages.growth == 1 ? Rotation::kByCount : Rotation::kByCaller;
  RotatingFilter filter;
  EXPECT_TRUE(filter.Create(each * (generations - 1), generations, OptionsOf(c), rotation).ok());
  uint64_t num_keys = 0;
  const auto rotate = [&] {
    if (rotation == Rotation::kByCaller && num_keys != 0 && num_keys % each == 0) filter.Rotate();
    ++num_keys;
  };
  AddKeys(
      c, [&](auto key) { rotate(), filter.InsertKey(key); }, [&](uint64_t hash) { rotate(), filter.InsertHash(hash); });
  return ImageOf(filter);
}

std::string LibraryImage(const GoldenCase& c) {
  const FilterOptions options = OptionsOf(c);
  if (c.maker == "scalable") return ImageOfScalable(c);
  if (c.maker == "rotating") return ImageOfRotating(c);
  if (c.maker == "mutable") return ImageWithKeys(c, Created<Filter>(c.num_keys, options));
  FilterBuilder builder(options);
  AddKeys(
      c, [&](auto key) { builder.AddKey(key); }, [&](uint64_t hash) { builder.AddHash(hash); });
  return Finish(&builder);
}

std::string LibraryResults(const GoldenCase& c) {
  const std::string image = LibraryImage(c);
  const HashSecret secret = Secret();
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole, c.hash == "keyed" ? &secret : nullptr);
  EXPECT_TRUE(view.status().ok()) << view.status().message();
  EXPECT_TRUE(view.Verify().ok()) << view.Verify().message();
  // What the case says about sizing is what the image tells.
  EXPECT_STREQ(LayoutName(view.layout()), c.layout.c_str());
  EXPECT_EQ(view.num_probes(), static_cast<uint32_t>(c.num_probes));
  EXPECT_EQ(view.body_bytes(), c.body_bytes);
  EXPECT_EQ(view.num_stages(), c.stages.sizes.size());
  for (uint32_t i = 0; i < view.num_stages() && i < c.stages.sizes.size(); ++i) {
    EXPECT_EQ(view.stage(i).num_blocks, c.stages.sizes[i].first) << i;
    EXPECT_EQ(view.stage(i).num_probes, static_cast<uint32_t>(c.stages.sizes[i].second)) << i;
  }
  EXPECT_EQ(view.has_num_keys(), c.counted || view.empty_set());  // nobody needs to count no keys
  return GoldenResults(reinterpret_cast<const uint8_t*>(image.data()), image.size(), [&](uint64_t i) {
    const std::string key = ProbeKey(i);
    return c.hash == "caller" ? view.MayContainHash(HashKey(key)) : view.MayContainKey(key);
  });
}

class Golden : public testing::Test {
 protected:
  void SetUp() override {
    cases_ = ReadGoldenTable(TablePath());
    ASSERT_GE(cases_.size(), 100u) << TablePath();
    for (const GoldenCase& c : cases_)
      ASSERT_FALSE(c.inputs.empty()) << "a line of " << TablePath() << " cannot be read";
  }
  std::vector<GoldenCase> cases_;
};

// Not a test unless asked for: rewrites the table.
TEST_F(Golden, Write) {
  const char* path = std::getenv("LINEFILTER_WRITE_GOLDEN");
  if (path == nullptr) return;
  std::ostringstream table;
  table << kGoldenHeader;
  for (const GoldenCase& c : cases_) table << c.inputs << " | " << ReferenceResults(c) << "\n";
  std::ofstream(path) << table.str();
}

TEST_F(Golden, TheReferenceMakesTheseImages) {
  if (IsEmulated()) GTEST_SKIP() << kSlowInAnEmulator;
  for (const GoldenCase& c : cases_) EXPECT_EQ(ReferenceResults(c), c.results) << c.inputs;
}

TEST_F(Golden, TheLibraryMakesTheseImagesOnEveryTarget) {
  OnEveryTarget([&](const char*) {
    for (const GoldenCase& c : cases_) {
      SCOPED_TRACE(c.inputs);
      EXPECT_EQ(LibraryResults(c), c.results);
    }
  });
}

TEST_F(Golden, TheImagesInTheDocumentAreAmongThem) {
  std::set<std::string> images;
  for (const GoldenCase& c : cases_) images.insert(c.results.substr(c.results.rfind(' ') + 1));
  if (!std::filesystem::exists(LINEFILTER_SOURCE_DIR)) GTEST_SKIP() << "no source tree on this machine";
  std::ifstream file(LINEFILTER_SOURCE_DIR "/doc/FORMAT.md");
  ASSERT_TRUE(file);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const std::string examples = document.substr(document.find(". Examples"));
  const std::regex hex("`([0-9a-f ]{16,})`");
  int found = 0;
  for (std::sregex_iterator it(examples.begin(), examples.end(), hex), end; it != end; ++it, ++found) {
    std::string image = (*it)[1];
    image.erase(std::remove(image.begin(), image.end(), ' '), image.end());
    EXPECT_EQ(images.count(image), 1u) << image;
  }
  EXPECT_GE(found, 5);
}

}  // namespace
}  // namespace linefilter::test
