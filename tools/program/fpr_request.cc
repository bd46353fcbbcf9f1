#include "tools/program/fpr_request.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "linefilter/interval.h"
#include "linefilter/sizing.h"

namespace linefilter::tools {
namespace {

// Nobody waits for more: hours on many cores.
constexpr double kMostQueries = 1e12;
// Nor for a verdict: ten minutes on two cores.
constexpr double kMostQueriesOfLimit = 1e11;

}  // namespace

double QueriesForPrecision(const FprRequest& fpr, double rate) {
  if (!(rate > 0 && rate < 1)) return 0;
  const double needed = static_cast<double>(TrialsForPrecision(rate, fpr.precision, fpr.confidence));
  // Fewer false positives than expected may be counted, and a rate may be 1 % below the model's.
  return needed * (1.01 + 4 / std::sqrt(needed * rate)) + 1;
}

uint64_t NumQueries(const FprRequest& fpr, double expected_fpr) {
  if (fpr.num_queries != 0) return fpr.num_queries;
  const double needed = QueriesForPrecision(fpr, expected_fpr);
  if (needed == 0) return 1000000;
  return static_cast<uint64_t>(fpr.precision_given ? std::min(needed, 1e19) : std::clamp(needed, 1e6, 1e8));
}

double ModelFpr(const FprRequest& fpr, double* bits_per_key) {
  Sizing sizing;
  *bits_per_key = fpr.bits_per_key;
  if (!SizeForBitsPerKey(fpr.layout, fpr.num_keys, fpr.bits_per_key, &sizing).ok()) return 0;
  *bits_per_key = sizing.bits_per_key;
  if (fpr.probes == 0) return sizing.expected_fpr;
  return ExpectedFpr(fpr.layout, fpr.num_keys, sizing.body_bytes, static_cast<uint32_t>(fpr.probes));
}

std::string RefuseQueries(const FprRequest& fpr, double expected_fpr) {
  char sentence[300] = "";
  const double needed = fpr.num_queries == 0 && fpr.precision_given ? QueriesForPrecision(fpr, expected_fpr) : 0;
  const uint64_t queries = NumQueries(fpr, expected_fpr) / fpr.seeds, most = fpr.family->max_keys;
  if (needed > kMostQueries) {
    snprintf(sentence, sizeof(sentence),
             "--precision %g at a rate of %.2g needs %.2g absent keys, more than %g: choose a wider --precision or "
             "fewer --bits-per-key, or give --num-queries for what can be had",
             fpr.precision, expected_fpr, needed, kMostQueries);
  } else if (fpr.by_limit && static_cast<double>(fpr.num_queries) > kMostQueriesOfLimit) {
    snprintf(sentence, sizeof(sentence),
             "the limit needs %.2g absent keys, more than %g: choose a higher one or a larger --resolution, or give "
             "--num-queries for what can be had",
             static_cast<double>(fpr.num_queries), kMostQueriesOfLimit);
  } else if (fpr.num_keys > most || queries > most) {
    snprintf(sentence, sizeof(sentence),
             "keys of family %s end at %llu members and as many absent ones; %llu members and %llu absent ones are "
             "wanted: ask for fewer, or for a precision that needs fewer",
             fpr.family->name, static_cast<unsigned long long>(most), static_cast<unsigned long long>(fpr.num_keys),
             static_cast<unsigned long long>(queries));
  }
  return sentence;
}

}  // namespace linefilter::tools
