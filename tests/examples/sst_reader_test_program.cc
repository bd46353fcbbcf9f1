// The program of examples/sst_reader answers right, says when its output is lost, and warns of a damaged filter.
#include <filesystem>

#include "tests/testing/run_program.h"
#include "tests/testing/sst_tables.h"

namespace sst::test {

using linefilter::test::TempDir;

TEST(SstReaderProgram, BuildsAndAnswers) {
  const TempDir dir;
  const auto run = [&](std::vector<std::string> arguments, std::string_view input = {}) {
    std::vector<std::string> command = linefilter::test::OurProgram(SST_READER_PROGRAM);
    arguments.insert(arguments.begin() + 1, dir.File("table"));
    command.insert(command.end(), arguments.begin(), arguments.end());
    return linefilter::test::RunProgram(command, input);
  };
  for (const char* layout : {"retrieval", "blocked", "classic", "auto"}) {
    EXPECT_EQ(run({"build", layout, "16"}, "apple\npear\nplum\n").exit_code, 0);
    const auto got = run({"get", "pear", "quince"});
    EXPECT_EQ(got.exit_code, 1) << got.err;
    EXPECT_NE(got.out.find("pear\tfound\t2\tread a data block\n"), std::string::npos) << got.out;
    EXPECT_NE(got.out.find("quince\tabsent\t"), std::string::npos) << got.out;
    EXPECT_EQ(run({"get", "plum"}).exit_code, 0);
    EXPECT_EQ(run({"scan"}).out, "apple\t1\npear\t2\nplum\t3\n");
    EXPECT_EQ(run({"scan", "b"}).out, "pear\t2\nplum\t3\n");
    const std::string asked = run({"ask"}, "apple\nkiwi\nplum\n").out;
    EXPECT_NE(asked.find("with filter               2          1"), std::string::npos) << asked;
    EXPECT_NE(run({"stats"}).out.find("num_keys      3\n"), std::string::npos);
  }
  const auto unsorted = run({"build"}, "b\na\n");
  EXPECT_EQ(unsorted.exit_code, 2);
  EXPECT_NE(unsorted.err.find("'a' comes after 'b'"), std::string::npos) << unsorted.err;
  EXPECT_EQ(run({"build", "best"}).exit_code, 2);
  for (const char* bits_per_key : {"x", "", "10abc", "nan"}) {
    EXPECT_EQ(run({"build", "blocked", bits_per_key}).exit_code, 2) << bits_per_key;
  }
  EXPECT_EQ(run({"get"}).exit_code, 2);
  dir.Write("table", "no table");
  EXPECT_EQ(run({"stats"}).exit_code, 2);
}

TEST(SstReaderProgram, SaysWhenItsOutputIsLost) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const TempDir dir;
  Write(dir.File("table"), {{"apple", "1"}}, TableOptions());
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"scan"}, {"get", "apple"}, {"stats"}}) {
    std::vector<std::string> command = {"sh", "-c", "exec \"$@\" > /dev/full", "sh"};
    for (const std::string& word : linefilter::test::OurProgram(SST_READER_PROGRAM)) command.push_back(word);
    command.push_back(arguments[0]);
    command.push_back(dir.File("table"));
    command.insert(command.end(), arguments.begin() + 1, arguments.end());
    const auto result = linefilter::test::RunProgram(command);
    EXPECT_EQ(result.exit_code, 2) << arguments[0];
    EXPECT_NE(result.err.find("cannot write standard output"), std::string::npos) << result.err;
  }
}

TEST(SstReaderProgram, WarnsOfADamagedFilter) {
  const TempDir dir;
  std::string bytes = TableBytes({{"apple", "1"}}, TableOptions());
  bytes[bytes.size() - kFooterBytes - 1] = static_cast<char>(~bytes[bytes.size() - kFooterBytes - 1]);
  dir.Write("table", bytes);
  std::vector<std::string> command = linefilter::test::OurProgram(SST_READER_PROGRAM);
  command.insert(command.end(), {"ask", dir.File("table")});
  const auto result = linefilter::test::RunProgram(command, "apple\nkiwi\n");
  EXPECT_EQ(result.exit_code, 0);
  const size_t warning = result.err.find("warning: no filter");
  EXPECT_NE(warning, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("warning", warning + 1), std::string::npos) << "of the column that uses it, no other";
}

}  // namespace sst::test
