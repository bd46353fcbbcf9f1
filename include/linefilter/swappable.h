// A SwappableFilter replaces the filter that serves while it is read. A filter whose set changes (keys go, too) is made
// anew from the source of truth; the old one serves meanwhile, then one atomic store switches.
//
//   linefilter::SwappableFilter users;            // nothing serves yet: every answer is "maybe"
//   linefilter::FilterFile file;                  // or a BlockedFilter, a ScalableFilter, ...
//   linefilter::Status status = file.Load("users.filter");            // verifies all of it
//   if (status.ok()) status = users.Swap(std::move(file));            // any thread
//   if (!status.ok()) ...  // what served goes on serving; status.message() says what to do
//   if (users.MayContainKey("bob@example.org")) ...                   // any number of threads, without a lock
//   const auto lease = users.Read();              // one filter for several questions
//   lease->MayContainHashes(hashes, n, answers);
//
// - One filter as a whole answers a lookup: the one that served at some moment during the call.
// - Readers take no lock and wait for nobody; they try again only if a switch came between two of their instructions.
// - Swap returns when no reader has the old filter any more, and has then freed it. It waits for leases: keep them
//   short. A thread that has a lease must not swap, for it would wait for itself.
// - A key that was inserted into a filter before it was handed over is never "absent" once Swap has returned, nor
//   before, if it was in the old one.
// - After fork the child may ask, and destroy it. It must not swap: leases that other threads of the parent had at that
//   moment stay counted, and it would wait for them for ever.
// - Keys that come while a filter is rebuilt are in neither, and what serves takes none. Put each into a RotatingFilter
//   of two generations before the source of truth has it, and ask both within one lease. Rotate where a rebuild begins,
//   if the one before was swapped in, while no thread is between its two insertions. doc/guide/living.md has the code.
#ifndef LINEFILTER_SWAPPABLE_H_
#define LINEFILTER_SWAPPABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include "linefilter/file.h"
#include "linefilter/filter_base.h"
#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter {

// Any number of threads may read at once. Any thread may call Swap, Serve and Clear, too; one goes after the other.
// Destroy it when all threads have stopped and no lease is left; that waits for nobody. It has some 5 KB.
class LINEFILTER_EXPORT SwappableFilter final : public FilterBase {
 public:
  // A lease keeps the filter that served when it was taken, for as long as it lives. One thread at a time uses it.
  class Lease {
   public:
    // Takes the other lease over.
    Lease(Lease&& other) noexcept : filter_(other.filter_), owner_(other.owner_), readers_(other.readers_) {
      other.readers_ = nullptr;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (readers_ != nullptr) readers_->fetch_sub(1, std::memory_order_release);
    }

    // The filter that serves; it answers "maybe" to all if nothing does. Do not use it after a move from.
    const FilterBase& operator*() const noexcept { return *filter_; }
    // The filter that serves, as above.
    const FilterBase* operator->() const noexcept { return filter_; }
    // The owner that Serve was given with it; null for what Swap brought, and for nothing.
    void* owner() const noexcept { return owner_; }

   private:
    friend class SwappableFilter;
    Lease(const FilterBase* filter, void* owner, std::atomic<uint32_t>* readers) noexcept
        : filter_(filter), owner_(owner), readers_(readers) {}

    const FilterBase* filter_;
    void* owner_;
    std::atomic<uint32_t>* readers_;
  };

  SwappableFilter() noexcept;
  ~SwappableFilter();
  SwappableFilter(const SwappableFilter&) = delete;
  SwappableFilter& operator=(const SwappableFilter&) = delete;

  // Takes a lease of what serves now.
  Lease Read() const noexcept;

  // The questions of filter_base.h, and each batch of them, take a lease of their own, which costs two atomic
  // additions. Keys are hashed as what serves then does. Hash with lease->key_hash(): key_hash() and seed() of this
  // object are those of no filter, and hashes made with them lose keys.

