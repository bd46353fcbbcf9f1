// The image that is made of the facts and the bytes of a body is all of the image that they came from, or an error; the
// keys that came meanwhile are counted.
#include <limits>

#include "linefilter/hash.h"
#include "linefilter/scalable.h"
#include "tests/filters/remote_body_test.h"
#include "tests/testing/options.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::remote_body_test {
namespace {

TEST(Body, OfBytesThatAreAppendedOneByOne) {
  const Bytes expected = reference::WriteImage(SomeContainer(1));
  const BodyFacts facts = linefilter::FactsOf(FilterView(expected.data(), expected.size(), VerifyMode::kWhole));
  EXPECT_EQ(test::ImageOfBody<Bytes>(facts, expected.data(), 1), expected);
}

// Image to facts and body, and back.
TEST(Body, IsAllOfAnImage) {
  std::vector<Bytes> images = {reference::WriteImage(SomeContainer(3)),
                               reference::WriteImage(reference::MakeContainer({}, {}))};
  HashSecret secret;
  memset(secret.bytes, 7, sizeof(secret.bytes));
  for (const Layout layout : test::EveryLayout()) {
    for (const size_t num_keys : {0u, 1u, 300u, 100000u}) {
      FilterOptions options = test::BitsPerKey(11, layout);
      if (num_keys == 300) options.seed = 99;
      if (num_keys == 100000) options.hash_id = HashId::kKeyed, options.secret = secret;
      const std::string image = test::Build(options, test::RandomHashes(num_keys, 5));
      images.emplace_back(image.begin(), image.end());
    }
  }
  for (const Bytes& image : images) {
    FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    if (!view.status().ok()) view = FilterView(image.data(), image.size(), VerifyMode::kWhole, &secret);
    ASSERT_TRUE(view.status().ok()) << view.status().message();
    const BodyFacts facts = linefilter::FactsOf(view);
    ASSERT_TRUE(CheckBody(facts).ok()) << CheckBody(facts).message();
    EXPECT_EQ(BodyImageBytes(facts), image.size());
    EXPECT_EQ(test::ImageOfBody<Bytes>(facts, image.data()), image) << LayoutName(facts.layout);
  }
}

TEST(Body, OfAFilterThatGrowsAnswersAndGoesOn) {
  ScalableFilter grown = test::Created<ScalableFilter>(300, test::Fpr(0.01));
  const std::vector<uint64_t> keys = test::RandomHashes(5000, 3);
  grown.InsertHashes(keys.data(), keys.size());
  const std::string image = test::ImageOf(grown);
  const BodyFacts facts = linefilter::FactsOf(FilterView(image.data(), image.size(), VerifyMode::kWhole));
  EXPECT_GT(facts.num_stages, 2u);
  const std::string again = test::ImageOfBody(facts, image.data());
  const FilterView view(again.data(), again.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.status().ok() && view.Verify().ok());
  EXPECT_EQ(view.CountMaybes(keys.data(), keys.size()), keys.size());
  EXPECT_EQ(view.num_keys(), FilterView(image.data(), image.size(), VerifyMode::kWhole).num_keys());
  EXPECT_EQ(again, image);
}

TEST(BodyImage, HasToHaveAllOfItsBodyAndNoMore) {
  const reference::Filter filter = FilledReference({Layout::kBlocked, 5, 64}, 2000, 1000, 1);
  const BodyFacts facts = FactsOf(filter);
  Collector image;
  BodyImageWriter writer;
  EXPECT_EQ(writer.Finish().code(), StatusCode::kInvalidArgument) << "nothing was begun";
  ASSERT_TRUE(writer.Start(facts, image.sink()).ok());
  ASSERT_TRUE(writer.Append(nullptr, 0).ok());
  ASSERT_TRUE(writer.Append(filter.body.data(), filter.body.size() - 1).ok());
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, writer.Finish(), "1 bytes of the body are missing"));
  EXPECT_EQ(writer.Append(filter.body.data(), 1).code(), StatusCode::kInvalidArgument) << "it has failed";
  ASSERT_TRUE(writer.Start(facts, image.sink()).ok());
  ASSERT_TRUE(writer.Append(filter.body.data(), 100).ok());
  EXPECT_EQ(writer.Append(filter.body.data(), filter.body.size() - 99).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Append(filter.body.data(), 1).code(), StatusCode::kInvalidArgument) << "it has failed";
  ASSERT_TRUE(writer.Start(facts, image.sink()).ok()) << "again";
  ASSERT_TRUE(writer.Start(facts, image.sink()).ok()) << "and again";
  image.bytes.clear();
  ASSERT_TRUE(writer.Append(filter.body.data(), filter.body.size()).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(image.bytes, reference::WriteImage(filter));
  EXPECT_EQ(writer.Finish().code(), StatusCode::kInvalidArgument) << "it is finished";
}

