// A damaged image that is mapped, or in memory, loses no key: whatever is broken of it, wherever it is opened, in every
// mode but kTrusted. And what kLazy promises besides: who verifies, who tells, when the file goes over.
//
// LINEFILTER_TEST_DAMAGES says how many damaged images of each layout are made.
#include "tests/image/mapped_test.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>

#include "lib/layouts/lazy.h"
#include "linefilter/fold.h"
#include "linefilter/swappable.h"
#include "tests/testing/options.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

class Mapped : public testing::TestWithParam<const Subject*> {};
INSTANTIATE_TEST_SUITE_P(EveryLayout, Mapped, testing::ValuesIn(Subjects()),
                         [](const auto& test) { return test.param->name; });

// What is asked of a file in a certain mode: no member is "absent", by any question.
uint64_t LostBy(const FilterBase& filter, const Subject& subject) {
  const std::vector<uint64_t>& keys = subject.keys;
  std::vector<uint8_t> answers(keys.size()), bits(keys.size() / 8 + 1);
  uint64_t lost = keys.size() - filter.CountMaybes(subject.hashes.data(), keys.size());
  for (size_t i = 0; i < keys.size(); i += 97) lost += !filter.MayContainKey(keys[i]);
  filter.MayContainKeys(keys.data(), keys.size(), answers.data());
  for (const uint8_t answer : answers) lost += answer == 0;
  filter.MayContainHashesToBits(subject.hashes.data(), keys.size(), bits.data());
  for (size_t i = 0; i < keys.size(); ++i) lost += (bits[i / 8] >> i % 8 & 1) == 0;
  return lost;
}

uint64_t LostByFile(const std::string& path, VerifyMode verify, const Subject& subject) {
  FilterFile file, again;
  const Status opened = file.Map(path.c_str(), verify);
  uint64_t lost = LostBy(file.view(), subject);
  lost += opened.ok() && verify == VerifyMode::kWhole && !file.view().Verify().ok();
  if (!again.Map(path.c_str(), verify).ok()) return lost;
  SwappableFilter serving;
  const Status swapped = serving.Swap(std::move(again));
  EXPECT_EQ(swapped.ok(), file.view().Verify().ok()) << "a damaged file does not serve";
  return lost + LostBy(serving, subject);
}

uint64_t LostByImage(const std::string& image, const Subject& subject) {
  uint64_t lost = LostBy(FilterView(image.data(), image.size(), VerifyMode::kWhole), subject);
  for (const VerifyMode verify : {VerifyMode::kWhole, VerifyMode::kLazy, VerifyMode::kAuto}) {
    for (size_t i = 0; i < subject.keys.size(); i += 61) {
      lost += !ImageMayContainKey(image.data(), image.size(), subject.keys[i], verify);
    }
  }
  BlockedFilter copy;
  if (copy.CreateFromImage(image.data(), image.size()).ok()) lost += LostBy(copy, subject);
  return lost;
}

// In place, so that a mapping of the file changes with it.
void OverwriteFile(const std::string& path, const std::string& bytes) {
  FILE* const file = fopen(path.c_str(), "r+b");
  ASSERT_TRUE(file != nullptr && fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && fclose(file) == 0);
}

TEST_P(Mapped, NoDamageLosesAMember) {
  const TempDir dir(MemoryFolder());
  for (uint64_t i = 0; i < NumDamages(); ++i) {
    const std::string image = Damaged(GetParam()->image, i), path = dir.Write("image", image);
    for (const VerifyMode verify : {VerifyMode::kAuto, VerifyMode::kWhole, VerifyMode::kLazy}) {
      ASSERT_EQ(LostByFile(path, verify, *GetParam()), 0u) << "damage " << i << ", mode " << static_cast<int>(verify);
    }
    ASSERT_EQ(LostByImage(image, *GetParam()), 0u) << "damage " << i;
    ASSERT_EQ(LostByC(path, image, *GetParam()), 0u) << "damage " << i;
  }
}

