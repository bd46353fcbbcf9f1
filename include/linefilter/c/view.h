// linefilter_view, in C, is what is asked: an image in memory of somebody else (zero-copy, any alignment), an image in
// a file, a filter (linefilter_filter_view), a filter that is replaced meanwhile (c/swappable.h), or one of a Parquet
// file (c/parquet.h). Start at linefilter/c.h.
//
//   const linefilter_verify_mode verify = LINEFILTER_VERIFY_WHOLE;
//   linefilter_view* view = linefilter_view_open(file + offset, image_size, verify, NULL, &status);  // one image
//   if (view == NULL) fail(status.message);
//   linefilter_view_may_contain_keys(view, keys, sizes, n, answers);  // 1 for "maybe"
//   linefilter_view_free(view);
//
// Any number of threads may call all but _free at once (for a plain or scalable filter's: while nobody inserts).
#ifndef LINEFILTER_C_VIEW_H_
#define LINEFILTER_C_VIEW_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// ---- Opening. `secret` has LINEFILTER_SECRET_BYTES bytes for an image of a keyed hash, and is NULL for every other;
// ---- else it is LINEFILTER_INCOMPATIBLE. A view is freed with linefilter_view_free.

// How the body of an image is verified. Its trailer always is, and a body of up to 4 KiB with it. Whoever asks a
// damaged body that was not verified may be told "absent" of a member.
typedef int32_t linefilter_verify_mode;
enum {
  LINEFILTER_VERIFY_AUTO = 0,    // as the call says
  LINEFILTER_VERIFY_WHOLE = 1,   // all of it when it is opened, at about 0.1 s per GB
  LINEFILTER_VERIFY_LAZY = 2,    // each chunk of 64 KiB before the first "absent" that comes from it
  LINEFILTER_VERIFY_TRUSTED = 3  // not at all: something else vouches for these bytes
};

// Opens the image at these bytes, which must stay unchanged until the view is freed. They are exactly one image,
// neither more nor less; it does not tell its size, which is to be kept beside it. `verify` is
// LINEFILTER_VERIFY_WHOLE or LINEFILTER_VERIFY_TRUSTED; another one is LINEFILTER_INVALID_ARGUMENT.
linefilter_view* linefilter_view_open(const void* image, size_t size, linefilter_verify_mode verify,
                                      const uint8_t* secret, linefilter_status* status);

// How a mapped file will be read.
typedef int32_t linefilter_advice;
enum {
  LINEFILTER_WILL_NEED = 0,  // the system starts reading the file now
  LINEFILTER_RANDOM = 1      // pages come when asked for: a filter larger than memory
};

// Maps a file: nothing is copied, processes share the pages. It must not shrink while it is mapped (replace files by
// rename, as this library does). LINEFILTER_VERIFY_AUTO is LINEFILTER_VERIFY_WHOLE for a file of up to 64 MiB, and
// LINEFILTER_VERIFY_LAZY above. A lazy file is opened at once; a lookup may then verify a chunk, which takes 7.6 us
// (median, AMD Zen 4). In a `container` it may verify one per stage, in `classic` more beside damage. Where a chunk is
// damaged, all is "maybe", and linefilter_view_status tells. When all are verified, lookups are those of a trusted
// file; linefilter_view_verify in another thread gets there sooner.
linefilter_view* linefilter_view_map(const char* path, linefilter_verify_mode verify, linefilter_advice advice,
                                     const uint8_t* secret, linefilter_status* status);

// Reads a file into memory of `allocator` (NULL: the default, in huge pages), of which `memory_limit` allows so much
// (LINEFILTER_NO_MEMORY_LIMIT; 0 allows nothing). It is verified as a whole.
linefilter_view* linefilter_view_load(const char* path, const linefilter_allocator* allocator, uint64_t memory_limit,
                                      const uint8_t* secret, linefilter_status* status);

// Frees a view. A filter's view, which goes with it, is left alone.
void linefilter_view_free(linefilter_view* view);

// LINEFILTER_OK, or the first damage that was found in a file that is verified lazily. A filter's view and a swappable
// one are always LINEFILTER_OK.
linefilter_code linefilter_view_status(const linefilter_view* view, linefilter_status* status);

