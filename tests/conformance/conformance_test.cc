// The library, on every target, and the reference against the files of tests/conformance, which are for implementations
// in other languages. (One in Python is there: check.py compares it.)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "linefilter/view.h"
#include "tests/conformance/images_file.h"
#include "tests/conformance/vectors.h"
#include "tests/reference/reference.h"
#include "tests/testing/targets.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

constexpr char kFolder[] = LINEFILTER_SOURCE_DIR "/tests/conformance/";

HashSecret SecretOf(const std::string& bytes) {
  HashSecret secret;
  std::copy(bytes.begin(), bytes.end(), secret.bytes);
  return secret;
}

// Not a test unless asked for: rewrites the files.
TEST(Conformance, Write) {
  const char* folder = std::getenv("LINEFILTER_WRITE_CONFORMANCE");
  if (folder == nullptr) return;
  std::ofstream(std::string(folder) + "/xxh3.txt") << MakeXxh3Vectors();
  std::ofstream(std::string(folder) + "/siphash.txt") << MakeSiphashVectors();
  std::ofstream(std::string(folder) + "/xxh64.txt") << MakeXxh64Vectors();
  std::ofstream(std::string(folder) + "/columns.txt") << MakeColumnsVectors();
  std::ofstream(std::string(folder) + "/images.txt") << MakeConformanceImages();
}

// So every byte and every answer in the files is the reference's.
TEST(Conformance, TheReferenceMakesTheseFiles) {
  EXPECT_TRUE(ReadFile(std::string(kFolder) + "xxh3.txt") == MakeXxh3Vectors());
  EXPECT_TRUE(ReadFile(std::string(kFolder) + "siphash.txt") == MakeSiphashVectors());
  EXPECT_TRUE(ReadFile(std::string(kFolder) + "xxh64.txt") == MakeXxh64Vectors());
  EXPECT_TRUE(ReadFile(std::string(kFolder) + "columns.txt") == MakeColumnsVectors());
  const std::string file = ReadFile(std::string(kFolder) + "images.txt"), made = MakeConformanceImages();
  size_t at = 0;
  while (at < file.size() && at < made.size() && file[at] == made[at]) ++at;
  EXPECT_TRUE(file == made) << "they differ from byte " << at << " on:\n"
                            << file.substr(at, 100) << "\nand\n"
                            << made.substr(at, 100);
  EXPECT_LT(file.size(), 700000u) << "small enough to carry along";
}

TEST(Conformance, TheLibraryHashesSo) {
  const std::vector<Xxh3Vector> vectors = ReadXxh3Vectors(std::string(kFolder) + "xxh3.txt");
  ASSERT_GE(vectors.size(), 26u);
  for (const Xxh3Vector& vector : vectors) {
    EXPECT_EQ(HashKey(InputBytes(vector.size), vector.seed), vector.hash)
        << vector.size << " bytes, seed " << vector.seed;
  }
  const std::vector<SiphashVector> keyed = ReadSiphashVectors(std::string(kFolder) + "siphash.txt");
  ASSERT_GE(keyed.size(), 30u);
  for (const SiphashVector& vector : keyed) {
    EXPECT_EQ(KeyedHash(InputBytes(vector.size), SecretOf(vector.secret)), vector.hash) << vector.size << " bytes";
  }
  const std::vector<Xxh64Vector> of_parquet = ReadXxh64Vectors(std::string(kFolder) + "xxh64.txt");
  ASSERT_GE(of_parquet.size(), 30u);
  for (const Xxh64Vector& vector : of_parquet) {
    EXPECT_EQ(ParquetHash(InputBytes(vector.size)), vector.hash) << vector.size << " bytes";
  }
}

class ConformanceImages : public testing::Test {
 protected:
  void SetUp() override {
    images_ = ReadConformanceImages(std::string(kFolder) + "images.txt");
    ASSERT_GE(images_.size(), 100u);
  }
  std::vector<ConformanceImage> images_;
};

// What an image answers does not depend on damage elsewhere. As the record says: with its secret or without. The view
// keeps no pointer to a secret.
FilterView Open(const ConformanceImage& image, const std::string& bytes) {
  const HashSecret secret = SecretOf(image.secret);
  return FilterView(bytes.data(), bytes.size(), VerifyMode::kTrusted, image.secret.empty() ? nullptr : &secret);
}

bool Ask(const FilterView& view, const Question& question) {
  if (question.IsHash()) return view.MayContainHash(question.number);
  if (question.kind == "u64") return view.MayContainKey(question.number);
  return view.MayContainKey(question.Key());
}

