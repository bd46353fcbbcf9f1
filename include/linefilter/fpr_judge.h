// The judge of a false-positive rate tells by counts whether a filter keeps to its limit. linefilter/testing.h counts
// for a unit test. This header is for who counts by himself: a program, a service, another language.
//
//   linefilter::FprCounts counts;
//   counts.num_members = 1000000;    // all of them answered "maybe": num_lost is 0
//   counts.num_queries = 12000;      // absent keys
//   counts.false_positives = 117;    // those that answered "maybe"
//   linefilter::FprLimit limit;
//   limit.at_most = 0.01;
//   linefilter::FprResult result = linefilter::JudgeFpr(counts, limit);
//   if (!result.ok()) fprintf(stderr, "%s\n", result.sentence);
//
// The verdict follows from these rules; the first that applies decides:
// 1. A member answered "absent": kAbove. A filter must never lose a member, so nothing outranks this.
// 2. The request makes no sense (see JudgeFpr): kUndecided.
// 3. The lower end of the interval is above the limit, or the filter takes over 1 % more bits per key than the
//    baseline: kAbove.
// 4. Keys among the absent ones are members: kUndecided. The counts leave them out, but somebody mixed up the keys.
// 5. The upper end of the interval is at most `resolution` times the limit: kWithin.
// 6. Otherwise kUndecided, with the number of queries that would decide.
//
// The interval is that of linefilter/interval.h. A filter exactly at its limit is called kAbove in at most (1 -
// confidence) / 2 of the runs with fresh keys, and kWithin in 99 % of them after QueriesForLimit queries.
//
// A baseline is what the same check counted earlier. The limit is its rate, which is only known by counts, too. Then
// the interval is that of the ratio of the two rates. It is exact for two rare events: given the sum of both counts,
// one of them is binomial. For rates of some 10 % it is too wide, so it errs towards kUndecided.
//
// Absent keys must be independent of the filter, and distinct. All functions are thread-safe, need no memory, and throw
// nothing.
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
  uint64_t num_absent_members = 0;  // keys among the absent ones that are members; num_queries leaves them out
  double bits_per_key = 0;          // of the filter, to be compared with a baseline; 0 if it is not known
};

// What the same check counted earlier.
struct FprBaseline {
  uint64_t num_queries = 0;
  uint64_t false_positives = 0;
  double bits_per_key = 0;  // 0 if it is not known
};

// How many bits per key a filter may take, as a multiple of its baseline.
inline constexpr double kMostBitsOfBaseline = 1.01;

// What a filter is held to.
struct FprLimit {
  double at_most = 0;                     // the false-positive rate that is allowed, between 0 and 1
  double confidence = 0.99;               // of the interval, between 0 and 1
  double resolution = 1.5;                // above 1: rates up to the limit times this may pass
  const FprBaseline* baseline = nullptr;  // if there is one, its rate is the limit, and at_most is not read
};

// The numbers are the exit codes of `linefilter fpr`.
enum class FprVerdict {
  kWithin = 0,     // the filter keeps to the limit
  kAbove = 1,      // the rate is above the limit, or a member was lost
  kUndecided = 2,  // the counts do not tell, or the request makes no sense
};

// The first ten keys of a kind, to be named.
struct LINEFILTER_EXPORT FprKeys {
  static constexpr size_t kMost = 10;

  // A key as people read it.
  struct Named {
    uint64_t position;  // its place in the sequence of keys, from 0
    char text[48];      // the number, or the text in quotes; cut to fit, and what is not printable as \xNN
  };
  Named named[kMost];
  size_t size = 0;  // how many are named

  // Names one more, if fewer than ten are.
  void Add(uint64_t position, const Key& key) noexcept;
};

// The verdict and what it stands on. It has no heap, so it can be copied anywhere.
struct FprResult {
  FprVerdict verdict = FprVerdict::kUndecided;
  FprCounts counts;
  double limit = 0;                  // the rate that is allowed: at_most, or that of the baseline
  double fpr = 0;                    // the rate that was counted; 0 without a query
  double fpr_low = 0, fpr_high = 1;  // its interval
  double ratio = 0;                  // the rate as a multiple of the limit; against a baseline the next two are exact
  double ratio_low = 0, ratio_high = 0;
  // The number of absent keys that would decide, in 99 of 100 runs at the limit, or at the counted rate if that is
  // higher. It is 0 if the verdict is not kUndecided by rule 6, or if no number would decide.
  uint64_t num_queries_needed = 0;
  FprKeys lost, absent_members;  // as they were given
  char sentence[1024] = "";      // what was found, and what to do; without a final newline

  // Whether the filter keeps to its limit.
  bool ok() const noexcept { return verdict == FprVerdict::kWithin; }
};

// Judges by the rules above; `lost` and `absent_members` are only named. A request makes no sense if at_most or
// confidence is not between 0 and 1, resolution is not above 1, no absent key was asked, the baseline has no query, or
// a part is larger than its whole. Then the sentence says what to do.
LINEFILTER_EXPORT FprResult JudgeFpr(const FprCounts& counts, const FprLimit& limit, const FprKeys& lost = {},
                                     const FprKeys& absent_members = {}) noexcept;

// The number of absent keys with which a filter exactly at the limit is called kWithin in 99 % of the runs: 12,300 for
// 1 % and the defaults. It grows as 1 / at_most and about as 1 / (resolution - 1)^2. It is 0 if the request makes no
// sense, or if no number of queries is enough, because the baseline has too few.
LINEFILTER_EXPORT uint64_t QueriesForLimit(const FprLimit& limit) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_FPR_JUDGE_H_
