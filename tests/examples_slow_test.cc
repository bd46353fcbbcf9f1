// examples/uses with a million each: no duplicate accepted, no key lost, exact look-ups cut by the share that the
// false-positive rate predicts, within 5 %.
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/run_program.h"
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

}  // namespace
}  // namespace linefilter::test
