// The last level of the retrieval solver (retrieval_solve-inl.h): all columns that the levels before left free, packed
// side by side, with blocks as lanes. Equations come in the order of T's steps until one contradicts.

#if defined(LINEFILTER_LIB_KERNELS_RETRIEVAL_REST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_KERNELS_RETRIEVAL_REST_INL_H_
#undef LINEFILTER_LIB_KERNELS_RETRIEVAL_REST_INL_H_
#else
#define LINEFILTER_LIB_KERNELS_RETRIEVAL_REST_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/kernels/retrieval_clusters-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// The free columns of one unit of a block, or of one unit's part of a cluster: of key q, those at columns[step * q].
struct Piece {
  const uint64_t* columns;
  uint32_t step;
  uint8_t shift, width;
  uint8_t part;     // the unit, or the cluster
  uint16_t offset;  // where they lie in a packed row
};

template <int kPieces>
struct Pieces {
  Piece piece[kPieces];
  uint32_t columns;  // in all

  void Lay() {
    columns = 0;
    for (Piece& p : piece) {
      p.offset = static_cast<uint16_t>(columns);
      columns += p.width;
    }
  }
};

// words |= bits << offset; bits may reach into the next word.
HWY_INLINE void PutBits(uint64_t bits, uint32_t offset, uint64_t* words) {
  uint64_t* const word = words + offset / 64;
  const uint32_t shift = offset % 64;
  word[0] |= bits << shift;
  word[1] |= bits >> 1 >> (63 - shift);
}

// A block's rows, and what each of its constraints sums up: the pieces of all parts that include it.
template <int kPieces>
HWY_NOINLINE void PackBlock(const Group& group, int block, const Pieces<kPieces>& pieces, size_t num_constraints,
                            size_t num_words) {
  RetrievalWork& work = *group.work;
  for (size_t m = 0; m < num_constraints; ++m) {
    uint64_t mask[9] = {};
    for (const Piece& piece : pieces.piece) {
      if ((piece.part & m) == m) PutBits(Ones(piece.width), piece.offset, mask);
    }
    for (size_t w = 0; w < num_words; ++w) work.masks[8 * (num_words * m + w) + static_cast<size_t>(block)] = mask[w];
  }
  for (size_t q = 0; q < group.padded_keys; ++q) {
    uint64_t* word = work.packed + 8 * num_words * q + block;
    uint64_t* const end = word + 8 * num_words;
    uint64_t bits = 0;
    uint32_t used = 0;
    LINEFILTER_UNROLL
    for (int i = 0; i < kPieces; ++i) {
      const Piece& piece = pieces.piece[i];
      const uint64_t columns = piece.columns[piece.step * q] >> piece.shift & Ones(piece.width);
      bits |= columns << used;
      used += piece.width;
      if (used >= 64) {  // the same for all keys of a block, so foreseen
        used -= 64;
        *word = bits;
        word += 8;
        bits = used == 0 ? 0 : columns >> (piece.width - used);
      }
    }
    for (; word != end; word += 8, bits = 0) *word = bits;
  }
}

// A lane without a block.
HWY_INLINE void PackNothing(const Group& group, int block, size_t num_constraints, size_t num_words) {
  RetrievalWork& work = *group.work;
  const size_t lane = static_cast<size_t>(block);
  for (size_t i = 0; i < num_constraints * num_words; ++i) work.masks[8 * i + lane] = 0;
  for (size_t i = 0; i < group.padded_keys * num_words; ++i) work.packed[8 * i + lane] = 0;
  for (size_t q = 0; q < group.padded_keys; ++q) work.rest_sides[8 * q + lane] = 0;
}

