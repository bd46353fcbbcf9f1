// A container is written as the reference writes it; one that cannot be read, or is damaged, answers "maybe".
#include <string>

#include "lib/image/container_writer.h"
#include "tests/layouts/container/container_test.h"
#include "tests/testing/building.h"

namespace linefilter::test {
namespace {

using internal::Container;
using internal::ContainerStage;

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
  EXPECT_TRUE(IsOk(internal::WriteContainerTo(container, image.data(), image.size())));
  EXPECT_EQ(image.back(), 0xa5);
  image.pop_back();
  CollectorOf<Bytes> sunk;
  EXPECT_TRUE(internal::WriteContainer(container, sunk.sink()).ok());
  EXPECT_EQ(sunk.bytes, image) << "whole and in pieces";
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
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
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
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
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
  CollectorOf<Bytes> refusing;
  refusing.refuse_from = 0;
  EXPECT_EQ(internal::WriteContainer(made.container, refusing.sink()).code(), StatusCode::kIoError);
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
    CollectorOf<Bytes> sunk;
    const uint64_t bytes = internal::ContainerBytes(container);
    EXPECT_EQ(bytes != 0, is_written) << what;
    EXPECT_EQ(internal::WriteContainer(container, sunk.sink()).code(), code) << what;
    EXPECT_EQ(sunk.bytes.size(), bytes) << what;
    EXPECT_EQ(internal::WriteContainerTo(container, room.data(), room.size()).code(), code) << what;
    EXPECT_EQ(room[static_cast<size_t>(bytes)], 0xa5) << what;
    if (is_written) {
      EXPECT_TRUE(std::equal(sunk.bytes.begin(), sunk.bytes.end(), room.begin())) << what;
      EXPECT_TRUE(FilterView(sunk.bytes.data(), sunk.bytes.size(), VerifyMode::kWhole).status().ok()) << what;
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
  stages[1].num_probes = 6, stages[1].num_keys = 513;
  expect(make(2, 32), false, "more keys than bits");
  expect(make(1, 32), true, "the first alone");
}

TEST(ContainerImage, IsAskedWithoutAView) {
  std::vector<reference::Filter> stages(3, test::EmptyReference(Layout::kBlocked, 6, 128));
  for (size_t i = 0; i < 60; ++i) stages[i % 3].Insert(reference::HashOfKey("key-" + std::to_string(i), 0));
  const Bytes image = reference::WriteImage(reference::MakeContainer(stages, {20, 20, 20}));
  size_t absent = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string key = "key-" + std::to_string(i), stranger = "no-" + std::to_string(i);
    EXPECT_TRUE(ImageMayContainKey(image.data(), image.size(), key, VerifyMode::kLazy)) << key;
    EXPECT_TRUE(ImageMayContainKey(image.data(), image.size(), key, VerifyMode::kTrusted)) << key;
    absent += !ImageMayContainKey(image.data(), image.size(), stranger, VerifyMode::kLazy);
  }
  EXPECT_GT(absent, 40u);
}

void ExpectMaybe(const Bytes& image, const std::string& what) {
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_FALSE(view.status().ok()) << what;
  EXPECT_TRUE(view.MayContainHash(0x123456789abcdef0)) << what;
  EXPECT_TRUE(ImageMayContainKey(image.data(), image.size(), "a stranger", VerifyMode::kLazy)) << what;
  EXPECT_EQ(view.num_stages(), 0u) << what;
}

TEST(ContainerImage, EveryDamageAnswersMaybe) {
  const Bytes image = ImageOf(MakeBoth({1, 2}, 2, 4), {2, 4});
  ASSERT_TRUE(FilterView(image.data(), image.size(), VerifyMode::kWhole).status().ok());
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

void ExpectRefused(const reference::Filter& filter, StatusCode code, const std::string& what) {
  const Bytes image = reference::WriteImage(filter);
  EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).status().code(), code)
      << what << ": " << FilterView(image.data(), image.size(), VerifyMode::kWhole).status().message();
  ExpectMaybe(image, what);
  reference::Filter read;
  EXPECT_FALSE(reference::ReadImage(image.data(), image.size(), &read)) << what;
}

// With a right check, so that nothing but the table is wrong.
TEST(ContainerImage, ATableThatDoesNotFitIsCorrupt) {
  const Both both = MakeBoth({1, 2}, 2, 5);
  const reference::Filter good = reference::MakeContainer(both.expected, {2, 4});
  const auto with = [&](size_t at, uint64_t value, int bytes, StatusCode code, const std::string& what) {
    reference::Filter filter = good;
    reference::PutLittleEndian(value, bytes, &filter.extensions[0].content.at(at));
    ExpectRefused(filter, code, what);
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
    ExpectRefused(filter, StatusCode::kCorrupt, "table of " + std::to_string(size));
  }
  reference::Filter filter = reference::MakeContainer(
      std::vector<reference::Filter>(65, test::EmptyReference(Layout::kBlocked, 1, 64)), std::vector<uint64_t>(65));
  ExpectRefused(filter, StatusCode::kCorrupt, "65 stages");
  filter = good;
  filter.extensions.clear();
  ExpectRefused(filter, StatusCode::kCorrupt, "no table");
  filter.has_extensions = false;
  ExpectRefused(filter, StatusCode::kCorrupt, "no extensions");
  for (const uint16_t id : {reference::kStageTable, reference::kGrowth}) {
    filter = good;
    filter.extensions.push_back({id, {}});
    filter.extensions.push_back({id, {}});
    ExpectRefused(filter, StatusCode::kCorrupt, "a field twice");
  }
  filter = reference::MakeContainer({}, {});
  filter.extensions.clear();
  ExpectRefused(filter, StatusCode::kCorrupt, "an empty set without a table");
  filter = good;
  filter.num_probes = 6;
  ExpectRefused(filter, StatusCode::kCorrupt, "num_probes");
  filter = good;
  filter.extensions.push_back({0x8001, {}});
  ExpectRefused(filter, StatusCode::kUnsupported, "a critical extension that nobody knows");
  filter = good;
  filter.layout = reference::kBlocked;
  filter.num_probes = 6;
  ExpectRefused(filter, StatusCode::kUnsupported, "the table of a filter that is no container");
}

}  // namespace
}  // namespace linefilter::test
