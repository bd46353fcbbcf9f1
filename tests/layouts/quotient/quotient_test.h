// What the tests of `quotient` share: blocks and bodies that the library changes and asks beside the reference, where
// no image is around them. A case of these tests is one block, or a few, on the target that is chosen at the time.
#ifndef LINEFILTER_TESTS_LAYOUTS_QUOTIENT_QUOTIENT_TEST_H_
#define LINEFILTER_TESTS_LAYOUTS_QUOTIENT_QUOTIENT_TEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/quotient_blocks.h"
#include "tests/testing/random.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/targets.h"

namespace linefilter::quotient_test {

using test::Block;
using test::Random;

constexpr bool kSetAndMultiset[] = {true, false};
inline std::string NameOf(bool is_set) { return is_set ? "set" : "multiset"; }
inline uint32_t NumProbesOf(bool is_set) { return is_set ? 0 : 1; }

inline reference::Filter EmptyOf(bool is_set, size_t num_blocks) {
  return test::EmptyReference(Layout::kQuotient, NumProbesOf(is_set), 64 * num_blocks);
}

inline FilterOptions OptionsOf(bool is_set, double bits_per_key = 10) {
  FilterOptions options = test::BitsPerKey(bits_per_key, Layout::kQuotient);
  options.hash_id = HashId::kCaller;
  options.removable = !is_set;
  return options;
}

inline reference::Bytes BodyOf(const FilterBase& filter) {
  return {filter.body(), filter.body() + filter.body_bytes()};
}

// The library's filter of a body that is in no image, as the chosen target changes and asks it.
class Bound : public FilterBase {
 public:
  Bound(bool is_set, uint8_t* body, size_t num_blocks) {
    const internal::LayoutRecord& record = *internal::FindLayout(Layout::kQuotient);
    internal::BindBody(record, {body, 64 * num_blocks, NumProbesOf(is_set)}, &state_);
    layout_ = Layout::kQuotient;
    changes_ = &internal::ChangesOf(Layout::kQuotient, state_);
  }
  bool Insert(uint64_t hash) { return changes_->insert(state_, hash); }
  uint64_t InsertAll(const std::vector<uint64_t>& hashes, uint8_t* were_new = nullptr) {
    return changes_->insert_batch(state_, hashes.data(), hashes.size(), were_new);
  }
  bool Remove(uint64_t hash) { return changes_->remove(state_, hash); }
  uint64_t RemoveAll(const std::vector<uint64_t>& hashes, uint8_t* were_removed = nullptr) {
    return changes_->remove_batch(state_, hashes.data(), hashes.size(), were_removed);
  }
  const internal::ProbeState& state() const { return state_; }

 private:
  const internal::Changes* changes_;
};

// This is how unions and folds are made.
inline void FoldBlocks(bool is_set, const uint8_t* from, size_t num_blocks, size_t factor, bool add, uint8_t* to) {
  internal::FindMaker(Layout::kQuotient)->fold_blocks(from, num_blocks, factor, add, NumProbesOf(is_set), to);
}

// The blocks that a builder makes of all hashes at once.
inline reference::Bytes BuiltBlocks(bool is_set, const std::vector<uint64_t>& hashes, size_t num_blocks) {
  const internal::LayoutMaker& maker = *internal::FindMaker(Layout::kQuotient);
  reference::Bytes blocks(64 * num_blocks, 0);
  Bound bound(is_set, nullptr, num_blocks);
  const size_t first = hashes.size() / 3;
  const internal::HashSpan spans[] = {{hashes.data(), first}, {hashes.data() + first, hashes.size() - first}};
  const internal::BlockRange range{0, num_blocks, blocks.data(), spans, 2, hashes.size()};
  std::vector<uint8_t> scratch(64);  // a multiple of 64 is in it
  if (maker.range_scratch_bytes != nullptr) scratch.resize(64 + maker.range_scratch_bytes(num_blocks, hashes.size()));
  maker.build_range(bound.state(), range, &scratch[63 - (reinterpret_cast<uintptr_t>(scratch.data()) + 63) % 64]);
  return blocks;
}

inline std::vector<uint64_t> HashesOf(const std::vector<uint32_t>& quotients, size_t num_blocks, Random* random) {
  std::vector<uint64_t> hashes;
  for (const uint32_t q : quotients) {
    hashes.push_back(test::HashOfQuotient(q, random->Below(num_blocks), num_blocks, random));
  }
  return hashes;
}

template <class T>
void Shuffle(std::vector<T>* values, Random* random) {
  for (size_t i = values->size(); i > 1; --i) std::swap((*values)[i - 1], (*values)[random->Below(i)]);
}

// So many cases in all, over all targets. quotient_slow_test has far more in the night.
void ExpectSameBytesByEveryWay(uint64_t cases, uint64_t seed);
void ExpectRemovalsLikeAPlainList(uint64_t histories, uint64_t seed);
void ExpectTheReferenceOnHostileBlocks(uint64_t blocks, uint64_t seed);
void ExpectTheReferenceChangesHostileBlocks(uint64_t blocks, uint64_t seed);

}  // namespace linefilter::quotient_test

#endif  // LINEFILTER_TESTS_LAYOUTS_QUOTIENT_QUOTIENT_TEST_H_
