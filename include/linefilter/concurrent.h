// ConcurrentFilter: a filter that any number of threads fill and ask at once, without a lock. Its layout is `blocked`,
// or another one that threads can share (LayoutFacts::shares), such as `split_block`.
//
//   linefilter::ConcurrentFilter seen;
//   linefilter::Status status = seen.Create(100000000, options);  // one thread, before the others come
//   if (!status.ok()) ...  // status.message() says what to do
//   if (seen.InsertKey(url)) fetch(url);                          // any thread
//
// The same keys give the same bits as in a Filter, whatever threads inserted them in whatever order.
// - Insertion is wait-free where the CPU has an atomic OR of 64 bits (x86-64, Arm with LSE), elsewhere lock-free;
//   lookups are wait-free.
// - A lookup sees every insertion that happened before it. That is one by the same thread, or by a thread from which
//   the caller has heard by anything that synchronizes (a mutex, a queue, an atomic with release and acquire, join). A
//   lookup at the same time may answer either.
// - When several threads insert the same absent key at once, at least one is told that it was certainly new, unless
//   other keys set its last bits meanwhile. More than one may be told; decide behind the filter where it must be
//   exactly one.
// - It does not grow and nothing is removed: more keys than planned raise the false-positive rate (OverCapacity
//   tells).
//
// Filters that nobody inserts into any more need none of this: a view, or what Seal returns, is read by any number of
// threads, without a lock.
#ifndef LINEFILTER_CONCURRENT_H_
#define LINEFILTER_CONCURRENT_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/filter.h"
#include "linefilter/internal/export.h"
#include "linefilter/key_filter.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

// linefilter/concurrent.h begins with what many threads see of it.
class LINEFILTER_EXPORT ConcurrentFilter final : public KeyFilter {
 public:
  ConcurrentFilter() noexcept;  // answers "maybe" and takes nothing, until Create
  ConcurrentFilter(const ConcurrentFilter&) = delete;
  ConcurrentFilter& operator=(const ConcurrentFilter&) = delete;

  // Does what Filter::Create does: on an error the filter is as it was. kAuto is `blocked` here, and a layout that
  // threads cannot share is kInvalidArgument. It is not thread-safe: other threads come when it has returned.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept;
  // Does what Filter::CreateFromImage does: on an error the filter is as it was. An image of a layout that threads
  // cannot share is kIncompatible. It is not thread-safe.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept;
  // Does the same with a file, as Filter::Load. It is not thread-safe.
  Status Load(const char* path, const FilterOptions& options = {}) noexcept;
  // Becomes a snapshot of `other`, into which others may insert meanwhile (below). It does what Filter::CloneFrom does,
  // and is not thread-safe for this filter.
  Status CloneFrom(const ConcurrentFilter& other) noexcept;
  // Gives the filter away, without a copy; this one is as before Create. Not thread-safe: all threads have stopped.
  Filter Seal() noexcept;

  // Any number of threads may call at once what filter_base.h and key_filter.h have. A filter is written, or saved, as
  // a snapshot: the image of the keys so far, while insertions go on. Every insertion that happened before the call is
  // in it (above: what that means). Any part of those during the call may be in it; a key of which a part is missing
  // answers as if it were not there. The image is intact, whatever happened meanwhile. WriteImage takes up to 1 MiB and
  // 1/16384 of the image for the moment.

 private:
  LINEFILTER_LOCAL Status CopyView(const FilterView& view, const FilterOptions& options) noexcept;
  LINEFILTER_LOCAL void Share(const Allocator& allocator) noexcept;

  struct LINEFILTER_LOCAL Writing;  // its table KeyFilter::Image
  Filter owner_;                    // the owner of the body
  Allocator allocator_;
};

}  // namespace linefilter

#endif  // LINEFILTER_CONCURRENT_H_
