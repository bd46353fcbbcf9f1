// Whatever the system refuses while a filter is written or read: a full disk, a failed sync, a call that is interrupted
// or does half. After a save the old file stands, or the new one, whole; nothing else is left in the folder; a failure
// is told with the file's name and the system's reason. A file that could not be read answers "maybe".
//
// Each call that a save or a load makes fails once: the first, the second, ..., until there are no more; and, for what
// stays (a full disk), all calls from it on. (What kills a process: kill_test. Memory that runs out:
// alloc_faults_test.)
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/savers.h"
#include "tests/testing/system_calls.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

// What a kind of fault may come to.
enum class Outcome {
  kFails,          // whichever call of that kind has it
  kSurvives,       // whichever call has it, the save or load succeeds
  kFirstFails,     // only of the first call of that kind: what the second is for, the folder, is not needed
  kFirstSurvives,  // only of the first: it is tried again
};

struct Kind {
  const char* name;
  Call call;
  Effect effect;
  int error;
  Outcome outcome;
  bool stays = false;
};

bool Fails(const Kind& kind, uint64_t nth) {
  switch (kind.outcome) {
    case Outcome::kFails:
      return true;
    case Outcome::kSurvives:
      return false;
    case Outcome::kFirstFails:
      return nth == 0;
    case Outcome::kFirstSurvives:
      return nth != 0;
  }
  return true;
}

std::string Describe(const Kind& kind, uint64_t nth) {
  return std::string(kind.name) + ", at " + NameOf(kind.call) + " number " + std::to_string(nth) +
         (kind.stays ? " and all after it" : "");
}

constexpr Kind kSaveFaults[] = {
    {"the disk is full", Call::kWrite, Effect::kFail, ENOSPC, Outcome::kFails},
    {"the disk stays full", Call::kWrite, Effect::kFail, ENOSPC, Outcome::kFails, true},
    {"the quota is used up", Call::kWrite, Effect::kFail, EDQUOT, Outcome::kFails, true},
    {"a write fails", Call::kWrite, Effect::kFail, EIO, Outcome::kFails},
    {"a write takes nothing", Call::kWrite, Effect::kNothing, 0, Outcome::kFails},
    {"a write is interrupted", Call::kWrite, Effect::kFail, EINTR, Outcome::kSurvives},
    {"a write does half", Call::kWrite, Effect::kHalf, 0, Outcome::kSurvives},
    {"all writes do half", Call::kWrite, Effect::kHalf, 0, Outcome::kSurvives, true},
    {"a sync fails", Call::kFsync, Effect::kFail, EIO, Outcome::kFails},
    {"a sync finds the disk full", Call::kFsync, Effect::kFail, ENOSPC, Outcome::kFails},
    {"the file system cannot sync that", Call::kFsync, Effect::kFail, EINVAL,
     Outcome::kFirstFails},  // of a folder: fine
    {"a sync is interrupted", Call::kFsync, Effect::kFail, EINTR, Outcome::kFails},
    {"a close fails", Call::kClose, Effect::kFail, EIO, Outcome::kFirstFails},  // of the folder, which is synced: fine
    {"a close finds the disk full", Call::kClose, Effect::kFail, ENOSPC, Outcome::kFirstFails},
    {"a close is interrupted", Call::kClose, Effect::kFail, EINTR, Outcome::kSurvives},
    {"a rename fails", Call::kRename, Effect::kFail, EIO, Outcome::kFails},
    {"a rename is not allowed", Call::kRename, Effect::kFail, EACCES, Outcome::kFails},
    {"a rename finds the disk full", Call::kRename, Effect::kFail, ENOSPC, Outcome::kFails},
    {"an open fails", Call::kOpen, Effect::kFail, EIO, Outcome::kFails},
    {"an open is not allowed", Call::kOpen, Effect::kFail, EACCES, Outcome::kFirstFails},  // to read the folder: fine
    {"too many files are open", Call::kOpen, Effect::kFail, EMFILE, Outcome::kFails},
    {"an open is interrupted", Call::kOpen, Effect::kFail, EINTR, Outcome::kFails},
    {"a temporary name is taken", Call::kOpen, Effect::kFail, EEXIST, Outcome::kFirstSurvives},  // another one is not
    {"all names are taken", Call::kOpen, Effect::kFail, EEXIST, Outcome::kFails, true},
    {"the mode cannot be set", Call::kFchmod, Effect::kFail, EPERM, Outcome::kFails},
    {"the old file cannot be looked at", Call::kStat, Effect::kFail, EIO, Outcome::kFails},
    {"a link cannot be looked at", Call::kLstat, Effect::kFail, EIO, Outcome::kFails},
    {"a link cannot be followed", Call::kRealpath, Effect::kFail, EIO, Outcome::kFails},
};

