// tools/keep_records.sh: the filters in Redis of a release are kept, all of them or none.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/testing/run_program.h"
#include "tests/tools/tools_redis_test.h"

namespace linefilter::test {
namespace {

namespace fs = std::filesystem;

TEST_F(ToolsRedisTest, TheRecordsOfAReleaseAreKeptCompletelyOrNotAtAll) {
  const fs::path script = LINEFILTER_SOURCE_DIR "/tools/keep_records.sh", root = dir_.File("root");
  if (!fs::exists(script) || IsEmulated()) GTEST_SKIP() << "no source tree, or a program that no script can start";
  fs::create_directories(root / "tools");
  fs::copy(script, root / "tools");
  const auto keep = [&] { return RunProgram({"bash", (root / "tools/keep_records.sh").string(), "9.9.9"}); };
  const fs::path releases = root / "tests/releases", program = root / "build/release/linefilter";
  EXPECT_NE(keep().err.find("build it first"), std::string::npos) << keep().err;
  fs::create_directories(program.parent_path());
  std::ofstream(program) << "#!/bin/sh\ncase \"$*\" in *switching*--add*) exit 2;; esac\nexec '" LINEFILTER_PROGRAM
                            "' \"$@\"\n";
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_NE(keep().exit_code, 0) << "the last record cannot be made";
  EXPECT_FALSE(fs::exists(releases)) << "nothing is left, so the next run works";
  fs::remove(program);
  fs::create_symlink(LINEFILTER_PROGRAM, program);
  EXPECT_EQ(keep().exit_code, 0) << keep().err;
  std::ifstream answers(releases / "9.9.9/redis/answers.txt");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(answers), {}, '\n'), 13);
  EXPECT_EQ(fs::file_size(releases / "9.9.9/redis/secret"), 16u);
  EXPECT_NE(keep().err.find("never written again"), std::string::npos);
}

}  // namespace
}  // namespace linefilter::test
