// linefilter_concurrent, in C, is a `blocked` filter that any number of threads fill and ask at once, without a lock.
// Start at linefilter/c.h; linefilter/concurrent.h tells what is seen when.
//
// Any number of threads may call all functions but _new, _from_image, _seal and _free at once.
#ifndef LINEFILTER_C_CONCURRENT_H_
#define LINEFILTER_C_CONCURRENT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a filter for num_keys keys (0 counts as 1). options->layout is blocked or auto, which is blocked here.
LINEFILTER_EXPORT linefilter_concurrent* linefilter_concurrent_new(uint64_t num_keys, const linefilter_options* options,
                                                                   linefilter_status* status);
// Makes a copy of a `blocked` image, as linefilter_filter_from_image does.
LINEFILTER_EXPORT linefilter_concurrent* linefilter_concurrent_from_image(const void* image, size_t size,
                                                                          const linefilter_options* options,
                                                                          linefilter_status* status);
// Gives the filter away, without a copy, when all threads have stopped: `filter` then answers "maybe" and takes
// nothing, and is still to be freed. On an error it is as before.
LINEFILTER_EXPORT linefilter_filter* linefilter_concurrent_seal(linefilter_concurrent* filter,
                                                                linefilter_status* status);
// Frees the filter. All threads must have stopped.
LINEFILTER_EXPORT void linefilter_concurrent_free(linefilter_concurrent* filter);

// Inserts: true if the key was certainly new, false if it may have been there (or if the hashes are the caller's). If
// several threads insert the same absent key at once, more than one may be told that it was new. To NULL, and to one
// that was sealed, nothing is ever new: if you act on new keys, look at the error of the call that should have made it.
LINEFILTER_EXPORT bool linefilter_concurrent_insert_key(linefilter_concurrent* filter, const void* key, size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_concurrent_insert_u64(linefilter_concurrent* filter, uint64_t key);
// The same for a hash.
LINEFILTER_EXPORT bool linefilter_concurrent_insert_hash(linefilter_concurrent* filter, uint64_t hash);
// Inserts a batch and returns how many were certainly new. were_new is NULL or gets n bytes of 1 or 0.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_insert_keys(linefilter_concurrent* filter, const void* const* keys,
                                                             const size_t* sizes, size_t n, uint8_t* were_new);
// The same for integer keys.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_insert_u64s(linefilter_concurrent* filter, const uint64_t* keys,
                                                             size_t n, uint8_t* were_new);
// The same for hashes.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_insert_hashes(linefilter_concurrent* filter, const uint64_t* hashes,
                                                               size_t n, uint8_t* were_new);

// Asks one question.
LINEFILTER_EXPORT bool linefilter_concurrent_may_contain_key(const linefilter_concurrent* filter, const void* key,
                                                             size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_concurrent_may_contain_u64(const linefilter_concurrent* filter, uint64_t key);
// The same for a hash.
LINEFILTER_EXPORT bool linefilter_concurrent_may_contain_hash(const linefilter_concurrent* filter, uint64_t hash);
// Asks a batch: n answers of 1 or 0.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_keys(const linefilter_concurrent* filter,
                                                              const void* const* keys, const size_t* sizes, size_t n,
                                                              uint8_t* answers);
// The same for integer keys.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_u64s(const linefilter_concurrent* filter, const uint64_t* keys,
                                                              size_t n, uint8_t* answers);
// The same for hashes.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_hashes(const linefilter_concurrent* filter,
                                                                const uint64_t* hashes, size_t n, uint8_t* answers);

// Answers are bits: bit i & 7 of byte i >> 3. (n + 7) / 8 bytes are written, unused bits 0.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_hashes_to_bits(const linefilter_concurrent* filter,
                                                                        const uint64_t* hashes, size_t n,
                                                                        uint8_t* bits);
// Only counts how many are "maybe".
LINEFILTER_EXPORT uint64_t linefilter_concurrent_count_maybes(const linefilter_concurrent* filter,
                                                              const uint64_t* hashes, size_t n);
// Prefetches what the lookup of that hash will read: prepare some, then ask them.
LINEFILTER_EXPORT void linefilter_concurrent_prepare_hash(const linefilter_concurrent* filter, uint64_t hash);
// LINEFILTER_OK if questions by key can be answered; else it says why they are answered "maybe".
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_key_status(const linefilter_concurrent* filter,
                                                                   linefilter_status* status);

// For NULL these facts are 0, and the target is "none".

// LINEFILTER_LAYOUT_BLOCKED; for NULL, and when it is sealed, LINEFILTER_LAYOUT_AUTO.
LINEFILTER_EXPORT linefilter_layout linefilter_concurrent_layout(const linefilter_concurrent* filter);
// For NULL this is LINEFILTER_HASH_CALLER: no key can be answered.
LINEFILTER_EXPORT linefilter_hash_id linefilter_concurrent_hash_id(const linefilter_concurrent* filter);
// For a keyed hash this is linefilter_check_of_secret, not a seed.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_seed(const linefilter_concurrent* filter);
// Bits per key that are set and tested.
LINEFILTER_EXPORT uint32_t linefilter_concurrent_num_probes(const linefilter_concurrent* filter);
// The number of blocks of 64 bytes.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_num_blocks(const linefilter_concurrent* filter);
// Bytes of the body: an image without its trailer and checks.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_body_bytes(const linefilter_concurrent* filter);
// The target that answers.
LINEFILTER_EXPORT const char* linefilter_concurrent_target(const linefilter_concurrent* filter);

// The share of one bits, 0..1, read while others are set.
LINEFILTER_EXPORT double linefilter_concurrent_fill_ratio(const linefilter_concurrent* filter);
// The distinct keys, estimated from the share of one bits.
LINEFILTER_EXPORT double linefilter_concurrent_estimated_keys(const linefilter_concurrent* filter);
// The bytes held, the handle included.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_memory_use(const linefilter_concurrent* filter);

// The size of a snapshot while insertions go on: every insertion that happened before the call is in it.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_image_bytes(const linefilter_concurrent* filter);
// Makes the image in memory that linefilter_image_free frees, aligned to 64 bytes; NULL on an error. *size is its size.
LINEFILTER_EXPORT void* linefilter_concurrent_image(const linefilter_concurrent* filter, size_t* size,
                                                    linefilter_status* status);
// Writes the image to `size` bytes at `out`: linefilter_concurrent_image_bytes or more, of which the first are written.
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_write_to(const linefilter_concurrent* filter, void* out,
                                                                 size_t size, linefilter_status* status);
// Writes the image to `sink`, piece by piece.
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_write_to_sink(const linefilter_concurrent* filter,
                                                                      linefilter_sink sink, void* context,
                                                                      linefilter_status* status);
// Writes the image to a file, as linefilter_filter_save does.
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_save(const linefilter_concurrent* filter, const char* path,
                                                             linefilter_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_CONCURRENT_H_
