// The C API of linefilter, for C99 and C++, and for whoever binds another language. What the C++ API does, with the
// same bytes and the same answers: a key that was added in C++ or Python is found here, and the other way round. Only
// C++ has lookups that are inlined (linefilter/inline.h), the arithmetic below linefilter_shard_of (MulHigh,
// BlockIndex), AtomicFile for the caller's own files, the adapters to storage engines, the folding and uniting of
// images to a sink (linefilter/fold.h), what each stage of a container's image is (FilterView::stage), and swapping in
// what is neither a linefilter_filter nor a view of an image (SwappableFilter::Serve); and linefilter_view_open and
// _map take their handles from the default memory.
//
//   linefilter_status status;
//   linefilter_options options;
//   linefilter_options_init(&options, sizeof(options));
//   options.fpr = 0.01;
//   linefilter_filter* users = linefilter_filter_new(1000000, &options, &status);
//   if (users == NULL) fail(status.message);
//   linefilter_filter_insert_key(users, name, strlen(name));
//   if (linefilter_filter_save(users, "users.filter", &status) != LINEFILTER_OK) fail(status.message);
//   linefilter_filter_free(users);
//   linefilter_view* view = linefilter_view_map("users.filter", LINEFILTER_WILL_NEED, NULL, &status);
//   if (view == NULL) fail(status.message);
//   if (linefilter_view_may_contain_key(view, name, strlen(name))) ...  // ask the database
//   linefilter_view_free(view);
//
// Handles:
//   linefilter_filter      takes keys for as long as it lives (c/filter.h)
//   linefilter_concurrent  the same from many threads at once (c/concurrent.h)
//   linefilter_rotating    the same for a sliding window: the oldest keys are forgotten (c/rotating.h)
//   linefilter_scalable    grows with the keys that come (c/scalable.h)
//   linefilter_swappable   what is asked, replaced while it is asked (c/swappable.h)
//   linefilter_builder     keys in, one image out, of any layout (c/builder.h)
//   linefilter_view        what is asked: an image in memory or in a file, a linefilter_filter or _scalable (c/view.h)
//
// Answers. true = "maybe", false = "absent". A key that was inserted is never "absent". Whatever is broken answers
// "maybe".
//
// NULL. Every function takes a NULL handle: it answers "maybe", inserts nothing, and is an error where there are
// errors. So who asks and does not look at an error loses time, but no key. Who acts on new keys (`if
// (linefilter_concurrent_insert_key(seen, url, size)) fetch(url)`) must look at it: to NULL, to a filter that was
// sealed, and, by key, to one of the caller's hashes no key is ever "certainly new". Freeing NULL does nothing. Other
// pointers may be NULL where it is said, and arrays, keys and buffers of size 0.
//
// Errors. Functions that can fail return a code, LINEFILTER_OK = 0, or a handle, NULL on an error. Their last
// parameter, which may be NULL, gets the code and a sentence that tells what was wrong, where, and what to do. It is
// set by every call, by success too. There is no state behind it: no errno, no "last error". Nothing is thrown; running
// out of memory is LINEFILTER_OUT_OF_MEMORY.
//
// Ownership. Who makes a handle (..._new, ..._open, ..._map, ..._load, ..._from_image, ..._seal) frees it, with the
// function of its type. Handles and all that they hold come from the given allocator, if there is one. Strings that are
// returned live for ever. Keys, options, secrets and paths are copied or read during the call and may go afterwards,
// but for what the options' `context`s point to (c/types.h); the bytes under a view must stay. Images that the library
// allocates are freed with linefilter_image_free.
//
// Threads. No thread is started. Functions without a handle may be called at any time. A handle is used by any number
// of threads that do not change it (const), or by one that does; a linefilter_concurrent, linefilter_rotating or
// linefilter_swappable by any number that do; a linefilter_builder by one at a time, whatever is called
// (linefilter_builder_image_bytes remembers what it found).
//
// Units. Sizes are bytes, densities bits per key, rates 0..1. Answers of batches are bytes of 1 (maybe) or 0 (absent).
// A key is `size` bytes, or a uint64_t, which is the same key as its 8 little-endian bytes. In names, ..._key and
// ..._u64 take a key, ..._hash its hash; ..._keys, ..._u64s, ..._hashes are batches: of questions, and of
// insertions into filters, several times faster than single calls.
//
// Growth. Enumerations are int32_t, so that a later version may know more of them. Of the structures linefilter_options
// alone grows: it begins with its size, and never has more than LINEFILTER_MAX_OPTIONS_BYTES. The others never change.
#ifndef LINEFILTER_C_H_
#define LINEFILTER_C_H_

#include "linefilter/c/builder.h"
#include "linefilter/c/concurrent.h"
#include "linefilter/c/filter.h"
#include "linefilter/c/hash.h"
#include "linefilter/c/rotating.h"
#include "linefilter/c/scalable.h"
#include "linefilter/c/sizing.h"
#include "linefilter/c/swappable.h"
#include "linefilter/c/types.h"
#include "linefilter/c/view.h"

#endif  // LINEFILTER_C_H_