TEST(BodyImage, FailsWithItsSinkAndItsMemory) {
  const reference::Filter filter = FilledReference({Layout::kBlocked, 5, 64}, 2000, 1000, 1);
  const BodyFacts facts = FactsOf(filter);
  test::TestAllocator allocator;  // outlives the writer, which gives back what it was taking
  BodyImageWriter writer;
  EXPECT_EQ(writer.Start(facts, Sink()).code(), StatusCode::kInvalidArgument);
  for (const size_t refuse_from : {1u, 65537u, 128000u + 1u}) {
    Collector image;
    image.refuse_from = refuse_from;
    ASSERT_TRUE(writer.Start(facts, image.sink()).ok());
    Status status = writer.Append(filter.body.data(), 70000);
    if (status.ok()) status = writer.Append(filter.body.data() + 70000, filter.body.size() - 70000);
    if (status.ok()) status = writer.Finish();
    EXPECT_EQ(status.code(), StatusCode::kIoError) << refuse_from;
  }
  Collector image;
  for (uint64_t n = 0; n < 2; ++n) {
    allocator.FailFrom(n);
    EXPECT_EQ(writer.Start(facts, image.sink(), allocator.hooks()).code(), StatusCode::kOutOfMemory);
    EXPECT_EQ(allocator.live_blocks(), 0u);
  }
  allocator.FailFrom(test::TestAllocator::kNever);
  ASSERT_TRUE(writer.Start(facts, image.sink(), allocator.hooks()).ok());
  EXPECT_LT(allocator.live_bytes(), 70u * 1024 + facts.body_bytes / 16384);
  EXPECT_EQ(writer.Start(facts, image.sink(), {allocator.hooks().allocate, nullptr, nullptr}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(allocator.live_blocks(), 0u);
  ASSERT_TRUE(writer.Start(facts, image.sink(), allocator.hooks()).ok()) << "and given up by the destructor";
}

// One of a single stage, of more than 4 KiB, for smaller ones tell no number of keys.
BodyFacts OneStage() {
  BodyFacts facts;
  facts.layout = Layout::kContainer;
  facts.body_bytes = 64 * 100;
  facts.num_stages = 1;
  facts.stages[0].num_blocks = 100;
  facts.stages[0].num_probes = 8;
  facts.stages[0].num_keys = 5;
  facts.has_num_keys = true;
  facts.newest_ones = 0;
  return facts;
}

// How many keys the image tells, of the stage and in all, where each block has `ones` one bits.
uint64_t KeysOfImage(const BodyFacts& facts, size_t ones, uint64_t* of_stage) {
  std::string body(static_cast<size_t>(facts.body_bytes), '\0');
  for (size_t i = 0; i < body.size(); ++i) body[i] = i % 64 < ones / 8 ? '\xff' : '\0';
  const std::string image = test::ImageOfBody(facts, body.data());
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_TRUE(view.Verify().ok()) << view.status().message();
  EXPECT_TRUE(view.has_num_keys());
  *of_stage = view.stage(0).num_keys;
  return view.num_keys();
}

// Facts may claim any number of keys, and what comes on top of it never wraps to a few.
TEST(BodyCounts, NeverWrap) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  BodyFacts facts = OneStage();
  uint64_t of_stage = 0, added = 0;
  facts.num_keys = 5;
  EXPECT_EQ(KeysOfImage(facts, 0, &of_stage), 5u) << "none came";
  added = KeysOfImage(facts, 64, &of_stage) - 5;
  EXPECT_NEAR(static_cast<double>(added), 850, 100) << "8 bits each, 64 of 512";
  EXPECT_EQ(of_stage, 5 + added);
  for (const uint64_t claimed : {kMost, kMost - 1, kMost - added + 1, kMost - added}) {
    facts.num_keys = claimed;
    EXPECT_EQ(KeysOfImage(facts, 64, &of_stage), kMost) << claimed;
    EXPECT_EQ(of_stage, 5 + added);
  }
  facts.num_keys = kMost - added - 1;
  EXPECT_EQ(KeysOfImage(facts, 64, &of_stage), kMost - 1);
  facts.num_keys = 5;
  EXPECT_EQ(KeysOfImage(facts, 512, &of_stage), 512u * 100) << "no more than bits";
  EXPECT_EQ(of_stage, 512u * 100);
}

}  // namespace
}  // namespace linefilter::remote_body_test