// The test above could be passed by a library that is always "maybe".
TEST_P(Mapped, TrustedLosesThemAndLazyIsRightElsewhere) {
  const TempDir dir;
  std::string image = GetParam()->image;
  const FilterView sound(GetParam()->image.data(), image.size(), VerifyMode::kWhole);
  DamageChunk(&image);
  const std::string path = dir.Write("image", image);
  FilterFile trusted, lazy;
  ASSERT_TRUE(trusted.Map(path.c_str(), VerifyMode::kTrusted).ok() && lazy.Map(path.c_str(), VerifyMode::kLazy).ok());
  EXPECT_GT(LostBy(trusted.view(), *GetParam()), 0u);
  uint64_t absent = 0;
  for (const uint64_t hash : RandomHashes(20000, 5)) {
    const bool maybe = lazy.view().MayContainHash(hash);
    EXPECT_TRUE(maybe || !sound.MayContainHash(hash));
    absent += !maybe;
  }
  EXPECT_GT(absent, 5000u) << "what comes from sound chunks is answered";
  EXPECT_TRUE(Says(StatusCode::kCorrupt, lazy.view().status(), "body bytes 65536 to 131071"));
}

TEST_P(Mapped, LazyAnswersAsTrustedAndGoesOver) {
  const TempDir dir;
  const std::string path = dir.Write("image", GetParam()->image);
  FilterFile trusted, lazy;
  ASSERT_TRUE(trusted.Map(path.c_str(), VerifyMode::kTrusted).ok() && lazy.Map(path.c_str(), VerifyMode::kLazy).ok());
  const FilterView copy = lazy.view();
  EXPECT_TRUE(lazy.view().probe_state().changes) << "so that an inlined::Prober asks the filter";
  EXPECT_NE(lazy.view().probe_state().kernels, trusted.view().probe_state().kernels);
  EXPECT_STREQ(lazy.view().target(), trusted.view().target());
  EXPECT_EQ(lazy.view().FillRatio(), trusted.view().FillRatio());
  EXPECT_EQ(lazy.view().ExpectedFpr(), trusted.view().ExpectedFpr());
  EXPECT_EQ(lazy.view().body(), lazy.data());
  for (const size_t n : {0u, 1u, 7u, 31u, 2047u, 2048u, 2049u, 20001u}) {
    const std::vector<uint64_t> hashes = RandomHashes(n, n);
    std::vector<uint8_t> one(n), two(n), bits_one(n / 8 + 1), bits_two(n / 8 + 1);
    FilterFile fresh;
    ASSERT_TRUE(fresh.Map(path.c_str(), VerifyMode::kLazy).ok());
    trusted.view().MayContainHashes(hashes.data(), n, one.data());
    fresh.view().MayContainHashes(hashes.data(), n, two.data());
    EXPECT_EQ(one, two) << n;
    trusted.view().MayContainHashesToBits(hashes.data(), n, bits_one.data());
    lazy.view().MayContainHashesToBits(hashes.data(), n, bits_two.data());
    EXPECT_EQ(bits_one, bits_two) << n;
    EXPECT_EQ(copy.CountMaybes(hashes.data(), n), trusted.view().CountMaybes(hashes.data(), n)) << n;
  }
  EXPECT_TRUE(lazy.view().Verify().ok());
  EXPECT_EQ(lazy.view().probe_state().kernels, trusted.view().probe_state().kernels) << "a view that was verified";
  EXPECT_EQ(lazy.view().probe_state().inline_test, trusted.view().probe_state().inline_test);
  const FilterFile moved = std::move(lazy);
  for (const FilterView* view : {&moved.view(), &copy}) {
    for (const uint64_t hash : RandomHashes(100, 6)) (void)view->MayContainHash(hash);
    EXPECT_EQ(view->probe_state().kernels, trusted.view().probe_state().kernels) << "each state by itself";
    EXPECT_EQ(view->probe_state().may_contain, trusted.view().probe_state().may_contain);
    EXPECT_EQ(view->probe_state().inline_test, trusted.view().probe_state().inline_test);
  }
}

