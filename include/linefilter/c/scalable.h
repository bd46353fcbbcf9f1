// linefilter_scalable, in C: a filter that grows, for sets whose size nobody knows when the filter is made. Start at
// linefilter/c.h.
//
//   options.fpr = 0.01;
//   linefilter_scalable* seen = linefilter_scalable_new(1000, 0, &options, &status);  // a thousand keys at first
//   if (linefilter_scalable_insert_key(seen, url, size)) fetch(url);
//
// It is a row of `blocked` filters, its stages, each with room for twice the keys of the one before; options->fpr is
// the bound on the false-positive rate of all together, and holds however many keys come. linefilter/scalable.h tells
// what that costs. One thread that inserts, or any number that only ask (linefilter_scalable_view).
#ifndef LINEFILTER_C_SCALABLE_H_
#define LINEFILTER_C_SCALABLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a stage is, and how full. Never changes its size.
typedef struct linefilter_scalable_stage {
  uint64_t capacity;    // the keys that it was made for
  uint64_t num_keys;    // that were certainly new and went into it; more than `capacity`: the filter could not grow
  uint64_t num_blocks;  // of 64 bytes
  double fpr;           // its share of the bound: the highest rate that it has with `capacity` keys
  uint32_t num_probes;  // bits per key that are set and tested
  uint32_t reserved;    // 0
} linefilter_scalable_stage;

// Room for first_capacity keys (0 counts as 1) at first. max_growth: 0, it grows without end (bounds from about 2e-5
// up; from 3e-6 up a millionfold, and finer ones are refused); else it has room for at least so many times
// first_capacity, and is smaller for it. Of the options, fpr is the bound; bits_per_key and
// num_probes must be 0, layout blocked or auto. memory_limit holds for all that linefilter_scalable_memory_use tells.
LINEFILTER_EXPORT linefilter_scalable* linefilter_scalable_new(uint64_t first_capacity, uint64_t max_growth,
                                                               const linefilter_options* options,
                                                               linefilter_status* status);
// A mutable copy of an image that a linefilter_scalable (or ScalableFilter) wrote, verified, which goes on growing as
// the original would. Of the options (may be NULL) count those that linefilter_filter_from_image looks at. Another
// image: LINEFILTER_INCOMPATIBLE. Of an image from others set memory_limit: it says how large the next stage will be,
// up to some hundred times its own bytes.
LINEFILTER_EXPORT linefilter_scalable* linefilter_scalable_from_image(const void* image, size_t size,
                                                                      const linefilter_options* options,
                                                                      linefilter_status* status);
// Ends its view, too.
LINEFILTER_EXPORT void linefilter_scalable_free(linefilter_scalable* filter);

// Insertion: true if the key was certainly new, false if it may have been seen before: then nothing changes. A filter
// of the caller's hashes ignores keys and answers false: it says "maybe" to all keys anyway. To NULL nothing is ever
// new: who acts on new keys must look at the error of what should have made the filter.
LINEFILTER_EXPORT bool linefilter_scalable_insert_key(linefilter_scalable* filter, const void* key, size_t size);
// The same of an integer key.
LINEFILTER_EXPORT bool linefilter_scalable_insert_u64(linefilter_scalable* filter, uint64_t key);
// The same of a key's hash, made as options->hash_id says.
LINEFILTER_EXPORT bool linefilter_scalable_insert_hash(linefilter_scalable* filter, uint64_t hash);
// A batch; returns how many were certainly new when their turn came. were_new: NULL, or n bytes that get 1 or 0.
LINEFILTER_EXPORT uint64_t linefilter_scalable_insert_keys(linefilter_scalable* filter, const void* const* keys,
                                                           const size_t* sizes, size_t n, uint8_t* were_new);
// The same of integer keys.
LINEFILTER_EXPORT uint64_t linefilter_scalable_insert_u64s(linefilter_scalable* filter, const uint64_t* keys, size_t n,
                                                           uint8_t* were_new);
// The same of hashes.
LINEFILTER_EXPORT uint64_t linefilter_scalable_insert_hashes(linefilter_scalable* filter, const uint64_t* hashes,
                                                             size_t n, uint8_t* were_new);

// What the filter is asked through: its answers know all insertions so far. It belongs to the filter and ends with it.
// NULL of NULL.
LINEFILTER_EXPORT const linefilter_view* linefilter_scalable_view(const linefilter_scalable* filter);

// LINEFILTER_OK: no stage holds more keys than it was made for, so the bound holds. Else why no further stage could be
// opened: max_growth, memory_limit, no memory, or a size that `blocked` cannot have. Keys then go on into the newest
// stage: none is lost, and the rate rises above the bound. After a failed allocation it is tried again each time that a
// sixteenth of the stage came to it; if that succeeds, or the filter is made of an image, the stage that took too many
// is told of still (LINEFILTER_OVER_LIMIT), until linefilter_scalable_clear.
LINEFILTER_EXPORT linefilter_code linefilter_scalable_growth_status(const linefilter_scalable* filter,
                                                                    linefilter_status* status);
// How many stages there are; 0 of NULL, as of all facts below.
LINEFILTER_EXPORT uint32_t linefilter_scalable_num_stages(const linefilter_scalable* filter);
// Of stage `index`, the oldest is 0; false, and *stage untouched, if there is no such stage.
LINEFILTER_EXPORT bool linefilter_scalable_stage_at(const linefilter_scalable* filter, uint32_t index,
                                                    linefilter_scalable_stage* stage);
// The bound: options->fpr of linefilter_scalable_new.
LINEFILTER_EXPORT double linefilter_scalable_fpr(const linefilter_scalable* filter);
// As it was given to linefilter_scalable_new.
LINEFILTER_EXPORT uint64_t linefilter_scalable_max_growth(const linefilter_scalable* filter);
// How many keys were certainly new.
LINEFILTER_EXPORT uint64_t linefilter_scalable_num_keys(const linefilter_scalable* filter);

// Removes all keys and all stages but the first.
LINEFILTER_EXPORT void linefilter_scalable_clear(linefilter_scalable* filter);
// Bytes held, the handle included.
LINEFILTER_EXPORT uint64_t linefilter_scalable_memory_use(const linefilter_scalable* filter);

// The image (doc/FORMAT.md, layout container) of the keys so far: how many bytes it has,
LINEFILTER_EXPORT uint64_t linefilter_scalable_image_bytes(const linefilter_scalable* filter);
// in memory that linefilter_image_free frees, aligned to 64 bytes; NULL on an error. *size: its bytes.
LINEFILTER_EXPORT void* linefilter_scalable_image(const linefilter_scalable* filter, size_t* size,
                                                  linefilter_status* status);
// into `size` bytes at `out`: linefilter_scalable_image_bytes or more, of which the first are written,
LINEFILTER_EXPORT linefilter_code linefilter_scalable_write_to(const linefilter_scalable* filter, void* out,
                                                               size_t size, linefilter_status* status);
// in pieces through `sink`, which takes 1/16384 of the image, and up to 64 KiB, for the moment,
LINEFILTER_EXPORT linefilter_code linefilter_scalable_write_to_sink(const linefilter_scalable* filter,
                                                                    linefilter_sink sink, void* context,
                                                                    linefilter_status* status);
// as a file: complete and synced before it gets its name; an old file of that name stays until then.
LINEFILTER_EXPORT linefilter_code linefilter_scalable_save(const linefilter_scalable* filter, const char* path,
                                                           linefilter_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_SCALABLE_H_