// Batches, and an image that is not kept open, answer as single questions do.
void ExpectSameAnswersInBatches(const ConformanceImage& image, const FilterView& view) {
  std::vector<std::string> keys;
  std::vector<uint64_t> hashes;
  std::vector<uint8_t> of_keys, of_hashes;
  for (const Question& question : image.questions) {
    (question.IsHash() ? of_hashes : of_keys).push_back(question.maybe);
    if (question.IsHash()) {
      hashes.push_back(question.number);
    } else {
      keys.push_back(question.Key());
    }
  }
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<uint8_t> answers(keys.size());
  view.MayContainKeys(views.data(), views.size(), answers.data());
  EXPECT_EQ(answers, of_keys);
  answers.assign(hashes.size(), 0);
  view.MayContainHashes(hashes.data(), hashes.size(), answers.data());
  EXPECT_EQ(answers, of_hashes);
  if (!image.secret.empty()) return;  // what follows takes none
  const VerifyMode verify = image.damaged_chunks.empty() ? VerifyMode::kLazy : VerifyMode::kTrusted;
  for (size_t i = 0; i < keys.size(); i += 50) {
    EXPECT_EQ(ImageMayContainKey(image.bytes.data(), image.bytes.size(), views[i], verify), of_keys[i] != 0) << keys[i];
  }
}

TEST_F(ConformanceImages, TheLibraryAnswersSoOnEveryTarget) {
  OnEveryTarget([&](const char*) {
    for (const ConformanceImage& image : images_) {
      SCOPED_TRACE(image.name);
      const FilterView view = Open(image, image.bytes);
      EXPECT_EQ(view.status().ok(), image.reads) << view.status().message();
      EXPECT_FALSE(image.questions.empty());
      for (const Question& question : image.questions) {
        EXPECT_EQ(Ask(view, question), question.maybe) << question.Describe();
      }
      for (const Question& key : image.added) {
        EXPECT_TRUE(Ask(view, key)) << key.Describe() << " is lost";
      }
      ExpectSameAnswersInBatches(image, view);
    }
  });
}

// Without forms of its own, an image of one kind has those of that kind.
void ExpectKeyForms(const ConformanceImage& image, const FilterView& view) {
  if (image.key_forms != 0) {
    EXPECT_EQ(view.key_forms(), image.key_forms);
    return;
  }
  const bool tells_none = view.key_forms() == 0 || view.key_forms() == kUnknownKeyForms;
  EXPECT_TRUE(tells_none || view.key_forms() == image.key_kind) << view.key_forms();
}

TEST_F(ConformanceImages, TheLibraryFindsTheseFields) {
  for (const ConformanceImage& image : images_) {
    if (!image.reads) continue;
    SCOPED_TRACE(image.name);
    const FilterView view = Open(image, image.bytes);
    const auto field = [&](const std::string& name) { return image.fields.at(name); };
    const auto number = [&](const std::string& name) { return std::strtoull(field(name).c_str(), nullptr, 10); };
    EXPECT_EQ(LayoutName(view.layout()), field("layout"));
    EXPECT_EQ(view.num_probes(), number("num_probes"));
    EXPECT_EQ(static_cast<uint64_t>(view.hash_id()), number("hash_id"));
    EXPECT_EQ(static_cast<uint64_t>(view.key_kind()), image.key_kind);
    ExpectKeyForms(image, view);
    EXPECT_EQ(view.seed(), number("seed")) << "none is 0";
    EXPECT_EQ(view.num_keys(), number("num_keys"));
    EXPECT_EQ(view.has_num_keys(), field("num_keys") != "none" || view.empty_set()) << "no keys need not be counted";
    EXPECT_EQ(view.body_bytes(), number("body"));
    EXPECT_EQ(view.num_chunks(), number("chunks"));
    std::vector<uint64_t> damaged;
    for (uint64_t i = 0; i < view.num_chunks(); ++i) {
      if (!view.VerifyChunks(i, 1).ok()) damaged.push_back(i);
    }
    EXPECT_EQ(damaged, image.damaged_chunks);
    EXPECT_EQ(view.Verify().ok(), damaged.empty());
  }
}

TEST_F(ConformanceImages, EveryDamageToTheseAnswersMaybe) {
  size_t images = 0;
  for (const ConformanceImage& image : images_) {
    if (!image.damage_every) continue;
    SCOPED_TRACE(image.name);
    ++images;
    for (const std::string& damaged : EveryDamage(image.bytes)) {
      const FilterView view = Open(image, damaged);
      ASSERT_FALSE(view.status().ok());
      ASSERT_TRUE(view.MayContainHash(0) && view.MayContainKey("") && view.MayContainKey(1u));
      reference::Filter filter;
      ASSERT_FALSE(reference::ReadImage(reinterpret_cast<const uint8_t*>(damaged.data()), damaged.size(), &filter));
    }
  }
  EXPECT_GE(images, 10u);
}

