// SwappableFilter: what serves is replaced while it is read. A filter whose set changes (keys go, too) is made anew
// from the source of truth; the old one serves meanwhile, then one atomic store switches.
//
//   linefilter::SwappableFilter users;            // nothing serves yet: every answer is "maybe"
//   linefilter::Status status = users.Swap(std::move(rebuilt));       // any thread: a BlockedFilter, a FilterFile, ...
//   status = users.SwapFromFile("users.filter");  // verified first; on an error the old one stays
//   if (users.MayContainKey("bob@example.org")) ...                   // any number of threads, without a lock
//   const auto lease = users.Read();              // one filter for several questions
//   lease->MayContainHashes(hashes, n, answers);
//
// - A lookup is answered by one filter as a whole: the one that served at some moment during the call.
// - Readers take no lock and wait for nobody; they try again only if a switch came between two of their instructions.
// - Swap returns when no reader has the old filter any more, and has then freed it. It waits for leases: keep them
//   short. A thread that has a lease must not swap, for it would wait for itself.
// - A key that was inserted into a filter before it was handed over is never "absent" once Swap has returned, nor
//   before, if it was in the old one.
// - After fork the child may ask, and destroy it. It must not swap: leases that other threads of the parent had at that
//   moment stay counted, and it would wait for them for ever.
// - Keys that come while a filter is rebuilt are in neither, and what serves takes none. Put each into a RotatingFilter
//   of two generations before the source of truth has it, and ask both within one lease; rotate where a rebuild begins,
//   if the one before was swapped in, while nobody is between his two insertions. doc/guide/living.md has the code.
#ifndef LINEFILTER_SWAPPABLE_H_
#define LINEFILTER_SWAPPABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <type_traits>

#include "linefilter/file.h"
#include "linefilter/filter_base.h"
#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter {

// Readers: any number of threads at once. Swap, SwapFromFile, Serve and Clear: from any thread, too; one goes after the
// other. Destroyed when all threads have stopped and no lease is left; that waits for nobody. Some 5 KB.
class LINEFILTER_EXPORT SwappableFilter final {
 public:
  // The filter that served when the lease was taken, for as long as the lease lives. For one thread at a time.
  class Lease {
   public:
    // Takes it over.
    Lease(Lease&& other) noexcept : filter_(other.filter_), owner_(other.owner_), readers_(other.readers_) {
      other.readers_ = nullptr;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (readers_ != nullptr) readers_->fetch_sub(1, std::memory_order_release);
    }

    // What serves; it answers "maybe" to all if nothing does. After a move from: not to be used.
    const FilterBase& operator*() const noexcept { return *filter_; }
    // The same.
    const FilterBase* operator->() const noexcept { return filter_; }
    // What Serve was given with it; of what Swap brought, and of nothing, null.
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

  // What serves now.
  Lease Read() const noexcept;

  // One question each, and batches: of a lease of their own, which costs two atomic additions (filter_base.h tells what
  // they answer). Hashes are made with the seed or secret of the filters, which Swap keeps the same.
  LINEFILTER_INLINE bool MayContainKey(Key key) const noexcept { return Read()->MayContainKey(key); }
  // The same of a hash.
  bool MayContainHash(uint64_t hash) const noexcept { return Read()->MayContainHash(hash); }
  // n answers, one byte each.
  void MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) const noexcept {
    Read()->MayContainHashes(hashes, n, answers);
  }
  // n answers, one bit each.
  void MayContainHashesToBits(const uint64_t* hashes, size_t n, uint8_t* bits) const noexcept {
    Read()->MayContainHashesToBits(hashes, n, bits);
  }
  // Only how many are "maybe".
  uint64_t CountMaybes(const uint64_t* hashes, size_t n) const noexcept { return Read()->CountMaybes(hashes, n); }
  // n answers to keys of bytes,
  void MayContainKeys(const std::string_view* keys, size_t n, uint8_t* answers) const noexcept {
    Read()->MayContainKeys(keys, n, answers);
  }
  // or to integers.
  void MayContainKeys(const uint64_t* keys, size_t n, uint8_t* answers) const noexcept {
    Read()->MayContainKeys(keys, n, answers);
  }
  // Ok if ...Key calls can be answered, else why they answer "maybe".
  Status KeyStatus() const noexcept { return Read()->KeyStatus(); }

  // `filter` serves from now on: a BlockedFilter, ClassicFilter, FilterFile, FilterView (over bytes that stay until it
  // is replaced) or another FilterBase, by move: Swap(std::move(filter)). Nobody inserts into it any more. Waits for
  // the readers of the old one, and frees it. On an error the old one goes on serving, and `filter` is gone:
  // kIncompatible if it is broken, or if its hash or seed (or secret) is not that of the old one, because who hashes by
  // himself would lose keys (Clear first, if that is meant); kOutOfMemory. A unique_ptr to what serves already is a
  // second owner of it: kInvalidArgument, and it is given up, not freed.
  template <class Filter>
  Status Swap(Filter&& filter) noexcept {
    static_assert(!std::is_reference_v<Filter>, "the filter is taken over: Swap(std::move(filter))");
    std::unique_ptr<Filter> owned(new (std::nothrow) Filter(static_cast<Filter&&>(filter)));
    if (owned == nullptr) return NoMemory(sizeof(Filter));
    return Swap(static_cast<std::unique_ptr<Filter>&&>(owned));
  }
  // The same of a filter on the heap; this allocates nothing.
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
  // Loads a file into memory (FilterFile::Load: all of it is verified), then swaps. On any error the old one stays. For
  // a mapped file: Map it, Verify its view, and Swap(std::move(file)).
  Status SwapFromFile(const char* path, const HashSecret* secret = nullptr, const Allocator& allocator = {},
                      uint64_t memory_limit = kNoMemoryLimit) noexcept;
  // What Swap stands on, for filters that somebody else owns: `filter` serves, and release(owner) is called, by the
  // thread that replaces it, when nobody reads it any more. On an error (as Swap's) it is not called. `release` may be
  // null; it must not call this object. kInvalidArgument if this very filter serves already, as it would be released
  // twice.
  Status Serve(const FilterBase* filter, void (*release)(void* owner) noexcept, void* owner) noexcept {
    return Serve(filter, release, owner, owner);
  }
  // Nothing serves: every answer is "maybe" until the next Swap, which may then bring another hash or seed.
  void Clear() noexcept;

  // How often what serves was switched, Clear included.
  uint64_t num_swaps() const noexcept { return num_swaps_.load(std::memory_order_relaxed); }

 private:
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
  std::mutex mutex_;  // of those who swap
  FilterView nothing_;
};

}  // namespace linefilter

#endif  // LINEFILTER_SWAPPABLE_H_
