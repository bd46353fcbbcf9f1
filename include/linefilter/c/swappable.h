// A swappable view, in C, replaces the filter that serves while it is asked. Start at linefilter/c.h;
// linefilter/swappable.h tells what is guaranteed.
//
//   linefilter_status status;
//   linefilter_view* users = linefilter_swappable_new(NULL, &status);
//   linefilter_swappable_swap(users, rebuilt, &status);             // any thread; `rebuilt` is taken over
//   if (linefilter_view_may_contain_key(users, name, size)) ...     // any number of threads
//   linefilter_lease lease = linefilter_swappable_read(users);      // one filter for several questions
//   linefilter_view_may_contain_hashes(lease.view, hashes, n, answers);
//   linefilter_lease_end(&lease);
//
// It is a linefilter_view (c/view.h), freed with linefilter_view_free, when all threads have stopped and all leases
// have ended. Each question, and each batch, is asked in a lease of its own. Any number of threads may call at once
// all but _new and linefilter_view_free. Swaps wait for leases: keep them short, and do not swap while this thread has
// one. After fork the child may ask and free, but not swap: leases of the parent's other threads stay counted.
#ifndef LINEFILTER_C_SWAPPABLE_H_
#define LINEFILTER_C_SWAPPABLE_H_

#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// Makes a view. Nothing serves yet: every answer is "maybe". It has some 5 KB, of `allocator` (NULL: the default).
linefilter_view* linefilter_swappable_new(const linefilter_allocator* allocator, linefilter_status* status);

// Makes `filter`, of any kind, serve from now on. It is not the caller's any more: it is freed when it was replaced and
// nobody reads it. Nobody inserts into it meanwhile. The call waits for the readers of the one before, and frees that.
// On an error the one before goes on serving, and `filter` stays the caller's: LINEFILTER_INCOMPATIBLE if its hash or
// seed (or secret) is another. It is LINEFILTER_INVALID_ARGUMENT if `filter` is what serves: hand over each handle
// once. Another view than linefilter_swappable_new's cannot be swapped: LINEFILTER_INCOMPATIBLE, here and below.
linefilter_code linefilter_swappable_swap(linefilter_view* swappable, linefilter_filter* filter,
                                          linefilter_status* status);
// The same for a view that was opened, mapped or loaded, which is taken over. A file that is verified lazily is
// verified to its end before it serves (LINEFILTER_CORRUPT); only LINEFILTER_VERIFY_TRUSTED is believed. Other views
// are refused (LINEFILTER_INVALID_ARGUMENT): hand over the filter itself.
linefilter_code linefilter_swappable_swap_view(linefilter_view* swappable, linefilter_view* view,
                                               linefilter_status* status);
// Makes nothing serve until the next swap, which may bring another hash or seed.
linefilter_code linefilter_swappable_clear(linefilter_view* swappable, linefilter_status* status);
// How often what serves was switched, clearing included; 0 for NULL and another view.
uint64_t linefilter_swappable_num_swaps(const linefilter_view* swappable);

// A lease keeps what served when it was taken, until linefilter_lease_end. One thread at a time uses it. `view` is for
// the questions and facts of linefilter/c/view.h and is not freed. It is NULL, which answers "maybe", if nothing
// served.
typedef struct linefilter_lease {
  const linefilter_view* view;  // to be asked
  void* held[3];                // the library's
} linefilter_lease;
// Takes a lease of what serves. A lease of another view is that view itself, and holds nothing.
linefilter_lease linefilter_swappable_read(const linefilter_view* swappable);
// Ends a lease; its view becomes NULL. Ending it again, or NULL, does nothing. But a copy of the structure is the same
// lease: end one of them. If both are ended, that takes away another reader's lease, whose filter may be freed.
void linefilter_lease_end(linefilter_lease* lease);

LINEFILTER_C_END

#endif  // LINEFILTER_C_SWAPPABLE_H_
