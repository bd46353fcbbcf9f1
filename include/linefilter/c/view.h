// linefilter_view, in C: what is asked. An image in memory that somebody else owns (zero-copy, any alignment), an image
// in a file, or a linefilter_filter (linefilter_filter_view) or linefilter_scalable (linefilter_scalable_view). Start
// at linefilter/c.h.
//
// All functions but _free: any number of threads at once (of a linefilter_filter or _scalable: while nobody inserts).
#ifndef LINEFILTER_C_VIEW_H_
#define LINEFILTER_C_VIEW_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Opening. `secret`: LINEFILTER_SECRET_BYTES bytes for an image of a keyed hash, NULL for every other: else
// ---- LINEFILTER_INCOMPATIBLE. A view is freed with linefilter_view_free.

// The image at these bytes, which must stay unchanged until the view is freed. `size` is exact. Verifies the trailer,
// and the body where that is at most 4 KiB; of a larger one linefilter_view_verify does.
LINEFILTER_EXPORT linefilter_view* linefilter_view_open(const void* image, size_t size, const uint8_t* secret,
                                                        linefilter_status* status);

// How a mapped file will be read.
typedef int32_t linefilter_advice;
enum {
  LINEFILTER_WILL_NEED = 0,  // the system starts reading the file now
  LINEFILTER_RANDOM = 1      // pages come when asked for: a filter larger than memory
};

// A file, mapped: nothing is copied, processes share the pages. It must not shrink while it is mapped (replace files by
// rename, as this library does). Verifies as linefilter_view_open.
LINEFILTER_EXPORT linefilter_view* linefilter_view_map(const char* path, linefilter_advice advice,
                                                       const uint8_t* secret, linefilter_status* status);

// A file, read into memory of `allocator` (NULL: the default, in huge pages), of which `memory_limit` allows so much
// (LINEFILTER_NO_MEMORY_LIMIT); verified as a whole.
LINEFILTER_EXPORT linefilter_view* linefilter_view_load(const char* path, const linefilter_allocator* allocator,
                                                        uint64_t memory_limit, const uint8_t* secret,
                                                        linefilter_status* status);

// Not of a linefilter_filter's or linefilter_scalable's view, which goes with it: that is left alone.
LINEFILTER_EXPORT void linefilter_view_free(linefilter_view* view);

// LINEFILTER_CORRUPT with the damaged range if the body does not match its checks. Reads the whole body (about 0.1 s
// per GB). A view that fails here may answer "absent" wrongly: do not use it.
LINEFILTER_EXPORT linefilter_code linefilter_view_verify(const linefilter_view* view, linefilter_status* status);
// The same for the chunks (64 KiB of body each) [first, first + count), little by little.
LINEFILTER_EXPORT linefilter_code linefilter_view_verify_chunks(const linefilter_view* view, uint64_t first,
                                                                uint64_t count, linefilter_status* status);
// How many there are; 0 for a body of at most 4 KiB, which is verified when it is opened.
LINEFILTER_EXPORT uint64_t linefilter_view_num_chunks(const linefilter_view* view);

// ---- Questions. `...key`, `...u64`: a filter of the caller's hashes answers "maybe".

// May this key be in the set?
LINEFILTER_EXPORT bool linefilter_view_may_contain_key(const linefilter_view* view, const void* key, size_t size);
// The same of an integer key.
LINEFILTER_EXPORT bool linefilter_view_may_contain_u64(const linefilter_view* view, uint64_t key);
// The same of a hash, made as linefilter_view_hash_id says.
LINEFILTER_EXPORT bool linefilter_view_may_contain_hash(const linefilter_view* view, uint64_t hash);
// Prefetches what the lookup of that hash will read: prepare some, then ask them.
LINEFILTER_EXPORT void linefilter_view_prepare_hash(const linefilter_view* view, uint64_t hash);

// A batch of keys: n answers of 1 or 0.
LINEFILTER_EXPORT void linefilter_view_may_contain_keys(const linefilter_view* view, const void* const* keys,
                                                        const size_t* sizes, size_t n, uint8_t* answers);
// The same of integer keys.
LINEFILTER_EXPORT void linefilter_view_may_contain_u64s(const linefilter_view* view, const uint64_t* keys, size_t n,
                                                        uint8_t* answers);
// The same of hashes.
LINEFILTER_EXPORT void linefilter_view_may_contain_hashes(const linefilter_view* view, const uint64_t* hashes, size_t n,
                                                          uint8_t* answers);
// Answers as bits: bit i & 7 of byte i >> 3. (n + 7) / 8 bytes are written, unused bits 0.
LINEFILTER_EXPORT void linefilter_view_may_contain_hashes_to_bits(const linefilter_view* view, const uint64_t* hashes,
                                                                  size_t n, uint8_t* bits);
// Only how many are "maybe".
LINEFILTER_EXPORT uint64_t linefilter_view_count_maybes(const linefilter_view* view, const uint64_t* hashes, size_t n);

