// linefilter_builder, in C, takes keys and makes one image, of any layout. Start at linefilter/c.h.
//
//   linefilter_builder* builder = linefilter_builder_new(&options, &status);
//   for (i = 0; i < n; ++i) linefilter_builder_add_key(builder, keys[i], sizes[i]);
//   if (linefilter_builder_finish_to_file(builder, "users", &status) != LINEFILTER_OK) fail(status.message);
//   linefilter_builder_free(builder);
//
// The size follows from the keys that really came, counted once where many came again (linefilter/builder.h says when),
// or from options->num_keys. It takes 8 bytes per key, whatever the keys' length, and the image while it is finished
// (linefilter/builder.h tells the rest). It is not thread-safe, not even in functions that take it as const;
// options->executor lends it threads.
#ifndef LINEFILTER_C_BUILDER_H_
#define LINEFILTER_C_BUILDER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/sizing.h"
#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// Makes a builder. Bad options give NULL and LINEFILTER_INVALID_ARGUMENT or LINEFILTER_UNSUPPORTED.
linefilter_builder* linefilter_builder_new(const linefilter_options* options, linefilter_status* status);
// Frees the builder with its keys.
void linefilter_builder_free(linefilter_builder* builder);

// Adds a key. Duplicates are legal. Errors (no memory, a key for a builder of the caller's hashes) are remembered: the
// finishing functions and linefilter_builder_status return them.
void linefilter_builder_add_key(linefilter_builder* builder, const void* key, size_t size);
// The same for an integer key.
void linefilter_builder_add_u64(linefilter_builder* builder, uint64_t key);
// The same for a key's hash, made as options->hash_id says.
void linefilter_builder_add_hash(linefilter_builder* builder, uint64_t hash);
// Adds a batch of keys.
void linefilter_builder_add_keys(linefilter_builder* builder, const void* const* keys, const size_t* sizes, size_t n);
// Adds a batch of integer keys.
void linefilter_builder_add_u64s(linefilter_builder* builder, const uint64_t* keys, size_t n);
// Adds a batch of hashes.
void linefilter_builder_add_hashes(linefilter_builder* builder, const uint64_t* hashes, size_t n);
// Does the same for hashes that stay where they are, unchanged, until the image is made, or the builder is reset or
// freed. Give all hashes of an image at once: then most often none is copied (linefilter/builder.h).
void linefilter_builder_borrow_hashes(linefilter_builder* builder, const uint64_t* hashes, size_t n);

// The first error so far.
linefilter_code linefilter_builder_status(const linefilter_builder* builder, linefilter_status* status);
// The keys that were added so far, each time that they came. linefilter_builder_sizing tells how many the size counts.
uint64_t linefilter_builder_num_keys(const linefilter_builder* builder);
// The bytes that finishing would write now; 0 if linefilter_builder_status is an error. It may count all distinct keys,
// so ask once they are in.
uint64_t linefilter_builder_image_bytes(const linefilter_builder* builder);
// Tells the same for num_keys distinct keys before anything is built, and the most memory that a builder would hold
// meanwhile (may be NULL), for uniformly distributed hashes.
linefilter_code linefilter_builder_estimate(const linefilter_options* options, uint64_t num_keys, uint64_t* image_bytes,
                                            uint64_t* peak_memory, linefilter_status* status);

// Finishing ends the image and starts a new, empty one with the same options. On an error the keys are kept and nothing
// is written (a sink may have received a part). This returns memory that linefilter_image_free frees, aligned to 64
// bytes; NULL on an error. *size is the size of the image.
void* linefilter_builder_finish(linefilter_builder* builder, size_t* size, linefilter_status* status);
// Finishes into `size` bytes at `out`, linefilter_builder_image_bytes or more; *written (may be NULL) says how many.
linefilter_code linefilter_builder_finish_to(linefilter_builder* builder, void* out, size_t size, size_t* written,
                                             linefilter_status* status);
// Finishes to `sink`, piece by piece.
linefilter_code linefilter_builder_finish_to_sink(linefilter_builder* builder, linefilter_sink sink, void* context,
                                                  linefilter_status* status);
// Finishes to a file, complete and synced before it gets its name; an old file of that name stays until then.
linefilter_code linefilter_builder_finish_to_file(linefilter_builder* builder, const char* path,
                                                  linefilter_status* status);
// Tells what the last successful finish made; sizing->num_keys is how many keys the size counts. False, and *sizing
// untouched, if there was none, and for NULL.
bool linefilter_builder_sizing(const linefilter_builder* builder, linefilter_sizing* sizing);
// Forgets all keys and any error.
void linefilter_builder_reset(linefilter_builder* builder);

// linefilter_source's `read` returns this when it could not read.
#define LINEFILTER_SOURCE_FAILED SIZE_MAX

// A source gives hashes in the same order each time, for more keys than memory holds; options->hash_id says which.
typedef struct linefilter_source {
  // Writes up to `capacity` hashes and returns how many, at least 1; 0 at the end; or LINEFILTER_SOURCE_FAILED.
  size_t (*read)(void* context, uint64_t* hashes, size_t capacity) LINEFILTER_NOEXCEPT;
  // Goes back to the first hash; it is called before each pass but the first. It returns false if it cannot.
  bool (*rewind)(void* context) LINEFILTER_NOEXCEPT;
  void* context;  // handed to both
} linefilter_source;

// Makes an image from a stream, within options->memory_limit: the less, the more passes. The bytes are those of a
// builder that is given the same hashes. *sizing (may be NULL) is what was made. Memory and errors: linefilter/bulk.h.
linefilter_code linefilter_source_build_to_sink(const linefilter_options* options, const linefilter_source* source,
                                                linefilter_sink sink, void* context, linefilter_sizing* sizing,
                                                linefilter_status* status);
// Does the same to a file, as linefilter_builder_finish_to_file does.
linefilter_code linefilter_source_build_to_file(const linefilter_options* options, const linefilter_source* source,
                                                const char* path, linefilter_sizing* sizing, linefilter_status* status);

LINEFILTER_C_END

#endif  // LINEFILTER_C_BUILDER_H_
