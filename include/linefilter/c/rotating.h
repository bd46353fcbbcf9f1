// A rotating filter, in C, has the keys of a sliding window, by generations of which the oldest is dropped. Start at
// linefilter/c.h; linefilter/rotating.h tells what is guaranteed.
//
//   linefilter_filter* seen = linefilter_rotating_new(1000000, 4, LINEFILTER_ROTATE_BY_CALLER, &options, &status);
//   if (linefilter_filter_insert_key(seen, url, size)) fetch(url);  // any thread
//   linefilter_rotating_rotate(seen);                               // every third of the window
//
// It is a linefilter_filter (c/filter.h). Every insertion, of a new key or not, begins the key's window anew. Any
// number of threads may call at once all but what makes and frees it. After fork the child may ask and insert, but not
// rotate or write, which may wait for a thread that it does not have.
//
// An image is a snapshot while insertions go on; rotations wait for it. If rotation is by count, the newest generation
// takes more keys than it is made for meanwhile, and the rate rises with the length of the writing. So write to memory
// first, and from there to where it is slow. A sink must not rotate, write or save this filter, nor insert into it if
// it rotates by count: it would wait for itself.
#ifndef LINEFILTER_C_ROTATING_H_
#define LINEFILTER_C_ROTATING_H_

#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// When a generation ends.
typedef int32_t linefilter_rotation;
enum {
  LINEFILTER_ROTATE_BY_CALLER = 0,  // by linefilter_rotating_rotate alone: a window in time
  LINEFILTER_ROTATE_BY_COUNT = 1    // also when window_keys / (generations - 1) keys went into the newest one
};

// Makes it for window_keys keys (0 counts as 1) within a window, and 2 to 64 generations. The rate of all generations
// together is options->fpr, but options->bits_per_key goes for each. The layout is blocked or auto, here the same.
linefilter_filter* linefilter_rotating_new(uint64_t window_keys, uint32_t num_generations, linefilter_rotation rotation,
                                           const linefilter_options* options, linefilter_status* status);

// Drops the oldest generation and begins a new one; returns the number of the new one. This and all below are 0 for
// NULL and another kind.
uint64_t linefilter_rotating_rotate(linefilter_filter* filter);
// The rotations so far, those before an image included.
uint64_t linefilter_rotating_generation(const linefilter_filter* filter);
// How many generations are asked.
uint32_t linefilter_rotating_num_generations(const linefilter_filter* filter);
// How many keys each is made for.
uint64_t linefilter_rotating_keys_per_generation(const linefilter_filter* filter);
// When a generation ends.
linefilter_rotation linefilter_rotating_rotation(const linefilter_filter* filter);
// The share of one bits, 0..1, in the generation that began `age` rotations ago (0 = the newest).
double linefilter_rotating_fill_ratio_of_age(const linefilter_filter* filter, uint32_t age);
// The distinct keys of that generation, estimated from its share of one bits. `error` is as that of
// linefilter_view_approximate_size.
double linefilter_rotating_approximate_size_of_age(const linefilter_filter* filter, uint32_t age, double* error);

LINEFILTER_C_END

#endif  // LINEFILTER_C_ROTATING_H_
