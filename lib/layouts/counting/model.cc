// The exact expected false-positive rate of the layout `counting` (with 13 probes and more doubles cancel to 5e-12).
//
// A question asks one of 8 counters in each lane of S (S_k rotated; by symmetry not rotated). By inclusion and
// exclusion over the subsets A of S whose counters are all 0: one key of the block misses all of A with probability
//   1 - h(A),   1 - h(A) = 1/16 sum over rotations r of (7/8)^|A intersected with (S rotated by r)|
// and a block's load is Binomial(n, 1/b), or Poisson(n / b) above 1,000 blocks (block_load.h), so
//   FPR = sum over A of (-1)^|A| (1 - h(A)/b)^n   or   exp(-h(A) n / b),
// and the share n / b / 2^32 for keys that agree in all 32 bits of the in-block hash. Subsets with the same h are one
// term: there are 2 to 138 of them. The pairs of lanes alone, which suffice for `blocked`, are wrong by up to 3 % here
// (a lane has 8 positions, not 32), by 23 % with other num_probes than the best.
#include "lib/base/real.h"
#include "lib/layouts/blocks/block_load.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/counting/body.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kMostProbes = kMostProbesOfCounting;

// The terms of one num_probes.
struct Terms {
  static constexpr int kMost = 138;  // of 13 probes
  int size = 0;
  uint64_t miss[kMost] = {};  // 2^52 (1 - h): whole, as 16 rotations of 7^i 8^(16 - i) are summed up
  int32_t count[kMost] = {};  // subsets with an even number of lanes less those with an odd one

  explicit Terms(uint32_t k) {
    const uint32_t s = kLaneSubsets[k];
    uint32_t rotated[16];
    for (uint32_t r = 0; r < 16; ++r) rotated[r] = ((s << r) | (s >> (16 - r))) & 0xffff;
    uint64_t powers[17];  // 7^i 8^(16 - i)
    powers[0] = uint64_t{1} << 48;
    for (int i = 0; i < 16; ++i) powers[i + 1] = powers[i] / 8 * 7;
    for (uint32_t a = s; a != 0; a = (a - 1) & s) {  // the empty subset is the 1 in MeanFpr
      uint64_t sum = 0;
      for (const uint32_t lanes : rotated) sum += powers[__builtin_popcount(a & lanes)];
      Add(sum, __builtin_popcount(a) % 2 == 0 ? 1 : -1);
    }
  }

 private:
  // In ascending order of `miss`.
  void Add(uint64_t sum, int32_t sign) {
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (miss[middle] < sum) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == size || miss[low] != sum) {
      for (int i = size++; i > low; --i) miss[i] = miss[i - 1], count[i] = count[i - 1];
      miss[low] = sum;
      count[low] = 0;
    }
    count[low] += sign;
  }
};

// They are made when they are first asked for: 16 probes have 65536 subsets, but nobody asks for many probes.
template <uint32_t k>
const Terms& TermsOf() {
  static const Terms terms(k);
  return terms;
}

template <uint32_t k = 1>
const Terms& FindTerms(uint32_t num_probes) {
  if constexpr (k == kMostProbes) {
    return TermsOf<k>();
  } else {
    return num_probes == k ? TermsOf<k>() : FindTerms<k + 1>(num_probes);
  }
}

// exponent(h) of a key in the mean `load` is that of the probability that all keys miss it.
template <class Exponent>
double MeanOfTerms(uint32_t k, double load, const Exponent& exponent) {
  const Terms& terms = FindTerms(k);
  double fpr = 0;  // of each term less 1, so that what is left of few keys is not lost: all counts and the 1 are 0
  for (int i = 0; i < terms.size; ++i) {
    const double h = 1 - static_cast<double>(terms.miss[i]) / 4503599627370496.0;
    fpr += terms.count[i] * ExpOfNegativeLess1(exponent(h));
  }
  if (fpr < 0) fpr = 0;
  fpr += (1 - fpr) * load / 4294967296.0;
  return fpr < 1 ? fpr : 1;
}

double ExpectedFprOfBlocks(uint64_t num_keys, uint64_t body_bytes, uint32_t k) {
  const uint64_t num_blocks = body_bytes / 64;
  const double n = static_cast<double>(num_keys), b = static_cast<double>(num_blocks), load = n / b;
  if (num_blocks > kPoissonBlocks) return MeanOfTerms(k, load, [load](double h) { return -load * h; });
  return MeanOfTerms(k, load, [n, b](double h) { return n * LnOfRest(h / b); });
}

double LimitFpr(double bits_per_key, uint32_t k) {
  const double load = 512 / bits_per_key;
  return MeanOfTerms(k, load, [load](double h) { return -load * h; });
}

// The guess goes from 2 probes at 10 bits per key to 7 at 64.
uint32_t Guess(double bits_per_key) { return static_cast<uint32_t>(1 + bits_per_key / 8); }

}  // namespace

// The error found is 1e-9 (tests/layouts/counting/counting_test.cc).
extern const LayoutMaker kCountingMaker;
constexpr LayoutMaker kCountingMaker = {{Layout::kCounting, kMostProbes, 64, 64, uint64_t{64} << 32,
                                         ExpectedFprOfBlocks, LimitFpr, Guess, false, false, 1e-6, 0, 0},
                                        4096,
                                        CountingBuildRange,
                                        nullptr,
                                        CountingFoldBlocks,
                                        CountingFoldedFpr};

}  // namespace linefilter::internal
