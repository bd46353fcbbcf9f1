// BlockedFilter, ClassicFilter and CountingBlockedFilter own their memory and take keys for as long as they live; the
// last one gives them back, too. Filter is any of them, chosen at run time.
//
//   linefilter::FilterOptions options;
//   options.bits_per_key = 10;
//   linefilter::BlockedFilter filter;
//   linefilter::Status status = filter.Create(1000000, options);
//   if (!status.ok()) ...  // status.message() says what to do
//   filter.InsertKey("alice@example.org");
//   if (filter.MayContainKey("bob@example.org")) ...  // ask the database
//
// One writer may use a filter, or any number of readers. Before Create, and after a move from, a filter answers "maybe"
// and takes nothing.
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
  // The same for a hash (FilterOptions::hash_id says which).
  LINEFILTER_INLINE bool InsertHash(uint64_t hash) noexcept { return insert_(state_, hash); }
  // Inserts a batch and returns how many were certainly new when their turn came. `were_new` is null or gets n bytes of
  // 1 or 0.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new = nullptr) noexcept;

  // Takes all keys of `other`. It is kIncompatible unless layout, num_probes, hash id and seed (with a keyed hash, the
  // secret) are the same, and with `classic` the size. A view is verified first (kCorrupt), because what is missing in
  // it would be missing here. A UNION OF UNEQUAL SIZES SHRINKS this filter: both are folded to the greatest common
  // divisor of their num_blocks, the other one on the fly. Filters that were folded from one size
  // (FilterOptions::foldable) have a large divisor. Unrelated sizes may have a single block, and then nearly everything
  // is "maybe": look at std::gcd(a.num_blocks(), b.num_blocks()) before, or at ExpectedFpr() after. On an error nothing
  // changes. A CountingBlockedFilter adds the counters up: remove a key of both twice (a union with itself changes
  // nothing).
  Status Union(const MutableFilter& other) noexcept;
  Status Union(const FilterView& other) noexcept;

  // Makes the filter `factor` times smaller, to the bit what it would be if it had been made with num_blocks() / factor
  // blocks and the same num_probes. No key is lost; more keys can come. `factor` must divide num_blocks()
  // (kInvalidArgument names the nearest ones that do; FilterOptions::foldable makes many); `classic` cannot be folded.
  // Folding runs at memory speed and gives memory back: from 2 MiB up the default allocator does it in place, else what
  // is left is allocated first. On kOutOfMemory, or another error, the filter is as it was.
  Status Fold(uint64_t factor) noexcept;
  // Folds to the least size whose ExpectedFpr(), from these very bits, is still at most `fpr` (0 to 1, both excluded).
  // It is exact up to 2^20 blocks; above, ExpectedFpr() is a sample. Do it when all keys are in. It is kInvalidArgument
  // if the rate is above even now. It takes a few readings of the body, and no memory but Fold's.
  Status FoldToFpr(double fpr) noexcept;
  // Removes all keys; keeps size and memory.
  void Clear() noexcept;

  // The bytes held, this object included.
  uint64_t MemoryUse() const noexcept;

  // The size of the image (doc/FORMAT.md) of the keys inserted so far.
  uint64_t ImageBytes() const noexcept;
  // Writes the image to a sink, piece by piece.
  Status WriteImage(const Sink& sink) const noexcept;
  // Writes ImageBytes() bytes to `out` (size may be more; less is kInvalidArgument).
  Status WriteImageTo(void* out, size_t size) const noexcept;
  // Appends the image to *image.
  Status AppendImage(std::string* image) const {
    return internal::AppendToString(image, ImageBytes(), [this](void* out, size_t n) { return WriteImageTo(out, n); });
  }
  // Writes a file. It is complete and synced before it gets its name; an old file of that name stays until then.
  Status Save(const char* path) const noexcept;

 protected:
  MutableFilter() noexcept;
  // Only the final classes move, so that a layout stays what its type says.
  MutableFilter(MutableFilter&& other) noexcept;
  MutableFilter& operator=(MutableFilter&& other) noexcept;
  Status CreateLayout(Layout layout, uint64_t num_keys, const FilterOptions& options) noexcept;
  Status CreateFromImage(Layout layout, const void* image, size_t size, const FilterOptions& options) noexcept;
  // Takes the key out once. This is for the classes that give keys back; other layouts refuse. False means refused: the
  // key was certainly absent, and nothing changed. A filter of the caller's hashes ignores RemoveKey and answers false.
  LINEFILTER_INLINE bool RemoveKey(Key key) noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) && RemoveHash(hash);
  }
  // The same for a hash.
  bool RemoveHash(uint64_t hash) noexcept;
  // Removes a batch one after the other and returns how many. `were_removed` is null or gets n bytes of 1 or 0.
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

