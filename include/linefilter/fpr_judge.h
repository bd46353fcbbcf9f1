// The judge of a false-positive rate tells by counts whether a filter keeps to its limit. linefilter/testing.h counts
// for a unit test. This header is for whoever counts in another way: a program, a service, another language.
//
//   linefilter::FprCounts counts;
//   counts.num_members = 1000000;  // all of them answered "maybe", so num_lost stays 0
//   counts.num_queries = 12300;    // absent keys
//   counts.false_positives = 117;  // those that answered "maybe"
//   linefilter::FprLimit limit;
//   limit.at_most = 0.01;
//   const linefilter::FprResult result = linefilter::JudgeFpr(counts, limit);
//   if (!result.ok()) fprintf(stderr, "%s\n", result.sentence);
//
// The verdict follows from these rules, and the first that applies decides:
// 1. A member answered "absent": kAbove. A filter must never lose a member, so nothing outranks this.
// 2. The request makes no sense (see JudgeFpr): kUndecided.
// 3. The lower end of the interval is above the limit: kAbove. So is a filter that takes over 1 % more bits per key
//    than its baseline.
// 4. Keys among the absent ones are members: kUndecided. The counts leave them out, but somebody mixed up the keys.
// 5. The upper end of the interval is at most `resolution` times the limit: kWithin.
// 6. Otherwise kUndecided, with the number of queries that would decide.
//
// The interval is that of linefilter/interval.h, so its promise holds. A filter exactly at its limit is called kAbove
// in at most (1 - confidence) / 2 of the runs with fresh keys. After QueriesForLimit queries it is called kWithin in
// 99 % of them, or in the share `confidence` if that is lower. The rate is that of one filter. Filters of other seeds
// scatter a little around their expected rate, and half of them are above it, so a limit needs some room above
// ExpectedFpr.
//
// A baseline is what the same check counted earlier. Its rate is the limit, and is known by counts, too. The interval
// is then that of the ratio of the two rates. Given the sum of both counts, one of them is binomial, which is exact for
// small rates. For rates of some 10 % the interval is too wide, which errs towards kUndecided.
//
// Absent keys must be distinct, and chosen without looking at the filter. All functions are thread-safe, need no
// memory, and throw nothing.
#ifndef LINEFILTER_FPR_JUDGE_H_
#define LINEFILTER_FPR_JUDGE_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/key.h"

namespace linefilter {

// What was counted.
struct FprCounts {
  uint64_t num_members = 0;         // members that were asked
  uint64_t num_lost = 0;            // those of them that answered "absent"
  uint64_t num_queries = 0;         // absent keys that were asked
  uint64_t false_positives = 0;     // those of them that answered "maybe"
  uint64_t num_absent_members = 0;  // keys among the absent ones that are members; the two counts leave them out
  double bits_per_key = 0;          // of the filter, to be compared with a baseline; 0 if it is not known
};

// What the same check counted earlier.
struct FprBaseline {
  uint64_t num_queries = 0;      // absent keys that were asked
  uint64_t false_positives = 0;  // those of them that answered "maybe"
  double bits_per_key = 0;       // of the filter; 0 if it is not known
};

// The most bits per key that a filter may take, as a multiple of its baseline.
inline constexpr double kMostBitsOfBaseline = 1.01;

// What a filter is held to.
struct FprLimit {
  double at_most = 0;                     // the false-positive rate that is allowed, between 0 and 1
  double confidence = 0.99;               // of the interval, between 0 and 1
  double resolution = 1.5;                // above 1: a rate may pass up to this multiple of the limit
  const FprBaseline* baseline = nullptr;  // if there is one, its rate is the limit, and at_most is not read
};

// The numbers are the exit codes of `linefilter fpr`.
enum class FprVerdict {
  kWithin = 0,     // the filter keeps to the limit
  kAbove = 1,      // the rate is above the limit, or a member was lost
  kUndecided = 2,  // the counts do not tell, or the request makes no sense
};

// Up to ten keys, to be named.
struct LINEFILTER_EXPORT FprKeys {
  static constexpr size_t kMost = 10;  // more are counted, but not named

  // A key as people read it.
  struct Named {
    uint64_t position;  // its place in the sequence of keys, from 0
    char text[48];      // the number, or the text in quotes: cut to fit, and what is not printable as \xNN
  };
  Named named[kMost];  // the first of them, in their order
  size_t size = 0;     // how many are named

  // Names one more, unless ten are named.
  void Add(uint64_t position, const Key& key) noexcept;
};

// The verdict and what it stands on. It has no heap, so it can be copied anywhere.
struct FprResult {
  FprVerdict verdict = FprVerdict::kUndecided;  // by the rules above
  FprCounts counts;                             // as they were given
  double limit = 0;                             // the rate that is allowed: at_most, or that of the baseline
  double fpr = 0;                               // the rate that was counted; 0 without a query
  double fpr_low = 0;                           // the lower end of its interval
  double fpr_high = 1;                          // the upper end
  double ratio = 0;                             // the rate as a multiple of the limit
  double ratio_low = 0;                         // the lower end of its interval, which rule 3 compares with 1
  double ratio_high = 0;                        // the upper end, which rule 5 compares with the resolution
  // The number of absent keys that decides as often as QueriesForLimit tells, if the rate is at the limit, or at the
  // counted rate where that is higher. It is 0 unless rule 6 decided, and where no number is enough.
  uint64_t num_queries_needed = 0;
  FprKeys lost;              // as they were given
  FprKeys absent_members;    // as they were given
  char sentence[1024] = "";  // what was found, and what to do; without a newline

  // Whether the filter keeps to its limit.
  bool ok() const noexcept { return verdict == FprVerdict::kWithin; }
};

// Judges by the rules above; `lost` and `absent_members` are only named. These make no sense: at_most or confidence
// that is not between 0 and 1, resolution that is not above 1, no absent key, a part that is larger than its whole, and
// a baseline without a false positive. Then the sentence says what to do.
LINEFILTER_EXPORT FprResult JudgeFpr(const FprCounts& counts, const FprLimit& limit, const FprKeys& lost = {},
                                     const FprKeys& absent_members = {}) noexcept;

// The number of absent keys with which a filter exactly at the limit is called kWithin in 99 % of the runs: 12,300 for
// 1 % and the defaults. If the confidence is below 99 %, it is that share of the runs, since more are not possible. The
// number grows as 1 / at_most, and about as 1 / (resolution - 1)^2. More keys are as good. It is 0 if the request makes
// no sense, if the baseline has too few queries for any number to be enough, and where 2^50 keys or 1e9 false positives
// are too few.
LINEFILTER_EXPORT uint64_t QueriesForLimit(const FprLimit& limit) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_FPR_JUDGE_H_
