// examples/parquet_scan: row groups that have an id are named, others are left out, and broken filters keep theirs.
// (tools/lib/duckdb.sh lets DuckDB scan what it names.)
#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/column.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/testing/run_program.h"

namespace linefilter::test {
namespace {

// Row group g has the ids 1000 g to 1000 g + 999.
constexpr int kRowGroups = 4, kRows = 1000;

class ParquetScan : public testing::Test {
 protected:
  void SetUp() override {
    std::string file = "PAR1";
    for (int group = 0; group < kRowGroups; ++group) {
      std::vector<int64_t> ids;
      for (int i = 0; i < kRows; ++i) ids.push_back(kRows * group + i);
      Filter filter;
      ASSERT_TRUE(filter.Create(kRows, ParquetFilterOptions(0.0001)).ok());
      ASSERT_TRUE(AddColumn(Column::OfNumbers(ids.data(), ids.size()), &filter).ok());
      const size_t offset = file.size();
      ASSERT_TRUE(AppendParquetFilter(filter, &file).ok());
      filters_ += "filter " + std::to_string(offset) + " " + std::to_string(file.size() - offset) + "\n";
    }
    path_ = dir_.Write("file", file + std::string(1000, '\0'));
  }

  RunResult RowGroups(const std::string& path, const std::string& lines) const {
    std::vector<std::string> command = OurProgram(ROW_GROUPS_PROGRAM);
    command.push_back(path);
    return RunProgram(command, lines);
  }

  const TempDir dir_;
  std::string path_, filters_;
};

TEST_F(ParquetScan, NamesTheRowGroupsThatMayHaveAnId) {
  const std::string two = filters_ + "id 1500\nid 3999\nid -7\n";
  EXPECT_EQ(RowGroups(path_, two).out, "1\n3\n");
  EXPECT_EQ(RowGroups(path_, filters_ + "id -7\n").out, "") << "nobody has it";
  EXPECT_EQ(RowGroups(path_, filters_).out, "") << "no id is asked for";
  EXPECT_EQ(RowGroups(path_, two).exit_code, 0);
}

TEST_F(ParquetScan, KeepsARowGroupWithoutASoundFilter) {
  const auto result = RowGroups(path_, filters_ + "filter 0 0\nfilter 0 64\nfilter 999999999 64\nid 2000\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "2\n4\n5\n6\n");
  EXPECT_NE(result.err.find("row group 5 stays: "), std::string::npos) << result.err;
}

TEST_F(ParquetScan, RefusesWhatItCannotRead) {
  EXPECT_EQ(RowGroups(dir_.File("none"), filters_).exit_code, 2);
  EXPECT_NE(RowGroups(path_, filters_ + "filter 4 1000000\n").err.find("larger than the file"), std::string::npos);
  for (const char* lines : {"filter 4\n", "filter 4 99999999999\n", "id x\n", "ids 5\n"}) {
    const auto result = RowGroups(path_, lines);
    EXPECT_EQ(result.exit_code, 2) << lines;
    EXPECT_NE(result.err.find("lines are `filter OFFSET LENGTH`"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace linefilter::test
