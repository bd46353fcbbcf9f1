// linefilter/file.h: reading filters from files. (What the system refuses on the way is in faults_test, what kills the
// writer in kill_test.)
#include "tests/image/file_test.h"

#include <system_error>
#include <utility>

#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

constexpr size_t kKeys = 300000;  // 375,000 bytes: six chunks

std::string Build(size_t num_keys, uint64_t seed) {
  return test::Build(BitsPerKey(10, Layout::kBlocked), RandomHashes(num_keys, seed));
}

// Both ways of reading, as one.
enum class Way { kMap, kMapRandom, kLoad };
constexpr Way kWays[] = {Way::kMap, Way::kMapRandom, Way::kLoad};

Status Read(Way way, const std::string& path, FilterFile* file) {
  if (way == Way::kLoad) return file->Load(path.c_str());
  return file->Map(path.c_str(), VerifyMode::kWhole, way == Way::kMap ? MapAdvice::kWillNeed : MapAdvice::kRandom);
}

void ExpectClosed(const FilterFile& file) {
  EXPECT_FALSE(file.view().status().ok());
  EXPECT_TRUE(file.view().MayContainKey("x"));
  EXPECT_TRUE(file.view().MayContainHash(0));
}

TEST(FilterFile, AnswersAsTheImageItHolds) {
  const TempDir dir;
  const std::vector<uint64_t> others = RandomHashes(10000, 9);
  for (const size_t n : {size_t{0}, size_t{1}, size_t{300}, kKeys}) {
    const std::string image = Build(n, 1), path = dir.Write("image", image);
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    for (const Way way : kWays) {
      FilterFile file;
      ExpectClosed(file);
      ASSERT_TRUE(IsOk(Read(way, path, &file)));
      EXPECT_TRUE(file.view().Verify().ok());
      EXPECT_EQ(file.view().image_bytes(), image.size());
      EXPECT_EQ(file.view().empty_set(), n == 0);
      for (const uint64_t hash : others) ASSERT_EQ(file.view().MayContainHash(hash), view.MayContainHash(hash));
      const std::vector<uint64_t> hashes = RandomHashes(n, 1);
      EXPECT_EQ(file.view().CountMaybes(hashes.data(), n), n);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(file.view().body()) % 64, 0u) << "blocks are aligned";
      file.Close();
      ExpectClosed(file);
      file.Close();
    }
  }
}

TEST(FilterFile, MovesItsBytes) {
  const TempDir dir;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  const std::string path = dir.Write("image", Build(kKeys, 1)), small = dir.Write("small", Build(10, 2));
  for (const Way way : kWays) {
    FilterFile first;
    ASSERT_TRUE(Read(way, path, &first).ok());
    FilterFile second(std::move(first));
    ExpectClosed(first);
    FilterFile third;
    ASSERT_TRUE(Read(way, small, &third).ok());
    third = std::move(second);
    ExpectClosed(second);
    EXPECT_EQ(third.view().CountMaybes(hashes.data(), hashes.size()), hashes.size());
    ASSERT_TRUE(Read(way, small, &first).ok()) << "a moved-from object opens again";
    EXPECT_TRUE(first.view().status().ok());
    ASSERT_TRUE(Read(way, small, &third).ok()) << "and one that is open";
    EXPECT_EQ(third.view().num_chunks(), 0u);
  }
}

// The mapping keeps the file it was made of, whatever comes to its name.
TEST(FilterFile, OutlivesTheNameOfItsFile) {
  const TempDir dir;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  const std::string path = dir.Write("image", Build(kKeys, 1));
  FilterFile file;
  ASSERT_TRUE(file.Map(path.c_str()).ok());
  AtomicFile replacement;
  ASSERT_TRUE(replacement.Create(path.c_str()).ok());
  ASSERT_TRUE(replacement.Append("short", 5).ok());
  ASSERT_TRUE(replacement.Commit().ok());
  EXPECT_EQ(file.view().CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_TRUE(file.view().Verify().ok());
}

// What file.h warns of, and the way out: a mapped file that shrinks takes its pages away, a loaded one is a copy.
TEST(FilterFile, ThatShrinksKillsWhoMappedItAndNotWhoLoadedIt) {
  const TempDir dir;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  const std::string image = Build(kKeys, 1), path = dir.Write("image", image);
  FilterFile loaded;
  ASSERT_TRUE(loaded.Load(path.c_str()).ok());
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGBUS, SIG_DFL);  // sanitizers catch it
    FilterFile mapped;
    if (!mapped.Map(path.c_str()).ok() || truncate(path.c_str(), 4096) != 0) _exit(1);
    _exit(mapped.view().CountMaybes(hashes.data(), hashes.size()) == hashes.size() ? 2 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) << status;
  EXPECT_EQ(std::filesystem::file_size(path), 4096u);
  EXPECT_TRUE(loaded.view().Verify().ok());
  EXPECT_EQ(loaded.view().CountMaybes(hashes.data(), hashes.size()), hashes.size());
  FilterFile again;
  EXPECT_EQ(again.Map(path.c_str()).code(), StatusCode::kCorrupt) << "what is left is no image";
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(image.size())), 0);
  EXPECT_EQ(again.Map(path.c_str()).code(), StatusCode::kCorrupt) << "nor does it become one by growing again";
}

