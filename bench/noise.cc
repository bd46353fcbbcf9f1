#include "bench/noise.h"

#include <algorithm>
#include <cmath>

#include "bench/results.h"

namespace linefilter::bench {
namespace {

// Intervals of two rows that are the same overlap in 97 of 100 cases where both are known equally well: the deviation
// of their difference is sqrt(2) times one's, and 2 * 1.55 = 2.19 * sqrt(2).
constexpr double kDeviations = 1.55;
constexpr double kToDeviation = 1.4826;  // of the median of absolute values, to a normal distribution's deviation
constexpr double kOfMedian = 1.2533;     // the deviation of a median of n is this / sqrt(n) of a single value's
constexpr double kLeastDrift = 0.004;    // of halves that are alike by luck
// Two runs of the portable file on Zen 5 (family 26, model 2), a machine that is shared: filters of 512 MB, which live
// alone, differed by 1.1 % in their lookups beyond what their repetitions say, and in a single build by 3 %.
constexpr double kPlace = 0.011;
constexpr double kOnce = 0.03;
constexpr double kUnknownScatter = 0.02;  // of a file that cannot tell: what two runs on a shared machine differed by
constexpr size_t kFewest = 5;             // repetitions of which anything can be said

// By how much the medians of the first and of the second half differ, relatively.
double HalvesDiffer(const std::vector<double>& each) {
  const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
  const double first = Median({each.begin(), middle}), second = Median({middle, each.end()});
  return first > 0 && second > 0 ? std::abs(std::log(second / first)) : 0;
}

// The deviation of that difference by chance, without any drift.
double HalvesDifferByChance(double scatter, size_t n) {
  return scatter * kOfMedian * std::sqrt(2 / (static_cast<double>(n) / 2));
}

double Scatter(const std::vector<double>& each) {
  const double median = Median(each);
  std::vector<double> differences;
  for (const double ns : each) differences.push_back(median > 0 ? std::abs(ns / median - 1) : 0);
  return kToDeviation * Median(std::move(differences));
}

// Rows whose repetitions were spread over the run, of one size or of all.
struct Spread {
  std::vector<double> differences, scatters;

  // Half of what two halves differ by beyond chance: a whole run is known better than its halves.
  double Drift(size_t passes) const {
    const double all = kToDeviation * Median(differences), chance = HalvesDifferByChance(Median(scatters), passes);
    return std::max(kLeastDrift, std::sqrt(std::max(0.0, all * all - chance * chance)) / 2);
  }
};

}  // namespace

Noise::Noise(const LoadedFile& file)
    : passes_(static_cast<size_t>(file.passes)), drift_(kUnknownScatter), scatter_(kUnknownScatter) {
  Spread all;
  std::map<std::string, Spread> by_size;
  for (const LoadedRow& row : file.rows) {
    if (!IsSpread(row) || row.ns <= 0) continue;
    for (Spread* const spread : {&all, &by_size[row.size]}) {
      spread->differences.push_back(HalvesDiffer(row.ns_each));
      spread->scatters.push_back(Scatter(row.ns_each));
    }
  }
  if (all.scatters.empty()) return;
  drift_ = all.Drift(passes_);
  scatter_ = Median(all.scatters);
  constexpr size_t kFewestRows = 8;
  for (const auto& [size, spread] : by_size) {
    if (spread.scatters.size() >= kFewestRows) drift_of_size_[size] = spread.Drift(passes_);
  }
}

// After a few passes of a run that was interrupted nothing is known about drift.
bool Noise::IsSpread(const LoadedRow& row) const { return passes_ >= kFewest && row.ns_each.size() >= passes_; }

double Noise::DeviationOf(const LoadedRow& row) const {
  const size_t n = row.ns_each.size();
  const double scatter = n >= kFewest ? Scatter(row.ns_each) : std::max(scatter_, kOnce);
  const double chance = scatter * kOfMedian / std::sqrt(static_cast<double>(n));
  const auto found = drift_of_size_.find(row.size);
  const double drift = found == drift_of_size_.end() ? drift_ : found->second;
  return std::sqrt(chance * chance + drift * drift + (IsSpread(row) ? 0 : kPlace * kPlace));
}

Estimate Noise::Of(const LoadedRow& row) const {
  const double width = kDeviations * DeviationOf(row);
  Estimate estimate;
  estimate.ns = Median(row.ns_each);
  estimate.low = estimate.ns / (1 + width);
  estimate.high = estimate.ns * (1 + width);
  return estimate;
}

}  // namespace linefilter::bench