// What can be read, but not with this secret, or not without one, is refused for that: not as a broken image.
TEST_F(ConformanceImages, AreRefusedForTheirSecret) {
  std::map<std::string, int> kinds;
  for (const ConformanceImage& image : images_) {
    reference::Filter filter;
    const bool is_whole =
        reference::ReadImage(reinterpret_cast<const uint8_t*>(image.bytes.data()), image.bytes.size(), &filter);
    const FilterView view = Open(image, image.bytes);
    EXPECT_EQ(view.status().code() == StatusCode::kIncompatible, is_whole && !image.reads) << image.name;
    if (!is_whole || image.reads) continue;
    const std::string layout = LayoutName(static_cast<Layout>(filter.layout));
    const char* const size = filter.body.empty() ? " empty set" : filter.body.size() <= 4096 ? " small" : " large";
    const char* const why = image.secret.empty()  ? " without a secret"
                            : filter.hash_id == 2 ? " with another secret"
                                                  : " with a needless secret";
    ++kinds[layout + size + why];
    ++kinds[layout + " hash id " + std::to_string(filter.hash_id) + why];
  }
  for (const std::string layout : {"blocked", "classic", "retrieval", "split_block", "quotient"}) {
    for (const char* kind :
         {" empty set without a secret", " small without a secret", " large without a secret",
          " empty set with another secret", " small with another secret", " large with another secret",
          " empty set with a needless secret", " hash id 0 with a needless secret", " hash id 1 with a needless secret",
          " hash id 3 with a needless secret"}) {
      EXPECT_GT(kinds[layout + kind], 0) << layout << kind;
    }
  }
}

TEST_F(ConformanceImages, TellTheirBytes) {
  for (const ConformanceImage& image : images_) {
    EXPECT_EQ(Hex64(reference::Xxh3(image.bytes.data(), image.bytes.size(), 0)), image.xxh3) << image.name;
  }
}

std::vector<std::string> KindsOf(const ConformanceImage& image) {
  if (!image.reads) return {"unreadable"};
  const auto field = [&](const char* name) { return image.fields.at(name); };
  const std::string layout = field("layout"), chunks = field("chunks");
  std::vector<std::string> kinds = {"reads", layout + " k " + field("num_probes"),
                                    layout + " hash id " + field("hash_id")};
  const auto add_if = [&](bool is_so, const std::string& kind) {
    if (is_so) kinds.push_back(kind);
  };
  kinds.push_back("key kind " + std::to_string(image.key_kind));
  add_if(image.key_forms != 0, layout + " key forms");
  const bool is_keyed = !image.secret.empty();
  add_if(is_keyed, layout + " keyed, chunks: " + chunks);
  add_if(is_keyed && image.damage_every, layout + " keyed, every damage");
  for (const char* name : {"seed", "num_keys", "extensions"}) add_if(field(name) != "none", layout + " " + name);
  add_if(chunks != "0", layout + (chunks == "1" ? " one chunk" : " chunks"));
  add_if(field("body") == "0", layout + " empty set");
  add_if(!image.damaged_chunks.empty(), "damaged " + layout);
  std::set<std::string> added;
  for (const Question& key : image.added) added.insert(key.Describe());
  for (const Question& question : image.questions) {
    const bool is_member = added.count(question.Describe()) != 0;
    if (is_member || added.empty()) continue;
    const std::string kind = (question.maybe ? " false positive " : " absent ") + question.kind;
    kinds.push_back(layout + kind);
    add_if(is_keyed, layout + " keyed," + kind);
  }
  return kinds;
}

// A reader that always says "maybe", or never, or knows one layout, hash, size or field only, cannot pass.
TEST_F(ConformanceImages, HaveAllKinds) {
  std::map<std::string, int> kinds;
  for (const ConformanceImage& image : images_) {
    for (const std::string& kind : KindsOf(image)) ++kinds[kind];
  }
  EXPECT_GE(kinds["reads"], 100);
  EXPECT_GE(kinds["unreadable"], 100);
  for (int kind = 0; kind <= 3; ++kind) EXPECT_GT(kinds["key kind " + std::to_string(kind)], 0) << kind;
  for (int k = 1; k <= 16; ++k) EXPECT_GT(kinds["blocked k " + std::to_string(k)], 0) << k;
  for (int k = 1; k <= 30; ++k) EXPECT_GT(kinds["classic k " + std::to_string(k)], 0) << k;
  for (const std::string layout : {"blocked", "classic", "retrieval", "split_block", "quotient", "container"}) {
    for (const char* kind : {" hash id 0", " hash id 1", " hash id 2", " hash id 3", " seed", " num_keys",
                             " extensions", " key forms", " one chunk", " chunks", " empty set"}) {
      EXPECT_GT(kinds[layout + kind], 0) << layout << kind;
    }
    EXPECT_GT(kinds["damaged " + layout], 0) << layout;
    if (layout == "container") continue;
    for (const std::string& start : {layout, layout + " keyed,"}) {
      for (const char* kind : {" false positive text", " false positive u64", " absent text", " absent u64",
                               " absent input", " absent hash"}) {
        EXPECT_GT(kinds[start + kind], 0) << start << kind;
      }
    }
    for (const char* kind : {" chunks: 0", " chunks: 1", " chunks: 2", " every damage"}) {
      EXPECT_GT(kinds[layout + " keyed," + kind], 0) << layout << " keyed," << kind;
    }
  }
}

