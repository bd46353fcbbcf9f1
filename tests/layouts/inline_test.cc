// linefilter/inline.h, compiled in several files with different -march and linked into this one program, sets the same
// bits and gives the same answers as the library.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/swappable.h"
#include "linefilter/view.h"
#include "tests/layouts/inline_part.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/quotient_blocks.h"
#include "tests/testing/reference_filters.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace linefilter {

// inline_parts.inc, written by CMake: LINEFILTER_PART(name) for each compilation of inline_part.cc.
#define LINEFILTER_PART(name) extern const InlinePart name;
#include "inline_parts.inc"
#undef LINEFILTER_PART

namespace {

std::vector<const InlinePart*> AllParts() {
  return {
#define LINEFILTER_PART(name) &name,
#include "inline_parts.inc"
#undef LINEFILTER_PART
  };
}

unsigned CpuHas() {
  unsigned has = 0;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) has |= kNeedsSse4;
  if (__builtin_cpu_supports("aes")) has |= kNeedsAes;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
    has |= kNeedsAvx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    has |= kNeedsAvx512;
  }
  if (__builtin_cpu_supports("avx512vbmi2")) has |= kNeedsAvx512Vbmi2;
  if (__builtin_cpu_supports("gfni")) has |= kNeedsGfni;
#elif defined(__aarch64__) && defined(__linux__)
  if (getauxval(AT_HWCAP) & HWCAP_SVE) has |= kNeedsSve;
  if (getauxval(AT_HWCAP2) & HWCAP2_SVE2) has |= kNeedsSve2;
#endif
  return has;
}

// The parts that this CPU can run: at least the one that was compiled like this file.
std::vector<const InlinePart*> Parts() {
  std::vector<const InlinePart*> parts;
  for (const InlinePart* part : AllParts()) {
    if ((part->needs & ~CpuHas()) == 0) parts.push_back(part);
  }
  return parts;
}

std::vector<uint8_t> Ask(const InlinePart& part, const FilterBase& filter, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> answers(hashes.size(), 0xa5);
  part.may_contain_hashes(filter, hashes.data(), hashes.size(), answers.data());
  return answers;
}

std::vector<uint8_t> AskLibrary(const FilterBase& filter, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> answers(hashes.size(), 0xa5);
  filter.MayContainHashes(hashes.data(), hashes.size(), answers.data());
  return answers;
}

// Each part inserts into a filter of its own: the bits, and what it says about them, are the reference's; then all ask
// all.
void ExpectSameBits(Layout layout, uint32_t num_probes, size_t body_bytes) {
  const std::vector<uint64_t> keys = test::SpecialAndRandomHashes(body_bytes / 2 + 20, num_probes);
  std::vector<uint64_t> questions = test::SpecialAndRandomHashes(1000, body_bytes);
  questions.insert(questions.end(), keys.begin(), keys.begin() + 20);
  reference::Filter expected = test::EmptyReference(layout, num_probes, body_bytes);
  const reference::Filter empty = expected;
  std::vector<uint8_t> were_new, answers;
  for (const uint64_t key : keys) were_new.push_back(expected.Insert(key));
  for (const uint64_t question : questions) answers.push_back(expected.MayContain(question));
  for (const InlinePart* part : Parts()) {
    SCOPED_TRACE(part->march);
    const std::unique_ptr<Filter> filter = test::MutableCopy(empty);
    std::vector<uint8_t> said(keys.size(), 0xa5);
    part->insert_hashes(*filter, keys.data(), keys.size(), said.data());
    EXPECT_EQ(said, were_new);
    ASSERT_EQ(filter->body_bytes(), body_bytes);
    EXPECT_EQ(memcmp(filter->body(), expected.body.data(), body_bytes), 0);
    EXPECT_EQ(Ask(*part, *filter, questions), answers);
  }
}

TEST(Inline, SetsTheBitsOfTheReference) {
  for (const auto& [layout, num_probes, unit] : test::EveryKind()) {
    if (!test::IsMutable(layout)) continue;
    SCOPED_TRACE(std::string(LayoutName(layout)) + " " + std::to_string(num_probes));
    for (const size_t units : {1u, 3u, 7u, 100u}) ExpectSameBits(layout, num_probes, unit * units);
  }
}