  // Makes `filter` serve from now on, by move: Swap(std::move(filter)). It is a BlockedFilter, ClassicFilter,
  // FilterFile, FilterView (over bytes that stay until it is replaced) or another FilterBase but a SwappableFilter. A
  // file that is verified lazily is verified to its end before it serves (kCorrupt). What was opened with kTrusted is
  // not verified. Nobody inserts into `filter` any more. The call waits for the readers of the old one, and frees it.
  // On an error the old one goes on serving, and `filter` is gone: kCorrupt, kIncompatible or kOutOfMemory. It is
  // incompatible if it is broken, or if its hash or seed (or secret) is not the old one's: callers with hashes of their
  // own would lose keys (Clear first, if that is meant). A unique_ptr to what serves already is a second owner of it:
  // kInvalidArgument, and it is given up, not freed. What does not move, a RotatingFilter or a ConcurrentFilter, comes
  // as a unique_ptr (below).
  template <class Filter>
  Status Swap(Filter&& filter) noexcept {
    static_assert(!std::is_reference_v<Filter>, "the filter is taken over: Swap(std::move(filter))");
    std::unique_ptr<Filter> owned(new (std::nothrow) Filter(static_cast<Filter&&>(filter)));
    if (owned == nullptr) return NoMemory(sizeof(Filter));
    return Swap(static_cast<std::unique_ptr<Filter>&&>(owned));
  }
  // The same for a filter on the heap; this allocates nothing.
  template <class Filter>
  Status Swap(std::unique_ptr<Filter>&& filter) noexcept {
    if (filter == nullptr) return NoMemory(sizeof(Filter));
    const FilterBase* const asked = Asked(*filter);
    void* const owned = const_cast<void*>(static_cast<const void*>(filter.get()));
    const Status status = Serve(asked, &Delete<Filter>, owned, nullptr);
    if (status.ok() || status.code() == StatusCode::kInvalidArgument) {
      (void)filter.release();
    } else {
      filter.reset();
    }
    return status;
  }
  // Does what Swap does for filters that somebody else owns. `filter` serves, and the thread that replaces it calls
  // release(owner) when nobody reads it any more. On an error (the same as for Swap) it is not called. `release` may be
  // null; it must not call this object. It is kInvalidArgument if this very filter serves already: it would be released
  // twice.
  Status Serve(const FilterBase* filter, void (*release)(void* owner) noexcept, void* owner) noexcept {
    return Serve(filter, release, owner, owner);
  }
  // Makes nothing serve: every answer is "maybe" until the next Swap, which may then bring another hash or seed.
  void Clear() noexcept;

  // How often what serves was switched, Clear included.
  uint64_t num_swaps() const noexcept { return num_swaps_.load(std::memory_order_relaxed); }

 private:
  struct LINEFILTER_LOCAL Asking;  // its kernels
  // Readers are counted in stripes, so that threads do not write to the same line; each has two lines, because a CPU
  // may fetch the neighbour of a line, too.
  static constexpr size_t kStripes = 16;
  struct Stripe {
    std::atomic<uint32_t> readers{0};
    char own_lines[128 - sizeof(std::atomic<uint32_t>)];
  };
  struct Slot {
    Stripe stripes[kStripes];
    const FilterBase* filter;
    void (*release)(void* owned) noexcept;
    void* owned;  // for `release`
    void* owner;  // for leases
  };

  template <class Filter>
  static void Delete(void* filter) noexcept {
    delete static_cast<Filter*>(filter);
  }
  static const FilterBase* Asked(const FilterBase& filter) noexcept { return &filter; }
  static const FilterBase* Asked(const FilterFile& file) noexcept { return &file.view(); }
  static Status NoMemory(size_t bytes) noexcept;
  Status Serve(const FilterBase* filter, void (*release)(void*) noexcept, void* owned, void* owner) noexcept;
  LINEFILTER_LOCAL void Switch(const FilterBase* filter, void (*release)(void*) noexcept, void* owned, void* owner,
                               std::unique_lock<std::mutex>* lock) noexcept;

  mutable Slot slots_[2];
  std::atomic<uint32_t> serving_{0};  // index of a slot
  std::atomic<uint64_t> num_swaps_{0};
  std::mutex mutex_;  // threads that swap hold it
  FilterView nothing_;
};

}  // namespace linefilter

#endif  // LINEFILTER_SWAPPABLE_H_