// A table of doc/FORMAT.md: rows | bytes | `hash` | ... under a head | bytes | NAME ... | ....
struct DocumentTable {
  std::vector<std::string> columns;                      // the cells of the head
  std::map<std::string, std::vector<std::string>> rows;  // by their first cell
};

// The cells of a line | a | b |, without the marks of code.
std::vector<std::string> CellsOf(std::string line) {
  line.erase(std::remove(line.begin(), line.end(), '`'), line.end());
  std::vector<std::string> cells;
  for (size_t at = 2, end; (end = line.find(" |", at)) != std::string::npos; at = end + 3) {
    cells.push_back(line.substr(at, end - at));
  }
  return cells;
}

DocumentTable TableInTheDocument(const std::string& name) {
  DocumentTable table;
  const std::string document = ReadFile(LINEFILTER_SOURCE_DIR "/doc/FORMAT.md");
  const size_t begin = document.find("\n| bytes | " + name);
  if (begin == std::string::npos) return table;
  std::istringstream lines(document.substr(begin + 1));
  std::string line;
  const auto next = [&] {
    std::getline(lines, line);
    std::vector<std::string> cells = CellsOf(line);
    if (!cells.empty()) cells.erase(cells.begin());
    return cells;
  };
  table.columns = next();
  next();  // the line under the head
  for (std::vector<std::string> cells = next(); !cells.empty(); cells = next()) {
    table.rows[CellsOf(line)[0]] = cells;
  }
  return table;
}

TEST(Conformance, TheTablesInTheDocumentAreTheFiles) {
  std::map<std::string, std::string> hashes;  // by number of bytes and head of the column
  for (const Xxh3Vector& vector : ReadXxh3Vectors(std::string(kFolder) + "xxh3.txt")) {
    const std::string seed = vector.seed == 0 ? "0" : Hex64(vector.seed);
    hashes[std::to_string(vector.size) + " seed " + seed] = Hex64(vector.hash);
  }
  for (const SiphashVector& vector : ReadSiphashVectors(std::string(kFolder) + "siphash.txt")) {
    const std::string secret = HexBytes(vector.secret);
    hashes[std::to_string(vector.size) + " secret " + secret] = Hex64(vector.hash);
    hashes["check secret " + secret] = Hex64(CheckOfSecret(SecretOf(vector.secret)));
  }
  for (const Xxh64Vector& vector : ReadXxh64Vectors(std::string(kFolder) + "xxh64.txt")) {
    hashes[std::to_string(vector.size) + " XXH64"] = Hex64(vector.hash);
  }
  struct Expected {
    size_t num_columns;
    std::set<std::string> rows;
  };
  const std::map<std::string, Expected> tables = {
      {"seed", {2, {"0", "1", "3", "4", "8", "9", "16", "17", "128", "129", "240", "241", "1025"}}},
      {"secret", {2, {"0", "1", "3", "4", "7", "8", "9", "15", "16", "17", "63", "64", "65", "128", "1025", "check"}}},
      {"XXH64",
       {1, {"0", "1", "3", "4", "7", "8", "9", "12", "16", "17", "31", "32", "33", "63", "64", "65", "128", "1025"}}}};
  for (const auto& [name, expected] : tables) {
    const DocumentTable table = TableInTheDocument(name);
    EXPECT_EQ(std::set<std::string>(table.columns.begin(), table.columns.end()).size(), expected.num_columns) << name;
    std::set<std::string> found;
    for (const auto& [row, told] : table.rows) {
      found.insert(row);
      ASSERT_EQ(told.size(), table.columns.size()) << name << ", row " << row;
      for (size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(told[i], hashes[row + " " + table.columns[i]]) << row << " " << table.columns[i];
      }
    }
    EXPECT_EQ(found, expected.rows) << name;
  }
}

}  // namespace
}  // namespace linefilter::test
