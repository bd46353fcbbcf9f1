// Every kernel, on every target that this CPU runs, sets the reference's bits and gives the reference's answers.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/view.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/quotient_blocks.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

constexpr size_t kBatchSizes[] = {0, 1, 2, 7, 8, 9, 31, 32, 33, 39, 40, 41, 47, 48, 49, 63, 64, 65, 1000};

// What must happen to one body: worked out once by the reference, then demanded of every target.
struct Expectation {
  reference::Filter filter;    // of the keys
  std::vector<uint64_t> keys;  // where the layout is mutable, inserted in this order
  std::vector<uint8_t> were_new;
  std::vector<uint64_t> questions;  // half keys, half strangers
  std::vector<uint8_t> answers;
};

std::vector<uint8_t> AnswersOf(const reference::Filter& filter, const std::vector<uint64_t>& questions) {
  std::vector<uint8_t> answers;
  for (const uint64_t question : questions) answers.push_back(filter.MayContain(question));
  return answers;
}

Expectation Expect(Layout layout, uint32_t num_probes, size_t body_bytes, size_t num_keys, size_t num_questions) {
  Expectation e;
  e.filter = EmptyReference(layout, num_probes, body_bytes);
  e.keys = SpecialAndRandomHashes(num_keys, 1000 * num_probes + body_bytes);
  for (size_t i = 3; i < e.keys.size(); i += 5) e.keys[i] = e.keys[i / 2];  // duplicates
  if (IsMutable(layout)) {
    for (const uint64_t key : e.keys) e.were_new.push_back(e.filter.Insert(key));
  } else {
    e.filter.Fill(e.keys);
  }
  e.questions = SpecialAndRandomHashes(num_questions, 77 * num_probes + body_bytes);
  for (size_t i = 13; i < num_questions; i += 2) e.questions[i] = e.keys[i % num_keys];
  e.answers = AnswersOf(e.filter, e.questions);
  return e;
}

void ExpectBody(const FilterBase& filter, const reference::Filter& expected) {
  ASSERT_EQ(filter.body_bytes(), expected.body.size());
  EXPECT_EQ(memcmp(filter.body(), expected.body.data(), expected.body.size()), 0);
}

// Inserts a part one by one and the rest in batches of all sizes, with and without the answers.
void InsertAll(const Expectation& e, Filter* filter) {
  size_t at = 0, wrong = 0;
  for (; at < e.keys.size() / 4; ++at) wrong += filter->InsertHash(e.keys[at]) != (e.were_new[at] != 0);
  for (size_t step = 0; at < e.keys.size(); ++step) {
    const size_t n = std::min(kBatchSizes[step % std::size(kBatchSizes)], e.keys.size() - at);
    std::vector<uint8_t> were_new(n + 1, 0xa5);
    const bool ask = step % 3 != 0;
    const uint64_t news = filter->InsertHashes(e.keys.data() + at, n, ask ? were_new.data() : nullptr);
    const uint8_t* const expected = e.were_new.data() + at;
    wrong += news != static_cast<uint64_t>(std::count(expected, expected + n, 1));
    wrong += ask && memcmp(were_new.data(), expected, n) != 0;
    wrong += were_new[n] != 0xa5;
    at += n;
  }
  EXPECT_EQ(wrong, 0u);
}

void ExpectAllAnswers(const Expectation& e, const FilterBase& filter, const char* target) {
  // `classic` is scalar on purpose, whatever the target.
  EXPECT_STREQ(filter.target(), e.filter.layout == reference::kClassic ? "SCALAR" : target);
  size_t at = 0;
  for (size_t step = 0; at < e.questions.size(); ++step) {
    const size_t n = std::min(kBatchSizes[step % std::size(kBatchSizes)], e.questions.size() - at);
    ExpectAnswers(filter, e.questions.data() + at, n, e.answers.data() + at);
    at += n;
  }
}

void ExpectSameOnThisTarget(const Expectation& e, const char* target) {
  const reference::Bytes image = reference::WriteImage(e.filter);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.status().ok()) << view.status().message();
  ExpectAllAnswers(e, view, target);
  if (!IsMutable(view.layout())) return;
  const std::unique_ptr<Filter> filter =
      MutableCopy(EmptyReference(view.layout(), view.num_probes(), e.filter.body.size()));
  InsertAll(e, filter.get());
  ExpectBody(*filter, e.filter);
  ExpectAllAnswers(e, *filter, target);
}