constexpr char kOldBytes[] = "what stood there before, which is no image";

enum class Place { kNew, kOverAnOldFile, kThroughALink };

// A folder with the place to save to.
struct Target {
  explicit Target(Place place) : dir(MemoryFolder()), file(dir.File("file")), path(file) {
    if (place != Place::kNew) dir.Write("file", kOldBytes);
    if (place != Place::kThroughALink) return;
    path = dir.File("link");
    std::filesystem::create_symlink("file", path);
  }
  size_t NumNames(bool has_file) const { return (has_file ? 1u : 0u) + (path != file ? 1u : 0u); }

  const TempDir dir;
  const std::string file;
  std::string path;
};

// One save with one fault: true if the fault came. Whichever call had it, what stands afterwards is certain: the old
// file until the rename is done, from then on the new one.
bool SaveWith(const Kind& kind, uint64_t nth, const Saver& saver, Place place) {
  const Target target(place);
  Status status;
  bool fault_came, is_renamed;
  {
    const WatchedCalls calls({kind.effect, kind.call, nth, kind.error, kind.stays});
    status = saver.save(target.path.c_str());
    fault_came = calls.fault_came();
    is_renamed = calls.WasCalledBeforeTheFault(Call::kRename);
    EXPECT_EQ(calls.open_files(), 0);
  }
  EXPECT_EQ(status.ok(), !fault_came || !Fails(kind, nth)) << status.message();
  if (!status.ok()) {
    EXPECT_EQ(status.code(), StatusCode::kIoError) << status.message();
    EXPECT_NE(std::strstr(status.message(), target.dir.path().c_str()), nullptr) << "the name: " << status.message();
    if (kind.effect == Effect::kFail) {
      EXPECT_NE(std::strstr(status.message(), std::strerror(kind.error)), nullptr)
          << "the reason: " << status.message();
    }
  }
  const bool has_new = status.ok() || is_renamed, has_file = has_new || place != Place::kNew;
  EXPECT_EQ(std::filesystem::exists(target.file), has_file);
  if (has_file) {
    EXPECT_TRUE(ReadFile(target.file) == (has_new ? saver.image : kOldBytes)) << (has_new ? "new" : "old");
  }
  EXPECT_EQ(target.dir.Names().size(), target.NumNames(has_file)) << "a temporary file is left";
  EXPECT_EQ(std::filesystem::is_symlink(target.path), place == Place::kThroughALink);
  // And the next save, without a fault, is as if nothing had been.
  EXPECT_TRUE(saver.save(target.path.c_str()).ok());
  EXPECT_TRUE(ReadFile(target.file) == saver.image);
  EXPECT_EQ(target.dir.Names().size(), target.NumNames(true));
  ExpectWhole(target.path, saver);
  return fault_came;
}