// Returns LINEFILTER_CORRUPT with the damaged range if the body does not match its checks. It reads the whole body
// (about 0.1 s per GB). A trusted view that fails here may answer "absent" wrongly: do not use it. A filter's view has
// nothing to verify; a swappable one is LINEFILTER_INCOMPATIBLE.
linefilter_code linefilter_view_verify(const linefilter_view* view, linefilter_status* status);
// The same for the chunks (64 KiB of body each) [first, first + count), little by little.
linefilter_code linefilter_view_verify_chunks(const linefilter_view* view, uint64_t first, uint64_t count,
                                              linefilter_status* status);
// How many chunks there are; 0 for a body of at most 4 KiB, which is verified when it is opened.
uint64_t linefilter_view_num_chunks(const linefilter_view* view);

// Joins the pages of the body to huge pages where they lie: for a large image in memory that was allocated without
// them. At 512 MB a batch then takes 1.15 times as long as after linefilter_view_load, and 1.8 times before. No byte
// changes; other threads may ask meanwhile. It takes 0.3 to 2.5 s per GB. It is LINEFILTER_OK when all that fit are
// there, and for a body without a whole one, of 2 MiB. LINEFILTER_OUT_OF_MEMORY says that not all could be made now,
// and LINEFILTER_IO_ERROR that the system makes none of this memory, and what to do (a mapped file: load it). A
// filter's view is LINEFILTER_OK and left as its allocator gave it; a swappable one is LINEFILTER_INCOMPATIBLE.
linefilter_code linefilter_view_advise_huge_pages(const linefilter_view* view, linefilter_status* status);

// ---- Questions by key or u64: a filter of the caller's hashes answers "maybe".

// May this key be in the set?
bool linefilter_view_may_contain_key(const linefilter_view* view, const void* key, size_t size);
// The same for an integer key.
bool linefilter_view_may_contain_u64(const linefilter_view* view, uint64_t key);
// Asks for a hash, which is made as linefilter_view_hash_id says: linefilter_hash_key with the seed
// linefilter_view_seed, or linefilter_secret_hash_key with your secret (linefilter_view_seed is then its check), or
// your own.
bool linefilter_view_may_contain_hash(const linefilter_view* view, uint64_t hash);
// Prefetches what the lookup of that hash will read: prepare some, then ask them. Where there are several stages it
// is the newest; a rotating filter and a swappable view prefetch nothing.
void linefilter_view_prepare_hash(const linefilter_view* view, uint64_t hash);

// A batch of keys: n answers of 1 or 0.
void linefilter_view_may_contain_keys(const linefilter_view* view, const void* const* keys, const size_t* sizes,
                                      size_t n, uint8_t* answers);
// The same for integer keys.
void linefilter_view_may_contain_u64s(const linefilter_view* view, const uint64_t* keys, size_t n, uint8_t* answers);
// Answers are bits: bit i & 7 of byte i >> 3. (n + 7) / 8 bytes are written, unused bits 0.
void linefilter_view_may_contain_keys_to_bits(const linefilter_view* view, const void* const* keys, const size_t* sizes,
                                              size_t n, uint8_t* bits);
// The same for integer keys.
void linefilter_view_may_contain_u64s_to_bits(const linefilter_view* view, const uint64_t* keys, size_t n,
                                              uint8_t* bits);
// The same for hashes.
void linefilter_view_may_contain_hashes(const linefilter_view* view, const uint64_t* hashes, size_t n,
                                        uint8_t* answers);
// Answers are bits: bit i & 7 of byte i >> 3. (n + 7) / 8 bytes are written, unused bits 0.
void linefilter_view_may_contain_hashes_to_bits(const linefilter_view* view, const uint64_t* hashes, size_t n,
                                                uint8_t* bits);
// Only counts how many are "maybe".
uint64_t linefilter_view_count_maybes(const linefilter_view* view, const uint64_t* hashes, size_t n);

// LINEFILTER_OK if questions by key can be answered; else it says why they are answered "maybe".
linefilter_code linefilter_view_key_status(const linefilter_view* view, linefilter_status* status);

