#include "bench/noise.h"

#include <algorithm>
#include <cmath>

#include "bench/results.h"

namespace linefilter::bench {
namespace {

// Intervals of 88 % that do not overlap are medians that differ by 2.2 deviations of their difference: 97 of 100 rows
// that are the same overlap, before (2) is added. Of 15 repetitions the fifth least and the fifth greatest.
constexpr double kConfidence = 0.88;
constexpr double kToDeviation = 1.4826;   // of the median of absolute values, to a normal distribution's deviation
constexpr double kLeastDrift = 0.005;     // where memory lies differs from run to run, and no pass shows it
constexpr double kUnknownScatter = 0.02;  // of a file that cannot tell: what two runs on a shared machine differed by
constexpr size_t kFewest = 5;             // repetitions of which anything can be said

// By how much the medians of the first and of the second half differ, relatively.
double HalvesDiffer(const std::vector<double>& each) {
  const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
  const double first = Median({each.begin(), middle}), second = Median({middle, each.end()});
  return first > 0 && second > 0 ? std::abs(std::log(second / first)) : 0;
}

// By how much they do so by chance, without any drift: the deviation of a median of n is 1.25 / sqrt(n) of one's.
double HalvesDifferByChance(double scatter, size_t n) {
  return scatter * 1.25 * std::sqrt(2 / (static_cast<double>(n) / 2));
}

double Scatter(const std::vector<double>& each) {
  const double median = Median(each);
  std::vector<double> differences;
  for (const double ns : each) differences.push_back(median > 0 ? std::abs(ns / median - 1) : 0);
  return kToDeviation * Median(std::move(differences));
}

}  // namespace

size_t MedianRank(size_t n, double confidence) {
  // The median lies outside of ranks r .. n-1-r when at most r of n fair coins show the one side, or the other.
  double below = 0, choose = 1;
  size_t rank = 0;
  for (size_t r = 0; 2 * r + 1 < n; ++r) {
    below += choose * std::pow(0.5, static_cast<double>(n));
    if (1 - 2 * below < confidence) break;
    rank = r;
    choose = choose * static_cast<double>(n - r) / static_cast<double>(r + 1);
  }
  return rank;
}

// Rows whose repetitions were spread over the run, of one size or of all.
struct Noise::Spread {
  std::vector<double> drifts, scatters;

  Level LevelOf(size_t passes) const {
    Level level;
    level.scatter = Median(scatters);
    const double all = kToDeviation * Median(drifts), chance = HalvesDifferByChance(level.scatter, passes);
    level.drift = std::max(kLeastDrift, std::sqrt(std::max(0.0, all * all - chance * chance)));
    return level;
  }
};

Noise::Noise(const LoadedFile& file) : passes_(static_cast<size_t>(file.passes)) {
  all_ = {kUnknownScatter, kUnknownScatter};
  Spread all;
  std::map<std::string, Spread> by_size;
  for (const LoadedRow& row : file.rows) {
    if (passes_ < kFewest || !IsSpread(row) || row.ns <= 0) continue;
    const double drift = HalvesDiffer(row.ns_each), scatter = Scatter(row.ns_each);
    for (Spread* const spread : {&all, &by_size[row.size]}) {
      spread->drifts.push_back(drift);
      spread->scatters.push_back(scatter);
    }
    constexpr uint64_t kBeyondCaches = uint64_t{256} << 20;
    if (row.floor && row.body_bytes >= kBeyondCaches) memory_scatter_[row.access] = scatter;
  }
  if (all.drifts.empty()) return;
  all_ = all.LevelOf(passes_);
  constexpr size_t kFewestRows = 8;
  for (const auto& [size, spread] : by_size) {
    if (spread.drifts.size() >= kFewestRows) by_size_[size] = spread.LevelOf(passes_);
  }
}

bool Noise::IsSpread(const LoadedRow& row) const { return passes_ > 0 && row.ns_each.size() >= passes_; }

// Part (2) of the interval, to each side.
double Noise::WidthOf(const LoadedRow& row) const {
  const auto of_size = by_size_.find(row.size);
  const Level& level = of_size == by_size_.end() ? all_ : of_size->second;
  if (IsSpread(row)) return level.drift;
  const auto of_memory = memory_scatter_.find(row.access);
  const double scatter =
      std::max({level.scatter, level.drift, of_memory == memory_scatter_.end() ? 0 : of_memory->second});
  return row.ns_each.size() >= kFewest ? 2 * scatter : 4 * scatter;
}

Estimate Noise::Of(const LoadedRow& row) const {
  std::vector<double> each = row.ns_each;
  std::sort(each.begin(), each.end());
  const size_t rank = MedianRank(each.size(), kConfidence);
  const double width = WidthOf(row);
  Estimate estimate;
  estimate.ns = Median(each);
  estimate.low = each[rank] / (1 + width);
  estimate.high = each[each.size() - 1 - rank] * (1 + width);
  return estimate;
}

}  // namespace linefilter::bench
