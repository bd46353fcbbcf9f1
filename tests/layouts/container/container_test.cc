// Several filters as one, and the layout `container`: every kernel answers, on every target, as a loop over the stages
// does (by the reference); what is written is what the reference writes; what cannot be read, or is damaged, answers
// "maybe".
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/image/container_writer.h"
#include "lib/layouts/stages.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/random.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/targets.h"

namespace linefilter {
namespace {

using internal::Container;
using internal::ContainerStage;
using internal::Stage;
using reference::Bytes;

// A filter over stages that lie somewhere, as those that grow or forget.
class StagesFilter : public FilterBase {
 public:
  StagesFilter(const std::vector<Stage>& stages, bool is_shared) {
    internal::BindStages(stages.data(), static_cast<uint32_t>(stages.size()), is_shared, &state_);
    layout_ = Layout::kContainer;
  }
  bool Insert(uint64_t hash) { return state_.kernels->insert(state_, hash); }
  uint64_t Insert(const uint64_t* hashes, size_t n, uint8_t* were_new) {
    return state_.kernels->insert_batch(state_, hashes, n, were_new);
  }
};

// Stages of the reference, and a copy of each, aligned, for the library.
struct Both {
  std::vector<reference::Filter> expected;
  std::vector<std::vector<uint64_t>> memory;
  std::vector<Stage> stages;
  std::vector<uint64_t> keys;

