// A file is written so that nobody ever sees a part of one: it appears whole, or the old one stays.
#include <sys/resource.h>

#include <cerrno>

#include "linefilter/filter.h"
#include "tests/image/file_test.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

TEST(AtomicFile, AppearsWithCommitAlone) {
  const TempDir dir;
  const std::string path = dir.File("name");
  {
    AtomicFile file;
    ASSERT_TRUE(file.Create(path.c_str()).ok());
    ASSERT_TRUE(file.Append("abc", 3).ok());
    EXPECT_FALSE(std::filesystem::exists(path)) << "not before Commit";
    ASSERT_TRUE(file.Append("", 0).ok());
    ASSERT_TRUE(file.Append("defg", 4).ok());
    ASSERT_TRUE(file.Commit().ok());
    EXPECT_EQ(ReadFile(path), "abcdefg");
    EXPECT_FALSE(file.Append("x", 1).ok()) << "it is complete";
  }
  {
    AtomicFile dropped;
    ASSERT_TRUE(dropped.Create(path.c_str()).ok());
    ASSERT_TRUE(dropped.Append("new", 3).ok());
  }
  EXPECT_EQ(ReadFile(path), "abcdefg") << "the old file survives a drop";
  AtomicFile again;
  ASSERT_TRUE(again.Create(dir.File("other").c_str()).ok());
  ASSERT_TRUE(again.Create(path.c_str()).ok()) << "another Create drops what was begun";
  ASSERT_TRUE(again.Append("new", 3).ok());
  ASSERT_TRUE(again.Commit().ok());
  EXPECT_EQ(ReadFile(path), "new");
  EXPECT_EQ(dir.Names(), std::vector<std::string>{"name"}) << "no temporary name remains";
  AtomicFile never;
  EXPECT_FALSE(never.Append("x", 1).ok());
  EXPECT_FALSE(never.Commit().ok());
}

TEST(AtomicFile, HasTheModeThatAnyNewFileHas) {
  const TempDir dir;
  const mode_t mask = umask(027);
  AtomicFile file;
  ASSERT_TRUE(file.Create(dir.File("name").c_str()).ok());
  ASSERT_TRUE(file.Commit().ok());
  umask(mask);
  struct stat info;
  ASSERT_EQ(stat(dir.File("name").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u) << "others read it as the umask says, not as mkstemp does";
}

TEST(AtomicFile, WritesEveryNameTheSystemTakes) {
  const TempDir dir;
  const std::string longest(255, 'n');
  for (const std::string& name : {longest, std::string("with space"), std::string("%s%n"), std::string("\xff\xfe")}) {
    AtomicFile file;
    ASSERT_TRUE(IsOk(file.Create(dir.File(name).c_str()))) << name;
    ASSERT_TRUE(file.Append("x", 1).ok());
    ASSERT_TRUE(IsOk(file.Commit())) << name;
    EXPECT_EQ(ReadFile(dir.File(name)), "x");
  }
  EXPECT_EQ(dir.Names().size(), 4u);
  AtomicFile file;
  Status too_long = file.Create(dir.File(longest + "n").c_str());
  if (too_long.ok()) too_long = file.Commit();
  EXPECT_EQ(too_long.code(), StatusCode::kIoError);
  EXPECT_EQ(file.Create((dir.path() + std::string(5000, '/') + "x").c_str()).code(), StatusCode::kIoError);
  EXPECT_EQ(dir.Names().size(), 4u);
  EXPECT_TRUE(InChild([&] {  // a bare name, in the current folder
    if (chdir(dir.path().c_str()) != 0) return false;
    AtomicFile bare;
    return bare.Create("bare").ok() && bare.Append("y", 1).ok() && bare.Commit().ok();
  }));
  EXPECT_EQ(ReadFile(dir.File("bare")), "y");
}

TEST(AtomicFile, RefusesWhatItMayNotWrite) {
  const TempDir dir;
  AtomicFile file;
  // A pipe stands for whatever is no regular file. Never a real device: a library that fails here would replace it.
  const std::string pipe = dir.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {dir.path() + "/missing/name", dir.path(), dir.path() + "/", pipe, std::string()}) {
    const Status status = file.Create(path.c_str());
    EXPECT_FALSE(file.Append("x", 1).ok()) << "'" << path << "'";
    EXPECT_EQ(status.code(), StatusCode::kIoError) << "'" << path << "': " << status.message();
    EXPECT_FALSE(file.Commit().ok()) << "'" << path << "'";
  }
  EXPECT_TRUE(std::filesystem::is_directory(dir.path()));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe)) << "it is never replaced";
  std::filesystem::remove(pipe);
  ASSERT_EQ(chmod(dir.path().c_str(), 0555), 0);
  EXPECT_TRUE(InChild([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return false;
    AtomicFile other;
    const Status status = other.Create(dir.File("name").c_str());
    return status.code() == StatusCode::kIoError && std::strstr(status.message(), "ermission") != nullptr;
  }));
  ASSERT_EQ(chmod(dir.path().c_str(), 0755), 0);
  EXPECT_TRUE(dir.Names().empty());
}

