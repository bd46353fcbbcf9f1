// The C API of linefilter, for C99 and C++, and for bindings of other languages. It does what the C++ API does, with
// the same bytes and answers: a key that was added in C++ or Python is found here, and the other way round. Link
// liblinefilter (pkg-config linefilter tells how); a static one needs the C++ runtime: let g++ link.
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
//   const linefilter_verify_mode verify = LINEFILTER_VERIFY_AUTO;
//   linefilter_view* view = linefilter_view_map("users.filter", verify, LINEFILTER_WILL_NEED, NULL, &status);
//   if (view == NULL) fail(status.message);
//   if (linefilter_view_may_contain_key(view, name, strlen(name))) ...  // ask the database
//   linefilter_view_free(view);
//
// Handles:
//   linefilter_filter   takes keys for as long as it lives (c/filter.h); what makes it says how it lives:
//     linefilter_filter_new      a plain one, of a size that is known
//     linefilter_concurrent_new  from many threads at once (c/concurrent.h)
//     linefilter_scalable_new    it grows with the keys that come (c/scalable.h)
//     linefilter_rotating_new    for a sliding window: the oldest keys are forgotten (c/rotating.h)
//   linefilter_view     what is asked (c/view.h): a filter, an image in memory or in a file, or, from
//     linefilter_swappable_new   what is replaced while it is asked (c/swappable.h)
//     linefilter_parquet_open    a Bloom filter of a Parquet file (c/parquet.h)
//   linefilter_builder  keys in, one image out, of any layout (c/builder.h)
//   linefilter_redis    a filter in Redis. c/redis.h is not in this header, for it needs a library of its own, and says
//                       what is other there: memory, strings, and who frees what
// A linefilter_column is no handle: it is a plain structure that borrows an array of an engine (c/columns.h). Nor is a
// linefilter_scan_filter, which stands in front of a scan.
//
// Tests hold any filter to a false-positive rate by linefilter_check_fpr (c/testing.h).
//
// A few calls are for one kind alone, and named for it: linefilter_rotating_rotate. Another kind answers them with
// LINEFILTER_INCOMPATIBLE, 0 or false.
//
// Answers: true is "maybe", false is "absent". An inserted key is never "absent". Whatever is broken answers "maybe".
//
// NULL: every function takes a NULL handle. It answers "maybe", inserts nothing, and is an error where there are
// errors. So a caller who asks and ignores errors loses time, but no key. A caller who acts on new keys (`if
// (linefilter_filter_insert_key(seen, url, size)) fetch(url)`) must look at them. No key is ever "certainly new" to
// NULL, to a filter that was sealed, and, by key, to a filter of the caller's hashes. Freeing NULL does nothing. Other
// pointers may be NULL where it is said, and arrays, keys and buffers of size 0 may be.
//
// Errors: functions that can fail return a code, LINEFILTER_OK = 0, or a handle, NULL on an error. Their last
// parameter, which may be NULL, gets the code and a sentence that tells what was wrong, where, and what to do. It is
// set by every call, by success too. There is no state behind it, such as errno or a "last error". Nothing is thrown;
// running out of memory is LINEFILTER_OUT_OF_MEMORY.
//
// Ownership: the caller who makes a handle (..._new, ..._open, ..._map, ..._load, ..._from_image, ..._clone,
// ..._seal, ..._copy) frees it, with linefilter_filter_free, linefilter_view_free or linefilter_builder_free. Handles
// and all that they hold come from the given allocator, if there is one. linefilter_view_open, linefilter_view_map and
// linefilter_parquet_open take theirs from the default memory. Strings that are returned live for ever. Keys, options,
// secrets and paths are copied or read during the call and may go afterwards. But what the options' `context`s point to
// (c/types.h) and the bytes under a view must stay. Images that the library allocates are freed with
// linefilter_image_free.
//
// Threads: no thread is started. Functions without a handle may be called at any time. Many threads may read
// a handle (const), or one may change it. Any number may change a concurrent or rotating filter, or a
// swappable view. One at a time may use a linefilter_builder, whatever it calls (linefilter_builder_image_bytes
// remembers what it found).
//
// Units: sizes are bytes, densities bits per key, rates 0..1. Answers of batches are bytes of 1 (maybe) or 0 (absent).
// A key is `size` bytes, or a uint64_t, which is the same key as its 8 little-endian bytes. Names that end in _key and
// _u64 take a key, those in _hash its hash; _keys, _u64s and _hashes are batches. Batches of questions, and of
// insertions into filters, are several times faster than single calls.
//
// Growth: enumerations are int32_t, so that a later version may know more of them. Only linefilter_options grows: it
// begins with its size, and has at most LINEFILTER_MAX_OPTIONS_BYTES. The other structures never change.
//
// Only C++ has these:
// - inlined lookups (linefilter/inline.h), the arithmetic below linefilter_hash_shard (MulHigh, BlockIndex), hashing
//   for whatever a filter's hash is (KeyHash), AtomicFile for the caller's own files;
// - the adapters to LevelDB and RocksDB, and filters whose blocks lie elsewhere (linefilter/remote_body.h);
// - local copies of filters in Redis, calls there that do not wait, metrics of these, and RoomFor and OverCapacity of
//   what they tell;
// - folding and uniting images to a sink (linefilter/fold.h), what the bits of a container's stage tell
//   (FilterView::stage), what layouts can do (FactsOf) and how exact sizing is (ModelError);
// - swapping in what is neither a linefilter_filter nor a view that was opened (SwappableFilter::Serve).
#ifndef LINEFILTER_C_H_
#define LINEFILTER_C_H_

#include "linefilter/c/builder.h"
#include "linefilter/c/columns.h"
#include "linefilter/c/concurrent.h"
#include "linefilter/c/filter.h"
#include "linefilter/c/hash.h"
#include "linefilter/c/monitor.h"
#include "linefilter/c/parquet.h"
#include "linefilter/c/rotating.h"
#include "linefilter/c/scalable.h"
#include "linefilter/c/sizing.h"
#include "linefilter/c/swappable.h"
#include "linefilter/c/testing.h"
#include "linefilter/c/types.h"
#include "linefilter/c/view.h"

#endif  // LINEFILTER_C_H_