// ---- Questions to many views at once, of filters of any kind, seed and layout, in any order: the levels of a
// ---- log-structured store. For one key or hash, the lines of up to 64 views are prefetched before the first is read.
// ---- A NULL view answers "maybe".

// Asks them for one key. answers[i] is that of views[i]. It returns how many are "maybe". The key is hashed once for
// all views whose hash id, and seed or secret, are the same.
size_t linefilter_views_may_contain_key(const linefilter_view* const* views, size_t num_views, const void* key,
                                        size_t size, uint8_t* answers);
// The same for an integer key.
size_t linefilter_views_may_contain_u64(const linefilter_view* const* views, size_t num_views, uint64_t key,
                                        uint8_t* answers);
// The same for a hash. `hash_id` and `seed` say whose it is: those of the options with which it goes, or what
// linefilter_view_hash_id and linefilter_view_seed tell of a view (of a keyed hash linefilter_secret_check). A view of
// another one answers "maybe", for there it would be the hash of another key.
size_t linefilter_views_may_contain_hash(const linefilter_view* const* views, size_t num_views,
                                         linefilter_hash_id hash_id, uint64_t seed, uint64_t hash, uint8_t* answers);

// Asks them for n keys. The answers are a matrix with a row of n bytes for each view, num_views * n bytes in all:
// answers[i * n + j] is that of views[i] for keys[j].
void linefilter_views_may_contain_keys(const linefilter_view* const* views, size_t num_views, const void* const* keys,
                                       const size_t* sizes, size_t n, uint8_t* answers);
// The same for integer keys.
void linefilter_views_may_contain_u64s(const linefilter_view* const* views, size_t num_views, const uint64_t* keys,
                                       size_t n, uint8_t* answers);
// The same for hashes, which are all of that hash id and seed.
void linefilter_views_may_contain_hashes(const linefilter_view* const* views, size_t num_views,
                                         linefilter_hash_id hash_id, uint64_t seed, const uint64_t* hashes, size_t n,
                                         uint8_t* answers);

// ---- Facts. For NULL they are 0, but for the rate, which is 1; the target is "none". A swappable view tells those
// before linefilter_view_target as NULL does, for what serves may be another the next moment: ask a lease.

// This is LINEFILTER_LAYOUT_AUTO for NULL and what was sealed.
linefilter_layout linefilter_view_layout(const linefilter_view* view);
// For NULL this is LINEFILTER_HASH_CALLER: no key can be answered.
linefilter_hash_id linefilter_view_hash_id(const linefilter_view* view);
// For a keyed hash this is linefilter_secret_check, not a seed.
uint64_t linefilter_view_seed(const linefilter_view* view);
// The kinds of its keys, as far as somebody told them: LINEFILTER_KEY_KIND_UNKNOWN if nobody did, or if keys came of
// which nobody did. Look at it before many keys are asked: members of another kind would be "absent".
linefilter_key_kind linefilter_view_key_kind(const linefilter_view* view);
// Bits per key that are set and tested; 0 in a layout without probes of its own. A rotating filter tells those of its
// generations.
uint32_t linefilter_view_num_probes(const linefilter_view* view);
// The number of blocks; 0 in a layout without blocks.
uint64_t linefilter_view_num_blocks(const linefilter_view* view);
// Where the body lies; not aligned if the image is not. NULL for a scalable or rotating filter's view, whose stages lie
// apart.
const uint8_t* linefilter_view_body(const linefilter_view* view);
// Bytes of the body: an image without its trailer and checks.
uint64_t linefilter_view_body_bytes(const linefilter_view* view);
// Sets the options of filters that can be united with the filter of the view: its layout, size, capacity, num_probes
// and key hash. The allocator, the memory_limit and the executor stay as they are. A view that has no size (broken, of
// the empty set, of stages) makes options that every _new refuses. `options` was set by linefilter_options_init.
linefilter_code linefilter_options_same_size_as(linefilter_options* options, const linefilter_view* view,
                                                linefilter_status* status);
