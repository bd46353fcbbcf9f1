// Images that claim anything, for tests of states: bodies, containers and growth by chance, in and out of their ranges.
#ifndef LINEFILTER_TESTS_TESTING_CLAIMS_H_
#define LINEFILTER_TESTS_TESTING_CLAIMS_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/options.h"
#include "linefilter/rotating.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/random.h"

namespace linefilter::test {

inline constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

template <class T>
T OneOf(Random* random, std::initializer_list<T> values) {
  return *(values.begin() + random->Below(values.size()));
}

inline const HashSecret* SecretOf(const FilterOptions& options) {
  return options.hash_id == HashId::kKeyed ? &options.secret : nullptr;
}

inline reference::Bytes SomeBody(Random* random, size_t size) {
  reference::Bytes body(size);
  const uint64_t way = random->Below(4);
  for (uint8_t& byte : body) {
    byte = way == 0 ? 0 : way == 1 ? 0xff : static_cast<uint8_t>(random->Below(256) & random->Below(256));
  }
  return body;
}

// Growth of either kind, with numbers in and out of their ranges.
inline reference::Bytes SomeGrowth(Random* random, uint64_t num_blocks) {
  reference::Bytes growth(32, 0);
  growth[0] = OneOf<uint8_t>(random, {1, 1, 2, 2, 2, 3});
  const std::initializer_list<uint64_t> numbers = {0, 1, 2, 50, 512 * num_blocks, 512 * num_blocks + 1, kMost};
  reference::PutLittleEndian(OneOf(random, numbers), 8, &growth[8]);
  if (growth[0] == 2) {
    growth[1] = OneOf<uint8_t>(random, {0, 1, 1, 2});
    reference::PutLittleEndian(
        OneOf(random, {uint64_t{0}, kLastGeneration - 2, kLastGeneration, kLastGeneration + 1, kMost}), 8, &growth[16]);
    reference::PutLittleEndian(OneOf(random, numbers), 8, &growth[24]);
  } else {
    reference::PutLittleEndian(OneOf(random, numbers), 8, &growth[16]);
    const double bound = OneOf(random, {0.0, 1e-300, 1e-6, 0.01, 0.5, 0.9999, 1.0, -1.0, HUGE_VAL, std::nan("")});
    uint64_t bits;
    static_assert(sizeof(bits) == sizeof(bound));
    memcpy(&bits, &bound, sizeof(bits));
    reference::PutLittleEndian(bits, 8, &growth[24]);
  }
  if (random->Below(30) == 0) growth.resize(OneOf<size_t>(random, {0, 1, 31, 33, 1024}));
  return growth;
}

inline reference::Filter ClaimContainer(Random* random) {
  std::vector<reference::Filter> stages;
  std::vector<uint64_t> num_keys;
  const bool alike = random->Below(2) == 0;  // as generations are
  const size_t blocks = OneOf<size_t>(random, {1, 2, 3, 70});
  for (size_t i = OneOf<size_t>(random, {0, 1, 2, 3, 64}); i != 0; --i) {
    reference::Filter stage;
    const size_t size = alike ? blocks : 1 + random->Below(3);
    stage.num_probes = alike ? 7 : static_cast<int>(1 + random->Below(16));
    stage.body = SomeBody(random, 64 * size);
    stages.push_back(stage);
    const bool far = random->Below(100) == 0;
    num_keys.push_back(far ? OneOf<uint64_t>(random, {512 * size + 1, uint64_t{1} << 63, kMost})
                           : OneOf<uint64_t>(random, {0, 0, 1, 100, 512 * size, 512 * size - random->Below(60)}));
  }
  reference::Filter claim = reference::MakeContainer(stages, num_keys);
  if (random->Below(10) != 0) claim.extensions.push_back({reference::kGrowth, SomeGrowth(random, blocks)});
  return claim;
}

// Layout, hash, body, stages and growth are the same. (An extension that nobody knows, and num_keys of a body of at
// most 4 KiB, need not come back.)
inline void ExpectSameClaims(const FilterView& before, const FilterView& after) {
  ASSERT_TRUE(after.Verify().ok()) << after.Verify().message();
  EXPECT_EQ(after.layout(), before.layout());
  EXPECT_EQ(after.hash_id(), before.hash_id());
  EXPECT_EQ(after.seed(), before.seed());
  EXPECT_EQ(after.num_probes(), before.num_probes());
  ASSERT_EQ(after.body_bytes(), before.body_bytes());
  if (before.body_bytes() != 0) {
    EXPECT_EQ(memcmp(after.body(), before.body(), static_cast<size_t>(before.body_bytes())), 0);
  }
  ASSERT_EQ(after.num_stages(), before.num_stages());
  for (uint32_t i = 0; i < before.num_stages(); ++i) {
    EXPECT_EQ(after.stage(i).num_blocks, before.stage(i).num_blocks);
    EXPECT_EQ(after.stage(i).num_probes, before.stage(i).num_probes);
    EXPECT_EQ(after.stage(i).num_keys, before.stage(i).num_keys);
  }
  const auto growth = [](const FilterView& view) {
    return std::string(reinterpret_cast<const char*>(view.growth()), view.growth_bytes());
  };
  EXPECT_EQ(growth(after), growth(before));
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_CLAIMS_H_
