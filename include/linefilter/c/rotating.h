// linefilter_rotating, in C, has the keys of a sliding window, by generations of which the oldest is dropped. Start at
// linefilter/c.h; linefilter/rotating.h tells what is guaranteed.
//
// Any number of threads may call all functions but _new, _from_image and _free at once. After fork the child may ask
// and insert, but not rotate or write, which may wait for a thread that it does not have.
#ifndef LINEFILTER_C_ROTATING_H_
#define LINEFILTER_C_ROTATING_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// When a generation ends.
typedef int32_t linefilter_rotation;
enum {
  LINEFILTER_ROTATE_BY_CALLER = 0,  // by linefilter_rotating_rotate alone: a window in time
  LINEFILTER_ROTATE_BY_COUNT = 1    // also when window_keys / (generations - 1) keys went into the newest one
};

// Makes it for window_keys keys (0 counts as 1) within a window, and 2 to 64 generations. options->fpr is the rate of
// all generations together, options->bits_per_key goes for each. options->layout is blocked or auto, here the same.
LINEFILTER_EXPORT linefilter_rotating* linefilter_rotating_new(uint64_t window_keys, uint32_t num_generations,
                                                               linefilter_rotation rotation,
                                                               const linefilter_options* options,
                                                               linefilter_status* status);
// Goes on from a snapshot, as linefilter_filter_from_image does from an image.
LINEFILTER_EXPORT linefilter_rotating* linefilter_rotating_from_image(const void* image, size_t size,
                                                                      const linefilter_options* options,
                                                                      linefilter_status* status);
// When all threads have stopped.
LINEFILTER_EXPORT void linefilter_rotating_free(linefilter_rotating* filter);

// Drops the oldest generation and begins a new one; returns the number of the new one; 0 for NULL.
LINEFILTER_EXPORT uint64_t linefilter_rotating_rotate(linefilter_rotating* filter);
// The rotations so far.
LINEFILTER_EXPORT uint64_t linefilter_rotating_generation(const linefilter_rotating* filter);

