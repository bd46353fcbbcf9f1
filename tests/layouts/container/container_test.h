// What tests of several filters as one share: stages for the library and for the reference, and their image.
#ifndef LINEFILTER_TESTS_LAYOUTS_CONTAINER_CONTAINER_TEST_H_
#define LINEFILTER_TESTS_LAYOUTS_CONTAINER_CONTAINER_TEST_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/stages.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/random.h"
#include "tests/testing/reference_filters.h"

namespace linefilter::test {

using internal::Stage;
using reference::Bytes;

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

inline uint8_t* Aligned(std::vector<uint64_t>* memory, size_t bytes) {
  memory->assign(bytes / 8 + 8, 0);
  const uintptr_t at = reinterpret_cast<uintptr_t>(memory->data());
  return reinterpret_cast<uint8_t*>((at + 63) / 64 * 64);
}

inline Both MakeBoth(const std::vector<size_t>& num_blocks, size_t keys_per_block, uint64_t seed) {
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

// 1 MiB in all is where batches begin to sieve, and 256 keys what they sieve at least.
inline const std::vector<std::vector<size_t>>& EveryStages() {
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

inline Bytes ImageOf(const Both& both, const std::vector<uint64_t>& num_keys) {
  return reference::WriteImage(reference::MakeContainer(both.expected, num_keys));
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_LAYOUTS_CONTAINER_CONTAINER_TEST_H_
