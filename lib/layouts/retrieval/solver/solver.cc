// This groups hashes by block and blocks by load; solve-inl.h solves the systems.
//
// A counting sort goes by block. Blocks are then sorted by load, because eight of them are solved in the lanes of a
// vector and take as long as the fullest. Only when a block is solved are its keys put in the order of its equations,
// by EighthOf. Duplicates are harmless, as equations that hold anyway, but for a load that misleads: they are dropped
// from blocks whose first solver was wrong.
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

// Solvers differ in how many constraints are solved apart, as units and as clusters. Each says which blocks begin with
// it, and where they go when their outcome is not kSolved.
struct Solver {
  SolveFunction solve;
  uint32_t first_try;  // the most keys of a block that begins here; a solver before it takes the fuller ones
  int too_full, not_full, too_wide;
};
inline constexpr int kDense = -1;
inline constexpr int kMostSolvers = 9;
struct Solvers {
  int size;
  Solver of[kMostSolvers];
};

}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

const internal::Solvers* TargetSolvers() {
  using internal::kDense;
#if LINEFILTER_GFNI
  // 8 + 2 gains nothing here.
  static constexpr internal::Solvers solvers = {5,
                                                {{SolveGroup<4, 0, 1>, internal::kMostKeysOfLanes, kDense, 1, kDense},
                                                 {SolveGroup<8, 0, 1>, 60, 0, 3, kDense},
                                                 {SolveGroup<8, 4, 1>, 41, 1, 3, 1},
                                                 {SolveGroup<16, 0, 1>, 28, 2, kDense, kDense},
                                                 {SolveGroup<16, 8, 1>, 20, 3, kDense, 3}}};
#else
  static constexpr internal::Solvers solvers = {9,
                                                {{SolveGroup<4, 0, 1>, internal::kMostKeysOfLanes, kDense, 2, kDense},
                                                 {SolveGroup<4, 2, 2>, 82, 0, 2, 0},
                                                 {SolveGroup<8, 0, 1>, 60, 1, 5, kDense},
                                                 {SolveGroup<8, 2, 2>, 49, 2, 4, 2},
                                                 {SolveGroup<8, 4, 1>, 41, 3, 5, 2},
                                                 {SolveGroup<16, 0, 1>, 28, 4, kDense, kDense},
                                                 {SolveGroup<16, 2, 1>, 26, 5, 7, 5},
                                                 {SolveGroup<16, 4, 1>, 24, 6, 8, 5},
                                                 {SolveGroup<16, 8, 1>, 20, 7, kDense, 5}}};
#endif
  return &solvers;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(TargetSolvers);

namespace internal {
namespace {

// A block that a solver could not solve, and the list that it comes to. It waits until all lists have been taken: one
// that goes back to its own list would find no room there.
struct Retried {
  uint32_t block;
  int list;
};

// The scratch memory of a range.
struct Scratch {
  RetrievalWork* work;
  uint32_t* keys;                 // [num_hashes], by block
  uint32_t* begins;               // [num_blocks]: where a block's keys begin in keys
  uint32_t* ends;                 // [num_blocks]
  uint32_t* lists[kMostSolvers];  // blocks to be solved by each
  uint64_t sizes[kMostSolvers];
  Retried* retried;  // [num_blocks]
  uint64_t num_retried;
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
  scratch.begins = reinterpret_cast<uint32_t*>(take(4 * num_blocks));
  scratch.ends = reinterpret_cast<uint32_t*>(take(4 * num_blocks));
  scratch.retried = reinterpret_cast<Retried*>(take(sizeof(Retried) * num_blocks));
  scratch.num_retried = 0;
  for (int i = 0; i < kMostSolvers; ++i) {
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
        solvers_(*LINEFILTER_DISPATCH(TargetSolvers)()),
        scratch_(Divide(scratch, range.num_blocks, range.num_hashes)) {}

  void Build() {
    SortKeys();
    ListBlocks();
    // A block moves on only when the solver it leaves has proven that it has fewer or more constraints than that solver
    // is for. The ranges of solvers do not overlap, so a few rounds are enough.
    constexpr int kMostRounds = 2 * kMostSolvers;
    for (int round = 0; round < kMostRounds && SolveLists(); ++round) continue;
    for (int i = 0; i < solvers_.size; ++i) {  // were that ever wrong
      for (uint64_t k = 0; k < scratch_.sizes[i]; ++k) SolveDense(scratch_.lists[i][k]);
    }
  }

 private:
  uint64_t BlockOf(uint64_t hash) const { return BlockIndex(hash, num_blocks_in_body_) - range_.first_block; }

  // The keys of a single block. SortKeys would wait for each increment of its only counter.
  void CopyKeys() {
    uint32_t* to = scratch_.keys;
    for (uint64_t s = 0; s < range_.num_spans; ++s) {
      const HashSpan span = range_.spans[s];
      for (uint64_t i = 0; i < span.size; ++i) *to++ = InBlockHash(span.hashes[i]);
    }
    begins(0) = 0;
    scratch_.ends[0] = static_cast<uint32_t>(to - scratch_.keys);
  }

  void SortKeys() {
    if (range_.num_blocks == 1) return CopyKeys();
    uint32_t* const ends = scratch_.ends;
    memset(ends, 0, 4 * range_.num_blocks);
    for (uint64_t s = 0; s < range_.num_spans; ++s) {
      const HashSpan span = range_.spans[s];
      for (uint64_t i = 0; i < span.size; ++i) ++ends[BlockOf(span.hashes[i])];
    }
    uint32_t begin = 0;
    for (uint64_t block = 0; block < range_.num_blocks; ++block) {
      const uint32_t size = ends[block];
      ends[block] = begins(block) = begin;  // the end moves while the keys come
      begin += size;
    }
    for (uint64_t s = 0; s < range_.num_spans; ++s) {
      const HashSpan span = range_.spans[s];
      for (uint64_t i = 0; i < span.size; ++i) {
        scratch_.keys[ends[BlockOf(span.hashes[i])]++] = InBlockHash(span.hashes[i]);
      }
    }
  }

  bool HasDuplicates(uint64_t block) const {
    const uint32_t* const keys = scratch_.keys + begins(block);
    const uint32_t n = NumKeys(block);
    uint32_t equal = 0;
    for (uint32_t i = 1; i < n; ++i) {
      for (uint32_t j = 0; j < i; ++j) equal |= keys[j] == keys[i];
    }
    return equal != 0;
  }

  // Leaves the distinct keys of a block, in the order of its equations.
  void DropDuplicates(uint64_t block) {
    uint32_t* const begin = scratch_.keys + begins(block);
    uint32_t* const end = scratch_.keys + scratch_.ends[block];
    std::sort(begin, end, [](uint32_t a, uint32_t b) {
      const uint32_t of_a = EighthOf(a), of_b = EighthOf(b);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    scratch_.ends[block] = static_cast<uint32_t>(std::unique(begin, end) - scratch_.keys);
  }

  void ListBlocks() {
    // This is a counting sort by load.
    uint64_t at[kMostKeysOfLanes + 2] = {};
    uint32_t fewest = kMostKeysOfLanes, most = 0;
    for (uint64_t block = 0; block < range_.num_blocks; ++block) {
      if (NumKeys(block) > kMostKeysOfLanes) DropDuplicates(block);
      const uint32_t n = NumKeys(block);
      if (n == 0 || n > kMostKeysOfLanes) {
        SolveDense(block);
        continue;
      }
      ++at[n];
      fewest = std::min(fewest, n);
      most = std::max(most, n);
    }
    for (uint32_t n = fewest; n <= most; ++n) {
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

  int FirstChoice(uint32_t n) const {
    int list = solvers_.size - 1;
    while (n > solvers_.of[list].first_try) --list;
    return list;
  }

  // Takes all blocks of the lists; what a solver cannot solve comes to the next lists. Those blocks form groups of
  // their own: beside the fullest of a list, emptier ones would take more columns than there is room for.
  bool SolveLists() {
    scratch_.num_retried = 0;
    for (int i = 0; i < solvers_.size; ++i) {
      const uint32_t* const blocks = scratch_.lists[i];
      const uint64_t size = scratch_.sizes[i];
      for (uint64_t k = 0; k < size; k += 8) {
        for (uint64_t next = k + 8; next < std::min(k + 16, size); ++next) Prefetch(blocks[next]);
        SolveGroup(i, blocks + k, std::min<uint64_t>(8, size - k));
      }
      scratch_.sizes[i] = 0;
    }
    for (uint64_t i = 0; i < scratch_.num_retried; ++i) {
      const Retried& retried = scratch_.retried[i];
      scratch_.lists[retried.list][scratch_.sizes[retried.list]++] = retried.block;
    }
    return scratch_.num_retried != 0;
  }

  void Prefetch(uint64_t block) const {
    for (uint32_t i = begins(block); i < scratch_.ends[block]; i += 16) __builtin_prefetch(scratch_.keys + i);
  }

  void SolveGroup(int list, const uint32_t* blocks, uint64_t n) {
    BlockTask tasks[8];
    Outcome outcomes[8];
    for (uint64_t i = 0; i < n; ++i) tasks[i] = TaskOf(blocks[i], scratch_.work->block_keys[i]);
    solvers_.of[list].solve(tasks, n, scratch_.work, outcomes);
    for (uint64_t i = 0; i < n; ++i) {
      if (outcomes[i] != Outcome::kSolved) Retry(list, outcomes[i], blocks[i]);
    }
  }

  void Retry(int list, Outcome outcome, uint32_t block) {
    const Solver& solver = solvers_.of[list];
    int next = outcome == Outcome::kTooFull   ? solver.too_full
               : outcome == Outcome::kNotFull ? solver.not_full
                                              : solver.too_wide;
    if (HasDuplicates(block)) {
      DropDuplicates(block);
      next = FirstChoice(NumKeys(block));
    }
    if (next == kDense) return SolveDense(block);
    scratch_.retried[scratch_.num_retried++] = {block, next};
  }

  // Makes a task of a block. Its keys go to `keys`, in descending order of EighthOf: a byte of `counts`, `at` is for
  // each.
  BlockTask TaskOf(uint64_t block, uint32_t* keys) const {
    const uint32_t* const from = scratch_.keys + begins(block);
    const uint32_t n = NumKeys(block);
    uint8_t bits[kPaddedKeys];  // where its byte begins
    uint64_t counts = 0;
    for (uint32_t i = 0; i < n; ++i) {
      bits[i] = static_cast<uint8_t>(56 - 8 * EighthOf(from[i]));
      counts += uint64_t{1} << bits[i];
    }
    uint64_t at = counts * 0x0101010101010101 << 8;  // the sums of the bytes below
    BlockTask task;
    task.g = keys;
    task.num_keys = n;
    task.block = range_.blocks + 64 * block;
    for (uint32_t u = 0; u < 8; ++u) task.before[u] = static_cast<uint8_t>(at >> (56 - 8 * u));
    for (uint32_t i = 0; i < n; ++i) {
      keys[at >> bits[i] & 0xff] = from[i];
      at += uint64_t{1} << bits[i];
    }
    return task;
  }
  // Takes any number of keys.
  void SolveDense(uint64_t block) {
    DropDuplicates(block);
    internal::SolveDense(scratch_.keys + begins(block), NumKeys(block), &scratch_.work->dense,
                         range_.blocks + 64 * block);
  }

  uint32_t& begins(uint64_t block) { return scratch_.begins[block]; }
  uint32_t begins(uint64_t block) const { return scratch_.begins[block]; }
  uint32_t NumKeys(uint64_t block) const { return scratch_.ends[block] - begins(block); }

  uint64_t num_blocks_in_body_;
  const BlockRange& range_;
  const Solvers& solvers_;
  Scratch scratch_;
};

}  // namespace

uint64_t RetrievalScratchBytes(uint64_t num_blocks, uint64_t num_hashes) {
  return RoundUp64(sizeof(RetrievalWork)) + RoundUp64(4 * num_hashes) + (kMostSolvers + 2) * RoundUp64(4 * num_blocks) +
         RoundUp64(sizeof(Retried) * num_blocks);
}

void RetrievalBuildRange(const ProbeState& state, const BlockRange& range, void* scratch) {
  RangeBuilder(state, range, scratch).Build();
}

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
