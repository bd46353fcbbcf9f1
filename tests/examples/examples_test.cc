// examples/uses: a filter before an exact store accepts no duplicate, loses no key and saves what its rate predicts;
// also after a crash, whatever is left of its image. (1e6 of each: examples_slow_test. The table file:
// sst_reader_test.)
#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/uses.h"

namespace linefilter::test {
namespace {

TEST(Uses, SaveWhatTheRatePredicts) {
  for (const std::string& name : Uses()) {
    for (const std::string fpr : {"0.1", "0.001"}) {
      const RunResult run = RunUse(name, {"--items", "2e4", "--fpr", fpr});
      EXPECT_EQ(run.exit_code, 0) << name << "\n" << run.out << run.err;
      std::map<std::string, UseRow> table = UseTable(run.out);
      ASSERT_EQ(table.size(), 7u) << name << "\n" << run.out;
      EXPECT_EQ(table["duplicates accepted"].got, 0) << name;
      EXPECT_EQ(table["keys lost"].got, 0) << name;
      const UseRow lookups = table["exact look-ups"], needed = table["of them needed"], nothing = table["for nothing"];
      EXPECT_EQ(lookups.got, needed.got + nothing.got) << name;
      EXPECT_GT(needed.got, 10) << name << " asks for nothing that is there";
      EXPECT_EQ(table["look-ups saved"].got, 20000 - lookups.got) << name;
      EXPECT_NEAR(table["share saved"].got, 100 * (1 - lookups.got / 20000), 0.001) << name;
      if (fpr == "0.1") {
        EXPECT_GT(nothing.got, 50) << name << " has no false positives";
      }
    }
  }
}

TEST(Uses, LeaveNothingBehind) {
  for (const std::string& name : Uses()) {
    const TempDir folder{MemoryFolder()};
    EXPECT_EQ(RunUse(name, {"--items", "1000"}, folder.path()).exit_code, 0);
    EXPECT_TRUE(folder.Names().empty()) << name << " left " << folder.Names()[0];
  }
}

TEST(Uses, RefuseBadUsage) {
  const TempDir folder;
  const std::string there = folder.Write("there", "");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--items"},
                                             {"--items", "many"},
                                             {"--items", "0"},
                                             {"--fpr", "1"},
                                             {"--no-such-option", "1"},
                                             {"--crash-after", "1"},
                                             {"--db", "/no/such/folder/file"},
                                             {"--db", there}}) {
    const RunResult run = RunUse("crawled_url", arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments[0];
    EXPECT_GT(run.err.size(), 20u) << arguments[0];
  }
  EXPECT_EQ(ReadFile(there), "");
}

// The list's image with one bit that is another: the second table. All is asked, nothing gets through.
TEST(Uses, ADamagedListLetsNothingThrough) {
  const std::string out = RunUse("blacklisted_url", {"--items", "2e4"}).out;
  const size_t second = out.find("a damaged image: ");
  ASSERT_NE(second, std::string::npos) << out;
  EXPECT_EQ(out.find("was accepted"), std::string::npos) << out;
  std::map<std::string, UseRow> table = UseTable(out.substr(second));
  EXPECT_NE(out.find("as expected: "), std::string::npos) << "the monitor, of the whole list\n" << out;
  EXPECT_NE(out.find("more than expected: ", second), std::string::npos) << "and of the damaged one\n" << out;
  EXPECT_EQ(table["exact look-ups"].got, 5000);
  EXPECT_EQ(table["look-ups saved"].got, 0);
  EXPECT_EQ(table["keys lost"].got, 0);
}

// The program's exit code says that each trade is in the books once: it compares their sum.
class HandledTrade : public ::testing::Test {
 protected:
  // Dies after 55,000 of 100,000 messages: 50,000 are acknowledged, 45,000 trades; an image was made of 36,000.
  void Crash() { EXPECT_EQ(Run({"--crash-after", "55000"}).exit_code, 128 + 9); }
  // After a crash: what it says of its filter, if all is right at the end.
  std::string Restart() {
    const RunResult run = Run({});
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    EXPECT_NE(run.out.find("100000 messages of 90000 trades"), std::string::npos) << run.out;
    return run.out.substr(0, run.out.find('\n'));
  }
  RunResult Run(std::vector<std::string> more) const {
    more.insert(more.end(), {"--items", "1e5", "--db", db_});
    return RunUse("handled_trade", more);
  }