TEST(FilterFile, RefusesWhatIsNoImage) {
  const TempDir dir;
  const std::string image = Build(kKeys, 1);
  const std::string empty = dir.Write("empty", ""), text = dir.Write("text", std::string(100, 'a')),
                    cut = dir.Write("cut", image.substr(0, image.size() - 1)),
                    longer = dir.Write("longer", image + "x"), tail = dir.Write("tail", image.substr(64)),
                    pipe = dir.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const Way way : kWays) {
    const auto refused = [&](const std::string& path, StatusCode code) {
      FilterFile file;
      const Status status = Read(way, path, &file);
      EXPECT_EQ(status.code(), code) << path << ": " << status.message();
      EXPECT_GT(std::strlen(status.message()), 20u);
      if (code == StatusCode::kIoError) {
        EXPECT_NE(std::strstr(status.message(), path.c_str()), nullptr) << "names the file: " << status.message();
      }
      ExpectClosed(file);
      EXPECT_STREQ(file.view().status().message(), status.message()) << "the reason is kept";
      const Status next = Read(way, dir.File("another"), &file);
      EXPECT_STREQ(file.view().status().message(), next.message()) << "of the last one that was tried";
    };
    refused(dir.File("missing"), StatusCode::kIoError);
    refused(dir.path(), StatusCode::kIoError);
    refused("/dev/null", StatusCode::kIoError);
    refused(empty, StatusCode::kCorrupt);
    refused(text, StatusCode::kCorrupt);
    refused(cut, StatusCode::kCorrupt);
    refused(longer, StatusCode::kCorrupt);
    refused(tail, StatusCode::kCorrupt);
    EXPECT_TRUE(InChild([&] {
      FilterFile file;
      return Read(way, pipe, &file).code() == StatusCode::kIoError && file.view().MayContainKey("x");
    })) << "a pipe is refused without waiting for a writer";
  }
}

// Sparse. Where sizes have 32 bits the file must still be opened, to be refused for what it is.
TEST(FilterFile, MoreThanTheAddressSpaceIsOutOfMemory) {
  const TempDir dir;
  const std::string path = dir.Write("large", "x");
  std::error_code error;
  std::filesystem::resize_file(path, (uint64_t{5} << 30) + 8, error);
  if (error) GTEST_SKIP() << "no file of 5 GiB here: " << error.message();
  FilterFile file;
  EXPECT_TRUE(Says(sizeof(size_t) == 4 ? StatusCode::kOutOfMemory : StatusCode::kCorrupt, file.Map(path.c_str())));
  ExpectClosed(file);
}

TEST(FilterFile, SaysThatItMayNotReadTheFile) {
  const TempDir dir;
  const std::string path = dir.Write("secret", Build(100, 1));
  ASSERT_EQ(chmod(dir.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  EXPECT_TRUE(InChild([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return false;  // root reads everything: become nobody
    FilterFile file;
    const Status mapped = file.Map(path.c_str()), loaded = file.Load(path.c_str());
    return mapped.code() == StatusCode::kIoError && loaded.code() == StatusCode::kIoError &&
           std::strstr(mapped.message(), "ermission") != nullptr && file.view().MayContainKey("x");
  }));
}

TEST(FilterFile, DamageOfALargeBodyIsFoundByVerifyOrLoad) {
  const TempDir dir;
  const std::string image = Build(kKeys, 1);
  const size_t body = FilterView(image.data(), image.size(), VerifyMode::kWhole).body_bytes();
  for (const size_t at : {size_t{0}, size_t{65535}, size_t{65536}, size_t{200000}, body - 1}) {
    std::string damaged = image;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const std::string path = dir.Write("damaged", damaged);
    FilterFile file;
    ASSERT_TRUE(file.Map(path.c_str(), VerifyMode::kTrusted).ok()) << "only the trailer is read";
    const Status verified = file.view().Verify();
    EXPECT_EQ(verified.code(), StatusCode::kCorrupt) << at;
    FilterFile copy;
    const Status loaded = copy.Load(path.c_str());
    EXPECT_EQ(loaded.code(), StatusCode::kCorrupt) << at;
    EXPECT_STREQ(loaded.message(), verified.message()) << "the same range is named";
    ExpectClosed(copy);
    EXPECT_STREQ(copy.view().status().message(), loaded.message()) << "the reason is kept";
    const Status mapped = copy.Map(path.c_str());
    EXPECT_STREQ(mapped.message(), verified.message()) << "so small a file is verified when it is mapped";
    ExpectClosed(copy);
  }
}

TEST(FilterFile, LoadUsesTheHostsMemoryWithinTheLimit) {
  const TempDir dir;
  const std::string image = Build(kKeys, 1), path = dir.Write("image", image);
  TestAllocator allocator;
  {
    FilterFile file;
    ASSERT_TRUE(file.Load(path.c_str(), allocator.hooks()).ok());
    EXPECT_TRUE(allocator.Owns(file.view().body()));
    EXPECT_GE(allocator.live_bytes(), image.size());
    EXPECT_LE(allocator.peak_bytes(), image.size() + 4096) << "and hardly more";
    FilterFile moved(std::move(file));
    EXPECT_GE(allocator.live_bytes(), image.size());
  }
  EXPECT_EQ(allocator.live_bytes(), 0u);
  FilterFile file;
  EXPECT_EQ(file.Load(path.c_str(), {}, image.size() - 1).code(), StatusCode::kOverLimit);
  ExpectClosed(file);
  EXPECT_TRUE(file.Load(path.c_str(), {}, image.size() + 4096).ok());
  Allocator half;
  half.allocate = [](void*, size_t, size_t) noexcept -> void* { return nullptr; };
  EXPECT_EQ(file.Load(path.c_str(), half).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace linefilter::test
