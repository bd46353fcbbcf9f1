// linefilter_filter, in C, takes keys for as long as it lives, and has an image. Start at linefilter/c.h.
//
// There are four kinds, which differ in how they are made and in the few calls of c/concurrent.h, c/scalable.h and
// c/rotating.h. Everything here goes for each, where nothing else is said. One thread that inserts may use a filter, or
// any number that only ask. Any number may call at once what does not make, seal or free a concurrent or rotating one.
#ifndef LINEFILTER_C_FILTER_H_
#define LINEFILTER_C_FILTER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// Makes a plain filter for num_keys keys (0 counts as 1). options->layout is blocked, classic, split_block, quotient,
// or auto, which chooses one of the first two.
linefilter_filter* linefilter_filter_new(uint64_t num_keys, const linefilter_options* options,
                                         linefilter_status* status);
// Makes a mutable copy of an image, verified, of the kind that wrote it (linefilter_filter_kind tells which). A
// scalable filter goes on growing, a rotating one forgetting, as the original would. What a concurrent filter wrote
// becomes a plain filter. An image that takes no key (`retrieval`, or stages of no filter) is LINEFILTER_INCOMPATIBLE.
//
// Only these options count (they may be NULL): allocator, memory_limit, and hash_id LINEFILTER_HASH_KEYED with its
// secret. A keyed image needs both of the latter, and with them an image of another hash is refused. The other options
// must be legal. Set memory_limit for an image from others: a scalable filter's says how large the next stage will be,
// up to some hundred times its own bytes. An image of the empty set has no size. It becomes an empty filter of one
// block (`classic`: 8 bytes) with the image's num_probes, which a few dozen keys fill.
linefilter_filter* linefilter_filter_from_image(const void* image, size_t size, const linefilter_options* options,
                                                linefilter_status* status);
// Goes on with a file that linefilter_filter_save wrote: linefilter_filter_from_image of what is in it, read and
// verified at once. For the moment it also holds the bytes of the file; memory_limit counts them, and then the filter,
// each alone.
linefilter_filter* linefilter_filter_load(const char* path, const linefilter_options* options,
                                          linefilter_status* status);
// Makes a copy of a filter, of its kind, in memory of its allocator. It is a snapshot of a concurrent or rotating one,
// into which others may insert meanwhile.
linefilter_filter* linefilter_filter_clone(const linefilter_filter* filter, linefilter_status* status);
// Frees the filter, whatever its kind, and its view. All threads must have stopped.
void linefilter_filter_free(linefilter_filter* filter);

// The kinds of filters.
typedef int32_t linefilter_kind;
enum {
  LINEFILTER_KIND_PLAIN = 0,       // linefilter_filter_new
  LINEFILTER_KIND_CONCURRENT = 1,  // many threads fill it: linefilter_concurrent_new
  LINEFILTER_KIND_SCALABLE = 2,    // it grows: linefilter_scalable_new
  LINEFILTER_KIND_ROTATING = 3     // it forgets: linefilter_rotating_new
};

// The kind of a filter, and so which calls it has; LINEFILTER_KIND_PLAIN for NULL.
linefilter_kind linefilter_filter_kind(const linefilter_filter* filter);

// Inserts: true if the key was certainly new, false if it may have been there. A filter of the caller's hashes ignores
// keys and answers false: it says "maybe" to all keys anyway. To NULL, and to a filter that was sealed, nothing is ever
// new. So if you act on new keys, look at the error of the call that should have made the filter. If several threads
// insert the same absent key at once, more than one may be told that it was new.
bool linefilter_filter_insert_key(linefilter_filter* filter, const void* key, size_t size);
// The same for an integer key.
bool linefilter_filter_insert_u64(linefilter_filter* filter, uint64_t key);
// The same for a key's hash, made as options->hash_id says.
bool linefilter_filter_insert_hash(linefilter_filter* filter, uint64_t hash);
// Inserts a batch and returns how many were certainly new in their turn. were_new is NULL or gets n bytes of 1 or 0.
uint64_t linefilter_filter_insert_keys(linefilter_filter* filter, const void* const* keys, const size_t* sizes,
                                       size_t n, uint8_t* were_new);
// The same for integer keys.
uint64_t linefilter_filter_insert_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n, uint8_t* were_new);
// The same for hashes.
uint64_t linefilter_filter_insert_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                         uint8_t* were_new);
// Adds a kind of keys to those that the filter has, for its image to remember: linefilter_view_key_kind tells them.
// Call it before the keys of that kind are inserted, once or each time. LINEFILTER_KEY_KIND_UNKNOWN, and what is no
// kind, says that keys come of a kind that nobody knows; then it is unknown until the filter is cleared. Insertions
// note nothing, so say it, too, if keys came before of which nothing was noted. It may run at once with whatever an
// insertion may. For NULL it does nothing.
void linefilter_filter_note_key_kind(linefilter_filter* filter, linefilter_key_kind kind);

