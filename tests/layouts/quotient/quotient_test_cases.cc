// Random cases of layout `quotient`: a few blocks of keys, which come by every way there is. Each way makes the bytes
// that the reference works out from the set of keys alone, by the definition of a block.
#include <algorithm>
#include <cstdio>

#include "tests/layouts/quotient/quotient_test.h"

namespace linefilter::quotient_test {
namespace {

// What went wrong, by the way that it went wrong.
struct Wrong {
  uint64_t by_one = 0, in_a_batch = 0, built = 0, united = 0, folded = 0, lost = 0;
  uint64_t sum() const { return by_one + in_a_batch + built + united + folded + lost; }
};

struct Case {
  bool is_set;
  size_t num_blocks;
  std::vector<uint64_t> hashes;
  reference::Bytes expected;

  explicit Case(Random* random) : is_set(random->Below(2) == 0), num_blocks(1 + random->Below(3)) {
    hashes = HashesOf(test::ChooseQuotients(random), num_blocks, random);
    reference::Filter filter = EmptyOf(is_set, num_blocks);
    filter.Fill(hashes);
    expected = filter.body;
  }
  // The same keys in another order; in a set some of them come again.
  std::vector<uint64_t> InAnotherOrder(Random* random) const {
    std::vector<uint64_t> others = hashes;
    for (size_t i = 0; is_set && i < hashes.size(); i += 1 + random->Below(4)) others.push_back(hashes[i]);
    Shuffle(&others, random);
    return others;
  }
  reference::Bytes Empty(size_t factor = 1) const { return reference::Bytes(64 * num_blocks * factor, 0); }
};

reference::Bytes United(const Case& c, Random* random) {
  reference::Bytes parts[3] = {c.Empty(), c.Empty(), c.Empty()};
  for (const uint64_t hash : c.hashes) {
    const size_t first = random->Below(3);
    for (size_t i = 0; i < 3; ++i) {
      const bool has_it = i == first || (c.is_set && random->Below(4) == 0);
      if (has_it) Bound(c.is_set, parts[i].data(), c.num_blocks).Insert(hash);
    }
  }
  FoldBlocks(c.is_set, parts[0].data(), c.num_blocks, 1, true, parts[1].data());
  FoldBlocks(c.is_set, parts[1].data(), c.num_blocks, 1, true, parts[2].data());
  return parts[2];
}

reference::Bytes Folded(const Case& c, Random* random) {
  const size_t factor = 2 + random->Below(6);
  reference::Bytes large = c.Empty(factor), small = c.Empty();
  Bound(c.is_set, large.data(), c.num_blocks * factor).InsertAll(c.hashes);
  if (random->Below(2) == 0) {
    FoldBlocks(c.is_set, large.data(), c.num_blocks, factor, false, small.data());
    return small;
  }
  // In place, and united with some of the same keys, which a set already has.
  FoldBlocks(c.is_set, large.data(), c.num_blocks, factor, false, large.data());
  if (c.is_set)
    Bound(true, small.data(), c.num_blocks).InsertAll({c.hashes.begin(), c.hashes.begin() + c.hashes.size() / 2});
  FoldBlocks(c.is_set, large.data(), c.num_blocks, 1, true, small.data());
  return small;
}

void Try(Random* random, Wrong* wrong) {
  const Case c(random);
  reference::Bytes body = c.Empty();
  Bound by_one(c.is_set, body.data(), c.num_blocks);
  for (const uint64_t hash : c.InAnotherOrder(random)) by_one.Insert(hash);
  wrong->by_one += body != c.expected;
  wrong->lost += by_one.CountMaybes(c.hashes.data(), c.hashes.size()) != c.hashes.size();
  body = c.Empty();
  Bound(c.is_set, body.data(), c.num_blocks).InsertAll(c.InAnotherOrder(random));
  wrong->in_a_batch += body != c.expected;
  wrong->built += BuiltBlocks(c.is_set, c.InAnotherOrder(random), c.num_blocks) != c.expected;
  wrong->united += United(c, random) != c.expected;
  wrong->folded += Folded(c, random) != c.expected;
}

}  // namespace

void ExpectSameBytesByEveryWay(uint64_t cases, uint64_t seed) {
  Wrong wrong;
  uint64_t tried = 0;
  const uint64_t of_a_target = cases / SupportedTargets().size + 1;
  test::OnEveryTarget([&](const char* target) {
    for (uint64_t i = 0; i < of_a_target; ++i, ++tried) {
      Random random(seed + tried);
      const uint64_t before = wrong.sum();
      Try(&random, &wrong);
      ASSERT_EQ(wrong.sum(), before) << "by one " << wrong.by_one << ", in a batch " << wrong.in_a_batch << ", built "
                                     << wrong.built << ", united " << wrong.united << ", folded " << wrong.folded
                                     << ", lost " << wrong.lost << "; seed " << seed + tried << " on " << target;
    }
  });
  std::printf("%llu cases, each by five ways: %llu differ\n", static_cast<unsigned long long>(tried),
              static_cast<unsigned long long>(wrong.sum()));
}

}  // namespace linefilter::quotient_test
