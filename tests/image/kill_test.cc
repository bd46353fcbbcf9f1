// Killed at any moment while it saves, a process leaves the old file or the new one, whole.
//
// Chosen moments: in front of each system call of a save, behind it, and after each byte of each write; which file
// stands is certain then. And random ones, by SIGKILL from outside. A killed save may leave a file with a temporary
// name; nobody takes it for the image, and the next save is not hindered by it.
//
// A run makes some hundred kills; LINEFILTER_TEST_KILLS=10000 kill_test makes so many of either sort, in a minute.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/random.h"
#include "tests/testing/savers.h"
#include "tests/testing/system_calls.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

uint64_t NumKills() {
  const char* const kills = std::getenv("LINEFILTER_TEST_KILLS");
  if (kills == nullptr) return Effort() == 1 ? 400 : 100;
  return std::max(1ull, std::strtoull(kills, nullptr, 10));
}

// Starts a process for `work`, which may not return.
pid_t Start(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  EXPECT_GT(child, 0);
  return child;
}

// True if SIGKILL ended it.
bool IsKilled(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

const std::regex kTemporaryName(R"(\.linefilter-[0-9a-f]{16}\.tmp)");

// What lies in a folder beside the file `name`. Each is a temporary file, and no more: it has a name of its own, which
// begins with a dot.
std::vector<std::string> Leftovers(const TempDir& dir, const std::string& name) {
  std::vector<std::string> leftovers;
  for (const std::string& other : dir.Names()) {
    if (other == name) continue;
    EXPECT_TRUE(std::regex_match(other, kTemporaryName)) << other;
    leftovers.push_back(other);
  }
  return leftovers;
}

struct KillPoint {
  Fault fault;
  bool is_renamed;     // the new file has its name by then,
  bool has_temporary;  // or a temporary one
};

// All moments of one save, as its calls without a kill tell them.
std::vector<KillPoint> KillPointsOf(const std::vector<TracedCall>& trace) {
  std::vector<KillPoint> points;
  bool is_renamed = false, has_temporary = false;
  for (size_t i = 0; i < trace.size(); ++i) {
    Fault fault;
    fault.nth = i;
    fault.effect = Effect::kKillBefore;
    points.push_back({fault, is_renamed, has_temporary});
    fault.effect = Effect::kKillWithin;
    if (trace[i].call == Call::kWrite) {
      for (fault.bytes = 1; fault.bytes < trace[i].bytes; ++fault.bytes) {
        points.push_back({fault, is_renamed, has_temporary});
      }
    }
    is_renamed |= trace[i].call == Call::kRename;
    has_temporary = !is_renamed && (has_temporary || trace[i].call == Call::kOpen);  // the first open creates it
    fault.effect = Effect::kKillAfter;
    points.push_back({fault, is_renamed, has_temporary});
  }
  return points;
}

// A child saves over what stands in `path`, and is killed at that point.
void KillAt(const KillPoint& point, const Saver& before, const Saver& after, const TempDir& dir) {
  const std::string path = dir.Write("file", before.image);
  ASSERT_TRUE(IsKilled(Start([&] {
    const WatchedCalls calls(point.fault);
    (void)after.save(path.c_str());
  }))) << "the point was not reached";
  const Saver& standing = point.is_renamed ? after : before;
  ASSERT_TRUE(ReadFile(path) == standing.image) << "not what " << standing.name << " wrote";
  ExpectWhole(path, standing);
  const std::vector<std::string> leftovers = Leftovers(dir, "file");
  ASSERT_EQ(leftovers.size(), point.has_temporary ? 1u : 0u);
  for (const std::string& leftover : leftovers) std::filesystem::remove(dir.File(leftover));
}

// A save over another's image, and the moments of it.
struct Case {
  Saver before, after;
  std::vector<KillPoint> points;
};

// Every way of saving, over smaller images and larger ones.
std::vector<Case> EveryCase(const TempDir& dir) {
  std::vector<Case> cases;
  for (const size_t num_keys : {50u, 420u, 2000u}) {
    if (num_keys > 50 && IsEmulated()) continue;  // an emulator takes long to fork
    const std::vector<Saver> savers = EverySaver(num_keys, 1), others = EverySaver(600, 2);
    for (size_t i = 0; i < savers.size(); ++i) {
      if (num_keys == 420 && i % 2 == 1) continue;  // for time
      const std::string path = dir.Write("file", others[i].image);
      const WatchedCalls calls;
      EXPECT_TRUE(savers[i].save(path.c_str()).ok());
      cases.push_back({others[i], savers[i], KillPointsOf(calls.trace())});
    }
  }
  return cases;
}

TEST(KilledAtAChosenPoint, ASaveLeavesTheOldFileOrTheNewOne) {
  const TempDir dir(MemoryFolder());
  const std::vector<Case> cases = EveryCase(dir);
  uint64_t num_points = 0, num_kills = 0, num_new = 0;
  for (const Case& each : cases) num_points += each.points.size();
  const uint64_t step = std::max<uint64_t>(1, num_points / NumKills());
  for (const Case& each : cases) {
    for (size_t i = 0; i < each.points.size(); ++i) {
      // All points around calls; those within a write spread evenly.
      if (each.points[i].fault.effect == Effect::kKillWithin && i % step != 0) continue;
      SCOPED_TRACE(each.after.name + ", point " + std::to_string(i));
      KillAt(each.points[i], each.before, each.after, dir);
      if (HasFatalFailure()) return;
      ++num_kills;
      num_new += each.points[i].is_renamed;
    }
  }
  std::printf("%llu kills at chosen points, of %llu points; after %llu of them the new file stood\n",
              static_cast<unsigned long long>(num_kills), static_cast<unsigned long long>(num_points),
              static_cast<unsigned long long>(num_new));
  EXPECT_GT(num_points, Effort() < 0.01 ? 400 : 10000);
  EXPECT_GE(num_kills, std::min(NumKills(), num_points));
  EXPECT_GE(num_new, 7 * cases.size()) << "behind the rename, and around the three calls after it";
  EXPECT_LT(num_new, num_kills);
}

// A process saves two images in turn, over and over, until it is killed: `first` is whole when this returns, so that
// even where a fork takes longer than a moment, both files come to stand.
pid_t StartSaving(const Saver (&savers)[2], uint64_t first, const std::string& path) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = Start([&] {
    for (uint64_t i = first;; ++i) {
      const Status status = savers[i % 2].save(path.c_str());
      if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
      if (!status.ok() || (i == first && write(ends[1], "s", 1) != 1)) _exit(1);
    }
  });
  close(ends[1]);
  char saved = 0;
  EXPECT_EQ(read(ends[0], &saved, 1), 1) << "the first save failed";
  close(ends[0]);
  return child;
}

