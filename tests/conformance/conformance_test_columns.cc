// The vectors of keys of columns, against the library's hashes and the document.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "tests/conformance/images_file.h"
#include "tests/conformance/vectors.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

constexpr char kFile[] = LINEFILTER_SOURCE_DIR "/tests/conformance/columns.txt";

TEST(ConformanceOfColumns, TheLibraryHashesSo) {
  const std::vector<ColumnsVector> vectors = ReadColumnsVectors(kFile);
  ASSERT_GE(vectors.size(), 30u);
  for (const ColumnsVector& vector : vectors) {
    uint64_t hash = HashKey(vector.row.at(0).key, vector.seed);
    for (size_t i = 1; i < vector.row.size(); ++i) {
      hash = HashKey(hash * 0x9e3779b97f4a7c15 + HashKey(vector.row[i].key, vector.seed), vector.seed);
    }
    EXPECT_EQ(hash, vector.hash) << vector.row[0].form << ":" << vector.row[0].value;
  }
}

// A row of the table in section 13 names the columns, and has a hash for each of the two seeds.
TEST(ConformanceOfColumns, TheTableInTheDocumentIsTheFile) {
  const std::string document = ReadFile(LINEFILTER_SOURCE_DIR "/doc/FORMAT.md");
  std::string expected;
  for (const ColumnsVector& vector : ReadColumnsVectors(kFile)) {
    std::string columns;
    for (const auto& column : vector.row) columns += (columns.empty() ? "" : " ") + column.form + ":" + column.value;
    if (vector.seed == 0) expected += "| `" + columns + "` |";
    expected += " `" + Hex64(vector.hash) + "` |";
    if (vector.seed != 0) expected += "\n";
  }
  EXPECT_NE(document.find("|---|---|---|\n" + expected + "\n## "), std::string::npos) << expected;
}

}  // namespace
}  // namespace linefilter::test