// The view that is asked (c/view.h): its answers know all insertions so far. It ends with the filter, which owns it. It
// is NULL for NULL.
const linefilter_view* linefilter_filter_view(const linefilter_filter* filter);

// The size of the image (doc/FORMAT.md) of the keys so far.
uint64_t linefilter_filter_image_bytes(const linefilter_filter* filter);
// Makes the image in memory that linefilter_image_free frees, aligned to 64 bytes; NULL on an error. *size is its size.
void* linefilter_filter_image(const linefilter_filter* filter, size_t* size, linefilter_status* status);
// Writes the image to `size` bytes at `out`: linefilter_filter_image_bytes or more, of which the first are written.
linefilter_code linefilter_filter_write_to(const linefilter_filter* filter, void* out, size_t size,
                                           linefilter_status* status);
// Writes the image to `sink`, piece by piece. c/rotating.h says what a sink must not do to a rotating filter.
linefilter_code linefilter_filter_write_to_sink(const linefilter_filter* filter, linefilter_sink sink, void* context,
                                                linefilter_status* status);
// Writes the image to a file, complete and synced before it gets its name; an old file of that name stays until then.
linefilter_code linefilter_filter_save(const linefilter_filter* filter, const char* path, linefilter_status* status);

// The bytes held, the handle included.
uint64_t linefilter_filter_memory_use(const linefilter_filter* filter);
// Removes all keys, and what was told of their kinds. A plain filter keeps size and memory, a scalable one its first
// stage. It is LINEFILTER_INCOMPATIBLE for a concurrent or rotating one, which other threads fill: nothing was done.
linefilter_code linefilter_filter_clear(linefilter_filter* filter, linefilter_status* status);

// ---- What follows is for plain filters. The others are LINEFILTER_INCOMPATIBLE, and refuse each removal.

// Takes a key out once, in the layout `quotient` with removable (others refuse). False means refused: it was certainly
// absent, and nothing changed. Remove a key as often as it was inserted, and only then. One that was never inserted but
// answers "maybe" takes from other keys, which may be lost. linefilter/filter.h, QuotientFilter, says what else cannot
// be seen. Keys are ignored by a filter of the caller's hashes.
bool linefilter_filter_remove_key(linefilter_filter* filter, const void* key, size_t size);
// The same for an integer key.
bool linefilter_filter_remove_u64(linefilter_filter* filter, uint64_t key);
// The same for a key's hash.
bool linefilter_filter_remove_hash(linefilter_filter* filter, uint64_t hash);
// Removes a batch and returns how many were removed. were_removed is NULL or gets n bytes of 1 or 0.
uint64_t linefilter_filter_remove_keys(linefilter_filter* filter, const void* const* keys, const size_t* sizes,
                                       size_t n, uint8_t* were_removed);
// The same for integer keys.
uint64_t linefilter_filter_remove_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n,
                                       uint8_t* were_removed);
// The same for hashes.
uint64_t linefilter_filter_remove_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                         uint8_t* were_removed);

// Takes all keys of `other`, the view of an image or of another plain filter. Filters that give keys back add up: a key
// of both is removed twice. It is LINEFILTER_INCOMPATIBLE unless layout, num_probes, hash id and seed (or secret) are
// the same, and in `classic` the size. An image is verified first (LINEFILTER_CORRUPT). A UNION OF UNEQUAL SIZES
// SHRINKS `filter`: both are folded to the greatest common divisor of their num_blocks, which may be a single block,
// where nearly everything would be "maybe". So a union whose expected rate would be above max_fpr is refused
// (LINEFILTER_INCOMPATIBLE). With a max_fpr of 0, that of unequal sizes is held to the same keys in the larger size: at
// most twice their rate, and at least half of their share of "absent". 1 permits any union; what is not within 0 and 1
// is LINEFILTER_INVALID_ARGUMENT. On an error nothing changes.
linefilter_code linefilter_filter_union(linefilter_filter* filter, const linefilter_view* other, double max_fpr,
                                        linefilter_status* status);
// Makes the filter `factor` times smaller, to the bit what it would be if it had been made of that size with the same
// num_probes, and gives the memory back. No key is lost; more keys can come. `factor` must divide
// linefilter_view_num_blocks (LINEFILTER_INVALID_ARGUMENT names the nearest that do); `classic` cannot be folded. On an
// error the filter is as it was.
linefilter_code linefilter_filter_fold(linefilter_filter* filter, uint64_t factor, linefilter_status* status);
// Folds to the least size whose linefilter_view_expected_fpr, from these very bits, is still at most `fpr` (0 to 1,
// both excluded). Do it when all keys are in. It is LINEFILTER_INVALID_ARGUMENT, and nothing was done, if the rate is
// above even now, as that of a full filter may be by a little.
linefilter_code linefilter_filter_fold_to_fpr(linefilter_filter* filter, double fpr, linefilter_status* status);

LINEFILTER_C_END

#endif  // LINEFILTER_C_FILTER_H_
