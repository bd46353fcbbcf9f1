// Several filters as one: every kernel answers, on every target, as a loop over the stages does (by the reference).
#include "tests/layouts/container/container_test.h"

#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

// A filter over stages that lie somewhere, as those that grow or forget.
class StagesFilter : public FilterBase {
 public:
  StagesFilter(const std::vector<Stage>& stages, bool is_shared) {
    internal::BindStages(stages.data(), static_cast<uint32_t>(stages.size()), is_shared, &state_);
    layout_ = Layout::kContainer;
  }
};

std::vector<uint64_t> QuestionsOf(const Both& both, size_t n, uint64_t seed) {
  std::vector<uint64_t> questions = test::SpecialAndRandomHashes(n, seed + 1000000);  // not the keys
  for (size_t i = 13; i < n && !both.keys.empty(); ++i) {
    // Of each 4000, 1500 members come one after another, then 1500 strangers: groups of which all, and none, are left.
    const bool is_member = i % 4000 < 1500 || (i % 4000 > 3000 && i % 2 == 0);
    if (is_member || (n < 4000 && i % 2 == 0)) questions[i] = both.keys[(i * 7919) % both.keys.size()];
  }
  return questions;
}

TEST(Stages, AnswerAsALoopOverThemOnEveryTarget) {
  uint64_t seed = 1;
  for (const std::vector<size_t>& num_blocks : EveryStages()) {
    SCOPED_TRACE(num_blocks.size());
    const bool is_large = num_blocks.back() > 1000;
    const Both both = MakeBoth(num_blocks, is_large ? 4 : 12, ++seed);
    const std::vector<uint64_t> questions = QuestionsOf(both, is_large ? 9000 : 500, seed);
    std::vector<uint8_t> answers;
    for (const uint64_t question : questions) answers.push_back(both.MayContain(question));
    const auto maybes = std::count(answers.begin(), answers.end(), 1);
    EXPECT_GT(maybes, static_cast<int64_t>(questions.size() / 4));
    EXPECT_LT(maybes, static_cast<int64_t>(questions.size() - questions.size() / 50)) << "strangers are absent";
    const Bytes image = ImageOf(both, std::vector<uint64_t>(num_blocks.size(), 0));
    // At an odd address blocks lie across two lines.
    Bytes moved(image.size() + 1);
    std::copy(image.begin(), image.end(), moved.begin() + 1);
    test::OnEveryTarget([&](const char* target) {
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole),
          odd(moved.data() + 1, image.size(), VerifyMode::kWhole);
      ASSERT_TRUE(view.status().ok() && odd.status().ok()) << view.status().message();
      for (const bool is_shared : {false, true}) {
        const StagesFilter filter(both.stages, is_shared);
        EXPECT_STREQ(filter.target(), target);
        for (const size_t n : {size_t{0}, size_t{1}, size_t{15}, size_t{255}, size_t{256}, size_t{500}, size_t{1279},
                               size_t{1280}, size_t{8999}}) {
          if (n <= questions.size()) test::ExpectAnswers(filter, questions.data(), n, answers.data());
        }
        test::ExpectAnswers(filter, questions.data(), questions.size(), answers.data());
      }
      test::ExpectAnswers(view, questions.data(), questions.size(), answers.data());
      const FilterView copy = view;  // of a copy that outlives what was copied
      test::ExpectAnswers(copy, questions.data(), questions.size(), answers.data());
      test::ExpectAnswers(odd, questions.data(), questions.size(), answers.data());
    });
  }
}

TEST(Stages, TellTheirSizesTogether) {
  const Both both = MakeBoth({1, 2, 5}, 40, 7);
  const StagesFilter filter(both.stages, false);
  EXPECT_EQ(filter.layout(), Layout::kContainer);
  EXPECT_EQ(filter.num_blocks(), 8u);
  EXPECT_EQ(filter.body_bytes(), 512u);
  EXPECT_EQ(filter.num_probes(), 0u);
  EXPECT_EQ(filter.body(), nullptr) << "it is not one piece";
  uint64_t counts[FilterBase::kMaxLevels];
  EXPECT_EQ(filter.CountLevels(counts), 0u);
  uint64_t ones = 0;
  double none = 1, keys = 0;
  for (const reference::Filter& stage : both.expected) {
    for (const uint8_t byte : stage.body) ones += static_cast<uint64_t>(__builtin_popcount(byte));
    const Bytes image = reference::WriteImage(stage);
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    none *= 1 - view.ExpectedFpr();
    keys += view.ApproximateSize().keys;
  }
  EXPECT_DOUBLE_EQ(filter.FillRatio(), static_cast<double>(ones) / 4096);
  EXPECT_NEAR(filter.ExpectedFpr(), 1 - none, 1e-15);
  EXPECT_DOUBLE_EQ(filter.ApproximateSize().keys, keys);
  const Bytes image = ImageOf(both, {40, 80, 200});
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_EQ(view.num_blocks(), 8u);
  EXPECT_EQ(view.body_bytes(), 512u);
  EXPECT_EQ(view.body(), image.data());
  EXPECT_DOUBLE_EQ(view.FillRatio(), filter.FillRatio());
  EXPECT_DOUBLE_EQ(view.ExpectedFpr(), filter.ExpectedFpr());
  EXPECT_DOUBLE_EQ(view.ApproximateSize().keys, keys);
}

}  // namespace
}  // namespace linefilter::test