// Bodies of random bytes: about half of them one bits. Random bytes are hardly ever a block of `quotient`, so its
// blocks were sound once.
TEST(Inline, AnswersLikeTheReferenceInViewsOfAnyAddress) {
  for (const auto& [layout, num_probes, unit] : test::EveryKind()) {
    if (num_probes % 6 > 1) continue;
    reference::Filter filter = test::EmptyReference(layout, num_probes, unit * 333);
    test::Random random(num_probes);
    for (uint8_t& byte : filter.body) byte = static_cast<uint8_t>(random());
    const bool is_quotient = layout == Layout::kQuotient;
    if (is_quotient) filter.body = test::HostileBody(test::SoundBlocks(50, &random), 333, &random);
    const reference::Bytes image = reference::WriteImage(filter);
    std::vector<uint8_t> memory(image.size() + 64);
    for (size_t shift = 0; shift < 64; shift += 7) {
      memcpy(memory.data() + shift, image.data(), image.size());
      const FilterView view(memory.data() + shift, image.size(), VerifyMode::kWhole);
      ASSERT_TRUE(view.status().ok());
      std::vector<uint64_t> questions = test::RandomHashes(3000, shift);
      if (is_quotient) questions = test::QuestionsOf(filter.body, 3000, &random);
      std::vector<uint8_t> answers;
      for (const uint64_t question : questions) answers.push_back(filter.MayContain(question));
      EXPECT_EQ(AskLibrary(view, questions), answers);
      for (const InlinePart* part : Parts()) {
        EXPECT_EQ(Ask(*part, view, questions), answers) << LayoutName(layout) << " " << part->march;
      }
    }
  }
}

// What a random body cannot show: all constraints of a block hold for its members.
TEST(Inline, FindsTheMembersOfLayoutsThatAreMadeAtOnce) {
  const std::vector<uint64_t> members = test::RandomHashes(20000, 1), questions = test::RandomHashes(20000, 2);
  for (const auto& [layout, num_probes, unit] : test::EveryKind()) {
    if (test::IsMutable(layout)) continue;
    for (const double bits_per_key : {8, 16, 24, 64}) {
      const std::string image = test::Build(test::BitsPerKey(bits_per_key, layout), members);
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      for (const InlinePart* part : Parts()) {
        SCOPED_TRACE(part->march);
        EXPECT_EQ(Ask(*part, view, members), std::vector<uint8_t>(members.size(), 1)) << bits_per_key;
        EXPECT_EQ(Ask(*part, view, questions), AskLibrary(view, questions)) << bits_per_key;
      }
    }
  }
}

TEST(Inline, AnswersMaybeForTheBrokenAndAbsentForTheEmpty) {
  const std::vector<uint64_t> questions = test::SpecialAndRandomHashes(50, 1);
  const FilterView broken;
  BlockedFilter never_created;
  for (const auto& [layout, num_probes, unit] : test::EveryKind()) {
    const reference::Bytes empty = reference::WriteImage(test::EmptyReference(layout, num_probes, 0));
    const FilterView empty_set(empty.data(), empty.size(), VerifyMode::kWhole);
    ASSERT_TRUE(empty_set.empty_set());
    for (const InlinePart* part : Parts()) EXPECT_EQ(Ask(*part, empty_set, questions), std::vector<uint8_t>(50, 0));
  }
  for (const InlinePart* part : Parts()) {
    EXPECT_EQ(Ask(*part, broken, questions), std::vector<uint8_t>(50, 1));
    EXPECT_EQ(Ask(*part, never_created, questions), std::vector<uint8_t>(50, 1));
    std::vector<uint8_t> were_new(50, 0xa5);
    part->insert_hashes(never_created, questions.data(), questions.size(), were_new.data());
    EXPECT_EQ(were_new, std::vector<uint8_t>(50, 0));
  }
}

// It keeps where the bytes were, and a growing filter gets more of them.
TEST(Inline, AProberLosesNoKeyOfAFilterThatGrows) {
  const std::vector<uint64_t> hashes = test::RandomHashes(3000, 7);
  FilterOptions options = test::Fpr(0.01);
  for (const InlinePart* part : Parts()) {
    SCOPED_TRACE(part->march);
    ScalableFilter filter = test::Created<ScalableFilter>(10, options);
    EXPECT_EQ(part->count_lost_while_it_grows(filter, hashes.data(), hashes.size()), 0u);
    EXPECT_GE(filter.num_stages(), 8u);
    const std::vector<uint64_t> strangers = test::RandomHashes(3000, 8);
    EXPECT_EQ(Ask(*part, filter, strangers), AskLibrary(filter, strangers));
  }
}

// What answers in these changes: their generations rotate, their filter is swapped, others set bits.
TEST(Inline, AProberAsksAFilterThatChangesThroughItself) {
  const FilterOptions options = test::Keyed(test::Fpr(0.01));
  const std::vector<uint64_t> hashes = test::RandomHashes(1000, 7), strangers = test::RandomHashes(1000, 8);
  for (const InlinePart* part : Parts()) {
    SCOPED_TRACE(part->march);
    RotatingFilter rotating;
    ConcurrentFilter concurrent;
    ASSERT_TRUE(rotating.Create(1000, 3, options).ok() && concurrent.Create(1000, options).ok());
    BlockedFilter served = test::Created<BlockedFilter>(1000, options);
    for (KeyFilter* filter :
         {static_cast<KeyFilter*>(&rotating), static_cast<KeyFilter*>(&concurrent), static_cast<KeyFilter*>(&served)}) {
      filter->InsertHashes(hashes.data(), hashes.size());
      filter->InsertKey(uint64_t{5});
    }
    SwappableFilter swappable;
    ASSERT_TRUE(swappable.Swap(std::move(served)).ok());
    for (const FilterBase* filter :
         {static_cast<const FilterBase*>(&rotating), static_cast<const FilterBase*>(&concurrent),
          static_cast<const FilterBase*>(&swappable)}) {
      EXPECT_EQ(Ask(*part, *filter, hashes), std::vector<uint8_t>(1000, 1));
      EXPECT_EQ(Ask(*part, *filter, strangers), AskLibrary(*filter, strangers));
      const uint64_t keys[] = {5, 6, 7, 8};
      uint8_t answers[4], expected[4];
      part->may_contain_keys(*filter, keys, 4, answers);
      filter->MayContainKeys(keys, 4, expected);
      EXPECT_EQ(answers[0], 1);
      EXPECT_TRUE(std::equal(answers, answers + 4, expected));
    }
  }
}

