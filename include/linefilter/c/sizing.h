// These tell how large a filter is for which false-positive rate, in C. All functions are pure, and the same to the bit
// on every CPU. Start at linefilter/c.h. linefilter/sizing.h tells where the figures come from.
#ifndef LINEFILTER_C_SIZING_H_
#define LINEFILTER_C_SIZING_H_

#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// Bits per key outside these limits are refused.
enum { LINEFILTER_MIN_BITS_PER_KEY = 1, LINEFILTER_MAX_BITS_PER_KEY = 64 };

// A filter that has not been made yet. This never changes its size.
typedef struct linefilter_sizing {
  uint64_t num_keys;         // as asked
  uint64_t body_bytes;       // 0 for the empty set
  double bits_per_key;       // the real density, 8 * body_bytes / num_keys
  double expected_fpr;       // the rate with exactly num_keys distinct keys
  uint32_t num_probes;       // retrieval: 0, it has none; quotient: 0 for a set, 1 if removable
  linefilter_layout layout;  // never LINEFILTER_LAYOUT_AUTO
} linefilter_sizing;

// Sizes a filter for num_keys keys at (at least) bits_per_key. LINEFILTER_INVALID_ARGUMENT: no filter can be so.
linefilter_code linefilter_sizing_for_bits_per_key(linefilter_layout layout, uint64_t num_keys, double bits_per_key,
                                                   linefilter_sizing* sizing, linefilter_status* status);
// Sizes the smallest filter with (at most) an expected false-positive rate of fpr. LINEFILTER_INVALID_ARGUMENT is also
// for an fpr below num_keys / 2^64, which no filter of 64-bit hashes has, or below what the layout reaches.
linefilter_code linefilter_sizing_for_fpr(linefilter_layout layout, uint64_t num_keys, double fpr,
                                          linefilter_sizing* sizing, linefilter_status* status);

// Sizes a filter for all that options ask for: rounding, removable, turnovers and the rest.
linefilter_code linefilter_sizing_for_options(uint64_t num_keys, const linefilter_options* options,
                                              linefilter_sizing* sizing, linefilter_status* status);

// The expected false-positive rate of body_bytes with num_keys distinct keys; 1 for arguments that no filter has.
double linefilter_sizing_expected_fpr(linefilter_layout layout, uint64_t num_keys, uint64_t body_bytes,
                                      uint32_t num_probes);
// The same after so many turnovers of all keys (linefilter/sizing.h): more only in quotient, with num_probes 1.
double linefilter_sizing_expected_fpr_after(uint32_t turnovers, linefilter_layout layout, uint64_t num_keys,
                                            uint64_t body_bytes, uint32_t num_probes);
// The most keys that body_bytes hold with an expected rate of at most fpr; 0 for arguments that no filter has.
uint64_t linefilter_sizing_max_keys(linefilter_layout layout, uint64_t body_bytes, double fpr);

// The best num_probes of a density; 0 for a layout without probes. This and the next two are limits for large sets,
// where the rounding to blocks does not show (classic: without the num_keys / 2^64, which grows with the set).
// Arguments are clamped to what is legal.
uint32_t linefilter_layout_num_probes(linefilter_layout layout, double bits_per_key);
// The rate of a density.
double linefilter_layout_fpr(linefilter_layout layout, double bits_per_key);
// The density of a rate.
double linefilter_layout_bits_per_key(linefilter_layout layout, double fpr);
// The largest num_probes of a layout (blocked 16, classic 30, all others 0).
uint32_t linefilter_layout_max_num_probes(linefilter_layout layout);

LINEFILTER_C_END

#endif  // LINEFILTER_C_SIZING_H_
