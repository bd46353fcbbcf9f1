// The expected false-positive rate of the layout `blocked`.
//
// A block with j keys: a bit of a lane is unset with probability u = (1 - k/512)^j, so a lane passes with p = 1 - u.
// The k lanes of a question are nearly independent: which keys hit two lanes at once follows from the autocorrelation
// of the rotated subset, and gives the pairwise covariance exactly. So
//   FPR_j = p^k (1 + sum of covariances / p^2) + j / 2^32,
// the last term is for keys that agree in all 32 bits of the in-block hash. Where few bits are set, fewer than any best
// num_probes sets, FPR_j is exact, from a table (nearly_empty_blocks.h). Against the full inclusion-exclusion over
// subsets of lanes (tests/layouts/expected_fpr_test.cc) this is right to 0.14 % from 4 to 24 bits per key with the best
// num_probes, to 1.7 % with any and for any load (tests/layouts/low_load_test.cc).
#include "lib/base/real.h"
#include "lib/layouts/blocked/body.h"
#include "lib/layouts/blocks/bit_blocks.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/block_load.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/blocks/nearly_empty_blocks.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {
namespace {

// How often each difference of two lanes of S_k has `count` pairs. There are two or three values: the subsets are flat.
struct PairGroups {
  int size = 0;
  double weight[16];  // pairs of lanes with this overlap
  double both[16];    // probability that one key leaves the asked bits of both lanes unset
};

PairGroups GroupPairs(uint32_t k) {
  PairGroups groups;
  int differences_with[17] = {0};
  const uint32_t s = kLaneSubsets[k];
  for (int d = 1; d < 16; ++d) {
    const uint32_t rotated = ((s << d) | (s >> (16 - d))) & 0xffff;
    ++differences_with[__builtin_popcount(s & rotated)];
  }
  for (int overlap = 1; overlap <= 16; ++overlap) {
    if (differences_with[overlap] == 0) continue;
    groups.weight[groups.size] = differences_with[overlap] * overlap / 2.0;
    groups.both[groups.size] = 1 - 2 * k / 512.0 + overlap / (16.0 * 32 * 32);
    ++groups.size;
  }
  return groups;
}

// How much of the exact rates goes into the mean: all where a body has few bits, nothing where a best num_probes has so
// many (from 240 on, with the probes of the table). So sizes follow from pairs alone, and the rate still rises with the
// keys in between.
double ShareOfExact(uint32_t k, double mean_load) {
  constexpr double kAll = 96, kNothing = 192;  // bits that the keys of a block choose
  const double bits = k * mean_load;
  return bits <= kAll ? 1 : bits >= kNothing ? 0 : (kNothing - bits) / (kNothing - kAll);
}

// FPR_j for j = first, first + 1, ...
class BlockFpr {
 public:
  BlockFpr(uint32_t k, double mean_load, uint64_t first)
      : k_(k), share_of_exact_(ShareOfExact(k, mean_load)), load_(static_cast<double>(first)), groups_(GroupPairs(k)) {
    most_exact_ = share_of_exact_ > 0 ? MostExactKeys(k) : 0;
    unset_ = IntPow(1 - k / 512.0, first);
    for (int g = 0; g < groups_.size; ++g) both_unset_[g] = IntPow(groups_.both[g], first);
  }
  double Value() const {
    if (unset_ >= 1) return 0;
    double fpr = OfPairs();
    if (load_ <= most_exact_) fpr += share_of_exact_ * (ExactRate(k_, static_cast<uint32_t>(load_)) - fpr);
    fpr += (1 - fpr) * load_ / 4294967296.0;
    return fpr < 1 ? fpr : 1;
  }
  void Next() {
    load_ += 1;
    unset_ *= 1 - k_ / 512.0;
    for (int g = 0; g < groups_.size; ++g) both_unset_[g] *= groups_.both[g];
  }

 private:
  double OfPairs() const {
    const double p = 1 - unset_;
    double covariance = 0;
    for (int g = 0; g < groups_.size; ++g) covariance += groups_.weight[g] * (both_unset_[g] - unset_ * unset_);
    const double fpr = IntPow(p, k_) * (1 + covariance / (p * p));
    return fpr < 0 ? 0 : fpr;  // 13 to 15 probes, one or two keys: what is left out is below 1e-15
  }

  uint32_t k_;
  double share_of_exact_;
  double most_exact_;
  double load_;
  PairGroups groups_;
  double unset_;
  double both_unset_[16];
};

double MeanOfBlocks(const Load& load, uint32_t k) {
  return MeanFpr(load, [k, &load](uint64_t first) { return BlockFpr(k, load.mean, first); });
}

double ExpectedFprOfBlocks(uint64_t num_keys, uint64_t body_bytes, uint32_t k) {
  const uint64_t num_blocks = body_bytes / 64;
  if (num_blocks == 1) return BlockFpr(k, static_cast<double>(num_keys), num_keys).Value();
  return MeanOfBlocks(LoadOf(num_keys, num_blocks), k);
}

double LimitFpr(double bits_per_key, uint32_t k) { return MeanOfBlocks(LimitLoad(bits_per_key), k); }

// The guess goes from 5 probes at 8 bits per key to 13 at 24.
uint32_t Guess(double bits_per_key) { return static_cast<uint32_t>(1 + bits_per_key / 2); }

}  // namespace

// The errors found are 0.134 % with the best num_probes, 1.2 % with others (few probes in a nearly empty block; the
// model leaves out keys that hit three asked lanes at once). tests/layouts/expected_fpr_test.cc holds it to them.
extern const LayoutMaker kBlockedMaker;
constexpr LayoutMaker kBlockedMaker = {{Layout::kBlocked, kMostProbesOfBlocked, 64, 64, uint64_t{64} << 32,
                                        ExpectedFprOfBlocks, LimitFpr, Guess, false, false, 0.0014, 0.013, 0},
                                       4096,
                                       BlockedBuildRange,
                                       nullptr,
                                       FoldBitBlocks<kBlockBytes>,
                                       BlockedFoldedFpr};

}  // namespace linefilter::internal