class KernelsOf : public testing::TestWithParam<Kind> {};

TEST_P(KernelsOf, AgreeWithTheReferenceForBodiesOfAnySize) {
  const auto& [layout, num_probes, unit] = GetParam();
  std::vector<size_t> sizes = {1, 2, 3, 6, 7, 8, 63, 64, 65, 1000};
  if (unit == 1) sizes.insert(sizes.end(), {4097, 65537});
  for (const size_t units : sizes) {
    SCOPED_TRACE(units);
    const bool has_probes = num_probes != 0 && !FactsOf(layout).chooses_removal;
    const size_t bits_per_key = has_probes ? 2 * num_probes + 1 : 10;
    const size_t keys = std::max<size_t>(unit == 1 ? 14 : 40, 8 * unit * units / bits_per_key);
    const Expectation e = Expect(layout, num_probes, unit * units, keys, 1400);
    OnEveryTarget([&](const char* target) { ExpectSameOnThisTarget(e, target); });
  }
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, KernelsOf, testing::ValuesIn(EveryKind()), KindName);

// Some numbers of probes, of those that occur.
bool IsChosen(uint32_t num_probes) { return num_probes % 5 <= (Effort() < 1 ? 0 : 1) && num_probes <= 20; }

// Far above any L2, where batches prefetch: 8 MiB and a bit, not a power of two.
TEST(LargeKernels, AgreeWithTheReferenceWhereBatchesPrefetch) {
  for (const auto& [layout, num_probes, unit] : EveryKind()) {
    if (!IsChosen(num_probes) || !IsMutable(layout)) continue;
    SCOPED_TRACE(std::string(LayoutName(layout)) + " " + std::to_string(num_probes));
    const Expectation e = Expect(layout, num_probes, unit * (((size_t{8} << 20) / unit) + 29), 100000, 20000);
    OnEveryTarget([&](const char* target) { ExpectSameOnThisTarget(e, target); });
  }
}

// Bytes that no writer made are bytes too: every reader answers alike (of `retrieval`, all levels come).
TEST(KernelsOfForeignBodies, AgreeWithTheReference) {
  for (const auto& [layout, num_probes, unit] : EveryKind()) {
    if (!IsChosen(num_probes)) continue;
    for (const size_t bytes : {unit * 1001, unit * (((size_t{8} << 20) / unit) + 29)}) {
      SCOPED_TRACE(std::string(LayoutName(layout)) + " " + std::to_string(num_probes) + " " + std::to_string(bytes));
      Expectation e;
      e.filter = EmptyReference(layout, num_probes, bytes);
      Random random(bytes + num_probes);
      for (size_t i = 0; i < bytes; i += 8) {
        const uint64_t word = random() | random();
        std::memcpy(&e.filter.body[i], &word, std::min<size_t>(8, bytes - i));
      }
      if (layout == Layout::kRetrieval) {  // every second block says "maybe" often: at most 8 constraints, T below 64
        for (size_t i = 0; i < bytes; i += 128) e.filter.body[i + 55] &= 0x7f, e.filter.body[i + 63] &= 0x7f;
      }
      e.questions = SpecialAndRandomHashes(20000, bytes);
      if (layout == Layout::kQuotient) {  // blocks that were sound once: random bits are hardly ever like one
        e.filter.body = HostileBody(SoundBlocks(500, &random), bytes / unit, &random);
        e.questions = QuestionsOf(e.filter.body, 20000, &random);
      }
      e.answers = AnswersOf(e.filter, e.questions);
      const auto maybes = std::count(e.answers.begin(), e.answers.end(), 1);
      EXPECT_GT(maybes, 20) << "both answers come";
      EXPECT_LT(maybes, static_cast<std::ptrdiff_t>(e.answers.size()) - 20);
      const reference::Bytes image = reference::WriteImage(e.filter);
      OnEveryTarget([&](const char* target) {
        ExpectAllAnswers(e, FilterView(image.data(), image.size(), VerifyMode::kWhole), target);
      });
    }
  }
}