  const TempDir folder_{MemoryFolder()};
  const std::string db_ = folder_.File("trades.db"), image_ = db_ + ".filter";
};

TEST_F(HandledTrade, GoesOnAfterACrash) {
  Crash();
  EXPECT_EQ(Restart(), "filter: loaded, and 9000 trades that came after it");
  EXPECT_EQ(Restart(), "filter: loaded, and 0 trades that came after it") << "all messages again";
}

TEST_F(HandledTrade, CrashesAgainAndAgain) {
  for (const char* messages : {"1", "9999", "10000", "40000", "40001", "99999"}) {
    EXPECT_EQ(Run({"--crash-after", messages}).exit_code, 128 + 9) << messages;
  }
  Restart();
}

TEST_F(HandledTrade, AnImageThatIsMissingIsMadeAnew) {
  Crash();
  std::filesystem::remove(image_);
  EXPECT_EQ(Restart(), "filter: made of 45000 trades, for of its image it is missing");
}

TEST_F(HandledTrade, ADamagedImageIsMadeAnew) {
  Crash();
  const std::string good = ReadFile(image_);
  const std::string db = ReadFile(db_), log = ReadFile(db_ + "-wal");
  for (const size_t at : {size_t{0}, good.size() / 2, good.size() - 1}) {
    folder_.Write("trades.db", db);
    folder_.Write("trades.db-wal", log);
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    folder_.Write("trades.db.filter", bytes);
    EXPECT_EQ(Restart().find("filter: made of 45000 trades, for of its image it is damaged"), 0u) << at;
  }
  folder_.Write("trades.db", db);
  folder_.Write("trades.db-wal", log);
  folder_.Write("trades.db.filter", good.substr(0, good.size() / 2));
  EXPECT_EQ(Restart().find("filter: made of 45000 trades"), 0u);
}

// One from a backup has not the trades since then, the rows of which the store would not add.
TEST_F(HandledTrade, AnOlderImageIsMadeAnew) {
  Crash();
  const std::string older = ReadFile(image_);
  Restart();
  folder_.Write("trades.db.filter", older);
  EXPECT_EQ(Restart().find("filter: made of 90000 trades, for of its image it is damaged, or not the one"), 0u);
}

// One from after the moment that the store was brought back to: its rows get other numbers from now on.
TEST_F(HandledTrade, ANewerImageIsMadeAnew) {
  Crash();
  const std::string db = ReadFile(db_), log = ReadFile(db_ + "-wal");
  Restart();
  folder_.Write("trades.db", db);
  folder_.Write("trades.db-wal", log);
  EXPECT_EQ(Restart().find("filter: made of 45000 trades, for of its image it is damaged, or not the one"), 0u);
}

// More trades than the filter was made for.
TEST_F(HandledTrade, AFilterThatIsTooSmallIsMadeAnew) {
  EXPECT_EQ(RunUse("handled_trade", {"--items", "2e4", "--db", db_}).exit_code, 0);
  EXPECT_EQ(Restart(), "filter: made of 18000 trades, for of its image it is too small by now");
}

// The last 20 rows that the image has are deleted, 20 others take their place: not their numbers, or "the rows after
// it" would lack them.
TEST_F(HandledTrade, RowsInThePlaceOfDeletedOnesAreNotTakenForOldOnes) {
  EXPECT_EQ(Run({"--crash-after", "40001"}).exit_code, 128 + 9);
  std::string sql = "DELETE FROM keys WHERE number > 35980; INSERT INTO keys (key, value) VALUES ";
  for (uint64_t trade = 60000; trade < 60020; ++trade) {
    sql += (trade == 60000 ? "" : ", ") + ("(CAST('XETR-20261123-" + std::to_string(100000000 + trade)) +
           "' AS BLOB), " + std::to_string(MixHash(trade) % 10000) + ")";
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(db_.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  EXPECT_EQ(Restart(), "filter: loaded, and 20 trades that came after it");
}

// Whose books would be said to be wrong.
TEST_F(HandledTrade, RefusesFewerMessagesThanItHasHandled) {
  Restart();
  const RunResult run = RunUse("handled_trade", {"--items", "1e4", "--db", db_});
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_NE(run.err.find("90000 trades"), std::string::npos) << run.err;
  EXPECT_EQ(run.out.find("duplicates"), std::string::npos) << run.out;
  EXPECT_EQ(Restart(), "filter: loaded, and 0 trades that came after it") << "nothing has changed";
}

}  // namespace
}  // namespace linefilter::test
