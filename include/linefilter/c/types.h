// The whole C API uses these types: status, options, callbacks, names, versions. Start at linefilter/c.h.
#ifndef LINEFILTER_C_TYPES_H_
#define LINEFILTER_C_TYPES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// The outcome of an operation.
typedef int32_t linefilter_code;
enum {
  LINEFILTER_OK = 0,
  LINEFILTER_INVALID_ARGUMENT = 1,  // a request that makes no sense; nothing was done
  LINEFILTER_CORRUPT = 2,           // an image that is truncated or damaged
  LINEFILTER_UNSUPPORTED = 3,       // an image, or options, from the future or of another kind
  LINEFILTER_INCOMPATIBLE = 4,      // two filters, or a filter and a call, that do not fit together
  LINEFILTER_OUT_OF_MEMORY = 5,     // an allocation failed
  LINEFILTER_OVER_LIMIT = 6,        // the host's memory limit would be exceeded
  LINEFILTER_IO_ERROR = 7,          // the operating system, or a callback, refused; the message has the reason
  LINEFILTER_NOT_FOUND = 8,         // nothing of that name is on a server; a missing file is an I/O error
  LINEFILTER_UNAVAILABLE = 9        // a server does not answer, or not now; asked again later, it may
};

// A code, and "ok" or a sentence that ends with a zero byte. This never changes its size.
typedef struct linefilter_status {
  linefilter_code code;  // LINEFILTER_OK or what went wrong
  char message[256];     // what was wrong, where, and what to do
} linefilter_status;

// "ok", "invalid argument", ...; "unknown" for what is no code. It is for logs; the message says more.
const char* linefilter_code_name(linefilter_code code);

// These are the handles (c.h). What they point to is the library's.
typedef struct linefilter_filter linefilter_filter;
typedef struct linefilter_view linefilter_view;
typedef struct linefilter_builder linefilter_builder;

// How a filter encodes a set (doc/DESIGN.md).
typedef int32_t linefilter_layout;
enum {
  LINEFILTER_LAYOUT_AUTO = 0,       // blocked, or classic where a tiny set would waste most of a block
  LINEFILTER_LAYOUT_BLOCKED = 1,    // one cache line per lookup
  LINEFILTER_LAYOUT_CLASSIC = 2,    // Bloom's filter of 1970: the baseline, and the smallest for tiny sets
  LINEFILTER_LAYOUT_RETRIEVAL = 3,  // one cache line, a sixth of the false positives; of a builder alone
  LINEFILTER_LAYOUT_CONTAINER = 5,  // several blocked ones that answer as one; of a view, not of a builder
  // The bits of a Bloom filter in a Parquet file: the fastest single lookups in cache, at 1.3 times the false positives
  // of blocked.
  LINEFILTER_LAYOUT_SPLIT_BLOCK = 6,
  // Fingerprints of keys: fewer false positives than blocked, and keys can be removed where `removable` asks for that.
  LINEFILTER_LAYOUT_QUOTIENT = 7
};

// "auto", "blocked", ...; "unknown" for what has no name.
const char* linefilter_layout_name(linefilter_layout layout);
// The layout of that name; false, and *layout untouched, if there is none.
bool linefilter_layout_parse(const char* name, linefilter_layout* layout);

// How keys become hashes.
typedef int32_t linefilter_hash_id;
enum {
  // Your own 64-bit hashes; calls by key then insert nothing and answer "maybe". Their two halves must be independent:
  // pass linefilter_hash_mix(hash) of poor ones, and of any with 32 bits, else nearly all is "maybe".
  LINEFILTER_HASH_CALLER = 0,
  LINEFILTER_HASH_XXH3 = 1,    // linefilter_hash_key(key, size, seed)
  LINEFILTER_HASH_KEYED = 2,   // linefilter_secret_hash_key(key, size, secret): for keys that an adversary chooses
  LINEFILTER_HASH_PARQUET = 3  // linefilter_parquet_hash_key(key, size), as Parquet hashes; the seed stays 0
};

// "caller", "xxh3", "keyed", "parquet" or "unknown".
const char* linefilter_hash_id_name(linefilter_hash_id hash_id);