// Bytes of the image; 0 for a view of no image.
uint64_t linefilter_view_image_bytes(const linefilter_view* view);
// The version of the image's bytes; 0 for such a view, too.
uint32_t linefilter_view_format_version(const linefilter_view* view);
// Whether it is the image of no keys at all.
bool linefilter_view_empty_set(const linefilter_view* view);
// Tells how many keys it was sized for: of a builder those that it counted (linefilter/builder.h) or options->num_keys,
// of a scalable filter those that came. It returns false, with *num_keys untouched, if the image does not say. Those of
// builders do with a body above 4 KiB or a kind of keys, and those of scalable filters.
bool linefilter_view_num_keys(const linefilter_view* view, uint64_t* num_keys);

// One of the blocked filters of which a container consists. This never changes its size.
typedef struct linefilter_view_stage {
  uint64_t num_blocks;       // of 64 bytes
  uint64_t num_keys;         // counted in it; 0: unknown
  linefilter_layout layout;  // LINEFILTER_LAYOUT_BLOCKED: no other so far
  uint32_t num_probes;       // bits per key that are set and tested
} linefilter_view_stage;

// How many stages a container has, or generations a rotating filter; 0 for every other layout, and for the empty set.
uint32_t linefilter_view_num_stages(const linefilter_view* view);
// Tells of stage `index`, the oldest is 0. It returns false, with *stage untouched, if there is no such stage.
bool linefilter_view_stage_at(const linefilter_view* view, uint32_t index, linefilter_view_stage* stage);
// The target that answers ("AVX3", ...).
const char* linefilter_view_target(const linefilter_view* view);

// The keys that it was made for; 0 if nobody said. A new filter knows, and a view of an image that tells
// linefilter_view_num_keys, or how it grows: the keys of its stages so far, or of all generations.
uint64_t linefilter_view_capacity(const linefilter_view* view);

// The share of one bits. All calls from here to linefilter_view_count_levels read the whole body.
double linefilter_view_fill_ratio(const linefilter_view* view);
// The distinct keys, estimated from the bits; infinite if those tell no number, as where all are set. `error` may be
// NULL. It gets the standard error of the estimate, in keys.
double linefilter_view_approximate_size(const linefilter_view* view, double* error);
// How many more distinct keys it takes until its expected rate is `fpr`; 0 if the rate is above that already, for what
// takes no keys, and for an fpr that is not above 0. For an fpr of 1 or more it is 2^64 - 1 where keys are taken. A
// scalable filter counts the stages that it would open, a rotating one counts as if it did not rotate.
uint64_t linefilter_view_room_for(const linefilter_view* view, double fpr);
// Whether more distinct keys are in it than it was made for, beyond four standard errors of the estimate. It is false
// if nobody said how many they are.
bool linefilter_view_over_capacity(const linefilter_view* view);
// The rate at which absent keys answer "maybe", from these very bits, with keys whose hashes agree with a member's.
double linefilter_view_expected_fpr(const linefilter_view* view);
// The most levels of linefilter_view_count_levels.
enum { LINEFILTER_MAX_LEVELS = 256 };
// Writes how many blocks have each level (retrieval: T), into LINEFILTER_MAX_LEVELS counts. It returns the number of
// levels; at 0 there are none, and nothing is written.
size_t linefilter_view_count_levels(const linefilter_view* view, uint64_t* counts);

// ---- Images that are not kept open.

// Verifies all of an image that can be verified without its secret.
linefilter_code linefilter_image_verify(const void* image, size_t size, linefilter_status* status);
// Asks an image for one key, for engines that hand over the bytes at each lookup. What is verified before it is
// "absent": with LINEFILTER_VERIFY_WHOLE all, with LINEFILTER_VERIFY_LAZY (and AUTO) the trailer, and of a body above 4
// KiB the chunks of this key. LINEFILTER_VERIFY_TRUSTED says that the caller has verified these bytes since they were
// read: the check, a fifth of the time or more, is left out. It takes no secret: an image of a keyed hash answers
// "maybe".
bool linefilter_image_ask(const void* image, size_t size, linefilter_verify_mode verify, const void* key,
                          size_t key_size);

LINEFILTER_C_END

#endif  // LINEFILTER_C_VIEW_H_