// Takes equations until every lane has failed; returns their number. failed: in, 0 for lanes that need not be solved;
// out, the first contradiction, as constraint * most_keys + key.
template <int kWords>
HWY_NOINLINE size_t ReduceRest(const Group& group, size_t num_constraints, size_t lane, uint64_t* failed) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  System<kWords> system;
  system.rows = work.rest_rows;
  system.pivots = work.rest_pivots;
  system.Clear();
  Vec fails = lanes::Load(failed + lane);
  Tile<kWords> tile;
  for (size_t m = 0; m < num_constraints; ++m) {
    const uint64_t* const masks = work.masks + 8 * kWords * m + lane;
    const Vec bit = lanes::Set(uint64_t{1} << m);
    for (size_t q = 0; q < group.most_keys; q += kTileRows<kWords>) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < kTileRows<kWords>; ++t) {
        const uint64_t* const packed = work.packed + 8 * kWords * (q + t) + lane;
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          tile[t][w] = lanes::And(lanes::Load(packed + 8 * w), lanes::Load(masks + 8 * w));
        }
        const lanes::Mask demanded = lanes::Meets(lanes::Load(work.rest_sides + 8 * (q + t) + lane), bit);
        tile[t][kWords - 1] = lanes::Or(tile[t][kWords - 1], lanes::IfThenElseZero(demanded, lanes::Set(kRightSide)));
      }
      ReduceByAll<kWords>(system, lane, tile);
      AppendTile<kWords>(system, lane, tile, &fails);
      // Behind the last key a tile is zero: the next one takes its place.
      const size_t left = group.most_keys - q;
      system.num_rows += left < kTileRows<kWords> ? left : kTileRows<kWords>;
      if (lanes::AllTrue(lanes::IsLess(fails, lanes::Set(kNever)))) {
        lanes::Store(fails, failed + lane);
        return system.num_rows;
      }
    }
  }
  lanes::Store(fails, failed + lane);
  return system.num_rows;
}

// How a group of blocks went, so far.
struct Found {
  Outcome outcome[8];
  uint32_t header[8];
};

// The header of a block from its first contradiction, and how many equations it takes. constraint: the first of the
// rest; is_last: no key has more constraints than those.
HWY_INLINE void FindHeader(const Group& group, uint32_t constraint, bool is_last, size_t block, uint64_t failed,
                           Found* found, uint64_t* limit) {
  *limit = kNever;
  if (failed >= kNever) {
    found->outcome[block] = is_last ? Outcome::kSolved : Outcome::kNotFull;
    found->header[block] = internal::kMostHeader;
    return;
  }
  const uint64_t m = failed / group.most_keys, q = failed % group.most_keys;
  const BlockTask& task = *group.tasks[block];
  const uint32_t eighth = internal::EighthOf(task.g[q]);
  *limit = m * group.most_keys + task.before[eighth];
  found->outcome[block] = Outcome::kSolved;
  found->header[block] = static_cast<uint32_t>(8 * (constraint + m) + 7 - eighth);
}

template <int kWords>
HWY_INLINE void SolveRestOfWords(const Group& group, uint32_t constraint, size_t num_constraints, uint64_t* failed,
                                 Found* found) {
  alignas(64) uint64_t limit[8];
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    const size_t num_rows = ReduceRest<kWords>(group, num_constraints, lane, failed);
    for (size_t block = lane; block < lane + lanes::kLanes; ++block) {
      limit[block] = 0;
      if (block < group.num_tasks && found->outcome[block] == Outcome::kSolved) {
        FindHeader(group, constraint, constraint + num_constraints == 31, block, failed[block], found, limit + block);
      }
    }
    lanes::Vec x[1][kWords];
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) x[0][w] = lanes::Zero();
    SolveBackwards<kWords, 1>(group.work->rest_rows + lane, num_rows, 0, lanes::Load(limit + lane), x);
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) lanes::Store(x[0][w], group.work->rest_free + 8 * w + lane);
  }
}

// constraint: the number of the first constraint that is left; num_constraints: how many there are.
HWY_NOINLINE void SolveRest(const Group& group, size_t num_words, uint32_t constraint, size_t num_constraints,
                            uint64_t* failed, Found* found) {
  switch (num_words) {
    case 1:
      return SolveRestOfWords<1>(group, constraint, num_constraints, failed, found);
    case 2:
      return SolveRestOfWords<2>(group, constraint, num_constraints, failed, found);
    case 3:
      return SolveRestOfWords<3>(group, constraint, num_constraints, failed, found);
    case 4:
      return SolveRestOfWords<4>(group, constraint, num_constraints, failed, found);
    case 5:
      return SolveRestOfWords<5>(group, constraint, num_constraints, failed, found);
    case 6:
      return SolveRestOfWords<6>(group, constraint, num_constraints, failed, found);
    case 7:
      return SolveRestOfWords<7>(group, constraint, num_constraints, failed, found);
    default:
      return SolveRestOfWords<8>(group, constraint, num_constraints, failed, found);
  }
}

// The bits of a piece in the solution.
HWY_INLINE uint64_t SolutionOf(const Group& group, int block, const Piece& piece) {
  const uint64_t* const word = group.work->rest_free + 8 * (piece.offset / 64) + block;
  const uint32_t shift = piece.offset % 64;
  return (word[0] >> shift | word[8] << 1 << (63 - shift)) & Ones(piece.width);
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_KERNELS_RETRIEVAL_REST_INL_H_
