// linefilter_swappable, in C, replaces the filter that serves while it is read. Start at linefilter/c.h;
// linefilter/swappable.h tells what is guaranteed.
//
//   linefilter_status status;
//   linefilter_swappable* users = linefilter_swappable_new(NULL, &status);
//   linefilter_swappable_swap_filter(users, rebuilt, &status);           // any thread; `rebuilt` is taken over
//   if (linefilter_swappable_may_contain_key(users, name, size)) ...     // any number of threads
//   linefilter_lease lease = linefilter_swappable_read(users);           // one filter for several questions
//   linefilter_view_may_contain_hashes(lease.view, hashes, n, answers);
//   linefilter_lease_end(&lease);
//
// Any number of threads may call all functions but _new and _free at once. Swaps wait for leases: keep them short, and
// do not swap while this thread has one. After fork the child may ask and free, but not swap: leases of the parent's
// other threads stay counted.
#ifndef LINEFILTER_C_SWAPPABLE_H_
#define LINEFILTER_C_SWAPPABLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a handle. Nothing serves yet: every answer is "maybe". It has some 5 KB, of `allocator` (NULL: the default).
LINEFILTER_EXPORT linefilter_swappable* linefilter_swappable_new(const linefilter_allocator* allocator,
                                                                 linefilter_status* status);
// Frees the handle and what serves. All threads must have stopped and all leases have ended.
LINEFILTER_EXPORT void linefilter_swappable_free(linefilter_swappable* swappable);

// Makes `filter` serve from now on. It is not the caller's any more: it is freed when it was replaced and nobody reads
// it. Nobody inserts into it meanwhile. The call waits for the readers of the one before, and frees that. On an error
// the one before goes on serving, and `filter` stays the caller's: LINEFILTER_INCOMPATIBLE if its hash or seed (or
// secret) is another. It is LINEFILTER_INVALID_ARGUMENT if `filter` is what serves: hand over each handle once.
LINEFILTER_EXPORT linefilter_code linefilter_swappable_swap_filter(linefilter_swappable* swappable,
                                                                   linefilter_filter* filter,
                                                                   linefilter_status* status);
// The same for a filter that grows.
LINEFILTER_EXPORT linefilter_code linefilter_swappable_swap_scalable(linefilter_swappable* swappable,
                                                                     linefilter_scalable* filter,
                                                                     linefilter_status* status);
// The same for a view that was opened, mapped or loaded, but not one of a linefilter_filter or _scalable (whose image
// can be opened). Verify it before.
LINEFILTER_EXPORT linefilter_code linefilter_swappable_swap_view(linefilter_swappable* swappable, linefilter_view* view,
                                                                 linefilter_status* status);
// The same for a file, loaded and verified as linefilter_view_load does. On any error the one before stays.
LINEFILTER_EXPORT linefilter_code linefilter_swappable_swap_from_file(linefilter_swappable* swappable, const char* path,
                                                                      const linefilter_allocator* allocator,
                                                                      uint64_t memory_limit, const uint8_t* secret,
                                                                      linefilter_status* status);
// Makes nothing serve until the next swap, which may bring another hash or seed.
LINEFILTER_EXPORT void linefilter_swappable_clear(linefilter_swappable* swappable);
// How often what serves was switched, clearing included.
LINEFILTER_EXPORT uint64_t linefilter_swappable_num_swaps(const linefilter_swappable* swappable);

// A lease keeps what served when it was taken, until linefilter_lease_end. One thread at a time uses it. `view` is for
// the questions of linefilter/c/view.h and is not freed; NULL, which answers "maybe", if nothing served.
typedef struct linefilter_lease {
  const linefilter_view* view;  // to be asked
  void* held[3];                // the library's
} linefilter_lease;
// Takes a lease of what serves.
LINEFILTER_EXPORT linefilter_lease linefilter_swappable_read(const linefilter_swappable* swappable);
// Ends a lease; its view becomes NULL. Ending it again, or NULL, does nothing. But a copy of the structure is the same
// lease: end one of them. If both are ended, that takes away another reader's lease, whose filter may be freed.
LINEFILTER_EXPORT void linefilter_lease_end(linefilter_lease* lease);

// Asks one question, in a lease of its own.
LINEFILTER_EXPORT bool linefilter_swappable_may_contain_key(const linefilter_swappable* swappable, const void* key,
                                                            size_t size);
// The same for an integer key.
LINEFILTER_EXPORT bool linefilter_swappable_may_contain_u64(const linefilter_swappable* swappable, uint64_t key);
// The same for a hash.
LINEFILTER_EXPORT bool linefilter_swappable_may_contain_hash(const linefilter_swappable* swappable, uint64_t hash);
// Asks a batch, in one lease: n answers of 1 or 0.
LINEFILTER_EXPORT void linefilter_swappable_may_contain_keys(const linefilter_swappable* swappable,
                                                             const void* const* keys, const size_t* sizes, size_t n,
                                                             uint8_t* answers);
// The same for integer keys.
LINEFILTER_EXPORT void linefilter_swappable_may_contain_u64s(const linefilter_swappable* swappable,
                                                             const uint64_t* keys, size_t n, uint8_t* answers);
// The same for hashes.
LINEFILTER_EXPORT void linefilter_swappable_may_contain_hashes(const linefilter_swappable* swappable,
                                                               const uint64_t* hashes, size_t n, uint8_t* answers);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LINEFILTER_C_SWAPPABLE_H_