// A copy that was made before goes over with its first batch, and asks no key one by one meanwhile.
TEST_P(Mapped, ABatchGoesOverAtOnce) {
  static std::atomic<uint64_t> asked{0};
  const TempDir dir;
  FilterFile lazy;
  ASSERT_TRUE(lazy.Map(dir.Write("image", GetParam()->image).c_str(), VerifyMode::kLazy).ok());
  const FilterView copy = lazy.view();
  ASSERT_TRUE(lazy.view().Verify().ok());
  const std::vector<uint64_t> hashes = RandomHashes(5000, 3);
  const uint64_t maybes = lazy.view().CountMaybes(hashes.data(), hashes.size());
  internal::LazyBody::Of(copy.probe_state()).trusted.may_contain.Replace(+[](const internal::ProbeState&, uint64_t) {
    ++asked;
    return true;
  });
  asked = 0;
  EXPECT_EQ(copy.CountMaybes(hashes.data(), hashes.size()), maybes);
  EXPECT_EQ(asked.load(), 0u);
  EXPECT_EQ(copy.probe_state().kernels, lazy.view().probe_state().kernels);
}

// Against the rules, bytes change after they were verified. Whoever verifies them once more is told, and so are
// lookups.
TEST_P(Mapped, AChunkThatBecameDamagedIsMaybe) {
  const TempDir dir;
  std::string image = GetParam()->image;
  const std::string path = dir.Write("image", image);
  FilterFile file;
  ASSERT_TRUE(file.Map(path.c_str(), VerifyMode::kLazy).ok());
  ASSERT_TRUE(file.view().VerifyChunks(0, 3).ok());
  DamageChunk(&image);
  OverwriteFile(path, image);
  EXPECT_TRUE(Says(StatusCode::kCorrupt, file.view().VerifyChunks(1, 1), "body bytes 65536 to 131071"));
  EXPECT_EQ(LostBy(file.view(), *GetParam()), 0u);
  (void)file.view().VerifyChunks(2, file.view().num_chunks() - 2);
  EXPECT_EQ(LostBy(file.view(), *GetParam()), 0u) << "and it never goes over";
  EXPECT_EQ(file.view().status().code(), StatusCode::kCorrupt);
  OverwriteFile(path, GetParam()->image);
  EXPECT_EQ(file.view().VerifyChunks(0, file.view().num_chunks()).code(), StatusCode::kOk);
  EXPECT_EQ(file.view().status().code(), StatusCode::kCorrupt) << "what was damaged once is not believed";
}

// It would be freed by its second owner if the error were another one.
TEST_P(Mapped, WhatServesIsRefusedAsSuchEvenWhenItBecameDamaged) {
  const TempDir dir;
  std::string image = GetParam()->image;
  const std::string path = dir.Write("image", image);
  auto served = std::make_unique<FilterFile>();
  ASSERT_TRUE(served->Map(path.c_str(), VerifyMode::kLazy).ok());
  FilterFile* const again = served.get();
  const internal::ProbeState before = again->view().probe_state();
  SwappableFilter serving;
  ASSERT_TRUE(serving.Swap(std::move(served)).ok());
  EXPECT_NE(again->view().probe_state().kernels, before.kernels) << "it went over when all was verified";
  DamageChunk(&image);
  OverwriteFile(path, image);
  EXPECT_EQ(again->view().VerifyChunks(1, 1).code(), StatusCode::kCorrupt);
  again->view().probe_state().kernels.Replace(before.kernels);  // those that verify what they are asked to serve
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, serving.Swap(std::unique_ptr<FilterFile>(again)), "serves already"));
}

