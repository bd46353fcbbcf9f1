// linefilter_scalable, in C, grows: for sets whose size nobody knows when it is made. Start at linefilter/c.h.
//
//   options.fpr = 0.01;
//   linefilter_scalable* seen = linefilter_scalable_new(1000, 0, &options, &status);  // a thousand keys at first
//   if (linefilter_scalable_insert_key(seen, url, size)) fetch(url);
//
// It is a row of `blocked` filters, its stages, each with room for twice the keys of the one before. options->fpr is
// the bound on the false-positive rate of all together, and holds however many keys come. linefilter/scalable.h tells
// what that costs. One thread that inserts may use it, or any number that only ask (linefilter_scalable_view).
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

// The facts of a stage, and how full it is. This never changes its size.
typedef struct linefilter_scalable_stage {
  uint64_t capacity;    // the keys that it was made for
  uint64_t num_keys;    // the certainly new keys that went into it; above `capacity`: it could not grow
  uint64_t num_blocks;  // of 64 bytes
  double fpr;           // its share of the bound: the highest rate that it has with `capacity` keys
  uint32_t num_probes;  // bits per key that are set and tested
  uint32_t reserved;    // 0
} linefilter_scalable_stage;

// Makes a filter for first_capacity keys (0 counts as 1) at first. With max_growth 0 it grows without end (bounds from
// about 2e-5 up; from 3e-6 up a millionfold, and finer ones are refused). Else it has room for at least max_growth
// times first_capacity, and is smaller for it. options->fpr is the bound; bits_per_key and num_probes must be 0, layout
// blocked or auto. memory_limit holds for all that linefilter_scalable_memory_use tells.
LINEFILTER_EXPORT linefilter_scalable* linefilter_scalable_new(uint64_t first_capacity, uint64_t max_growth,
                                                               const linefilter_options* options,
                                                               linefilter_status* status);
// Makes a mutable copy of an image that a linefilter_scalable (or ScalableFilter) wrote, verified. It goes on growing
// as the original would. Only the options (may be NULL) that linefilter_filter_from_image looks at count. Another image
// is LINEFILTER_INCOMPATIBLE. Set memory_limit for an image from others: it says how large the next stage will be, up
// to some hundred times its own bytes.
LINEFILTER_EXPORT linefilter_scalable* linefilter_scalable_from_image(const void* image, size_t size,
                                                                      const linefilter_options* options,
                                                                      linefilter_status* status);
// Frees the filter and its view.
LINEFILTER_EXPORT void linefilter_scalable_free(linefilter_scalable* filter);

// Inserts: true if the key was certainly new, false if it may have been seen before: then nothing changes. A filter of
// the caller's hashes ignores keys and answers false: it says "maybe" to all keys anyway. To NULL nothing is ever new:
// if you act on new keys, look at the error of the call that should have made the filter.
LINEFILTER_EXPORT bool linefilter_scalable_insert_key(linefilter_scalable* filter, const void* key, size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_scalable_insert_u64(linefilter_scalable* filter, uint64_t key);
// The same for a key's hash, made as options->hash_id says.
LINEFILTER_EXPORT bool linefilter_scalable_insert_hash(linefilter_scalable* filter, uint64_t hash);
// Inserts a batch and returns how many were certainly new in their turn. were_new is NULL or gets n bytes of 1 or 0.
LINEFILTER_EXPORT uint64_t linefilter_scalable_insert_keys(linefilter_scalable* filter, const void* const* keys,
                                                           const size_t* sizes, size_t n, uint8_t* were_new);
// The same for integer keys.
LINEFILTER_EXPORT uint64_t linefilter_scalable_insert_u64s(linefilter_scalable* filter, const uint64_t* keys, size_t n,
                                                           uint8_t* were_new);
// The same for hashes.
LINEFILTER_EXPORT uint64_t linefilter_scalable_insert_hashes(linefilter_scalable* filter, const uint64_t* hashes,
                                                             size_t n, uint8_t* were_new);

// The view that is asked: its answers know all insertions so far. It ends with the filter, which owns it. It is NULL
// for NULL.
LINEFILTER_EXPORT const linefilter_view* linefilter_scalable_view(const linefilter_scalable* filter);

// LINEFILTER_OK means that no stage holds more keys than it was made for, so the bound holds. Else it says why no
// further stage could be opened: max_growth, memory_limit, no memory, or a size that `blocked` cannot have. Keys then
// go on into the newest stage: none is lost, and the rate rises above the bound. A failed allocation is tried again
// each time that a sixteenth of the stage came to it. If that succeeds, or the filter is made of an image, the stage
// that took too many is still told of (LINEFILTER_OVER_LIMIT), until linefilter_scalable_clear.
LINEFILTER_EXPORT linefilter_code linefilter_scalable_growth_status(const linefilter_scalable* filter,
                                                                    linefilter_status* status);
// How many stages there are. For NULL this and all facts below are 0.
LINEFILTER_EXPORT uint32_t linefilter_scalable_num_stages(const linefilter_scalable* filter);
// Tells of stage `index`, the oldest is 0. It returns false, with *stage untouched, if there is no such stage.
LINEFILTER_EXPORT bool linefilter_scalable_stage_at(const linefilter_scalable* filter, uint32_t index,
                                                    linefilter_scalable_stage* stage);
// The bound: options->fpr of linefilter_scalable_new.
LINEFILTER_EXPORT double linefilter_scalable_fpr(const linefilter_scalable* filter);
// The max_growth that linefilter_scalable_new was given.
LINEFILTER_EXPORT uint64_t linefilter_scalable_max_growth(const linefilter_scalable* filter);
// How many keys were certainly new.
LINEFILTER_EXPORT uint64_t linefilter_scalable_num_keys(const linefilter_scalable* filter);

// Removes all keys and all stages but the first.
LINEFILTER_EXPORT void linefilter_scalable_clear(linefilter_scalable* filter);
// The bytes held, the handle included.
LINEFILTER_EXPORT uint64_t linefilter_scalable_memory_use(const linefilter_scalable* filter);

// The size of the image (doc/FORMAT.md, layout container) of the keys so far.
LINEFILTER_EXPORT uint64_t linefilter_scalable_image_bytes(const linefilter_scalable* filter);
// Makes the image in memory that linefilter_image_free frees, aligned to 64 bytes; NULL on an error. *size is its size.
LINEFILTER_EXPORT void* linefilter_scalable_image(const linefilter_scalable* filter, size_t* size,
                                                  linefilter_status* status);
// Writes the image to `size` bytes at `out`: linefilter_scalable_image_bytes or more, of which the first are written.
LINEFILTER_EXPORT linefilter_code linefilter_scalable_write_to(const linefilter_scalable* filter, void* out,
                                                               size_t size, linefilter_status* status);
// Writes the image to `sink`, piece by piece; this takes 1/16384 of the image, and up to 64 KiB, for the moment.
LINEFILTER_EXPORT linefilter_code linefilter_scalable_write_to_sink(const linefilter_scalable* filter,
                                                                    linefilter_sink sink, void* context,
                                                                    linefilter_status* status);
// Writes the image to a file, complete and synced before it gets its name; an old file of that name stays until then.
LINEFILTER_EXPORT linefilter_code linefilter_scalable_save(const linefilter_scalable* filter, const char* path,
                                                           linefilter_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_SCALABLE_H_
