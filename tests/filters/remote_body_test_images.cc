// The image that is made of the facts and the bytes of a body is all of the image that they came from, or an error.
#include "linefilter/hash.h"
#include "linefilter/scalable.h"
#include "tests/filters/remote_body_test.h"
#include "tests/testing/options.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::remote_body_test {
namespace {

TEST(Body, OfBytesThatAreAppendedOneByOne) {
  const Bytes expected = reference::WriteImage(SomeContainer(1));
  BodyFacts facts = linefilter::FactsOf(FilterView(expected.data(), expected.size()));
  Collector image;
  BodyImageWriter writer;
  ASSERT_TRUE(writer.Start(facts, image.sink()).ok());
  ASSERT_TRUE(writer.Append(nullptr, 0).ok());
  for (uint64_t i = 0; i < facts.body_bytes; ++i) ASSERT_TRUE(writer.Append(&expected[static_cast<size_t>(i)], 1).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(image.bytes, expected);
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
    FilterView view(image.data(), image.size());
    if (!view.status().ok()) view = FilterView(image.data(), image.size(), &secret);
    ASSERT_TRUE(view.status().ok()) << view.status().message();
    const BodyFacts facts = linefilter::FactsOf(view);
    ASSERT_TRUE(CheckBody(facts).ok()) << CheckBody(facts).message();
    EXPECT_EQ(BodyImageBytes(facts), image.size());
    Collector again;
    BodyImageWriter writer;
    ASSERT_TRUE(writer.Start(facts, again.sink()).ok());
    ASSERT_TRUE(writer.Append(image.data(), static_cast<size_t>(facts.body_bytes)).ok());
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(again.bytes, image) << LayoutName(facts.layout);
  }
}

TEST(Body, OfAFilterThatGrowsAnswersAndGoesOn) {
  ScalableFilter grown = test::Created<ScalableFilter>(300, test::Fpr(0.01));
  const std::vector<uint64_t> keys = test::RandomHashes(5000, 3);
  grown.InsertHashes(keys.data(), keys.size());
  const std::string image = test::ImageOf(grown);
  const BodyFacts facts = linefilter::FactsOf(FilterView(image.data(), image.size()));
  EXPECT_GT(facts.num_stages, 2u);
  Collector again;
  BodyImageWriter writer;
  ASSERT_TRUE(writer.Start(facts, again.sink()).ok());
  ASSERT_TRUE(writer.Append(image.data(), static_cast<size_t>(facts.body_bytes)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  const FilterView view(again.bytes.data(), again.bytes.size());
  ASSERT_TRUE(view.status().ok() && view.Verify().ok());
  EXPECT_EQ(view.CountMaybes(keys.data(), keys.size()), keys.size());
  EXPECT_EQ(view.num_keys(), FilterView(image.data(), image.size()).num_keys());
  EXPECT_EQ(again.bytes, reference::Bytes(image.begin(), image.end()));
}

TEST(BodyImage, HasToHaveAllOfItsBodyAndNoMore) {
  const reference::Filter filter = FilledReference({Layout::kBlocked, 5, 64}, 2000, 1000, 1);
  const BodyFacts facts = FactsOf(filter);
  Collector image;
  BodyImageWriter writer;
  EXPECT_EQ(writer.Finish().code(), StatusCode::kInvalidArgument) << "nothing was begun";
  ASSERT_TRUE(writer.Start(facts, image.sink()).ok());
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

}  // namespace
}  // namespace linefilter::remote_body_test
