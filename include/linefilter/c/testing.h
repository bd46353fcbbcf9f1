// This holds any filter to a false-positive rate in a test, in C. Start at linefilter/c.h. linefilter/fpr_judge.h has
// the rules of the verdict, and says how many absent keys are enough: 12,300 at 1 %.
//
//   linefilter_fpr_limit limit = {0};
//   limit.at_most = 0.01;
//   linefilter_fpr_result result;
//   const bool is_good = linefilter_check_fpr(NULL, view, members, absent, &limit, &result) == LINEFILTER_FPR_WITHIN;
//   if (!is_good) puts(result.sentence);
//
// A filter of another library is asked by a callback of yours in place of NULL.
#ifndef LINEFILTER_C_TESTING_H_
#define LINEFILTER_C_TESTING_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// The numbers are the exit codes of `linefilter fpr`.
typedef int32_t linefilter_fpr_verdict;
enum {
  LINEFILTER_FPR_WITHIN = 0,    // the filter keeps to the limit
  LINEFILTER_FPR_ABOVE = 1,     // the rate is above the limit, or a member was lost
  LINEFILTER_FPR_UNDECIDED = 2  // the counts do not tell, or the request makes no sense
};

// Keys to be asked. An integer is 8 little-endian bytes. This never changes its size.
typedef struct linefilter_fpr_keys {
  const void* const* keys;  // where each begins
  const size_t* sizes;      // how many bytes each has
  size_t n;                 // how many keys these are; with 0 the others may be NULL
} linefilter_fpr_keys;

// What a filter is held to. Set everything to 0 first, for that is the default. This never changes its size.
typedef struct linefilter_fpr_limit {
  double at_most;                     // the rate that is allowed, between 0 and 1
  double confidence;                  // of the exact interval, between 0 and 1; 0 means 0.99
  double resolution;                  // above 1: a rate may pass up to this multiple of the limit; 0 means 1.5
  uint64_t baseline_num_queries;      // absent keys that an earlier check asked; above 0, its rate is the limit
  uint64_t baseline_false_positives;  // those of them that answered "maybe"
  double baseline_bits_per_key;       // its bits per key, of which a filter takes at most 1 % more; 0 means not known
} linefilter_fpr_limit;

// The most keys of a kind that a result names.
enum { LINEFILTER_FPR_MAX_NAMED = 10 };

// The verdict and what it stands on. This never changes its size.
typedef struct linefilter_fpr_result {
  linefilter_fpr_verdict verdict;  // by the rules in linefilter/fpr_judge.h
  uint32_t reserved;               // 0
  uint64_t num_members;            // members that were asked
  uint64_t num_lost;               // those of them that answered "absent"
  uint64_t num_queries;            // absent keys that were asked, but for members among them
  uint64_t false_positives;        // those of them that answered "maybe"
  uint64_t num_absent_members;     // keys among the absent ones that are members
  double fpr;                      // the rate that was counted
  double fpr_low;                  // the lower end of its interval
  double fpr_high;                 // the upper end
  double limit;                    // the rate that is allowed: at_most, or that of the baseline
  double bits_per_key;             // of a linefilter_view with all its members; 0 for a filter of another library
  uint64_t num_queries_needed;     // if there were too few: how many would decide; else 0
  // Positions of keys, from 0: the first members that were lost, and absent keys that are members. The sentence has
  // their text, too. What is not needed is UINT64_MAX.
  uint64_t lost[LINEFILTER_FPR_MAX_NAMED];
  uint64_t absent_members[LINEFILTER_FPR_MAX_NAMED];  // see lost
  char sentence[1024];                                // what was found, and what to do
} linefilter_fpr_result;

// Tells whether a filter of another library may have the key.
typedef bool (*linefilter_may_contain)(const void* filter, const void* key, size_t size) LINEFILTER_NOEXCEPT;

// Asks a filter for all members and all absent keys, and judges what was counted. `may_contain` asks `filter`, whatever
// that is. If it is NULL, `filter` is a const linefilter_view*, which is asked in batches. Absent keys should be
// distinct. `result` may be NULL. A request that makes no sense, with a NULL among its arguments too, is
// LINEFILTER_FPR_UNDECIDED, and the sentence says what to do. So it is where memory runs out, which only the false
// positives take.
linefilter_fpr_verdict linefilter_check_fpr(linefilter_may_contain may_contain, const void* filter,
                                            const linefilter_fpr_keys* members, const linefilter_fpr_keys* absent,
                                            const linefilter_fpr_limit* limit, linefilter_fpr_result* result);

LINEFILTER_C_END

#endif  // LINEFILTER_C_TESTING_H_