TEST(KilledAtARandomMoment, ASaveLeavesTheOldFileOrTheNewOne) {
  const TempDir dir(MemoryFolder());
  const std::string path = dir.File("image");
  const Saver savers[2] = {SaverOfFilter<BlockedFilter>("the first", 20000, 1),
                           SaverOfFilter<BlockedFilter>("the second", 80000, 2)};
  ASSERT_TRUE(savers[0].save(path.c_str()).ok());
  Random random(1);
  uint64_t seen[2] = {}, num_leftovers = 0;
  for (uint64_t round = 0; round < NumKills(); ++round) {
    const pid_t child = StartSaving(savers, round, path);
    usleep(static_cast<useconds_t>(random.Below(3000)));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_TRUE(IsKilled(child)) << "saving failed by itself in round " << round;
    const std::string bytes = ReadFile(path);
    const bool is_second = bytes == savers[1].image;
    ASSERT_TRUE(is_second || bytes == savers[0].image) << "torn in round " << round << ": " << bytes.size() << " bytes";
    ++seen[is_second];
    ExpectWhole(path, savers[is_second]);
    for (const std::string& leftover : Leftovers(dir, "image")) {
      ++num_leftovers;
      std::filesystem::remove(dir.File(leftover));
    }
  }
  std::printf("%llu kills at random moments left %llu temporary files\n", static_cast<unsigned long long>(NumKills()),
              static_cast<unsigned long long>(num_leftovers));
  EXPECT_GT(seen[0], 0u) << "of " << seen[1] << " kills";
  EXPECT_GT(seen[1], 0u) << "of " << seen[0] << " kills";
  EXPECT_LE(num_leftovers, NumKills()) << "one for each kill at most";
}

// What killed saves left may be a whole image, or a part: it stays, and nobody minds it.
TEST(WhatAKilledSaveLeft, IsNeitherTakenForTheFileNorInItsWay) {
  const TempDir dir(MemoryFolder());
  const std::string path = dir.File("file");
  const Saver saver = SaverOfFilter<BlockedFilter>("BlockedFilter::Save", 50, 1);
  Fault in_front_of_rename, within_the_body;
  in_front_of_rename.effect = Effect::kKillBefore;
  in_front_of_rename.call = Call::kRename;
  within_the_body.effect = Effect::kKillWithin;
  within_the_body.call = Call::kWrite;
  within_the_body.bytes = 10;
  for (const Fault& fault : {in_front_of_rename, within_the_body, in_front_of_rename, within_the_body}) {
    ASSERT_TRUE(IsKilled(Start([&] {
      const WatchedCalls calls(fault);
      (void)saver.save(path.c_str());
    })));
    FilterFile file;
    EXPECT_EQ(file.Map(path.c_str()).code(), StatusCode::kIoError) << "there is no such file yet";
  }
  std::vector<std::string> left = Leftovers(dir, "file");
  ASSERT_EQ(left.size(), 4u) << "each has a name of its own";
  std::vector<std::string> contents;
  for (const std::string& name : left) contents.push_back(ReadFile(dir.File(name)));
  EXPECT_EQ(std::count(contents.begin(), contents.end(), saver.image), 2);
  EXPECT_EQ(std::count(contents.begin(), contents.end(), saver.image.substr(0, 10)), 2);

  ASSERT_TRUE(saver.save(path.c_str()).ok());
  EXPECT_TRUE(ReadFile(path) == saver.image);
  ExpectWhole(path, saver);
  std::vector<std::string> still = Leftovers(dir, "file");
  std::sort(left.begin(), left.end());
  std::sort(still.begin(), still.end());
  EXPECT_EQ(still, left) << "a save removes what is its own alone: another process may be writing the rest";
}

}  // namespace
}  // namespace linefilter::test
