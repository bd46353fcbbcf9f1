// linefilter_concurrent, in C: a `blocked` filter that any number of threads fill and ask at once, without a lock.
// Start at linefilter/c.h; linefilter/concurrent.h tells what is seen when.
//
// All but _new, _from_image, _seal and _free: any number of threads at once.
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

// Room for num_keys keys (0 counts as 1). options->layout is blocked or auto, which is blocked here.
LINEFILTER_EXPORT linefilter_concurrent* linefilter_concurrent_new(uint64_t num_keys, const linefilter_options* options,
                                                                   linefilter_status* status);
// A copy of a `blocked` image, as linefilter_filter_from_image.
LINEFILTER_EXPORT linefilter_concurrent* linefilter_concurrent_from_image(const void* image, size_t size,
                                                                          const linefilter_options* options,
                                                                          linefilter_status* status);
// The filter, without a copy, when all threads have stopped: `filter` then answers "maybe" and takes nothing, and is
// still to be freed. On an error it is as before.
LINEFILTER_EXPORT linefilter_filter* linefilter_concurrent_seal(linefilter_concurrent* filter,
                                                                linefilter_status* status);
// When all threads have stopped.
LINEFILTER_EXPORT void linefilter_concurrent_free(linefilter_concurrent* filter);

// Insertion: true if the key was certainly new, false if it may have been there (also: of the caller's hashes). Of
// several threads that insert the same absent key at once, more than one may be told that it was new. To NULL, and to
// one that was sealed, nothing is ever new: who acts on new keys must look at the error of what should have made it.
LINEFILTER_EXPORT bool linefilter_concurrent_insert_key(linefilter_concurrent* filter, const void* key, size_t size);
// The same of an integer key.
LINEFILTER_EXPORT bool linefilter_concurrent_insert_u64(linefilter_concurrent* filter, uint64_t key);
// The same of a hash.
LINEFILTER_EXPORT bool linefilter_concurrent_insert_hash(linefilter_concurrent* filter, uint64_t hash);
// A batch; returns how many were certainly new. were_new: NULL, or n bytes that get 1 or 0.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_insert_keys(linefilter_concurrent* filter, const void* const* keys,
                                                             const size_t* sizes, size_t n, uint8_t* were_new);
// The same of integer keys.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_insert_u64s(linefilter_concurrent* filter, const uint64_t* keys,
                                                             size_t n, uint8_t* were_new);
// The same of hashes.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_insert_hashes(linefilter_concurrent* filter, const uint64_t* hashes,
                                                               size_t n, uint8_t* were_new);

// One question.
LINEFILTER_EXPORT bool linefilter_concurrent_may_contain_key(const linefilter_concurrent* filter, const void* key,
                                                             size_t size);
// The same of an integer key.
LINEFILTER_EXPORT bool linefilter_concurrent_may_contain_u64(const linefilter_concurrent* filter, uint64_t key);
// The same of a hash.
LINEFILTER_EXPORT bool linefilter_concurrent_may_contain_hash(const linefilter_concurrent* filter, uint64_t hash);
// A batch: n answers of 1 or 0.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_keys(const linefilter_concurrent* filter,
                                                              const void* const* keys, const size_t* sizes, size_t n,
                                                              uint8_t* answers);
// The same of integer keys.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_u64s(const linefilter_concurrent* filter, const uint64_t* keys,
                                                              size_t n, uint8_t* answers);
// The same of hashes.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_hashes(const linefilter_concurrent* filter,
                                                                const uint64_t* hashes, size_t n, uint8_t* answers);

// Answers as bits: bit i & 7 of byte i >> 3. (n + 7) / 8 bytes are written, unused bits 0.
LINEFILTER_EXPORT void linefilter_concurrent_may_contain_hashes_to_bits(const linefilter_concurrent* filter,
                                                                        const uint64_t* hashes, size_t n,
                                                                        uint8_t* bits);
// Only how many are "maybe".
LINEFILTER_EXPORT uint64_t linefilter_concurrent_count_maybes(const linefilter_concurrent* filter,
                                                              const uint64_t* hashes, size_t n);
// Prefetches what the lookup of that hash will read: prepare some, then ask them.
LINEFILTER_EXPORT void linefilter_concurrent_prepare_hash(const linefilter_concurrent* filter, uint64_t hash);
// LINEFILTER_OK if questions by key can be answered, else why they are answered "maybe".
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_key_status(const linefilter_concurrent* filter,
                                                                   linefilter_status* status);

// Facts. Of NULL: 0, and the target is "none".

// LINEFILTER_LAYOUT_BLOCKED; of NULL, and when it is sealed, LINEFILTER_LAYOUT_AUTO.
LINEFILTER_EXPORT linefilter_layout linefilter_concurrent_layout(const linefilter_concurrent* filter);
// Of NULL LINEFILTER_HASH_CALLER: no key can be answered.
LINEFILTER_EXPORT linefilter_hash_id linefilter_concurrent_hash_id(const linefilter_concurrent* filter);
// Of a keyed hash linefilter_check_of_secret, which is no seed.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_seed(const linefilter_concurrent* filter);
// Bits per key that are set and tested.
LINEFILTER_EXPORT uint32_t linefilter_concurrent_num_probes(const linefilter_concurrent* filter);
// Of 64 bytes.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_num_blocks(const linefilter_concurrent* filter);
// Bytes of the body: an image without its trailer and checks.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_body_bytes(const linefilter_concurrent* filter);
// The target that answers.
LINEFILTER_EXPORT const char* linefilter_concurrent_target(const linefilter_concurrent* filter);

// Share of one bits, 0..1, of bits that are read while others are set.
LINEFILTER_EXPORT double linefilter_concurrent_fill_ratio(const linefilter_concurrent* filter);
// Distinct keys, estimated from it.
LINEFILTER_EXPORT double linefilter_concurrent_estimated_keys(const linefilter_concurrent* filter);
// Bytes held, the handle included.
LINEFILTER_EXPORT uint64_t linefilter_concurrent_memory_use(const linefilter_concurrent* filter);

// A snapshot while insertions go on: every insertion that happened before the call is in it. How many bytes it has,
LINEFILTER_EXPORT uint64_t linefilter_concurrent_image_bytes(const linefilter_concurrent* filter);
// in memory that linefilter_image_free frees, aligned to 64 bytes; NULL on an error. *size: its bytes.
LINEFILTER_EXPORT void* linefilter_concurrent_image(const linefilter_concurrent* filter, size_t* size,
                                                    linefilter_status* status);
// into `size` bytes at `out`: linefilter_concurrent_image_bytes or more, of which the first are written,
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_write_to(const linefilter_concurrent* filter, void* out,
                                                                 size_t size, linefilter_status* status);
// in pieces through `sink`,
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_write_to_sink(const linefilter_concurrent* filter,
                                                                      linefilter_sink sink, void* context,
                                                                      linefilter_status* status);
// as a file, as linefilter_filter_save.
LINEFILTER_EXPORT linefilter_code linefilter_concurrent_save(const linefilter_concurrent* filter, const char* path,
                                                             linefilter_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_CONCURRENT_H_
