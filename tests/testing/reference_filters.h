// Library filters and reference filters side by side.
#ifndef LINEFILTER_TESTS_TESTING_REFERENCE_FILTERS_H_
#define LINEFILTER_TESTS_TESTING_REFERENCE_FILTERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/filter_base.h"
#include "tests/reference/reference.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {

inline reference::Filter EmptyReference(Layout layout, uint32_t num_probes, size_t body_bytes) {
  reference::Filter filter;
  filter.layout = static_cast<int>(layout);
  filter.num_probes = static_cast<int>(num_probes);
  filter.body.assign(body_bytes, 0);
  return filter;
}

// A mutable filter with exactly the body and parameters of `from`.
inline std::unique_ptr<Filter> MutableCopy(const reference::Filter& from) {
  const reference::Bytes image = reference::WriteImage(from);
  auto filter = std::make_unique<Filter>();
  EXPECT_TRUE(IsOk(filter->CreateFromImage(image.data(), image.size())));
  return filter;
}

// Hashes at the ends of what block index and in-block hash can be, then random ones.
inline std::vector<uint64_t> SpecialAndRandomHashes(size_t n, uint64_t seed) {
  std::vector<uint64_t> hashes = {0,
                                  ~uint64_t{0},
                                  1,
                                  15,
                                  16,
                                  uint64_t{1} << 32,
                                  uint64_t{1} << 63,
                                  0xffffffff,
                                  0x80000000,
                                  0x123456789abcdef0,
                                  0xffffffff00000000,
                                  0xdeadbeef00000000,
                                  0xfffffffffffffff0,
                                  0x80000000'7fffffff,   // the in-block hashes ffffffff
                                  0xfedcba98'01234577};  // and ffffffef, which is 15 in the table of rotations
  Random random(seed);
  while (hashes.size() < n) hashes.push_back(random());
  hashes.resize(n);
  return hashes;
}

// Every way of asking gives the expected answers, and writes nothing beyond them.
inline void ExpectAnswers(const FilterBase& filter, const uint64_t* hashes, size_t n, const uint8_t* expected) {
  constexpr uint8_t kGuard = 0xa5;
  std::vector<uint8_t> bytes(n + 1, kGuard), bits((n + 7) / 8 + 1, kGuard), expected_bits((n + 7) / 8, 0);
  uint64_t maybes = 0;
  size_t wrong_single = 0, wrong_byte = 0;
  filter.MayContainHashes(hashes, n, bytes.data());
  filter.MayContainHashesToBits(hashes, n, bits.data());
  for (size_t i = 0; i < n; ++i) {
    maybes += expected[i];
    expected_bits[i / 8] = static_cast<uint8_t>(expected_bits[i / 8] | expected[i] << (i % 8));
    wrong_byte += bytes[i] != expected[i];
    wrong_single += filter.MayContainHash(hashes[i]) != (expected[i] != 0);
  }
  EXPECT_EQ(wrong_single, 0u);
  EXPECT_EQ(wrong_byte, 0u);
  EXPECT_EQ(bytes[n], kGuard);
  EXPECT_EQ(bits.back(), kGuard);
  bits.pop_back();
  EXPECT_EQ(bits, expected_bits);
  EXPECT_EQ(filter.CountMaybes(hashes, n), maybes);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REFERENCE_FILTERS_H_
