// A scalable filter, in C, grows: it is for sets whose size nobody knows when it is made. Start at linefilter/c.h.
//
//   options.fpr = 0.01;
//   linefilter_filter* seen = linefilter_scalable_new(1000, 0, &options, &status);  // a thousand keys at first
//   if (linefilter_filter_insert_key(seen, url, size)) fetch(url);
//
// It is a linefilter_filter (c/filter.h), and a row of `blocked` filters, its stages, each with room for twice the keys
// of the one before. The bound on the false-positive rate of all together is options->fpr. It holds however many keys
// come; linefilter/scalable.h tells what that costs. A key that may have been seen before changes nothing.
#ifndef LINEFILTER_C_SCALABLE_H_
#define LINEFILTER_C_SCALABLE_H_

#include <stdbool.h>
#include <stdint.h>

#include "linefilter/c/filter.h"
#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// Makes a filter for first_capacity keys (0 counts as 1) at first. With max_growth 0 it grows without end. (That is for
// bounds from about 2e-5 up; from 3e-6 up a millionfold, and finer ones are refused.) Else it has room for at least
// max_growth times first_capacity, and is smaller for it. The bound is options->fpr; bits_per_key and num_probes must
// be 0, the layout blocked or auto. The limit options->memory_limit holds for all that linefilter_filter_memory_use
// tells.
linefilter_filter* linefilter_scalable_new(uint64_t first_capacity, uint64_t max_growth,
                                           const linefilter_options* options, linefilter_status* status);

// LINEFILTER_OK means that no stage holds more keys than it was made for, so the bound holds. Else it says why no
// further stage could be opened: max_growth, memory_limit, no memory, or a size that `blocked` cannot have. Keys then
// go on into the newest stage: none is lost, and the rate rises above the bound. A failed allocation is tried again
// each time that a sixteenth of the stage came to it. If that succeeds, or the filter is made of an image, the stage
// that took too many is still told of (LINEFILTER_OVER_LIMIT), until linefilter_filter_clear. It is
// LINEFILTER_INCOMPATIBLE for another kind.
linefilter_code linefilter_scalable_growth_status(const linefilter_filter* filter, linefilter_status* status);

// The facts of a stage, and how full it is. This never changes its size.
typedef struct linefilter_scalable_stage {
  uint64_t capacity;    // the keys that it was made for
  uint64_t num_keys;    // the certainly new keys that went into it; above `capacity`: it could not grow
  uint64_t num_blocks;  // of 64 bytes
  double fpr;           // its share of the bound: the highest rate that it has with `capacity` keys
  uint32_t num_probes;  // bits per key that are set and tested
  uint32_t reserved;    // 0
} linefilter_scalable_stage;

// Tells of stage `index` below linefilter_view_num_stages, the oldest is 0. It returns false, with *stage untouched, if
// there is no such stage, and for another kind.
bool linefilter_scalable_stage_at(const linefilter_filter* filter, uint32_t index, linefilter_scalable_stage* stage);
// The bound: options->fpr of linefilter_scalable_new. This and the next two are 0 for NULL and another kind.
double linefilter_scalable_fpr(const linefilter_filter* filter);
// The max_growth that linefilter_scalable_new was given.
uint64_t linefilter_scalable_max_growth(const linefilter_filter* filter);
// How many keys were certainly new.
uint64_t linefilter_scalable_num_keys(const linefilter_filter* filter);

LINEFILTER_C_END

#endif  // LINEFILTER_C_SCALABLE_H_
