// What an FprLimit demands of counts, by tails of binomial distributions: the judge's rules 3 and 5, and the number of
// queries with which one of them decides.
#ifndef LINEFILTER_LIB_BASE_FPR_LIMIT_H_
#define LINEFILTER_LIB_BASE_FPR_LIMIT_H_

#include <cstdint>

#include "linefilter/fpr_judge.h"
#include "linefilter/interval.h"

namespace linefilter::internal {

// The probability with which an advised number of queries decides: 0.99. A filter at its limit is not called kWithin
// more often than the interval allows, so there it is the confidence if that is lower.
double ShareDecided(bool may_be_above, const FprLimit& limit) noexcept;

// The limit as a rate: at_most, or that of the baseline.
double RateOf(const FprLimit& limit) noexcept;

// The interval of a count's rate, as a multiple of the limit.
Interval RatioToLimit(uint64_t false_positives, uint64_t num_queries, const FprLimit& limit) noexcept;

// The least number of queries with which a filter of that rate is called kWithin or, if may_be_above, kAbove with
// probability ShareDecided; 0 if there is none below 2^50, or if more than 1e9 hits would be needed. The limit makes
// sense.
uint64_t QueriesToDecide(double rate, bool may_be_above, const FprLimit& limit) noexcept;

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_FPR_LIMIT_H_
