// The golden images of layout `container`, as the reference makes them: a filter that grew, and one that forgets, from
// doc/FORMAT.md section 10 alone.
#ifndef LINEFILTER_TESTS_GOLDEN_GOLDEN_CONTAINER_H_
#define LINEFILTER_TESTS_GOLDEN_GOLDEN_CONTAINER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/reference/reference.h"

namespace linefilter::test {

// The columns that a container has more.
struct GoldenStages {
  uint64_t capacity = 0;                        // scalable: of the first stage; rotating: of each generation
  uint64_t growth = 0;                          // scalable: max_growth; rotating: rotation, 0 by the caller, 1 by count
  std::vector<std::pair<uint64_t, int>> sizes;  // num_blocks and num_probes, the oldest first

  // "1x7,2x9". False if it cannot be read.
  bool Read(std::istream* in) {
    std::string text;
    if (!(*in >> capacity >> growth >> text)) return false;
    std::istringstream each(text);
    for (std::string size; std::getline(each, size, ',');) {
      const size_t x = size.find('x');
      if (x == std::string::npos) return false;
      sizes.emplace_back(std::stoull(size), std::stoi(size.substr(x + 1)));
    }
    return !sizes.empty() && capacity != 0;
  }

  reference::Filter Empty(size_t i) const {
    reference::Filter stage;
    stage.num_probes = sizes[i].second;
    stage.body.assign(static_cast<size_t>(64 * sizes[i].first), 0);
    return stage;
  }
};

// The field growth of both kinds.
inline reference::Bytes GoldenGrowth(uint8_t kind, uint8_t rotation, const uint64_t (&numbers)[3]) {
  reference::Bytes growth(32, 0);
  growth[0] = kind;
  growth[1] = rotation;
  for (size_t i = 0; i < 3; ++i) reference::PutLittleEndian(numbers[i], 8, &growth[8 + 8 * i]);
  return growth;
}

// Hash id, seed and num_keys are the caller's to fill in.
inline reference::Filter GoldenScalable(const GoldenStages& columns, double fpr, const std::vector<uint64_t>& hashes) {
  std::vector<reference::Filter> stages = {columns.Empty(0)};
  std::vector<uint64_t> num_keys = {0};
  for (const uint64_t hash : hashes) {
    const auto may = [&](const reference::Filter& stage) { return stage.MayContain(hash); };
    if (std::any_of(stages.begin(), stages.end(), may)) continue;
    if (num_keys.back() == columns.capacity << (stages.size() - 1)) {
      if (stages.size() == columns.sizes.size()) return {};  // the line says too few
      stages.push_back(columns.Empty(stages.size()));
      num_keys.push_back(0);
    }
    stages.back().Insert(hash);
    ++num_keys.back();
  }
  uint64_t bound = 0;
  static_assert(sizeof(bound) == sizeof(fpr), "an IEEE 754 binary64");
  std::memcpy(&bound, &fpr, sizeof(fpr));
  reference::Filter container = reference::MakeContainer(stages, num_keys);
  container.extensions.push_back({reference::kGrowth, GoldenGrowth(1, 0, {columns.capacity, columns.growth, bound})});
  for (const uint64_t n : num_keys) container.num_keys += n;
  return container;
}

// By the caller: rotated after each `capacity` keys, but not after the last key.
inline reference::Filter GoldenRotating(const GoldenStages& columns, const std::vector<uint64_t>& hashes) {
  std::vector<reference::Filter> stages;
  for (size_t i = 0; i < columns.sizes.size(); ++i) stages.push_back(columns.Empty(i));
  const bool by_count = columns.growth == 1;
  uint64_t generation = 0, in_newest = 0;
  const auto rotate = [&] {
    stages.erase(stages.begin());
    stages.push_back(columns.Empty(0));
    ++generation;
    in_newest = 0;
  };
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (!by_count && i != 0 && i % columns.capacity == 0) rotate();
    const bool changed = stages.back().Insert(hashes[i]);
    if (by_count && changed && ++in_newest == columns.capacity) rotate();
  }
  reference::Filter container = reference::MakeContainer(stages, std::vector<uint64_t>(stages.size(), 0));
  container.extensions.push_back(
      {reference::kGrowth, GoldenGrowth(2, by_count ? 1 : 0, {columns.capacity, generation, in_newest})});
  return container;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_GOLDEN_GOLDEN_CONTAINER_H_
