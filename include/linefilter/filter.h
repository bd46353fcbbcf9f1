// BlockedFilter, ClassicFilter and CountingBlockedFilter: filters that own their memory and take keys for as long as
// they live; the last one gives them back, too. Filter is any of them, chosen at run time.
//
//   linefilter::FilterOptions options;
//   options.bits_per_key = 10;
//   linefilter::BlockedFilter filter;
//   linefilter::Status status = filter.Create(1000000, options);
//   if (!status.ok()) ...  // status.message() says what to do
//   filter.InsertKey("alice@example.org");
//   if (filter.MayContainKey("bob@example.org")) ...  // ask the database
//
// One writer, or any number of readers. Before Create, and after a move from, a filter answers
// "maybe" and takes nothing.
#ifndef LINEFILTER_FILTER_H_
#define LINEFILTER_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "linefilter/filter_base.h"
#include "linefilter/internal/append.h"
#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

class FilterView;

// What these filters have in common.
class LINEFILTER_EXPORT MutableFilter : public FilterBase {
 public:
  ~MutableFilter();

  // True if the key was certainly new (a bit changed), false if it may have been there. A filter of the caller's hashes
  // ignores InsertKey and answers false: its ...Key lookups say "maybe" to all.
  LINEFILTER_INLINE bool InsertKey(Key key) noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) && InsertHash(hash);
  }
  // The same of a hash (FilterOptions::hash_id says which).
  LINEFILTER_INLINE bool InsertHash(uint64_t hash) noexcept { return insert_(state_, hash); }
  // A batch; returns how many were certainly new when their turn came. If `were_new` is not null, n bytes of 1 or 0.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new = nullptr) noexcept;

  // Takes all keys of `other`. kIncompatible unless layout, num_probes, hash id and seed (of a keyed hash, the secret)
  // are the same, and of `classic` the size; a view is verified first (kCorrupt), because what is missing in it would
  // be missing here. A UNION OF UNEQUAL SIZES SHRINKS this filter: both are folded to the greatest common divisor of
  // their num_blocks, the other one on the fly. Filters that were folded from one size (FilterOptions::foldable) have a
  // large one; that of sizes which have nothing to do with each other may be a single block, and then nearly everything
  // is "maybe": look at std::gcd(a.num_blocks(), b.num_blocks()) before, or at ExpectedFpr() after. On an error nothing
  // has changed.
  // In a CountingBlockedFilter the counters are added up: a key that is in both must be removed twice (a filter with
  // itself: nothing happens).
  Status Union(const MutableFilter& other) noexcept;
  Status Union(const FilterView& other) noexcept;

  // Folding: makes the filter `factor` times smaller, to the bit what it would be if it had been made with num_blocks()
  // / factor blocks and the same num_probes. No key is lost; more keys can come. `factor` must divide num_blocks()
  // (kInvalidArgument names the nearest ones that do: FilterOptions::foldable makes many); `classic` cannot be folded.
  // The memory is given back: of the default allocator from 2 MiB up in place, else what is left is allocated first. At
  // memory speed. kOutOfMemory, or another error: the filter is as it was.
  Status Fold(uint64_t factor) noexcept;
  // Folds to the least size whose ExpectedFpr(), of these very bits, is still at most `fpr` (0 to 1, both excluded). It
  // is exact up to 2^20 blocks; above, ExpectedFpr() is a sample. Do it when all keys are in. kInvalidArgument if even
  // now it is above. Takes a few readings of the body, and no memory but Fold's.
  Status FoldToFpr(double fpr) noexcept;
  // Removes all keys; keeps size and memory.
  void Clear() noexcept;

  // Bytes held, this object included.
  uint64_t MemoryUse() const noexcept;

  // The image (doc/FORMAT.md) of the keys inserted so far: its size.
  uint64_t ImageBytes() const noexcept;
  // In pieces.
  Status WriteImage(const Sink& sink) const noexcept;
  // Into ImageBytes() bytes at `out` (size may be more; less is kInvalidArgument).
  Status WriteImageTo(void* out, size_t size) const noexcept;
  // Appends to *image.
  Status AppendImage(std::string* image) const {
    return internal::AppendToString(image, ImageBytes(), [this](void* out, size_t n) { return WriteImageTo(out, n); });
  }
  // A file: complete and synced before it gets its name; an old file of that name stays until then.
  Status Save(const char* path) const noexcept;

 protected:
  MutableFilter() noexcept;
  // Moving is for the final classes, so that a layout stays what its type says.
  MutableFilter(MutableFilter&& other) noexcept;
  MutableFilter& operator=(MutableFilter&& other) noexcept;
  Status CreateLayout(Layout layout, uint64_t num_keys, const FilterOptions& options) noexcept;
  Status CreateFromImage(Layout layout, const void* image, size_t size, const FilterOptions& options) noexcept;
  // For the classes that give keys back; other layouts refuse.
  // Takes the key out once. False: refused, it was certainly absent, and nothing changed. A filter of the caller's
  // hashes ignores RemoveKey and answers false.
  LINEFILTER_INLINE bool RemoveKey(Key key) noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) && RemoveHash(hash);
  }
  // The same of a hash.
  bool RemoveHash(uint64_t hash) noexcept;
  // A batch, one after the other; returns how many were removed. If `were_removed` is not null, n bytes of 1 or 0.
  uint64_t RemoveHashes(const uint64_t* hashes, size_t n, uint8_t* were_removed = nullptr) noexcept;

 private:
  LINEFILTER_LOCAL Status UnionBody(const FilterBase& other) noexcept;
  LINEFILTER_LOCAL void Release() noexcept;
  LINEFILTER_LOCAL void MoveFrom(MutableFilter& other) noexcept;
  LINEFILTER_LOCAL Status Allocate(Layout layout, uint64_t body_bytes, uint32_t num_probes,
                                   const FilterOptions& options) noexcept;
  uint8_t* mutable_body() noexcept { return const_cast<uint8_t*>(state_.body); }

  bool (*insert_)(const internal::ProbeState&, uint64_t hash);
  Allocator allocator_;
};

