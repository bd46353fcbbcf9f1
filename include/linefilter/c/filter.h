// linefilter_filter, in C, owns its memory and takes keys for as long as it lives. Start at linefilter/c.h.
//
// One thread that inserts may use it, or any number that only ask (linefilter_filter_view).
#ifndef LINEFILTER_C_FILTER_H_
#define LINEFILTER_C_FILTER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a filter for num_keys keys (0 counts as 1). options->layout is blocked, classic, counting, or auto, which
// chooses one of the first two.
LINEFILTER_EXPORT linefilter_filter* linefilter_filter_new(uint64_t num_keys, const linefilter_options* options,
                                                           linefilter_status* status);
// Makes a mutable copy of a `blocked`, `classic` or `counting` image, verified. Only these options count (they may be
// NULL): allocator, memory_limit, and hash_id LINEFILTER_HASH_KEYED with its secret. A keyed image needs both of the
// latter, and with them an image of another hash is refused. The others must be legal. An image of the empty set has no
// size: it becomes an empty filter of one block (`classic`: 8 bytes) with the image's num_probes, which a few dozen
// keys fill. To add keys, make one for their number with linefilter_filter_new.
LINEFILTER_EXPORT linefilter_filter* linefilter_filter_from_image(const void* image, size_t size,
                                                                  const linefilter_options* options,
                                                                  linefilter_status* status);
// Frees the filter and its view.
LINEFILTER_EXPORT void linefilter_filter_free(linefilter_filter* filter);

// Inserts: true if the key was certainly new (a bit changed), false if it may have been there. A filter of the caller's
// hashes ignores keys and answers false: it says "maybe" to all keys anyway. To NULL nothing is ever new: if you act on
// new keys, look at the error of the call that should have made the filter.
LINEFILTER_EXPORT bool linefilter_filter_insert_key(linefilter_filter* filter, const void* key, size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_filter_insert_u64(linefilter_filter* filter, uint64_t key);
// The same for a key's hash, made as options->hash_id says.
LINEFILTER_EXPORT bool linefilter_filter_insert_hash(linefilter_filter* filter, uint64_t hash);
// Inserts a batch and returns how many were certainly new in their turn. were_new is NULL or gets n bytes of 1 or 0.
LINEFILTER_EXPORT uint64_t linefilter_filter_insert_keys(linefilter_filter* filter, const void* const* keys,
                                                         const size_t* sizes, size_t n, uint8_t* were_new);
// The same for integer keys.
LINEFILTER_EXPORT uint64_t linefilter_filter_insert_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n,
                                                         uint8_t* were_new);
// The same for hashes.
LINEFILTER_EXPORT uint64_t linefilter_filter_insert_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                                           uint8_t* were_new);

// Takes a key out once, in the layout `counting` (others refuse). False means refused: it was certainly absent, and
// nothing changed. Remove a key as often as it was inserted, and only then: one that was never inserted but answers
// "maybe" takes from other keys, which may be lost. linefilter/filter.h, CountingBlockedFilter, says what else cannot
// be seen. Keys are ignored by a filter of the caller's hashes.
LINEFILTER_EXPORT bool linefilter_filter_remove_key(linefilter_filter* filter, const void* key, size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_filter_remove_u64(linefilter_filter* filter, uint64_t key);
// The same for a key's hash.
LINEFILTER_EXPORT bool linefilter_filter_remove_hash(linefilter_filter* filter, uint64_t hash);
// Removes a batch and returns how many were removed. were_removed is NULL or gets n bytes of 1 or 0.
LINEFILTER_EXPORT uint64_t linefilter_filter_remove_keys(linefilter_filter* filter, const void* const* keys,
                                                         const size_t* sizes, size_t n, uint8_t* were_removed);
// The same for integer keys.
LINEFILTER_EXPORT uint64_t linefilter_filter_remove_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n,
                                                         uint8_t* were_removed);
// The same for hashes.
LINEFILTER_EXPORT uint64_t linefilter_filter_remove_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                                           uint8_t* were_removed);

// The view that is asked: its answers know all insertions so far. It ends with the filter, which owns it. It is NULL
// for NULL.
LINEFILTER_EXPORT const linefilter_view* linefilter_filter_view(const linefilter_filter* filter);

// Takes all keys of `other`, an image or another filter's view; `counting` adds the counters up. It is
// LINEFILTER_INCOMPATIBLE unless layout, num_probes, hash id and seed (or secret) are the same, and in `classic` the
// size. An image is verified first (LINEFILTER_CORRUPT). A UNION OF UNEQUAL SIZES SHRINKS `filter`: both are folded to
// the greatest common divisor of their num_blocks. It is large for filters that were folded from one size
// (options.foldable); for others it may be a single block, and then nearly everything is "maybe". On an error nothing
// changes.
LINEFILTER_EXPORT linefilter_code linefilter_filter_union(linefilter_filter* filter, const linefilter_view* other,
                                                          linefilter_status* status);
// Makes the filter `factor` times smaller, to the bit what it would be if it had been made of that size with the same
// num_probes, and gives the memory back. No key is lost; more keys can come. `factor` must divide
// linefilter_view_num_blocks (LINEFILTER_INVALID_ARGUMENT names the nearest that do); `classic` cannot be folded. On an
// error the filter is as it was.
LINEFILTER_EXPORT linefilter_code linefilter_filter_fold(linefilter_filter* filter, uint64_t factor,
                                                         linefilter_status* status);
// Folds to the least size whose linefilter_view_expected_fpr, from these very bits, is still at most `fpr` (0 to 1,
// both excluded). Do it when all keys are in. It is LINEFILTER_INVALID_ARGUMENT if the rate is above even now.
LINEFILTER_EXPORT linefilter_code linefilter_filter_fold_to_fpr(linefilter_filter* filter, double fpr,
                                                                linefilter_status* status);
// Removes all keys; keeps size and memory.
LINEFILTER_EXPORT void linefilter_filter_clear(linefilter_filter* filter);
// The bytes held, the handle included.
LINEFILTER_EXPORT uint64_t linefilter_filter_memory_use(const linefilter_filter* filter);

// The size of the image (doc/FORMAT.md) of the keys so far.
LINEFILTER_EXPORT uint64_t linefilter_filter_image_bytes(const linefilter_filter* filter);
// Makes the image in memory that linefilter_image_free frees, aligned to 64 bytes; NULL on an error. *size is its size.
LINEFILTER_EXPORT void* linefilter_filter_image(const linefilter_filter* filter, size_t* size,
                                                linefilter_status* status);
// Writes the image to `size` bytes at `out`: linefilter_filter_image_bytes or more, of which the first are written.
LINEFILTER_EXPORT linefilter_code linefilter_filter_write_to(const linefilter_filter* filter, void* out, size_t size,
                                                             linefilter_status* status);
// Writes the image to `sink`, piece by piece.
LINEFILTER_EXPORT linefilter_code linefilter_filter_write_to_sink(const linefilter_filter* filter, linefilter_sink sink,
                                                                  void* context, linefilter_status* status);
// Writes the image to a file, complete and synced before it gets its name; an old file of that name stays until then.
LINEFILTER_EXPORT linefilter_code linefilter_filter_save(const linefilter_filter* filter, const char* path,
                                                         linefilter_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_FILTER_H_
