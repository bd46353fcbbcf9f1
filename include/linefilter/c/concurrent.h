// A concurrent filter, in C, is one that any number of threads fill and ask at once, without a lock. Start at
// linefilter/c.h; linefilter/concurrent.h tells what is seen when.
//
//   linefilter_filter* seen = linefilter_concurrent_new(100000000, &options, &status);
//   if (linefilter_filter_insert_key(seen, url, size)) fetch(url);  // any thread
//
// It is a linefilter_filter (c/filter.h). Any number of threads may call at once all but what makes, seals and frees
// it. An image is a snapshot while insertions go on: every insertion that happened before the call is in it.
#ifndef LINEFILTER_C_CONCURRENT_H_
#define LINEFILTER_C_CONCURRENT_H_

#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// Makes a filter for num_keys keys (0 counts as 1). options->layout is blocked, split_block or auto, which is blocked
// here.
linefilter_filter* linefilter_concurrent_new(uint64_t num_keys, const linefilter_options* options,
                                             linefilter_status* status);
// Makes a copy of an image of one of these layouts, whoever wrote it, as linefilter_filter_from_image does.
linefilter_filter* linefilter_concurrent_from_image(const void* image, size_t size, const linefilter_options* options,
                                                    linefilter_status* status);
// Does the same with a file, which it reads as linefilter_filter_load does.
linefilter_filter* linefilter_concurrent_load(const char* path, const linefilter_options* options,
                                              linefilter_status* status);
// Gives what is in the filter to a plain one, without a copy, when all threads have stopped. `filter` then answers
// "maybe" and takes nothing, and is still to be freed. On an error it is as before: LINEFILTER_INCOMPATIBLE for another
// kind, LINEFILTER_INVALID_ARGUMENT if it was sealed already.
linefilter_filter* linefilter_concurrent_seal(linefilter_filter* filter, linefilter_status* status);

LINEFILTER_C_END

#endif  // LINEFILTER_C_CONCURRENT_H_