TEST(Inline, HashesKeysWithTheSecret) {
  const FilterOptions options = test::Keyed(test::BitsPerKey(10));
  BlockedFilter filter = test::Created<BlockedFilter>(1000, options);
  std::vector<uint64_t> keys(3000);
  for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
  for (uint64_t i = 0; i < 1000; ++i) filter.InsertHash(KeyedHash(i, options.secret));
  std::vector<uint8_t> expected(keys.size());
  filter.MayContainKeys(keys.data(), keys.size(), expected.data());
  ASSERT_EQ(std::count(expected.begin(), expected.begin() + 1000, 1), 1000);
  ASSERT_LT(std::count(expected.begin() + 1000, expected.end(), 1), 100);
  for (const InlinePart* part : Parts()) {
    std::vector<uint8_t> answers(keys.size());
    part->may_contain_keys(filter, keys.data(), keys.size(), answers.data());
    EXPECT_EQ(answers, expected) << part->march;
  }
}

TEST(Inline, HashesKeysWithTheSeedAndAnswersMaybeForCallersHashes) {
  FilterOptions options = test::BitsPerKey(10);
  options.seed = 42;
  BlockedFilter seeded, callers;
  ASSERT_TRUE(seeded.Create(1000, options).ok());
  options.hash_id = HashId::kCaller;
  ASSERT_TRUE(callers.Create(1000, options).ok());
  std::vector<uint64_t> keys(3000);
  for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
  for (uint64_t i = 0; i < 1000; ++i) seeded.InsertKey(i);
  std::vector<uint8_t> expected(keys.size());
  seeded.MayContainKeys(keys.data(), keys.size(), expected.data());
  for (const InlinePart* part : Parts()) {
    std::vector<uint8_t> answers(keys.size());
    part->may_contain_keys(seeded, keys.data(), keys.size(), answers.data());
    EXPECT_EQ(answers, expected) << part->march;
    part->may_contain_keys(callers, keys.data(), keys.size(), answers.data());
    EXPECT_EQ(answers, std::vector<uint8_t>(keys.size(), 1)) << part->march;
  }
}

// Green must not mean skipped, and a wide -march must not end in a narrow target.
TEST(Inline, ThePartsRunOnTheTargetsTheyWereCompiledFor) {
  const std::vector<const InlinePart*> parts = Parts();
  ASSERT_FALSE(parts.empty());
  std::set<std::string> marches;
  for (const InlinePart* part : parts) {
    const std::string target = part->target();
    marches.insert(part->march);
    // HWY_NAMESPACE is N_AVX2 and the like.
    if (part->needs & kNeedsAvx512) {
      EXPECT_NE(target.find("AVX3"), std::string::npos) << part->march << " gave " << target;
    } else if (part->needs & kNeedsAvx2) {
      EXPECT_NE(target.find("AVX2"), std::string::npos) << part->march << " gave " << target;
    } else if (part->needs & kNeedsSve2) {
      EXPECT_NE(target.find("SVE2"), std::string::npos) << part->march << " gave " << target;
    } else if (part->needs & kNeedsSve) {
      EXPECT_NE(target.find("SVE"), std::string::npos) << part->march << " gave " << target;
    }
  }
#ifdef __x86_64__
  EXPECT_EQ(marches.count("x86-64"), 1u);
  EXPECT_EQ(marches.count("x86-64-v3"), (CpuHas() & kNeedsAvx2) ? 1u : 0u);
  EXPECT_EQ(marches.count("x86-64-v4"), (CpuHas() & kNeedsAvx512) ? 1u : 0u);
#elif defined(__aarch64__)
  EXPECT_EQ(marches.count("armv8-a+crypto"), 1u);
  EXPECT_EQ(marches.count("armv8-a+crypto+sve"), (CpuHas() & kNeedsSve) ? 1u : 0u);
  EXPECT_EQ(marches.count("armv8-a+crypto+sve2-aes"), (CpuHas() & kNeedsSve2) ? 1u : 0u);
#endif
}

}  // namespace
}  // namespace linefilter