// The kinds of keys that a filter has. Text "1000" and the integer 1000 are different keys, so who asks with another
// kind is told "absent" of members. An image remembers the kinds that the library was told of; no lookup looks at them.
typedef int32_t linefilter_key_kind;
enum {
  LINEFILTER_KEY_KIND_UNKNOWN = 0,  // nobody said, or keys came of which nobody said it
  LINEFILTER_KEY_KIND_TEXT = 1,     // bytes: lines, strings, fields
  LINEFILTER_KEY_KIND_INTEGER = 2,  // the ..._u64 calls
  LINEFILTER_KEY_KIND_MIXED = 3     // both
};

// "unknown", "text", "integer" or "mixed"; "unknown" for what is no kind.
const char* linefilter_key_kind_name(linefilter_key_kind kind);

// The size of the secret of a keyed hash, wherever one is passed: random bytes that you keep, no image holds them.
enum { LINEFILTER_SECRET_BYTES = 16 };

// No callback may throw, longjmp, or call back into the handle that it was given to. (One that does not return leaks
// memory, and a builder then refuses to finish until it is reset.) From C++17 on their types say so, by this.
#if defined(__cplusplus) && __cplusplus >= 201703L
#define LINEFILTER_NOEXCEPT noexcept
#else
#define LINEFILTER_NOEXCEPT
#endif

// clang-format off

// Memory of the host. Set both functions or neither (the default: from 2 MiB up in huge pages). Any thread that uses
// the object may call them, until the last handle and the last image of theirs are freed: `context` must live so long.
typedef struct linefilter_allocator {
  // Returns `size` bytes (content does not matter) aligned to `alignment`, a power of two; or NULL.
  void* (*allocate)(void* context, size_t size, size_t alignment) LINEFILTER_NOEXCEPT;
  // Takes back what `allocate` returned, with what it was asked for.
  void (*deallocate)(void* context, void* pointer, size_t size, size_t alignment) LINEFILTER_NOEXCEPT;
  void* context;  // handed to both
} linefilter_allocator;

// clang-format on

// Threads of the host, for builders and linefilter_unite_filters. If all are zero, the calling thread works alone. The
// bytes of an image do not depend on it. The thread that uses the builder calls it, until that is freed: `context` must
// live so long.
typedef struct linefilter_executor {
  // Calls task(argument, i) once for each i < num_tasks (at most num_threads), in any order, on any threads, and
  // returns when all have returned.
  void (*run)(void* context, void (*task)(void* argument, size_t index), void* argument,
              size_t num_tasks) LINEFILTER_NOEXCEPT;
  void* context;  // handed to `run`
  // How many tasks are worth running at once, at least 1 if there is a `run`.
  size_t num_threads;
} linefilter_executor;

// Takes an image, in order, in pieces of at most 1 MiB. False stops it: the writer reports LINEFILTER_IO_ERROR.
typedef bool (*linefilter_sink)(void* context, const void* data, size_t size) LINEFILTER_NOEXCEPT;

// A memory_limit of this means that there is none.
#define LINEFILTER_NO_MEMORY_LIMIT UINT64_MAX

// linefilter_options will never have more bytes in any version; a larger `size` was never set.
enum { LINEFILTER_MAX_OPTIONS_BYTES = 4096 };