TEST(LaneTable, HasTheLanesOfEachRotationAsNumbersAsAWordAndAsAList) {
  for (uint32_t num_probes = 1; num_probes <= 16; ++num_probes) {
    const uint32_t* const ones = internal::LaneOnes(num_probes);
    [[maybe_unused]] const auto* const table = reinterpret_cast<const internal::LaneTable*>(ones);
#if !defined(__x86_64__)
    EXPECT_EQ(table->list_size, num_probes);
#endif
    for (uint32_t rotation = 0; rotation < 16; ++rotation) {
      uint32_t word = 0;
      for (uint32_t lane = 0; lane < 16; ++lane) {
        EXPECT_EQ(ones[16 * rotation + lane], internal::TakesPart(num_probes, rotation, lane));
        word |= ones[16 * rotation + lane] << lane;
      }
#if !defined(__x86_64__)
      uint32_t listed = 0;
      for (uint32_t i = 0; i < num_probes; ++i) listed |= 1u << (table->list[rotation][i] / 4);
      EXPECT_EQ(listed, word) << num_probes << " probes, rotation " << rotation;
#endif
      EXPECT_EQ(internal::LanesOf(ones)[rotation], word) << num_probes << " probes, rotation " << rotation;
    }
  }
}

// The expectation comes from the compiler's run-time library, not from Highway: it asks the CPU itself, so it is also
// right under emulators, which /proc/cpuinfo is not. Targets below the one that this program is compiled for are not
// built.
std::set<std::string> TargetsThatMustRun() {
  std::set<std::string> names;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const bool ssse3 = __builtin_cpu_supports("ssse3");
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd");
  const bool avx3_dl = avx3 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                       __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bitalg") &&
                       __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("vpclmulqdq") &&
                       __builtin_cpu_supports("gfni");  // our own demand
  if (avx3_dl) names.insert("AVX3_DL");
#ifndef __AVX512F__
  if (avx3) names.insert("AVX3");
#ifndef __AVX2__
  if (avx2) names.insert("AVX2");
#ifndef __SSE4_2__
  if (sse4) names.insert("SSE4");
  if (ssse3) names.insert("SSSE3");
#endif
#endif
#endif
#elif defined(__aarch64__) && defined(__ARM_FEATURE_AES)
  names.insert("NEON");
#endif
  return names;
}

// Whether this build leaves a target out (LINEFILTER_DISABLED_TARGETS).
bool IsLeftOut(const std::string& name) {
#ifdef HWY_DISABLED_TARGETS
#define LINEFILTER_TEXT_OF(x) #x
#define LINEFILTER_TEXT_OF_VALUE(x) LINEFILTER_TEXT_OF(x)
  const std::string all = LINEFILTER_TEXT_OF_VALUE(HWY_DISABLED_TARGETS);  // (HWY_A | HWY_B)
  const size_t end = all.find("HWY_" + name) + 4 + name.size();
  return all.find("HWY_" + name) != std::string::npos && (all[end] == '|' || all[end] == ' ' || all[end] == ')');
#else
  return name.empty();
#endif
}

TEST(Targets, AllOfThisCpuAreTested) {
  std::set<std::string> supported, ran;
  const TargetList list = SupportedTargets();
  for (size_t i = 0; i < list.size; ++i) supported.insert(list.names[i]);
  OnEveryTarget([&](const char* target) { ran.insert(target); });
  EXPECT_EQ(ran, supported);
  EXPECT_FALSE(ran.empty());
  for (const std::string& name : TargetsThatMustRun()) {
    EXPECT_EQ(ran.count(name), IsLeftOut(name) ? 0u : 1u) << name;
  }
  // One kind of scalar code exists everywhere, unless the compiler was told to build for a better CPU alone.
#if defined(__x86_64__) && !defined(__SSSE3__)
  EXPECT_EQ(ran.count("SCALAR") + ran.count("EMU128") + ran.count("SSE2"), 1u);
#endif
}

TEST(Targets, AFilterKeepsTheTargetItWasMadeWith) {
  const reference::Bytes image = reference::WriteImage(EmptyReference(Layout::kBlocked, 6, 64));
  const TargetList list = SupportedTargets();
  for (size_t i = 0; i < list.size; ++i) {
    const ScopedTarget made(list.names[i]);
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    const ScopedTarget now(list.names[(i + 1) % list.size]);
    EXPECT_STREQ(view.target(), list.names[i]);
  }
}

}  // namespace
}  // namespace linefilter::test