// Inserts: true if the key was certainly new, false if it may have been there (or for NULL, or if the hashes are the
// caller's). In either case its window begins anew.
LINEFILTER_EXPORT bool linefilter_rotating_insert_key(linefilter_rotating* filter, const void* key, size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_rotating_insert_u64(linefilter_rotating* filter, uint64_t key);
// The same for a hash.
LINEFILTER_EXPORT bool linefilter_rotating_insert_hash(linefilter_rotating* filter, uint64_t hash);
// Inserts a batch and returns how many were certainly new. were_new is NULL or gets n bytes of 1 or 0.
LINEFILTER_EXPORT uint64_t linefilter_rotating_insert_keys(linefilter_rotating* filter, const void* const* keys,
                                                           const size_t* sizes, size_t n, uint8_t* were_new);
// The same for integer keys.
LINEFILTER_EXPORT uint64_t linefilter_rotating_insert_u64s(linefilter_rotating* filter, const uint64_t* keys, size_t n,
                                                           uint8_t* were_new);
// The same for hashes.
LINEFILTER_EXPORT uint64_t linefilter_rotating_insert_hashes(linefilter_rotating* filter, const uint64_t* hashes,
                                                             size_t n, uint8_t* were_new);

// Asks one question.
LINEFILTER_EXPORT bool linefilter_rotating_may_contain_key(const linefilter_rotating* filter, const void* key,
                                                           size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_rotating_may_contain_u64(const linefilter_rotating* filter, uint64_t key);
// The same for a hash.
LINEFILTER_EXPORT bool linefilter_rotating_may_contain_hash(const linefilter_rotating* filter, uint64_t hash);
// Asks a batch: n answers of 1 or 0.
LINEFILTER_EXPORT void linefilter_rotating_may_contain_keys(const linefilter_rotating* filter, const void* const* keys,
                                                            const size_t* sizes, size_t n, uint8_t* answers);
// The same for integer keys.
LINEFILTER_EXPORT void linefilter_rotating_may_contain_u64s(const linefilter_rotating* filter, const uint64_t* keys,
                                                            size_t n, uint8_t* answers);
// The same for hashes.
LINEFILTER_EXPORT void linefilter_rotating_may_contain_hashes(const linefilter_rotating* filter, const uint64_t* hashes,
                                                              size_t n, uint8_t* answers);
// Answers are bits: bit i & 7 of byte i >> 3. (n + 7) / 8 bytes are written, unused bits 0.
LINEFILTER_EXPORT void linefilter_rotating_may_contain_hashes_to_bits(const linefilter_rotating* filter,
                                                                      const uint64_t* hashes, size_t n, uint8_t* bits);
// Only counts how many are "maybe".
LINEFILTER_EXPORT uint64_t linefilter_rotating_count_maybes(const linefilter_rotating* filter, const uint64_t* hashes,
                                                            size_t n);
// LINEFILTER_OK if questions by key can be answered; else it says why they are answered "maybe".
LINEFILTER_EXPORT linefilter_code linefilter_rotating_key_status(const linefilter_rotating* filter,
                                                                 linefilter_status* status);

// For NULL these facts are 0, but the hash id is LINEFILTER_HASH_CALLER, the rate 1 and the target "none".

// This tells whose hashes it holds.
LINEFILTER_EXPORT linefilter_hash_id linefilter_rotating_hash_id(const linefilter_rotating* filter);
// For a keyed hash this is linefilter_check_of_secret, not a seed.
LINEFILTER_EXPORT uint64_t linefilter_rotating_seed(const linefilter_rotating* filter);
// How many generations are asked.
LINEFILTER_EXPORT uint32_t linefilter_rotating_num_generations(const linefilter_rotating* filter);
// How many keys each is made for.
LINEFILTER_EXPORT uint64_t linefilter_rotating_keys_per_generation(const linefilter_rotating* filter);
// When a generation ends.
LINEFILTER_EXPORT linefilter_rotation linefilter_rotating_rotation(const linefilter_rotating* filter);
// Bits per key that are set and tested in each generation.
LINEFILTER_EXPORT uint32_t linefilter_rotating_num_probes(const linefilter_rotating* filter);
// Bytes of the live generations together.
LINEFILTER_EXPORT uint64_t linefilter_rotating_body_bytes(const linefilter_rotating* filter);
// The target that answers.
LINEFILTER_EXPORT const char* linefilter_rotating_target(const linefilter_rotating* filter);
// The share of one bits, 0..1, in the generation that began `age` rotations ago (0 = the newest).
LINEFILTER_EXPORT double linefilter_rotating_fill_ratio(const linefilter_rotating* filter, uint32_t age);
// The distinct keys of that generation, estimated from its share of one bits.
LINEFILTER_EXPORT double linefilter_rotating_estimated_keys(const linefilter_rotating* filter, uint32_t age);
// The rate at which absent keys answer "maybe", from these very bits, as
// linefilter_view_expected_fpr of a snapshot has it. It reads them all, or a sample of 2^20 blocks of a generation.
LINEFILTER_EXPORT double linefilter_rotating_expected_fpr(const linefilter_rotating* filter);
// The bytes held, the handle included.
LINEFILTER_EXPORT uint64_t linefilter_rotating_memory_use(const linefilter_rotating* filter);

// The size of a snapshot while insertions go on; rotations wait for it. A linefilter_view answers from it, too. If
// rotation is by count, the newest generation takes more keys than it is made for meanwhile, and the rate rises with
// the length of the writing. So write to memory first, and from there to where it is slow.
LINEFILTER_EXPORT uint64_t linefilter_rotating_image_bytes(const linefilter_rotating* filter);
// Makes the image in memory that linefilter_image_free frees, aligned to 64 bytes; NULL on an error. *size is its size.
LINEFILTER_EXPORT void* linefilter_rotating_image(const linefilter_rotating* filter, size_t* size,
                                                  linefilter_status* status);
// Writes the image to `size` bytes at `out`: linefilter_rotating_image_bytes or more, of which the first are written.
LINEFILTER_EXPORT linefilter_code linefilter_rotating_write_to(const linefilter_rotating* filter, void* out,
                                                               size_t size, linefilter_status* status);
// Writes the image to `sink`, piece by piece; this takes up to 1 MiB and 1/16384 of the image for the moment. `sink`
// must not rotate, write or save this filter, nor insert into it if it rotates by count: it would wait for itself.
LINEFILTER_EXPORT linefilter_code linefilter_rotating_write_to_sink(const linefilter_rotating* filter,
                                                                    linefilter_sink sink, void* context,
                                                                    linefilter_status* status);
// Writes the image to a file, as linefilter_filter_save does.
LINEFILTER_EXPORT linefilter_code linefilter_rotating_save(const linefilter_rotating* filter, const char* path,
                                                           linefilter_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_ROTATING_H_