// One hash asked of many views, whose lines are all prefetched before the first is read: answers[i] is that of
// views[i]. Returns how many are "maybe". All must use the hash's seed.
LINEFILTER_EXPORT size_t linefilter_views_may_contain_hash(const linefilter_view* const* views, size_t num_views,
                                                           uint64_t hash, uint8_t* answers);

// LINEFILTER_OK if questions by key can be answered, else why they are answered "maybe".
LINEFILTER_EXPORT linefilter_code linefilter_view_key_status(const linefilter_view* view, linefilter_status* status);

// ---- Facts. Of NULL: 0, but for the rate, which is 1; the target is "none".

LINEFILTER_EXPORT linefilter_layout linefilter_view_layout(const linefilter_view* view);
// Of NULL LINEFILTER_HASH_CALLER: no key can be answered.
LINEFILTER_EXPORT linefilter_hash_id linefilter_view_hash_id(const linefilter_view* view);
// Of a keyed hash linefilter_check_of_secret, which is no seed.
LINEFILTER_EXPORT uint64_t linefilter_view_seed(const linefilter_view* view);
// 0 in a layout without probes of its own.
LINEFILTER_EXPORT uint32_t linefilter_view_num_probes(const linefilter_view* view);
// 0 in a layout without blocks.
LINEFILTER_EXPORT uint64_t linefilter_view_num_blocks(const linefilter_view* view);
// Where the body lies; not aligned if the image is not. NULL of a linefilter_scalable's view: its stages lie apart.
LINEFILTER_EXPORT const uint8_t* linefilter_view_body(const linefilter_view* view);
// Bytes of the body: an image without its trailer and checks.
LINEFILTER_EXPORT uint64_t linefilter_view_body_bytes(const linefilter_view* view);
// 0 of a linefilter_filter's or linefilter_scalable's view.
LINEFILTER_EXPORT uint64_t linefilter_view_image_bytes(const linefilter_view* view);
// The same.
LINEFILTER_EXPORT uint32_t linefilter_view_format_version(const linefilter_view* view);
// The image of no keys at all.
LINEFILTER_EXPORT bool linefilter_view_empty_set(const linefilter_view* view);
// How many keys were added, adjacent duplicates counted once (but in `counting`); false, and *num_keys untouched, if
// the image does not say.
LINEFILTER_EXPORT bool linefilter_view_num_keys(const linefilter_view* view, uint64_t* num_keys);
// One of the blocked filters of which a container consists. Never changes its size.
typedef struct linefilter_view_stage {
  uint64_t num_blocks;       // of 64 bytes
  uint64_t num_keys;         // counted in it; 0: unknown
  linefilter_layout layout;  // LINEFILTER_LAYOUT_BLOCKED: no other so far
  uint32_t num_probes;       // bits per key that are set and tested
} linefilter_view_stage;

// How many stages a container has; 0 of every other layout, and of the empty set.
LINEFILTER_EXPORT uint32_t linefilter_view_num_stages(const linefilter_view* view);
// Of stage `index`, the oldest is 0; false, and *stage untouched, if there is no such stage.
LINEFILTER_EXPORT bool linefilter_view_stage_at(const linefilter_view* view, uint32_t index,
                                                linefilter_view_stage* stage);
// The target that answers ("AVX3", ...).
LINEFILTER_EXPORT const char* linefilter_view_target(const linefilter_view* view);

// Those below read the whole body. Share of one bits.
LINEFILTER_EXPORT double linefilter_view_fill_ratio(const linefilter_view* view);
// Distinct keys, estimated from the bits; infinite if all are set.
LINEFILTER_EXPORT double linefilter_view_estimated_keys(const linefilter_view* view);
// The rate at which absent keys answer "maybe", from these very bits; keys whose hashes agree with a member's included.
LINEFILTER_EXPORT double linefilter_view_expected_fpr(const linefilter_view* view);
// Of linefilter_view_count_levels.
enum { LINEFILTER_MAX_LEVELS = 256 };
// How many blocks have each level (retrieval: T), into LINEFILTER_MAX_LEVELS counts. Returns the number of levels; 0:
// there are none, and nothing is written.
LINEFILTER_EXPORT size_t linefilter_view_count_levels(const linefilter_view* view, uint64_t* counts);

// ---- Images that are not kept open.

// All that can be verified of an image without its secret.
LINEFILTER_EXPORT linefilter_code linefilter_image_verify(const void* image, size_t size, linefilter_status* status);
// One key asked of an image, for engines that hand over the bytes at each lookup: verifies, and answers as a view.
LINEFILTER_EXPORT bool linefilter_image_may_contain_key(const void* image, size_t size, const void* key,
                                                        size_t key_size);
// The same of bytes that the caller has verified since they were read: the check, half of the time, is left out.
LINEFILTER_EXPORT bool linefilter_trusted_image_may_contain_key(const void* image, size_t size, const void* key,
                                                                size_t key_size);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_VIEW_H_
