// What every filter that changes does while it was not made, could not be made or was moved from: it answers "maybe",
// takes no key, holds no memory and has no image.
#ifndef LINEFILTER_TESTS_TESTING_TAKES_NOTHING_H_
#define LINEFILTER_TESTS_TESTING_TAKES_NOTHING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"

namespace linefilter::test {

template <class Filter>
void ExpectTakesNothing(Filter* filter) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  EXPECT_TRUE(filter->MayContainKey("anything"));
  EXPECT_TRUE(filter->MayContainHash(0));
  EXPECT_TRUE(filter->MayContainHash(7));
  EXPECT_EQ(filter->CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_FALSE(filter->InsertKey("anything"));
  EXPECT_FALSE(filter->InsertHash(7));
  EXPECT_EQ(filter->InsertHashes(hashes.data(), hashes.size()), 0u);
  EXPECT_EQ(filter->body_bytes(), 0u);
  EXPECT_EQ(filter->ImageBytes(), 0u);
  EXPECT_EQ(filter->MemoryUse(), sizeof(Filter));
  EXPECT_FALSE(filter->KeyStatus().ok());
  std::string image = "x";
  EXPECT_FALSE(filter->AppendImage(&image).ok()) << "a broken filter has no image that could say absent";
  EXPECT_EQ(image, "x");
  Collector collector;
  EXPECT_FALSE(filter->WriteImage(collector.sink()).ok());
  EXPECT_FALSE(filter->Save("/no/such/folder/image").ok());
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_TAKES_NOTHING_H_