// The number of faults that came.
uint64_t SaveWithEachFault(const Saver& saver, Place place) {
  uint64_t num_faults = 0;
  for (const Kind& kind : kSaveFaults) {
    for (uint64_t nth = 0;; ++nth) {
      SCOPED_TRACE(saver.name + ": " + Describe(kind, nth));
      if (!SaveWith(kind, nth, saver, place)) break;
      ++num_faults;
      if (::testing::Test::HasFailure()) return num_faults;
    }
  }
  return num_faults;
}

TEST(SaveFaults, LeaveTheOldFileOrTheNewOne) {
  uint64_t num_faults = 0;
  for (const Place place : {Place::kNew, Place::kOverAnOldFile, Place::kThroughALink}) {
    for (const Saver& saver : EverySaver(60, 1)) num_faults += SaveWithEachFault(saver, place);
  }
  std::printf("%llu saves with a fault\n", static_cast<unsigned long long>(num_faults));
  // At least: 2 opens, 2 writes, 2 syncs, 2 closes, a rename; each with its kinds.
  EXPECT_GT(num_faults, 3 * 5 * (6 * 2 + 8 * 2 + 4 * 2 + 3 * 2 + 3));
}

TEST(SaveFaults, OfAFilterInSeveralPiecesLeaveTheOldFileOrTheNewOne) {
  const Saver saver = SaverOfFilter<BlockedFilter>("BlockedFilter::Save", 900000, 1);
  ASSERT_GT(saver.image.size(), size_t{1} << 20) << "pieces have 1 MiB";
  EXPECT_GT(SaveWithEachFault(saver, Place::kOverAnOldFile), 50u);
}

TEST(SaveFaults, LeaveABuilderItsKeys) {
  const std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  for (const Kind& kind : kSaveFaults) {
    for (uint64_t nth = 0;; ++nth) {
      SCOPED_TRACE(Describe(kind, nth));
      const TempDir dir(MemoryFolder());
      const std::string path = dir.Write("file", kOldBytes);
      FilterBuilder builder(BitsPerKey(10));
      builder.AddHashes(hashes.data(), hashes.size());
      Status status;
      bool fault_came;
      {
        const WatchedCalls calls({kind.effect, kind.call, nth, kind.error, kind.stays});
        status = builder.FinishToFile(path.c_str());
        fault_came = calls.fault_came();
      }
      EXPECT_EQ(builder.num_keys(), status.ok() ? 0 : hashes.size());
      if (!status.ok()) {
        ASSERT_TRUE(builder.FinishToFile(path.c_str()).ok()) << "and makes the file when it can be written";
      }
      FilterFile file;
      ASSERT_TRUE(file.Load(path.c_str()).ok());
      ASSERT_EQ(file.view().CountMaybes(hashes.data(), hashes.size()), hashes.size());
      if (!fault_came) break;
    }
  }
}

// The calls themselves, in the order that a power failure needs: all bytes are on the disk before the name is theirs,
// and the name before success is told. If this fails, the faults of the other tests may not come any more.
TEST(Save, SyncsTheFileThenRenamesThenSyncsTheFolder) {
  for (const Saver& saver : EverySaver(60, 1)) {
    const Target target(Place::kOverAnOldFile);
    const WatchedCalls calls;
    ASSERT_TRUE(saver.save(target.path.c_str()).ok());
    std::vector<Call> order;
    size_t bytes = 0;
    for (const TracedCall& traced : calls.trace()) {
      if (traced.call == Call::kWrite) bytes += traced.bytes;
      if (order.empty() || order.back() != traced.call) order.push_back(traced.call);
    }
    EXPECT_EQ(order,
              (std::vector<Call>{Call::kLstat, Call::kStat, Call::kOpen, Call::kFchmod, Call::kWrite, Call::kFsync,
                                 Call::kClose, Call::kRename, Call::kOpen, Call::kFsync, Call::kClose}))
        << saver.name;
    EXPECT_EQ(bytes, saver.image.size());
  }
}

