// This groups hashes by block and blocks by load; solve-inl.h solves the systems.
//
// A counting sort goes by (block, EighthOf) of 32 bits per key: in that order the solver takes its equations. Blocks
// are then sorted by load, because eight of them are solved in the lanes of a vector and take as long as the fullest.
#include "lib/layouts/retrieval/solver/solver.h"

#include <algorithm>
#include <cstring>

#include "lib/layouts/retrieval/key.h"
#include "lib/layouts/retrieval/solver/dense.h"
#include "lib/layouts/retrieval/solver/work.h"
#include "lib/layouts/target.h"
#include "linefilter/hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/retrieval/solver/solver.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/retrieval/solver/solve-inl.h"

#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVER_ONCE_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVER_ONCE_
namespace linefilter::internal {

using SolveFunction = void (*)(const BlockTask* tasks, size_t num_tasks, RetrievalWork* work, Outcome* outcomes);

// Solvers differ in how many constraints are solved apart: 4, 4 + 2, 8, 8 + 2, 8 + 4, 16, 16 + 2, 16 + 4, 16 + 8.
inline constexpr int kNumSolvers = 9;
struct Solvers {
  SolveFunction solve[kNumSolvers];
};

}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

const internal::Solvers* TargetSolvers() {
  static constexpr internal::Solvers solvers = {{SolveGroup<4, 0, 1>, SolveGroup<4, 2, 2>, SolveGroup<8, 0, 1>,
                                                 SolveGroup<8, 2, 2>, SolveGroup<8, 4, 1>, SolveGroup<16, 0, 1>,
                                                 SolveGroup<16, 2, 1>, SolveGroup<16, 4, 1>, SolveGroup<16, 8, 1>}};
  return &solvers;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
HWY_EXPORT(TargetSolvers);

namespace internal {
namespace {

// A choice says which solver takes a block, and which one when its outcome is not kSolved.
struct Choice {
  uint32_t first_try;  // the most keys of a block that begins here; a solver below takes the fuller ones
  int too_full, not_full, too_wide;
};
constexpr int kDense = -1;
constexpr Choice kChoices[kNumSolvers] = {
    {kMostKeysOfLanes, kDense, 2, kDense},  // 4
    {82, 0, 2, 0},                          // 4 + 2
    {60, 1, 5, kDense},                     // 8
    {49, 2, 4, 2},                          // 8 + 2
    {41, 3, 5, 2},                          // 8 + 4
    {28, 4, kDense, kDense},                // 16
    {26, 5, 7, 5},                          // 16 + 2
    {24, 6, 8, 5},                          // 16 + 4
    {20, 7, kDense, 5},                     // 16 + 8
};

// The scratch memory of a range.
struct Scratch {
  RetrievalWork* work;
  uint32_t* keys;                // [num_hashes], by block and EighthOf
  uint32_t* ends;                // [8 * num_blocks]: where each (block, 7 - EighthOf) ends in keys
  uint32_t* begins;              // [num_blocks]: where a block's keys begin
  uint32_t* lists[kNumSolvers];  // blocks to be solved by each
  uint64_t sizes[kNumSolvers];
};

uint64_t RoundUp64(uint64_t x) { return (x + 63) / 64 * 64; }

Scratch Divide(void* memory, uint64_t num_blocks, uint64_t num_hashes) {
  uint8_t* at = static_cast<uint8_t*>(memory);
  const auto take = [&at](uint64_t bytes) {
    uint8_t* const taken = at;
    at += RoundUp64(bytes);
    return taken;
  };
  Scratch scratch;
  scratch.work = reinterpret_cast<RetrievalWork*>(take(sizeof(RetrievalWork)));
  scratch.keys = reinterpret_cast<uint32_t*>(take(4 * num_hashes));
  scratch.ends = reinterpret_cast<uint32_t*>(take(32 * num_blocks));
  scratch.begins = reinterpret_cast<uint32_t*>(take(4 * num_blocks));
  for (int i = 0; i < kNumSolvers; ++i) {
    scratch.lists[i] = reinterpret_cast<uint32_t*>(take(4 * num_blocks));
    scratch.sizes[i] = 0;
  }
  return scratch;
}

class RangeBuilder {
 public:
  RangeBuilder(const ProbeState& state, const BlockRange& range, void* scratch)
      : num_blocks_in_body_(state.num_units),
        range_(range),
        scratch_(Divide(scratch, range.num_blocks, range.num_hashes)) {}

  void Build() {
    SortKeys();
    ListBlocks();
    const Solvers* const solvers = LINEFILTER_DISPATCH(TargetSolvers)();
    // A block moves on only when the solver it leaves has proven that it has fewer or more constraints than that solver
    // is for. The ranges of solvers do not overlap, so a few rounds are enough.
    constexpr int kMostRounds = 2 * kNumSolvers;
    for (int round = 0; round < kMostRounds; ++round) {
      for (int i = kNumSolvers - 1; i >= 0; --i) SolveList(i, solvers->solve[i]);
    }
    for (int i = 0; i < kNumSolvers; ++i) {  // were that ever wrong
      for (uint64_t k = 0; k < scratch_.sizes[i]; ++k) SolveDense(scratch_.lists[i][k]);
    }
  }

 private:
  uint64_t BinOf(uint64_t hash) const {
    const uint64_t block = BlockIndex(hash, num_blocks_in_body_) - range_.first_block;
    return 8 * block + 7 - EighthOf(InBlockHash(hash));
  }

  void SortKeys() {
    uint32_t* const ends = scratch_.ends;
    memset(ends, 0, 32 * range_.num_blocks);
    for (uint64_t s = 0; s < range_.num_spans; ++s) {
      const HashSpan span = range_.spans[s];
      for (uint64_t i = 0; i < span.size; ++i) ++ends[BinOf(span.hashes[i])];
    }
    uint32_t begin = 0;
    for (uint64_t bin = 0; bin < 8 * range_.num_blocks; ++bin) {
      const uint32_t size = ends[bin];
      ends[bin] = begin;  // moves to the end while the keys come
      begin += size;
    }
    for (uint64_t s = 0; s < range_.num_spans; ++s) {
      const HashSpan span = range_.spans[s];
      for (uint64_t i = 0; i < span.size; ++i) {
        scratch_.keys[ends[BinOf(span.hashes[i])]++] = InBlockHash(span.hashes[i]);
      }
    }
  }

  // True if all keys differ for certain: the six bits looked at do.
  bool AreApart(uint32_t begin, uint32_t end) const {
    uint64_t seen = 0;
    for (uint32_t i = begin; i < end; ++i) seen |= uint64_t{1} << (scratch_.keys[i] & 63);
    return static_cast<uint32_t>(__builtin_popcountll(seen)) == end - begin;
  }

  // Moves the distinct keys among keys[begin, end) to keys[to...]; returns their end.
  uint32_t Distinct(uint32_t begin, uint32_t end, uint32_t to) {
    uint32_t* const keys = scratch_.keys;
    if (to == begin && AreApart(begin, end)) return end;  // nearly always
    if (end - begin > 32) {
      std::sort(keys + begin, keys + end);
      end = static_cast<uint32_t>(std::unique(keys + begin, keys + end) - keys);
      memmove(keys + to, keys + begin, 4 * uint64_t{end - begin});
      return to + (end - begin);
    }
    const uint32_t first = to;
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t g = keys[i];
      bool seen = false;
      for (uint32_t j = first; j < to; ++j) seen |= keys[j] == g;
      keys[to] = g;
      to += !seen;
    }
    return to;
  }

  // Drops duplicates: from here on ends[8 b] to ends[8 b + 7] are those of block b's distinct keys, which begin where
  // the block's keys began.
  uint32_t DropDuplicates(uint64_t block, uint32_t block_begin) {
    uint32_t* const ends = scratch_.ends + 8 * block;
    uint32_t begin = block_begin, to = block_begin;
    for (int i = 0; i < 8; ++i) {
      const uint32_t end = ends[i];
      to = Distinct(begin, end, to);
      begin = end;
      ends[i] = to;
    }
    return to - block_begin;
  }

  void ListBlocks() {
    // This is a counting sort by load.
    uint64_t at[kMostKeysOfLanes + 2] = {};
    uint32_t begin = 0;
    for (uint64_t block = 0; block < range_.num_blocks; ++block) {
      const uint32_t end = scratch_.ends[8 * block + 7];
      const uint32_t n = DropDuplicates(block, begin);
      begins(block) = begin;
      begin = end;
      if (n == 0) WriteEmpty(block);
      if (n > kMostKeysOfLanes) SolveDense(block);
      if (n >= 1 && n <= kMostKeysOfLanes) ++at[n];
    }
    for (uint32_t n = 1; n <= kMostKeysOfLanes; ++n) {
      uint64_t& size = scratch_.sizes[FirstChoice(n)];
      const uint64_t begin_of_n = size;
      size += at[n];
      at[n] = begin_of_n;
    }
    for (uint64_t block = 0; block < range_.num_blocks; ++block) {
      const uint32_t n = NumKeys(block);
      if (n == 0 || n > kMostKeysOfLanes) continue;
      scratch_.lists[FirstChoice(n)][at[n]++] = static_cast<uint32_t>(block);
    }
  }

  static int FirstChoice(uint32_t n) {
    int list = kNumSolvers - 1;
    while (n > kChoices[list].first_try) --list;
    return list;
  }

  // Takes all blocks of a list; what it cannot solve goes to another one.
  void SolveList(int list, SolveFunction solve) {
    const uint64_t size = scratch_.sizes[list];
    scratch_.sizes[list] = 0;
    for (uint64_t i = 0; i < size; i += 8) {
      BlockTask tasks[8];
      Outcome outcomes[8];
      const uint64_t n = std::min<uint64_t>(8, size - i);
      for (uint64_t k = 0; k < n; ++k) tasks[k] = TaskOf(scratch_.lists[list][i + k]);
      solve(tasks, n, scratch_.work, outcomes);
      for (uint64_t k = 0; k < n; ++k) {
        if (outcomes[k] != Outcome::kSolved) Retry(list, outcomes[k], scratch_.lists[list][i + k]);
      }
    }
  }

  void Retry(int list, Outcome outcome, uint32_t block) {
    const Choice& choice = kChoices[list];
    const int next = outcome == Outcome::kTooFull   ? choice.too_full
                     : outcome == Outcome::kNotFull ? choice.not_full
                                                    : choice.too_wide;
    if (next == kDense) return SolveDense(block);
    scratch_.lists[next][scratch_.sizes[next]++] = block;
  }

  BlockTask TaskOf(uint64_t block) const {
    BlockTask task;
    const uint32_t begin = begins(block);
    task.g = scratch_.keys + begin;
    task.num_keys = NumKeys(block);
    task.block = range_.blocks + 64 * block;
    for (uint32_t u = 0; u < 8; ++u) {
      task.before[u] = static_cast<uint16_t>(u == 7 ? 0 : scratch_.ends[8 * block + 6 - u] - begin);
    }
    return task;
  }
  void SolveDense(uint64_t block) {
    internal::SolveDense(scratch_.keys + begins(block), NumKeys(block), &scratch_.work->dense,
                         range_.blocks + 64 * block);
  }
  void WriteEmpty(uint64_t block) {
    internal::SolveDense(nullptr, 0, &scratch_.work->dense, range_.blocks + 64 * block);
  }

  uint32_t& begins(uint64_t block) { return scratch_.begins[block]; }
  uint32_t begins(uint64_t block) const { return scratch_.begins[block]; }
  uint32_t NumKeys(uint64_t block) const { return scratch_.ends[8 * block + 7] - begins(block); }

  uint64_t num_blocks_in_body_;
  const BlockRange& range_;
  Scratch scratch_;
};

}  // namespace

uint64_t RetrievalScratchBytes(uint64_t num_blocks, uint64_t num_hashes) {
  return RoundUp64(sizeof(RetrievalWork)) + RoundUp64(4 * num_hashes) + RoundUp64(32 * num_blocks) +
         (kNumSolvers + 1) * RoundUp64(4 * num_blocks);
}

void RetrievalBuildRange(const ProbeState& state, const BlockRange& range, void* scratch) {
  RangeBuilder(state, range, scratch).Build();
}

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
