// Tails of the beta distribution, which are those of the binomial one. They keep 11 digits up to 1e12 trials.
#ifndef LINEFILTER_LIB_BASE_BETA_H_
#define LINEFILTER_LIB_BASE_BETA_H_

#include <cstdint>

namespace linefilter::internal {

// This finds the x in (0, 1) with P(Beta(a, b) <= x) = tail, or >= x for the upper tail. a and b are at least 1.
double BetaQuantile(double a, double b, double tail, bool upper) noexcept;

// The probability of at most, or at least, so many hits in `trials` that each hit with `rate`.
double BinomialAtMost(uint64_t hits, uint64_t trials, double rate) noexcept;
double BinomialAtLeast(uint64_t hits, uint64_t trials, double rate) noexcept;

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_BETA_H_
