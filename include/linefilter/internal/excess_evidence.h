// This is the evidence for "the rate is above the allowed one", which may be looked at as often as one likes.
//
// It is a bet that wins nothing on average as long as the rate is at most the allowed one. Each update multiplies the
// stake by the likelihood of what was counted under a higher rate over that under the allowed rate. By Ville's
// inequality such a bet reaches 1 / a with a probability of at most a, however often it is looked at (Ville 1939; of
// several higher rates it is the mean: Robbins 1970). So that a change after a billion good lookups is found as well,
// a new stake is put in at each update t: 1 / ((t + 1) (t + 2)), which sums to 1 over all time. A change at update t
// then needs ln((t + 1) (t + 2)) more evidence than one at the start: 28 more after a million updates.
#ifndef LINEFILTER_INTERNAL_EXCESS_EVIDENCE_H_
#define LINEFILTER_INTERNAL_EXCESS_EVIDENCE_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"

namespace linefilter::internal {

class LINEFILTER_EXPORT ExcessEvidence {
 public:
  LINEFILTER_LOCAL ExcessEvidence() noexcept { Reset(); }

  LINEFILTER_LOCAL void Reset() noexcept;
  // `hits` came in `trials` since the last update, whose rate may be at most `allowed`. If that changes, so be it.
  LINEFILTER_LOCAL void Update(uint64_t hits, uint64_t trials, double allowed, double confidence) noexcept;
  // Whether the evidence has reached 1 / (1 - confidence), and has not sunk to 1 since.
  bool is_above() const noexcept { return is_above_; }

 private:
  static constexpr size_t kNumRates = 5;
  double log_stakes_[kNumRates];  // of the bets on higher rates
  double num_updates_;
  bool is_above_;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_EXCESS_EVIDENCE_H_
