#include "lib/layouts/retrieval/solver/dense.h"

#include <cstring>

#include "lib/base/endian.h"
#include "lib/layouts/retrieval/key.h"

namespace linefilter::internal {
namespace {

// Lanes are the bits of each word that constraint n sums up: those of all lanes whose number (digits: three of the
// word, its half, odd) includes n's.
struct Lanes {
  uint64_t words[8];
};

Lanes LanesOf(uint32_t n) {
  Lanes lanes;
  for (uint32_t word = 0; word < 8; ++word) {
    uint64_t bits = (word & n & 7) == (n & 7) ? ~uint64_t{0} : 0;
    if ((n & 8) != 0) bits &= 0xffffffff00000000;
    if ((n & 16) != 0) bits &= 0xffff0000ffff0000;
    lanes.words[word] = bits;
  }
  return lanes;
}

class Dense {
 public:
  explicit Dense(DenseWorkspace* work) : work_(work) { memset(pivots_, 0, sizeof(pivots_)); }

  // False if the equation contradicts the others; then it is not taken.
  bool Add(uint64_t (&row)[8], uint32_t value) {
    for (uint32_t word = 0; word < 8; ++word) {
      for (uint64_t left; (left = row[word] & pivots_[word]) != 0;) {
        const uint32_t column = 64 * word + static_cast<uint32_t>(__builtin_ctzll(left));
        for (int w = 0; w < 8; ++w) row[w] ^= work_->rows[column][w];
        value ^= work_->right_side[column];
      }
      if (row[word] == 0) continue;
      // The words above may still have pivots of other rows: they come later in the order of columns.
      const uint32_t column = 64 * word + static_cast<uint32_t>(__builtin_ctzll(row[word]));
      memcpy(work_->rows[column], row, sizeof(row));
      work_->right_side[column] = static_cast<uint8_t>(value);
      work_->equation[column] = num_equations_++;
      pivots_[word] |= row[word] & (0 - row[word]);
      return true;
    }
    return value == 0;
  }
  uint32_t num_equations() const { return num_equations_; }

  // The solution of the first `limit` equations, free columns zero.
  void Solve(uint32_t limit, uint64_t (&x)[8]) const {
    memset(x, 0, sizeof(x));
    for (uint32_t word = 8; word-- > 0;) {
      for (uint64_t left = pivots_[word]; left != 0;) {
        const uint32_t bit = 63 - static_cast<uint32_t>(__builtin_clzll(left));
        left ^= uint64_t{1} << bit;
        const uint32_t column = 64 * word + bit;
        if (work_->equation[column] >= limit) continue;
        uint64_t sum = 0;
        for (int w = 0; w < 8; ++w) sum ^= work_->rows[column][w] & x[w];
        x[word] |= ((static_cast<uint64_t>(__builtin_popcountll(sum)) ^ work_->right_side[column]) & 1) << bit;
      }
    }
  }

 private:
  DenseWorkspace* work_;
  uint64_t pivots_[8];
  uint32_t num_equations_ = 0;
};

// Takes constraint after constraint until one contradicts: the largest T, and how many equations it has.
uint32_t LargestHeader(const uint32_t* g, uint64_t n, Dense* dense, uint32_t* equations) {
  for (uint32_t constraint = 0; 8 * constraint < kMostHeader; ++constraint) {
    const Lanes lanes = LanesOf(constraint);
    uint32_t eighth = 7;
    *equations = dense->num_equations();
    for (uint64_t i = 0; i < n; ++i) {
      if (EighthOf(g[i]) != eighth) {
        eighth = EighthOf(g[i]);
        *equations = dense->num_equations();
      }
      uint64_t row[8];
      for (int w = 0; w < 8; ++w) row[w] = g[i] * kRowMultipliers[w] & lanes.words[w];
      if (!dense->Add(row, ConstraintValues(g[i]) >> constraint & 1)) return 8 * constraint + 7 - eighth;
    }
  }
  *equations = dense->num_equations();
  return kMostHeader;
}

}  // namespace

void SolveDense(const uint32_t* g, uint64_t n, DenseWorkspace* work, uint8_t* block) {
  Dense dense(work);
  uint32_t equations = 0;
  const uint32_t header = LargestHeader(g, n, &dense, &equations);
  uint64_t x[8];
  dense.Solve(equations, x);
  for (uint32_t w = 0; w < 8; ++w) StoreLE64(x[w] | uint64_t{header >> w & 1} << 63, block + 8 * w);
}

}  // namespace linefilter::internal
