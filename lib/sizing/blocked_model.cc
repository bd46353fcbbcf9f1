// Expected false-positive rate of the layout `blocked`.
//
// A block with j keys: a bit of a lane is unset with probability u = (1 - k/512)^j, so a lane passes with p = 1 - u.
// The k lanes of a question are nearly independent: which keys hit two lanes at once follows from the autocorrelation
// of the rotated subset, and gives the pairwise covariance exactly. So
//   FPR_j = p^k (1 + sum of covariances / p^2) + j / 2^32,
// the last term for keys that agree in all 32 bits of the in-block hash.
// Against the full inclusion-exclusion over subsets of lanes (tests/expected_fpr_test.cc) the pairs alone are right to
// 0.14 % from 4 to 24 bits per key with the best num_probes, to 2.1 % with any.
#include "lib/bits/lane_subsets.h"
#include "lib/bits/real.h"
#include "lib/sizing/block_load.h"
#include "lib/sizing/model.h"

namespace linefilter::internal {
namespace {

// How often each difference of two lanes of S_k has `count` pairs. Two or three values, because the subsets are flat.
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

// FPR_j for j = first, first + 1, ...
class BlockFpr {
 public:
  BlockFpr(uint32_t k, uint64_t first) : k_(k), load_(static_cast<double>(first)), groups_(GroupPairs(k)) {
    unset_ = IntPow(1 - k / 512.0, first);
    for (int g = 0; g < groups_.size; ++g) both_unset_[g] = IntPow(groups_.both[g], first);
  }
  double Value() const {
    const double p = 1 - unset_;
    if (p <= 0) return 0;
    double covariance = 0;
    for (int g = 0; g < groups_.size; ++g) covariance += groups_.weight[g] * (both_unset_[g] - unset_ * unset_);
    const double independent = IntPow(p, k_);
    double fpr = independent * (1 + covariance / (p * p));
    if (fpr < 0) fpr = 0;  // loads of one or two keys, where fpr is below 1e-9
    fpr += (1 - fpr) * load_ / 4294967296.0;
    return fpr < 1 ? fpr : 1;
  }
  void Next() {
    load_ += 1;
    unset_ *= 1 - k_ / 512.0;
    for (int g = 0; g < groups_.size; ++g) both_unset_[g] *= groups_.both[g];
  }

 private:
  uint32_t k_;
  double load_;
  PairGroups groups_;
  double unset_;
  double both_unset_[16];
};

double ExpectedFprOfBlocks(uint64_t num_keys, uint64_t body_bytes, uint32_t k) {
  const uint64_t num_blocks = body_bytes / 64;
  if (num_blocks == 1) return BlockFpr(k, num_keys).Value();
  return MeanFpr(LoadOf(num_keys, num_blocks), [k](uint64_t first) { return BlockFpr(k, first); });
}

double LimitFpr(double bits_per_key, uint32_t k) {
  return MeanFpr(LimitLoad(bits_per_key), [k](uint64_t first) { return BlockFpr(k, first); });
}

// From 5 probes at 8 bits per key to 13 at 24.
uint32_t Guess(double bits_per_key) { return static_cast<uint32_t>(1 + bits_per_key / 2); }

}  // namespace

const Model kBlockedModel = {Layout::kBlocked,    1,        16,    64,   64, uint64_t{64} << 32,
                             ExpectedFprOfBlocks, LimitFpr, Guess, false, false};

}  // namespace linefilter::internal