// A lookup and an insertion read one cache line each. The most are 2^32 blocks (256 GiB).
class LINEFILTER_EXPORT BlockedFilter final : public MutableFilter {
 public:
  BlockedFilter() noexcept = default;
  // Makes room for num_keys keys (0 counts as 1). Whatever was in the filter goes. On an error the filter is as it was:
  // the new memory is allocated before the old is freed, so both are held until Create returns. memory_limit counts the
  // new one alone. If there is no room for both, move in an empty filter first (filter = BlockedFilter()).
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(Layout::kBlocked, num_keys, options);
  }
  // Makes a mutable copy of a `blocked` image, verified. Only these options count: allocator, memory_limit, and hash_id
  // kKeyed with its secret. A keyed image needs both of the latter, and with them an image of another hash is refused.
  // An image of the empty set has no size: it becomes an empty filter of one block with the image's num_probes, which a
  // few dozen keys fill. To add keys, Create one for their number. The image is verified, and the copy complete, before
  // the old content goes: on an error the filter is as it was. The memory is that of Create.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(Layout::kBlocked, image, size, options);
  }
};

// A BlockedFilter whose keys can be removed: it has counters of 4 bits in place of bits. It takes 4.4 times the bytes
// at 1 % of false positives, more below, and reaches 0.22 % (kMaxBitsPerKey). doc/guide/delete.md has the figures.
//
// Remove a key as often as it was inserted, and only then. The filter cannot see this:
// - A key that was never inserted but answers "maybe" (a false positive, as often as fpr says) can be removed. That
//   takes from the counters of other keys, which may be lost. So ask the exact store first, or remove only what it had.
// - A key that was inserted twice (or added twice to the FilterBuilder of its image) is in the filter twice: removed
//   once, it still answers "maybe". InsertKey does not refuse it, for what is "maybe" may be a false positive.
// - A counter that reaches 15 is saturated: it no longer knows how many it stands for and stays 15 until Clear. Nothing
//   is lost, but the keys behind it may answer "maybe" after they are removed. With no more keys than the filter was
//   sized for this is rare: one counter in 1e16 at an fpr of 1 %, one in 1e14 at 10 %, one in 1e11 at 70 %. But a key
//   inserted 15 times does it.
class LINEFILTER_EXPORT CountingBlockedFilter final : public MutableFilter {
 public:
  CountingBlockedFilter() noexcept = default;
  // Does what BlockedFilter::Create does: on an error the filter is as it was. kInvalidArgument: 64 bits per key do not
  // reach the fpr.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(Layout::kCounting, num_keys, options);
  }
  // Takes a `counting` image; else it does what BlockedFilter's does: on an error the filter is as it was.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(Layout::kCounting, image, size, options);
  }

  using MutableFilter::RemoveHash;
  using MutableFilter::RemoveHashes;
  using MutableFilter::RemoveKey;
};

// The classic Bloom filter, scalar on purpose, is the baseline for all comparisons. It is right far beyond 2^32 bits.
class LINEFILTER_EXPORT ClassicFilter final : public MutableFilter {
 public:
  ClassicFilter() noexcept = default;
  // Does what BlockedFilter::Create does: on an error the filter is as it was.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(Layout::kClassic, num_keys, options);
  }
  // Takes a `classic` image; else it does what BlockedFilter's does: on an error the filter is as it was. An image of
  // the empty set becomes a filter of 8 bytes with its num_probes.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(Layout::kClassic, image, size, options);
  }
};

// A filter whose layout is chosen when it is made: any that takes keys (LayoutFacts::takes_keys).
class LINEFILTER_EXPORT Filter final : public MutableFilter {
 public:
  Filter() noexcept = default;
  // Does what BlockedFilter::Create does, for that layout; kAuto chooses one by the number of keys.
  Status Create(Layout layout, uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateLayout(layout, num_keys, options);
  }
  // Does what BlockedFilter's does. The layout is that of the image; options.layout must be the same or kAuto.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return MutableFilter::CreateFromImage(options.layout, image, size, options);
  }

  // These remove as in CountingBlockedFilter; a layout that gives no key back (LayoutFacts::gives_back) refuses each.
  using MutableFilter::RemoveHash;
  using MutableFilter::RemoveHashes;
  using MutableFilter::RemoveKey;
};

}  // namespace linefilter

#endif  // LINEFILTER_FILTER_H_
