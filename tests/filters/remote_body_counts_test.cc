// The counts of an image that is made of a body elsewhere: facts may claim any number of keys, and what comes on top of
// it never wraps to a few.
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/remote_body.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"

namespace linefilter {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

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
  test::Collector image;
  BodyImageWriter writer;
  EXPECT_TRUE(writer.Start(facts, image.sink()).ok());
  EXPECT_TRUE(writer.Append(body.data(), body.size()).ok());
  EXPECT_TRUE(writer.Finish().ok());
  const FilterView view(image.bytes.data(), image.bytes.size());
  EXPECT_TRUE(view.Verify().ok()) << view.status().message();
  EXPECT_TRUE(view.has_num_keys());
  *of_stage = view.stage(0).num_keys;
  return view.num_keys();
}

TEST(BodyCounts, NeverWrap) {
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
}  // namespace linefilter
