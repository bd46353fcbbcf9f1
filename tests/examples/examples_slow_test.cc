// examples/uses with a million each: no duplicate accepted, no key lost, exact look-ups cut by the share that the
// false-positive rate predicts, within 5 %. And trades that are handled while the program is killed again and again.
#include <signal.h>

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/uses.h"

namespace linefilter::test {
namespace {

TEST(Uses, OfAMillion) {
  for (const std::string& name : Uses()) {
    const RunResult run = RunUse(name, {"--items", "1e6"});
    EXPECT_EQ(run.exit_code, 0) << name << "\n" << run.out << run.err;
    std::map<std::string, UseRow> table = UseTable(run.out);
    for (const char* row : {"exact look-ups", "look-ups saved", "share saved"}) {
      EXPECT_NEAR(table[row].got / table[row].expected, 1, 0.05) << name << " " << row;
    }
    EXPECT_EQ(table["duplicates accepted"].got, 0) << name;
    EXPECT_EQ(table["keys lost"].got, 0) << name;
    if (name == "registered_email") {
      EXPECT_EQ(table["of them needed"].got, 100000) << "a tenth is repeated";
    }
  }
}

// From outside, at any moment: also while an image is saved, or rows are read for a new one. The last run goes to the
// end and compares the books.
TEST(HandledTrade, KilledAtAnyMoment) {
  std::mt19937_64 random(1);
  int killed = 0, loaded = 0;
  for (int round = 0; round < 3; ++round) {
    const TempDir folder(MemoryFolder());
    const std::vector<std::string> arguments = {"--items", "4e5", "--db", folder.File("trades.db")};
    for (int i = 0; i < 12; ++i) {
      std::vector<std::string> command = {"timeout", "-s", "KILL", "0." + std::to_string(100 + random() % 400)};
      for (const std::string& word : OurProgram(LINEFILTER_BINARY_DIR "/handled_trade")) command.push_back(word);
      command.insert(command.end(), arguments.begin(), arguments.end());
      const RunResult run = RunProgram(command);
      killed += run.exit_code == 128 + SIGKILL;
      EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 128 + SIGKILL) << run.exit_code << run.out << run.err;
    }
    const RunResult last = RunUse("handled_trade", arguments);
    EXPECT_EQ(last.exit_code, 0) << last.out << last.err;
    loaded += last.out.find("filter: loaded") == 0;
  }
  EXPECT_GT(killed, 5) << "this kills nobody";
  printf("killed %d times; %d of 3 last runs loaded an image\n", killed, loaded);
}

}  // namespace
}  // namespace linefilter::test