// A link is how a device is named (/dev/stdout), or how a file is shared: the link itself is never replaced.
TEST(AtomicFile, ReplacesTheFileBehindALink) {
  const TempDir dir;
  ASSERT_TRUE(std::filesystem::create_directory(dir.File("real")));
  const auto write = [](const std::string& path) {
    AtomicFile file;
    Status status = file.Create(path.c_str());
    if (status.ok()) status = file.Append("new", 3);
    return status.ok() ? file.Commit() : status;
  };
  const std::string real = dir.File("real/file"), link = dir.File("link"), pipe = dir.File("pipe");
  const std::string written = dir.Write("real/file", "old");
  EXPECT_EQ(written, real);
  std::filesystem::create_symlink("real/file", link);
  EXPECT_TRUE(write(link).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(test::ReadFile(real), "new");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& target : {pipe, dir.File("nothing")}) {
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    const Status status = write(link);
    EXPECT_EQ(status.code(), StatusCode::kIoError) << target;
    EXPECT_NE(std::strstr(status.message(), dir.path().c_str()), nullptr) << "names the file: " << status.message();
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << target;
  }
}

TEST(AtomicFile, HandsOnTheModeOfTheFileItReplaces) {
  const TempDir dir;
  const std::string path = dir.File("file");
  dir.Write("file", "old");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  AtomicFile file;
  ASSERT_TRUE(file.Create(path.c_str()).ok());
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0600});
}

// A limit of the file size stands for a full disk: write() is cut short, then fails.
TEST(AtomicFile, AFullDiskIsReportedAndLeavesTheOldFile) {
  const TempDir dir;
  const std::string path = dir.Write("name", "old");
  BlockedFilter filter;
  FilterOptions options;
  options.bits_per_key = 10;
  ASSERT_TRUE(filter.Create(1000000, options).ok());
  FilterBuilder builder(options);
  const std::vector<uint64_t> hashes = RandomHashes(1000000, 1);
  builder.AddHashes(hashes.data(), hashes.size());
  EXPECT_TRUE(InChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {500000, 500000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    AtomicFile file;
    const std::string part(300000, 'x');
    const bool reported = file.Create(path.c_str()).ok() && file.Append(part.data(), part.size()).ok() &&
                          file.Append(part.data(), part.size()).code() == StatusCode::kIoError &&
                          file.Commit().code() == StatusCode::kIoError;
    const Status saved = filter.Save(path.c_str()), finished = builder.FinishToFile(path.c_str());
    // The system's reason, not only that a sink refused.
    return reported && saved.code() == StatusCode::kIoError && finished.code() == StatusCode::kIoError &&
           std::strstr(saved.message(), std::strerror(EFBIG)) != nullptr &&
           std::strstr(finished.message(), std::strerror(EFBIG)) != nullptr && builder.num_keys() == hashes.size();
  }));
  EXPECT_EQ(ReadFile(path), "old");
  EXPECT_EQ(dir.Names(), std::vector<std::string>{"name"}) << "what was written of it is removed";
}

}  // namespace
}  // namespace linefilter::test
