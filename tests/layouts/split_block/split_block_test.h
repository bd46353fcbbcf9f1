// What the tests of `split_block` share: filters of the library and of the reference, of any hash id and size.
#ifndef LINEFILTER_TESTS_LAYOUTS_SPLIT_BLOCK_SPLIT_BLOCK_TEST_H_
#define LINEFILTER_TESTS_LAYOUTS_SPLIT_BLOCK_SPLIT_BLOCK_TEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/reference_filters.h"

namespace linefilter::split_block_test {

constexpr HashId kHashIds[] = {HashId::kCaller, HashId::kXxh3, HashId::kKeyed, HashId::kParquet};

inline HashSecret Secret() {
  HashSecret secret;
  for (uint8_t i = 0; i < sizeof(secret.bytes); ++i) secret.bytes[i] = static_cast<uint8_t>(17 * i + 1);
  return secret;
}

inline FilterOptions OptionsOf(HashId hash_id, double bits_per_key = 10) {
  FilterOptions options = test::BitsPerKey(bits_per_key, Layout::kSplitBlock);
  options.hash_id = hash_id;
  if (hash_id == HashId::kKeyed) options.secret = Secret();
  return options;
}

inline reference::Filter EmptyOf(HashId hash_id, size_t num_blocks) {
  reference::Filter filter = test::EmptyReference(Layout::kSplitBlock, 0, 32 * num_blocks);
  filter.hash_id = static_cast<int>(hash_id);
  filter.has_seed = hash_id == HashId::kKeyed;
  if (filter.has_seed) filter.seed = reference::CheckOfSecret(Secret().bytes);
  return filter;
}

// This makes the library's filter of the same bytes and hash.
inline Filter Copied(const reference::Filter& from) {
  FilterOptions options;
  options.hash_id = static_cast<HashId>(from.hash_id);
  if (options.hash_id == HashId::kKeyed) options.secret = Secret();
  return test::FromImage<Filter>(reference::WriteImage(from), options);
}

// `image` must live as long as the view.
template <class Image>
FilterView ViewOf(const Image& image) {
  const HashSecret secret = Secret();
  const bool is_keyed = (static_cast<uint8_t>(image[image.size() - 2]) & 15) == 2;
  return FilterView(image.data(), image.size(), VerifyMode::kWhole, is_keyed ? &secret : nullptr);
}

inline reference::Bytes BodyOf(const FilterBase& filter) {
  return {filter.body(), filter.body() + filter.body_bytes()};
}

}  // namespace linefilter::split_block_test

#endif  // LINEFILTER_TESTS_LAYOUTS_SPLIT_BLOCK_SPLIT_BLOCK_TEST_H_