// These say what a filter should be. Call linefilter_options_init, then set bits_per_key or fpr, and more as needed.
typedef struct linefilter_options {
  size_t size;  // that of the structure the caller was compiled with; linefilter_options_init sets it
  // Exactly one is set. bits_per_key is 1..64. fpr, above 0 and below 1, is the highest acceptable rate that is
  // expected with all keys in. One small filter may be a little above it, by chance.
  double bits_per_key;
  double fpr;
  // A hash is for filters of one seed; filters whose false positives should differ must not share it. Filters of
  // different seeds are asked together by the linefilter_views_... calls (c/view.h).
  uint64_t seed;
  // The most bytes that the object may hold at once; more is LINEFILTER_OVER_LIMIT. At first it is
  // LINEFILTER_NO_MEMORY_LIMIT. A filter counts what linefilter_filter_memory_use tells, a builder its keys with the
  // image while it finishes. Less than 2 KiB of a builder, for its handle and before its image, do not count, nor do
  // images from linefilter_filter_image. The handle that linefilter_concurrent_seal makes does not count either. What
  // writing an image to a sink or file takes for a moment is left out, too. That is 1/16384 of it, for a concurrent or
  // rotating filter up to 1 MiB more, for a scalable one up to 64 KiB.
  uint64_t memory_limit;
  // Bits per key that are set and tested; 0 means the best for the density. It goes with bits_per_key only.
  uint32_t num_probes;
  linefilter_layout layout;    // at first LINEFILTER_LAYOUT_AUTO
  linefilter_hash_id hash_id;  // at first LINEFILTER_HASH_XXH3
  uint32_t reserved;           // 0
  // LINEFILTER_HASH_KEYED needs this instead of a seed. Filters, views and builders keep a copy, and do not wipe it.
  uint8_t secret[LINEFILTER_SECRET_BYTES];
  linefilter_allocator allocator;  // for the handle, and what it returns
  linefilter_executor executor;    // for builders
  // 1 means a multiple of 64 blocks, so that linefilter_filter_fold has many factors. Then num_probes follows from
  // bits_per_key or fpr alone. That alone does not make sizes fit for a union: those made for other numbers of keys may
  // share no more than 64 blocks, and then nearly all is "maybe". To unite filters, make each for the keys of all. The
  // layout auto is then blocked; with classic and retrieval it is LINEFILTER_INVALID_ARGUMENT.
  uint32_t foldable;
  // The kind of the keys that will come, for the image to remember; at first LINEFILTER_KEY_KIND_UNKNOWN, which takes
  // no bytes. The keys themselves are not looked at. linefilter_filter_note_key_kind adds a kind later.
  linefilter_key_kind key_kind;
  // Or the exact bytes of the body, with layout and num_probes, whatever the number of keys: what
  // linefilter_options_same_size_as sets. Scalable and rotating filters refuse it.
  uint64_t body_bytes;
  // How many keys a builder makes the filter for, whatever comes; 0 means those that come, without repeats
  // (linefilter/builder.h). The image tells this number if its body is above 4 KiB or key_kind is set. What has a
  // number of keys as an argument goes by that alone.
  uint64_t num_keys;
  // 1 means that keys can be removed again, each as often as it was inserted. The layout auto is then quotient. With
  // layouts other than these two it is LINEFILTER_INVALID_ARGUMENT.
  uint32_t removable;
  // How often all keys of a removable filter will be replaced: fpr is then the rate after so many turnovers
  // (linefilter/options.h). Above 0 without removable it is LINEFILTER_INVALID_ARGUMENT.
  uint32_t turnovers;
} linefilter_options;

// Sets everything to its default. `size` is sizeof(linefilter_options) as the caller sees it: a program that was
// compiled with an older version works with a newer library, which then uses defaults for what it does not find. (A
// newer program gets LINEFILTER_UNSUPPORTED from an older library if it sets what that does not know.)
void linefilter_options_init(linefilter_options* options, size_t size);

// Frees an image that was returned by linefilter_filter_image or linefilter_builder_finish.
void linefilter_image_free(void* image);

// The version of the library that runs, not of the header: "0.1.0".
const char* linefilter_version(void);
// The same as 10000 * major + 100 * minor + patch.
uint32_t linefilter_version_number(void);
// The version of the images that it writes, which is apart from its own. All versions up to it are read.
uint32_t linefilter_format_version(void);

// The target that filters made or opened from now on will use: instructions ("AVX3", "AVX2", "NEON", ...). Every target
// gives the same bits; the best of the CPU is chosen at run time.
const char* linefilter_target_chosen(void);
// Writes the targets that this CPU can run, best first: up to `capacity` into `names` (which may be NULL for 0). It
// returns how many there are.
size_t linefilter_target_supported(const char** names, size_t capacity);
// Forces a target, process-wide, for tests and measurements; NULL or "" returns to the best. It is
// LINEFILTER_INVALID_ARGUMENT if it is not supported. Filters that exist keep theirs.
linefilter_code linefilter_target_force(const char* name, linefilter_status* status);

LINEFILTER_C_END

#endif  // LINEFILTER_C_TYPES_H_