// Several threads verify while they ask, others verify and nothing else: all are right at every moment.
TEST_P(Mapped, ThreadsAskWhileChunksAreVerified) {
  const TempDir dir;
  const Subject& subject = *GetParam();
  for (const bool is_damaged : {false, true}) {
    std::string image = subject.image;
    if (is_damaged) DamageChunk(&image);
    const std::string path = dir.Write("image", image);
    for (int round = 0; round < 5; ++round) {
      FilterFile file;
      ASSERT_TRUE(file.Map(path.c_str(), VerifyMode::kLazy).ok());
      std::atomic<uint64_t> lost{0};
      const auto ask = [&](size_t begin) {
        const FilterView copy = file.view();
        const FilterView& asked = begin == 0 ? copy : file.view();
        for (size_t i = begin; i < 3000; i += 3) {
          lost += !asked.MayContainHash(subject.hashes[i]);
          (void)asked.MayContainHash(MixHash(i));
        }
        lost += LostBy(asked, subject);
      };
      std::vector<std::thread> threads;
      for (const size_t begin : {0u, 1u, 2u}) threads.emplace_back(ask, begin);
      threads.emplace_back([&] { (void)file.view().Verify(); });
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(lost.load(), 0u);
      EXPECT_EQ(file.view().status().ok(), !is_damaged);
    }
  }
}

TEST_P(Mapped, WhatReadsAllOfALazyFileVerifiesIt) {
  const TempDir dir;
  std::string image = GetParam()->image;
  DamageChunk(&image);
  FilterFile file;
  ASSERT_TRUE(file.Map(dir.Write("image", image).c_str(), VerifyMode::kLazy).ok());
  EXPECT_TRUE(file.view().status().ok()) << "nobody has looked yet";
  const FilterView* const both[] = {&file.view(), &file.view()};
  const Sink nowhere = {[](void*, const void*, size_t) noexcept { return true; }, nullptr};
  EXPECT_EQ(UniteImages(both, 2, nowhere).code(), StatusCode::kCorrupt);
  EXPECT_EQ(FoldImage(file.view(), 1, nowhere).code(), StatusCode::kCorrupt);
  EXPECT_EQ(file.view().status().code(), StatusCode::kCorrupt) << "and it is kept";
  EXPECT_EQ(file.view().VerifyChunks(0, 1).code(), StatusCode::kOk);
}

TEST(MappedFile, TheDefaultIsWholeUpTo64MiBAndLazyAbove) {
  const TempDir dir(MemoryFolder());
  for (const uint64_t mebibytes : {63u, 65u}) {
    BlockedFilter filter;
    FilterOptions options;
    options.bits_per_key = 8;
    ASSERT_TRUE(filter.Create(mebibytes << 20, options).ok());
    AtomicFile out;
    const std::string path = dir.File("image");
    ASSERT_TRUE(out.Create(path.c_str()).ok() && filter.WriteImage(out.sink()).ok() && out.Commit().ok());
    FilterFile file;
    ASSERT_TRUE(file.Map(path.c_str()).ok());
    EXPECT_EQ(file.view().probe_state().changes, mebibytes == 65);
    FILE* const damage = fopen(path.c_str(), "r+b");
    ASSERT_TRUE(damage != nullptr && fputc(1, damage) == 1 && fclose(damage) == 0);
    EXPECT_EQ(FilterFile().Map(path.c_str()).code(), mebibytes == 65 ? StatusCode::kOk : StatusCode::kCorrupt);
  }
}

TEST(MappedFile, AViewOfBytesHasNoMemoryForMarks) {
  const std::string& image = Subjects().front()->image;
  for (const VerifyMode verify : {VerifyMode::kAuto, VerifyMode::kLazy}) {
    const FilterView view(image.data(), image.size(), verify);
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, view.status(), "kWhole or kTrusted"));
    EXPECT_TRUE(view.MayContainHash(1) && view.MayContainKey("x"));
  }
}

TEST(MappedFile, AModeThatIsNoneIsRefused) {
  const std::string& image = Subjects().front()->image;
  const auto none = static_cast<VerifyMode>(77);
  const FilterView view(image.data(), image.size(), none);
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, view.status(), "77 is no way to verify"));
  EXPECT_TRUE(view.MayContainHash(1));
  const TempDir dir;
  FilterFile file;
  const std::string path = dir.Write("image", image);
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, file.Map(path.c_str(), none), "77 is no way to verify"));
  EXPECT_TRUE(file.view().MayContainHash(1));
}

}  // namespace
}  // namespace linefilter::test