// One cache line per lookup and per insertion. At most 2^32 blocks (256 GiB).
class LINEFILTER_EXPORT BlockedFilter final : public MutableFilter {
 public:
  BlockedFilter() noexcept = default;
  // Room for num_keys keys (0 counts as 1). Whatever was in the filter goes. On an error the filter is as it was: the
  // new memory is allocated before the old is freed, so both are held until Create returns. memory_limit counts the new
  // one alone. Where there is no room for both, move an empty filter into this one before (filter = BlockedFilter()).
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(Layout::kBlocked, num_keys, options);
  }
  // A mutable copy of a `blocked` image, verified. Of the options count allocator and memory_limit, and hash_id kKeyed
  // with its secret, which must be those of the image: an image of another hash is then refused, a keyed one without
  // them. An image of the empty set has no size: it becomes an empty filter of one block with the image's num_probes,
  // which a few dozen keys fill. To add keys, Create one for their number. The image is verified, and the copy
  // complete, before the old content goes: on an error the filter is as it was, and memory is as for Create.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(Layout::kBlocked, image, size, options);
  }
};

// A BlockedFilter whose keys can be removed: counters of 4 bits in the place of its bits. It takes 4.4 times the bytes
// for 1 % of false positives, more below, and reaches 0.22 % (kMaxBitsPerKey); doc/guide/delete.md has the figures.
//
// Remove a key as often as it was inserted, and only then. What the filter cannot see:
// - A key that was never inserted but answers "maybe" (a false positive, as often as fpr says) can be removed. That
//   takes from the counters of other keys, which may be lost. So ask the exact store first, or remove only what it had.
// - A key that was inserted twice (or added twice to the FilterBuilder of its image) is in the filter twice: removed
//   once, it still answers "maybe". InsertKey does not refuse it, for what is "maybe" may be a false positive.
// - A counter that reaches 15 is saturated: it no longer knows how many it stands for and stays 15 until Clear. Nothing
//   is lost, but the keys behind it may answer "maybe" after they are removed. With up to the keys that the filter
//   was sized for this is rare: one counter in 1e16 at an fpr of 1 %, one in 1e14 at 10 %, one in 1e11 at 70 %; but a
//   key inserted 15 times does it.
class LINEFILTER_EXPORT CountingBlockedFilter final : public MutableFilter {
 public:
  CountingBlockedFilter() noexcept = default;
  // As BlockedFilter's: on an error the filter is as it was. kInvalidArgument for an fpr that 64 bits per key do not
  // reach.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(Layout::kCounting, num_keys, options);
  }
  // Of a `counting` image; else as BlockedFilter's: on an error the filter is as it was.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(Layout::kCounting, image, size, options);
  }

  using MutableFilter::RemoveHash;
  using MutableFilter::RemoveHashes;
  using MutableFilter::RemoveKey;
};

// The classic Bloom filter, scalar on purpose: the baseline that everything is compared with. Right
// far beyond 2^32 bits.
class LINEFILTER_EXPORT ClassicFilter final : public MutableFilter {
 public:
  ClassicFilter() noexcept = default;
  // As BlockedFilter's: on an error the filter is as it was.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(Layout::kClassic, num_keys, options);
  }
  // Of a `classic` image; else as BlockedFilter's: on an error the filter is as it was. An image of the empty set
  // becomes one of 8 bytes with its num_probes.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(Layout::kClassic, image, size, options);
  }
};

// A filter whose layout is chosen when it is made: any that takes keys (LayoutFacts::takes_keys).
class LINEFILTER_EXPORT Filter final : public MutableFilter {
 public:
  Filter() noexcept = default;
  // As BlockedFilter's, for that layout; kAuto chooses one by the number of keys.
  Status Create(Layout layout, uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(layout, num_keys, options);
  }
  // As BlockedFilter's. The layout is that of the image, which options.layout must be, too, unless it is kAuto.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(options.layout, image, size, options);
  }

  // Removals as CountingBlockedFilter's; a layout that gives no key back (LayoutFacts::gives_back) refuses each.
  using MutableFilter::RemoveHash;
  using MutableFilter::RemoveHashes;
  using MutableFilter::RemoveKey;
};

}  // namespace linefilter

#endif  // LINEFILTER_FILTER_H_
