#include "bench/peers/independent.h"

#include <cmath>
#include <map>
#include <mutex>

namespace linefilter::bench {

double IndependentBlockFpr(uint32_t num_probes, double j) {
  // The k-th moment of the block's fill: of its mean, and of its variance, without which 20 bits per key lack 4 %.
  const double throws = num_probes * j, m = 512, k = num_probes;
  const double unset = std::pow(1 - 1 / m, throws), both_unset = std::pow(1 - 2 / m, throws);
  const double variance = unset / m + (1 - 1 / m) * both_unset - unset * unset;
  const double fill = 1 - unset;
  return std::pow(fill, k) * (1 + k * (k - 1) / 2 * variance / (fill * fill));
}

namespace {

uint32_t BestNumProbes(double bits_per_key) {
  uint32_t best = 1;
  double best_fpr = 1;
  for (uint32_t k = 1; k <= kMaxIndependentProbes; ++k) {
    const double fpr = MeanOverLoads(512 / bits_per_key, k, IndependentBlockFpr);
    if (fpr < best_fpr) {
      best = k;
      best_fpr = fpr;
    }
  }
  return best;
}

}  // namespace

// Remembered: a library would have a table, and building is timed.
uint32_t IndependentNumProbes(double bits_per_key) {
  static std::mutex mutex;
  static std::map<double, uint32_t> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(bits_per_key);
  return found != known.end() ? found->second : known[bits_per_key] = BestNumProbes(bits_per_key);
}

}  // namespace linefilter::bench
