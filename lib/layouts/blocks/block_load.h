// The models of all layouts of blocks share this mean over the loads of blocks. With n keys in b blocks a load
// is Binomial(n, 1/b); above 1,000 blocks Poisson(n / b).
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOAD_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOAD_H_

#include <cstdint>

namespace linefilter::internal {

// The weights of the loads around their mode, as ratios of neighbours: weight(j + 1) / weight(j) = (n - j) q / (j + 1).
struct Load {
  double n;  // infinite for Poisson, with q * n = mean: see Ratio
  double q;
  double mean;
  bool poisson;
  double Ratio(double j) const { return (poisson ? mean : (n - j) * q) / (j + 1); }
};

inline constexpr uint64_t kPoissonBlocks = 1000;  // Poisson above so many

// Makes the load of more than one block.
inline Load LoadOf(uint64_t num_keys, uint64_t num_blocks) {
  const double n = static_cast<double>(num_keys), b = static_cast<double>(num_blocks);
  return {n, 1 / (b - 1), n / b, num_blocks > kPoissonBlocks};
}
inline Load LimitLoad(double bits_per_key, double bits_per_block = 512) {
  return {0, 0, bits_per_block / bits_per_key, true};
}

// Beyond this load every answer is "maybe": it bounds the work, not the result.
inline constexpr double kHopelessLoad = 20000;

// from(j) makes an object whose Value() is FPR_j and whose Next() goes on to j + 1.
template <class From>
double MeanFpr(const Load& load, const From& from) {
  if (load.mean > kHopelessLoad) return from(static_cast<uint64_t>(kHopelessLoad)).Value();
  // This goes down from the mode until the rest weighs nothing, then up from there.
  double j = static_cast<double>(static_cast<uint64_t>(load.mean)), weight = 1;
  while (j > 0 && weight > 1e-18) {
    j -= 1;
    weight /= load.Ratio(j);
  }
  double sum = 0, total = 0;
  auto fpr = from(static_cast<uint64_t>(j));
  for (; weight > 1e-30 || j < load.mean; j += 1) {  // the largest loads have the most false positives
    sum += weight * fpr.Value();
    total += weight;
    weight *= load.Ratio(j);
    fpr.Next();
  }
  return sum / total;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOAD_H_