constexpr Kind kReadFaults[] = {
    {"the file cannot be opened", Call::kOpen, Effect::kFail, EACCES, Outcome::kFails},
    {"too many files are open", Call::kOpen, Effect::kFail, EMFILE, Outcome::kFails},
    {"an open is interrupted", Call::kOpen, Effect::kFail, EINTR, Outcome::kFails},
    {"the file cannot be looked at", Call::kFstat, Effect::kFail, EIO, Outcome::kFails},
    {"the file cannot be mapped", Call::kMmap, Effect::kFail, ENODEV, Outcome::kFails},
    {"a read fails", Call::kRead, Effect::kFail, EIO, Outcome::kFails},
    {"a read is interrupted", Call::kRead, Effect::kFail, EINTR, Outcome::kSurvives},
    {"a read does half", Call::kRead, Effect::kHalf, 0, Outcome::kSurvives},
    {"all reads do half", Call::kRead, Effect::kHalf, 0, Outcome::kSurvives, true},
    {"the file became shorter", Call::kRead, Effect::kNothing, 0, Outcome::kFails},
    {"a read gives another bit", Call::kRead, Effect::kFlip, 0, Outcome::kFails},
    {"a close fails", Call::kClose, Effect::kFail, EIO, Outcome::kSurvives},  // of what was only read
};

bool ReadWith(const Kind& kind, uint64_t nth, bool load, const Saver& saver, const std::string& path) {
  FilterFile file;
  Status status;
  bool fault_came;
  {
    const WatchedCalls calls({kind.effect, kind.call, nth, kind.error, kind.stays});
    status = load ? file.Load(path.c_str()) : file.Map(path.c_str());
    fault_came = calls.fault_came();
    EXPECT_EQ(calls.open_files(), 0);
  }
  EXPECT_EQ(status.ok(), !fault_came || !Fails(kind, nth)) << status.message();
  if (!status.ok()) {
    EXPECT_EQ(status.code(), kind.effect == Effect::kFlip ? StatusCode::kCorrupt : StatusCode::kIoError);
    EXPECT_GT(std::strlen(status.message()), 15u);
    if (kind.effect == Effect::kFail) {
      EXPECT_NE(std::strstr(status.message(), path.c_str()), nullptr) << status.message();
      EXPECT_NE(std::strstr(status.message(), std::strerror(kind.error)), nullptr) << status.message();
    }
    EXPECT_STREQ(file.view().status().message(), status.message());
    EXPECT_TRUE(file.view().MayContainKey("a key that is in no filter"));
  }
  EXPECT_EQ(file.view().CountMaybes(saver.hashes.data(), saver.hashes.size()), saver.hashes.size());
  EXPECT_TRUE(file.Load(path.c_str()).ok()) << "and the next time, without a fault, it is read";
  return fault_came;
}

TEST(ReadFaults, AnswerMaybe) {
  const TempDir dir(MemoryFolder());
  uint64_t num_faults = 0;
  // One read; one for each of six chunks; stages.
  for (const Saver& saver : {SaverOfFilter<BlockedFilter>("BlockedFilter::Save", 100, 1),
                             SaverOfFilter<BlockedFilter>("BlockedFilter::Save", 300000, 1), SaverOfScalable(100, 1),
                             SaverOfRotating(100, 1)}) {
    const std::string path = dir.File("file");
    ASSERT_TRUE(saver.save(path.c_str()).ok());
    for (const bool load : {false, true}) {
      for (const Kind& kind : kReadFaults) {
        for (uint64_t nth = 0;; ++nth, ++num_faults) {
          SCOPED_TRACE(saver.name + (load ? ", Load: " : ", Map: ") + Describe(kind, nth));
          if (!ReadWith(kind, nth, load, saver, path)) break;
        }
      }
    }
  }
  std::printf("%llu reads with a fault\n", static_cast<unsigned long long>(num_faults));
  EXPECT_GE(num_faults, 4 * (6 + 5) + 6 * (1 + 6));
}

}  // namespace
}  // namespace linefilter::test
