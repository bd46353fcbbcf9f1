// ConcurrentBlockedFilter: a `blocked` filter that any number of threads fill and ask at once, without a lock.
//
//   linefilter::ConcurrentBlockedFilter seen;
//   linefilter::Status status = seen.Create(100000000, options);  // one thread, before the others come
//   if (seen.InsertKey(url)) fetch(url);                          // any thread
//
// The same keys give the same bits as in a BlockedFilter, whatever threads inserted them in whatever order.
// - Insertion is wait-free where the CPU has an atomic OR of 64 bits (x86-64, Arm with LSE), elsewhere lock-free;
//   lookups are wait-free.
// - A lookup sees every insertion that happened before it. That is one by the same thread, or by a thread from which
//   the caller has heard by anything that synchronizes (a mutex, a queue, an atomic with release and acquire, join). A
//   lookup at the same time may answer either.
// - When several threads insert the same absent key at once, at least one is told that it was certainly new, unless
//   other keys set its last bits meanwhile. More than one may be told; decide behind the filter where it must be
//   exactly one.
// - It does not grow and nothing is removed: more keys than planned raise the false-positive rate (FillRatio tells).
//
// Filters that nobody inserts into any more need none of this: a view, or what Seal returns, is read by any number of
// threads, without a lock.
#ifndef LINEFILTER_CONCURRENT_H_
#define LINEFILTER_CONCURRENT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "linefilter/filter.h"
#include "linefilter/filter_base.h"
#include "linefilter/internal/append.h"
#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

// It is no public FilterBase, because what reads a FilterBase may read it with plain loads.
class LINEFILTER_EXPORT ConcurrentBlockedFilter final : private FilterBase {
 public:
  ConcurrentBlockedFilter() noexcept;  // answers "maybe" and takes nothing, until Create
  ConcurrentBlockedFilter(const ConcurrentBlockedFilter&) = delete;
  ConcurrentBlockedFilter& operator=(const ConcurrentBlockedFilter&) = delete;

  // Does what BlockedFilter::Create does: on an error the filter is as it was. Not thread-safe: other threads come when
  // it has returned.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept;
  // Does what BlockedFilter::CreateFromImage does: on an error the filter is as it was. It is not thread-safe.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept;
  // Gives the filter away, without a copy; this one is as before Create. Not thread-safe: all threads have stopped.
  BlockedFilter Seal() noexcept;

  // Any number of threads may call everything below at once.

  // True if the key was certainly new (see above), false if it may have been there. A filter of the caller's hashes
  // ignores InsertKey and answers false.
  LINEFILTER_INLINE bool InsertKey(Key key) noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) && InsertHash(hash);
  }
  // The same for a hash.
  LINEFILTER_INLINE bool InsertHash(uint64_t hash) noexcept { return insert_(state_, hash); }
  // Inserts a batch and returns how many were certainly new. `were_new` is null or gets n bytes of 1 or 0.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new = nullptr) noexcept;

  // Lookups: linefilter/filter_base.h.
  using FilterBase::CountMaybes;
  using FilterBase::KeyStatus;
  using FilterBase::MayContainHash;
  using FilterBase::MayContainHashes;
  using FilterBase::MayContainHashesToBits;
  using FilterBase::MayContainKey;
  using FilterBase::MayContainKeys;
  using FilterBase::Prepare;
  using FilterBase::Probe;

  using FilterBase::body_bytes;
  using FilterBase::hash_id;
  using FilterBase::key_hash;
  using FilterBase::layout;
  using FilterBase::num_blocks;
  using FilterBase::num_probes;
  using FilterBase::seed;
  using FilterBase::target;

  // The share of one bits, and the distinct keys estimated from it (EstimatedKeys). While bits are set, the answer lies
  // between what it was when the call began and when it ended.
  double FillRatio() const noexcept;
  double EstimatedKeys() const noexcept;
  // The bytes held, this object included.
  uint64_t MemoryUse() const noexcept;

  // These make a snapshot, the image of the keys so far, while insertions go on. Every insertion that happened before
  // the call is in it (above: what that means). Any part of those during the call may be in it; a key of which a part
  // is missing answers as if it were not there. The image is intact, whatever happened meanwhile.
  uint64_t ImageBytes() const noexcept;
  // Writes to a sink, piece by piece; this takes up to 1 MiB and 1/16384 of the image for the moment.
  Status WriteImage(const Sink& sink) const noexcept;
  // Writes ImageBytes() bytes to `out` (size may be more; less is kInvalidArgument).
  Status WriteImageTo(void* out, size_t size) const noexcept;
  // Appends the image to *image.
  Status AppendImage(std::string* image) const {
    return internal::AppendToString(image, ImageBytes(), [this](void* out, size_t n) { return WriteImageTo(out, n); });
  }
  // Writes a file. It is complete and synced before it gets its name; an old file of that name stays until then.
  Status Save(const char* path) const noexcept;

 private:
  LINEFILTER_LOCAL void Share(const Allocator& allocator) noexcept;

  BlockedFilter owner_;  // the owner of the body
  bool (*insert_)(const internal::ProbeState&, uint64_t hash);
  Allocator allocator_;
};

}  // namespace linefilter

#endif  // LINEFILTER_CONCURRENT_H_