  bool MayContain(uint64_t hash) const {
    return std::any_of(expected.begin(), expected.end(),
                       [hash](const reference::Filter& stage) { return stage.MayContain(hash); });
  }
};

uint8_t* Aligned(std::vector<uint64_t>* memory, size_t bytes) {
  memory->assign(bytes / 8 + 8, 0);
  const uintptr_t at = reinterpret_cast<uintptr_t>(memory->data());
  return reinterpret_cast<uint8_t*>((at + 63) / 64 * 64);
}

Both MakeBoth(const std::vector<size_t>& num_blocks, size_t keys_per_block, uint64_t seed) {
  Both both;
  both.memory.resize(num_blocks.size());
  test::Random random(seed);
  for (size_t i = 0; i < num_blocks.size(); ++i) {
    const uint32_t num_probes = static_cast<uint32_t>(1 + (3 + 5 * i + seed) % 16);
    reference::Filter stage = test::EmptyReference(Layout::kBlocked, num_probes, 64 * num_blocks[i]);
    for (size_t k = 0; k < keys_per_block * num_blocks[i]; ++k) {
      both.keys.push_back(random());
      stage.Insert(both.keys.back());
    }
    uint8_t* const body = Aligned(&both.memory[i], stage.body.size());
    memcpy(body, stage.body.data(), stage.body.size());
    both.stages.push_back(internal::MakeStage(body, num_blocks[i], num_probes));
    both.expected.push_back(stage);
  }
  return both;
}

std::vector<uint64_t> QuestionsOf(const Both& both, size_t n, uint64_t seed) {
  std::vector<uint64_t> questions = test::SpecialAndRandomHashes(n, seed + 1000000);  // not the keys
  for (size_t i = 13; i < n && !both.keys.empty(); ++i) {
    // Of each 4000, 1500 members come one after another, then 1500 strangers: groups of which all, and none, are left.
    const bool is_member = i % 4000 < 1500 || (i % 4000 > 3000 && i % 2 == 0);
    if (is_member || (n < 4000 && i % 2 == 0)) questions[i] = both.keys[(i * 7919) % both.keys.size()];
  }
  return questions;
}

// 1 MiB in all is where batches begin to sieve, and 256 keys what they sieve at least.
const std::vector<std::vector<size_t>>& EveryStages() {
  static const std::vector<std::vector<size_t>> all = {{1},
                                                       {3},
                                                       {1, 2},
                                                       {5, 1, 9},
                                                       {1, 1, 1, 1},
                                                       {2, 3, 4, 5, 6},
                                                       {1, 2, 3, 4, 5, 6},
                                                       {7, 6, 5, 4, 3, 2, 1},
                                                       {1, 2, 4, 8, 16, 32, 64, 128},
                                                       std::vector<size_t>(9, 3),
                                                       std::vector<size_t>(17, 2),
                                                       std::vector<size_t>(64, 1),
                                                       {4000, 5000, 9000},
                                                       {100, 200, 400, 800, 1600, 3200, 6400, 12800}};
  return all;
}

Bytes ImageOf(const Both& both, const std::vector<uint64_t>& num_keys) {
  return reference::WriteImage(reference::MakeContainer(both.expected, num_keys));
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
      const FilterView view(image.data(), image.size()), odd(moved.data() + 1, image.size());
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

TEST(Stages, TakeKeysIntoTheNewestAndTellThoseThatNoneHad) {
  test::OnEveryTarget([&](const char*) {
    for (const std::vector<size_t>& num_blocks : EveryStages()) {
      if (num_blocks.back() > 20000) continue;
      for (const bool is_shared : {false, true}) {
        Both both = MakeBoth(num_blocks, 3, 50 + num_blocks.size());
        StagesFilter filter(both.stages, is_shared);
        std::vector<uint64_t> keys = test::RandomHashes(400, 99);
        for (size_t i = 5; i < keys.size(); i += 3)
          keys[i] = i % 2 == 0 ? keys[i / 2] : both.keys[i % both.keys.size()];
        std::vector<uint8_t> expected;
        for (const uint64_t key : keys) {
          expected.push_back(!both.MayContain(key));
          (void)both.expected.back().Insert(key);
        }
        const size_t singles = 150;
        for (size_t i = 0; i < singles; ++i) ASSERT_EQ(filter.Insert(keys[i]), expected[i] != 0) << i;
        std::vector<uint8_t> were_new(100);
        const auto news = [&](size_t from, size_t to) {
          return static_cast<uint64_t>(std::count(expected.data() + from, expected.data() + to, 1));
        };
        EXPECT_EQ(filter.Insert(&keys[singles], 100, were_new.data()), news(singles, singles + 100));
        EXPECT_TRUE(std::equal(were_new.begin(), were_new.end(), expected.begin() + singles));
        EXPECT_EQ(filter.Insert(&keys[singles + 100], 150, nullptr), news(singles + 100, 400));
        for (size_t i = 0; i < both.stages.size(); ++i) {
          EXPECT_EQ(memcmp(both.stages[i].body, both.expected[i].body.data(), both.expected[i].body.size()), 0) << i;
        }
      }
    }
  });
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
    const FilterView view(image.data(), image.size());
    none *= 1 - view.ExpectedFpr();
    keys += view.EstimatedKeys();
  }
  EXPECT_DOUBLE_EQ(filter.FillRatio(), static_cast<double>(ones) / 4096);
  EXPECT_NEAR(filter.ExpectedFpr(), 1 - none, 1e-15);
  EXPECT_DOUBLE_EQ(filter.EstimatedKeys(), keys);
  const Bytes image = ImageOf(both, {40, 80, 200});
  const FilterView view(image.data(), image.size());
  EXPECT_EQ(view.num_blocks(), 8u);
  EXPECT_EQ(view.body_bytes(), 512u);
  EXPECT_EQ(view.body(), image.data());
  EXPECT_DOUBLE_EQ(view.FillRatio(), filter.FillRatio());
  EXPECT_DOUBLE_EQ(view.ExpectedFpr(), filter.ExpectedFpr());
  EXPECT_DOUBLE_EQ(view.EstimatedKeys(), keys);
}

// ---- Images ----

struct Made {
  std::vector<ContainerStage> stages;
  Container container;
};

void Make(const Both& both, const std::vector<uint64_t>& num_keys, Made* made) {
  for (size_t i = 0; i < both.stages.size(); ++i) {
    const Stage& stage = both.stages[i];
    made->stages.push_back({stage.body, stage.num_blocks, num_keys[i], stage.num_probes});
  }
  made->container.stages = made->stages.data();
  made->container.num_stages = static_cast<uint32_t>(made->stages.size());
}

Bytes Written(const Container& container) {
  Bytes image(static_cast<size_t>(internal::ContainerBytes(container)) + 1, 0xa5);
  const Status status = internal::WriteContainerTo(container, image.data(), image.size());
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(image.back(), 0xa5);
  image.pop_back();
  Bytes sunk;
  const Sink sink{[](void* to, const void* data, size_t size) noexcept {
                    const uint8_t* const bytes = static_cast<const uint8_t*>(data);
                    EXPECT_LE(size, size_t{1} << 20);
                    static_cast<Bytes*>(to)->insert(static_cast<Bytes*>(to)->end(), bytes, bytes + size);
                    return true;
                  },
                  &sunk};
  EXPECT_TRUE(internal::WriteContainer(container, sink).ok());
  EXPECT_EQ(sunk, image) << "whole and in pieces";
  return image;
}

TEST(ContainerImage, IsWhatTheReferenceWrites) {
  uint64_t seed = 100;
  for (const std::vector<size_t>& num_blocks : EveryStages()) {
    const Both both = MakeBoth(num_blocks, 5, ++seed);
    std::vector<uint64_t> num_keys;
    for (const size_t size : num_blocks) num_keys.push_back(5 * size);
    Made made;
    Make(both, num_keys, &made);
    reference::Filter expected = reference::MakeContainer(both.expected, num_keys);
    EXPECT_EQ(Written(made.container), reference::WriteImage(expected));
    // With all that it may have.
    const uint8_t growth[] = {1, 2, 3, 4, 5};
    const uint64_t all_keys = both.keys.size();
    made.container.seed = 17, made.container.num_keys = &all_keys, made.container.is_shared = true;
    made.container.growth = growth, made.container.growth_bytes = sizeof(growth);
    expected.seed = 17, expected.num_keys = all_keys, expected.has_num_keys = expected.body.size() > 4096;
    if (!expected.has_num_keys) expected.num_keys = 0;
    expected.extensions.push_back({reference::kGrowth, Bytes(growth, growth + sizeof(growth))});
    const Bytes image = Written(made.container);
    EXPECT_EQ(image, reference::WriteImage(expected));
    const FilterView view(image.data(), image.size());
    ASSERT_TRUE(view.status().ok()) << view.status().message();
    ASSERT_NE(view.growth(), nullptr);
    EXPECT_EQ(Bytes(view.growth(), view.growth() + view.growth_bytes()), expected.extensions.back().content);
    EXPECT_TRUE(view.Verify().ok());
    EXPECT_EQ(view.layout(), Layout::kContainer);
    EXPECT_EQ(view.seed(), 17u);
    ASSERT_EQ(view.num_stages(), num_blocks.size());
    uint64_t offset = 0;
    for (uint32_t i = 0; i < view.num_stages(); ++i) {
      const StageInfo stage = view.stage(i);
      EXPECT_EQ(stage.body, image.data() + offset);
      EXPECT_EQ(stage.num_blocks, num_blocks[i]);
      EXPECT_EQ(stage.num_keys, num_keys[i]);
      EXPECT_EQ(stage.num_probes, both.stages[i].num_probes);
      EXPECT_EQ(stage.layout, Layout::kBlocked);
      offset += 64 * stage.num_blocks;
    }
    EXPECT_EQ(view.stage(view.num_stages()).num_blocks, 0u);
  }
}

TEST(ContainerImage, OfNoStageIsTheEmptySet) {
  const Container container;
  const Bytes image = Written(container);
  EXPECT_EQ(image, reference::WriteImage(reference::MakeContainer({}, {})));
  const FilterView view(image.data(), image.size());
  ASSERT_TRUE(view.status().ok()) << view.status().message();
  EXPECT_TRUE(view.empty_set());
  EXPECT_EQ(view.num_stages(), 0u);
  EXPECT_EQ(view.body_bytes(), 0u);
  EXPECT_FALSE(view.MayContainHash(1));
  EXPECT_EQ(view.ExpectedFpr(), 0);
  EXPECT_EQ(view.FillRatio(), 0);
}

TEST(ContainerImage, NeedsItsRoomAndASink) {
  const Both both = MakeBoth({1}, 1, 1);
  Made made;
  Make(both, {1}, &made);
  Bytes image(static_cast<size_t>(internal::ContainerBytes(made.container)) - 1);
  EXPECT_EQ(internal::WriteContainerTo(made.container, image.data(), image.size()).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(internal::WriteContainer(made.container, {}).code(), StatusCode::kInvalidArgument);
  const Sink refusing{[](void*, const void*, size_t) noexcept { return false; }, nullptr};
  EXPECT_EQ(internal::WriteContainer(made.container, refusing).code(), StatusCode::kIoError);
}

// Its table and its check lie on the stack: AddressSanitizer would see them overflow.
TEST(ContainerImage, OfMoreThanAReaderTakesIsNotWritten) {
  std::vector<uint64_t> memory;
  const uint8_t* const body = Aligned(&memory, 64);
  std::vector<ContainerStage> stages(100, ContainerStage{body, 1, 0, 6});
  const Bytes growth(70000, 1);
  Bytes room(300000, 0xa5);
  const auto expect = [&](const Container& container, bool is_written, const char* what) {
    const StatusCode code = is_written ? StatusCode::kOk : StatusCode::kInvalidArgument;
    Bytes sunk;
    const Sink sink{[](void* to, const void* data, size_t size) noexcept {
                      const uint8_t* const bytes = static_cast<const uint8_t*>(data);
                      static_cast<Bytes*>(to)->insert(static_cast<Bytes*>(to)->end(), bytes, bytes + size);
                      return true;
                    },
                    &sunk};
    const uint64_t bytes = internal::ContainerBytes(container);
    EXPECT_EQ(bytes != 0, is_written) << what;
    EXPECT_EQ(internal::WriteContainer(container, sink).code(), code) << what;
    EXPECT_EQ(sunk.size(), bytes) << what;
    EXPECT_EQ(internal::WriteContainerTo(container, room.data(), room.size()).code(), code) << what;
    EXPECT_EQ(room[static_cast<size_t>(bytes)], 0xa5) << what;
    if (is_written) {
      EXPECT_TRUE(std::equal(sunk.begin(), sunk.end(), room.begin())) << what;
      EXPECT_TRUE(FilterView(sunk.data(), sunk.size()).status().ok()) << what;
      std::fill(room.begin(), room.end(), uint8_t{0xa5});
    }
  };
  const auto make = [&](uint32_t num_stages, size_t growth_bytes) {
    Container container;
    container.stages = stages.data(), container.num_stages = num_stages;
    container.growth = growth.data(), container.growth_bytes = growth_bytes;
    return container;
  };
  Container full = make(64, internal::kMaxGrowthBytes);  // a body of 4 KiB: the check is that of body and fields
  full.seed = 1;
  expect(full, true, "the most");
  expect(make(0, internal::kMaxGrowthBytes), true, "no stage");
  for (const uint32_t num_stages : {65u, 66u, 100u, ~0u}) expect(make(num_stages, 32), false, "stages");
  for (const size_t size : {size_t{1025}, size_t{1088}, size_t{65535}, size_t{65536}, size_t{65568}}) {
    expect(make(1, size), false, "growth");
    expect(make(0, size), false, "growth");
  }
  for (const uint64_t num_blocks : {uint64_t{0}, (uint64_t{1} << 32) + 1, uint64_t{1} << 58, ~uint64_t{0}}) {
    stages[1].num_blocks = num_blocks;
    expect(make(2, 32), false, "blocks");
  }
  stages[1].num_blocks = 1;
  for (const uint32_t num_probes : {0u, 17u, 256u + 6u}) {
    stages[1].num_probes = num_probes;
    expect(make(2, 32), false, "probes");
  }
  expect(make(1, 32), true, "the first alone");
}

TEST(ContainerImage, IsAskedWithoutAView) {
  std::vector<reference::Filter> stages(3, test::EmptyReference(Layout::kBlocked, 6, 128));
  for (size_t i = 0; i < 60; ++i) stages[i % 3].Insert(reference::HashOfKey("key-" + std::to_string(i), 0));
  const Bytes image = reference::WriteImage(reference::MakeContainer(stages, {20, 20, 20}));
  size_t absent = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string key = "key-" + std::to_string(i), stranger = "no-" + std::to_string(i);
    EXPECT_TRUE(ImageMayContainKey(image.data(), image.size(), key)) << key;
    EXPECT_TRUE(TrustedImageMayContainKey(image.data(), image.size(), key)) << key;
    absent += !ImageMayContainKey(image.data(), image.size(), stranger);
  }
  EXPECT_GT(absent, 40u);
}

TEST(ContainerImage, IsNoFilterThatTakesKeys) {
  const Bytes image = ImageOf(MakeBoth({2}, 10, 3), {0});
  BlockedFilter blocked;
  EXPECT_EQ(blocked.CreateFromImage(image.data(), image.size()).code(), StatusCode::kIncompatible);
  ClassicFilter classic;
  EXPECT_EQ(classic.CreateFromImage(image.data(), image.size()).code(), StatusCode::kIncompatible);
  FilterOptions options;
  options.bits_per_key = 10;
  ASSERT_TRUE(blocked.Create(100, options).ok());
  EXPECT_EQ(blocked.Union(FilterView(image.data(), image.size())).code(), StatusCode::kIncompatible);
}

// ---- Broken images ----

void ExpectMaybe(const Bytes& image, const std::string& what) {
  const FilterView view(image.data(), image.size());
  EXPECT_FALSE(view.status().ok()) << what;
  EXPECT_TRUE(view.MayContainHash(0x123456789abcdef0)) << what;
  EXPECT_TRUE(ImageMayContainKey(image.data(), image.size(), "a stranger")) << what;
  EXPECT_EQ(view.num_stages(), 0u) << what;
}

TEST(ContainerImage, EveryDamageAnswersMaybe) {
  const Bytes image = ImageOf(MakeBoth({1, 2}, 2, 4), {2, 4});
  ASSERT_TRUE(FilterView(image.data(), image.size()).status().ok());
  for (size_t size = 0; size < image.size(); ++size) {
    ExpectMaybe(Bytes(image.data(), image.data() + size), "cut to " + std::to_string(size));
    ExpectMaybe(Bytes(image.data() + size + 1, image.data() + image.size()),
                "without the first " + std::to_string(size + 1));
  }
  for (size_t bit = 0; bit < 8 * image.size(); ++bit) {
    Bytes damaged = image;
    damaged[bit / 8] = static_cast<uint8_t>(damaged[bit / 8] ^ 1u << (bit % 8));
    ExpectMaybe(damaged, "bit " + std::to_string(bit));
  }
}

// With a right check, so that nothing but the table is wrong.
TEST(ContainerImage, ATableThatDoesNotFitIsCorrupt) {
  const Both both = MakeBoth({1, 2}, 2, 5);
  const reference::Filter good = reference::MakeContainer(both.expected, {2, 4});
  const auto expect = [](const reference::Filter& filter, StatusCode code, const std::string& what) {
    const Bytes image = reference::WriteImage(filter);
    EXPECT_EQ(FilterView(image.data(), image.size()).status().code(), code)
        << what << ": " << FilterView(image.data(), image.size()).status().message();
    ExpectMaybe(image, what);
    reference::Filter read;
    EXPECT_FALSE(reference::ReadImage(image.data(), image.size(), &read)) << what;
  };
  const auto with = [&](size_t at, uint64_t value, int bytes, StatusCode code, const std::string& what) {
    reference::Filter filter = good;
    reference::PutLittleEndian(value, bytes, &filter.extensions[0].content.at(at));
    expect(filter, code, what);
  };
  for (const uint64_t num_blocks : {uint64_t{0}, uint64_t{2}, uint64_t{1} << 32, (uint64_t{1} << 32) + 1,
                                    uint64_t{1} << 58, (uint64_t{1} << 58) + 1, ~uint64_t{0}}) {
    with(0, num_blocks, 8, StatusCode::kCorrupt, "blocks " + std::to_string(num_blocks));
  }
  with(24, 1, 8, StatusCode::kCorrupt, "a stage too short");
  with(24, (uint64_t{1} << 58) + 2, 8, StatusCode::kCorrupt, "a sum that overflows");
  for (const uint64_t probes : {0u, 17u, 255u})
    with(17, probes, 1, StatusCode::kCorrupt, "probes " + std::to_string(probes));
  for (const uint64_t layout : {0u, 2u, 3u, 4u, 5u, 6u, 255u}) {
    with(16, layout, 1, StatusCode::kUnsupported, "layout " + std::to_string(layout));
  }
  for (size_t at = 18; at < 24; ++at) with(at, 1, 1, StatusCode::kCorrupt, "byte " + std::to_string(at));
  for (const size_t size : {0u, 1u, 23u, 24u, 47u, 49u, 72u}) {
    reference::Filter filter = good;
    filter.extensions[0].content.resize(size);
    expect(filter, StatusCode::kCorrupt, "table of " + std::to_string(size));
  }
  reference::Filter filter = reference::MakeContainer(
      std::vector<reference::Filter>(65, test::EmptyReference(Layout::kBlocked, 1, 64)), std::vector<uint64_t>(65));
  expect(filter, StatusCode::kCorrupt, "65 stages");
  filter = good;
  filter.extensions.clear();
  expect(filter, StatusCode::kCorrupt, "no table");
  filter.has_extensions = false;
  expect(filter, StatusCode::kCorrupt, "no extensions");
  for (const uint16_t id : {reference::kStageTable, reference::kGrowth}) {
    filter = good;
    filter.extensions.push_back({id, {}});
    filter.extensions.push_back({id, {}});
    expect(filter, StatusCode::kCorrupt, "a field twice");
  }
  filter = reference::MakeContainer({}, {});
  filter.extensions.clear();
  expect(filter, StatusCode::kCorrupt, "an empty set without a table");
  filter = good;
  filter.num_probes = 6;
  expect(filter, StatusCode::kCorrupt, "num_probes");
  filter = good;
  filter.extensions.push_back({0x8001, {}});
  expect(filter, StatusCode::kUnsupported, "a critical extension that nobody knows");
  filter = good;
  filter.layout = reference::kBlocked;
  filter.num_probes = 6;
  expect(filter, StatusCode::kUnsupported, "the table of a filter that is no container");
}

}  // namespace
}  // namespace linefilter
