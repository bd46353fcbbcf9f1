// Filter owns its memory and takes keys for as long as it lives, in a layout that is chosen when it is created.
// BlockedFilter, QuotientFilter and ClassicFilter are the same, for those who know the layout when they compile.
// Link linefilter::linefilter. Without CMake, liblinefilter.a needs -lhwy and -pthread.
//
//   linefilter::BlockedFilter filter;
//   linefilter::Status status = filter.Create(1000000, linefilter::FilterOptions::AtBitsPerKey(10));
//   if (!status.ok()) ...  // status.message() says what to do
//   filter.InsertKey("alice@example.org");
//   if (filter.MayContainKey("bob@example.org")) ...  // ask the database
//
// One writer may use a filter, or any number of readers. key_filter.h has insertions and the ways to an image,
// filter_base.h the questions. Where else to begin:
//   builder.h     all keys are at hand, and none comes later: it counts them itself, and makes every layout
//   scalable.h    nobody knows how many keys will come
//   concurrent.h  many threads insert at once
//   rotating.h    old keys are to be forgotten
//   swappable.h   the set is made anew while it is asked
//   file.h        the image is a file
//   view.h        the image is in bytes of somebody else, as a block of an SST file
//   fold.h        images are made smaller or united without their keys
//   many.h        one key is asked of many filters, such as those of all levels of a store
#ifndef LINEFILTER_FILTER_H_
#define LINEFILTER_FILTER_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/key_filter.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

class FilterView;

namespace internal {
struct BodyCopy;  // lib/filters/body_copy.h
}

// A filter of any layout that takes keys (LayoutFacts::takes_keys).
class LINEFILTER_EXPORT Filter : public KeyFilter {
 public:
  Filter() noexcept;
  ~Filter();
  // The filter moved from is as before Create.
  Filter(Filter&& other) noexcept;
  Filter& operator=(Filter&& other) noexcept;

  // Makes room for num_keys keys (0 counts as 1), in the layout of the options; kAuto chooses one by the number.
  // Whatever was in the filter goes. On an error the filter is as it was: the new memory is allocated before the old is
  // freed, so both are held until Create returns. memory_limit counts the new one alone. If there is no room for both,
  // move in an empty filter first (filter = {}).
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept;
  // Makes a mutable copy of an image, verified. Its layout is that of the image; options.layout must be the same or
  // kAuto. These other options count: allocator, memory_limit, and hash_id kKeyed with its secret. key_kind() is that
  // of the image. A keyed image needs both of the latter options, and with them an image of another hash is refused. An
  // image of the empty set has no size: it becomes an empty filter of one block (`classic`: 8 bytes) with the image's
  // num_probes, which a few dozen keys fill. To add keys, Create one for their number. The image is verified, and the
  // copy complete, before the old content goes: on an error the filter is as it was. The memory is that of Create.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept;

  // Goes on with a file, the counterpart of Save: the file is read and verified, and then it is CreateFromImage of its
  // bytes. Both are held until Load returns, and memory_limit counts each alone. Where there is no room for both, map
  // the file (file.h) and call CreateFromImage. kIoError tells what the system said. (There is no FromFile that returns
  // a filter: it would have no place for the Status.)
  Status Load(const char* path, const FilterOptions& options = {}) noexcept;
  // Becomes a copy of `other`: the same keys, layout, size and hash, in memory of the same allocator. On an error, and
  // if `other` was never created (kInvalidArgument), the filter is as it was. The memory is that of Create.
  Status CloneFrom(const Filter& other) noexcept;

  // Takes the key out once, if this filter gives keys back (FactsOf(layout(), num_probes()).gives_back); another
  // refuses. False means refused: the key was certainly absent, and nothing changed. A filter of the caller's hashes
  // ignores RemoveKey and answers false. QuotientFilter tells what removing demands.
  LINEFILTER_INLINE bool RemoveKey(Key key) noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) && RemoveHash(hash);
  }
  // The same for a hash.
  bool RemoveHash(uint64_t hash) noexcept;
  // Removes a batch one after the other and returns how many. `were_removed` is null or gets n bytes of 1 or 0.
  uint64_t RemoveHashes(const uint64_t* hashes, size_t n, uint8_t* were_removed = nullptr) noexcept;

  // Takes all keys of `other`. It is kIncompatible unless layout, num_probes, hash id and seed (with a keyed hash, the
  // secret) are the same, and with `classic` the size. A view is verified first (kCorrupt), because what is missing in
  // it would be missing here. A UNION OF UNEQUAL SIZES SHRINKS this filter: both are folded to the greatest common
  // divisor of their num_blocks, the other one on the fly. Unrelated sizes may have a single block, in which nearly
  // everything would be "maybe": UnionOptions says what rate is too high, and such a union is kIncompatible. On an
  // error nothing changes. Filters that give keys back add up: remove a key of both twice (a union with itself changes
  // nothing). The kinds of keys are those of both; keys of which nobody told it make them unknown.
  Status Union(const Filter& other, const UnionOptions& options = {}) noexcept;
  Status Union(const FilterView& other, const UnionOptions& options = {}) noexcept;

  // Makes the filter `factor` times smaller, to the bit what it would be if it had been made with num_blocks() / factor
  // blocks and the same num_probes. No key is lost; more keys can come. `factor` must divide num_blocks()
  // (kInvalidArgument names the nearest ones that do; FilterOptions::foldable makes many); `classic` cannot be folded.
  // Folding runs at memory speed and gives memory back: from 2 MiB up the default allocator does it in place, else what
  // is left is allocated first. On kOutOfMemory, or another error, the filter is as it was.
  Status Fold(uint64_t factor) noexcept;
  // Folds to the least size whose ExpectedFpr(), from these very bits, is still at most `fpr` (0 to 1, both excluded).
  // It is exact up to 2^20 blocks; above, ExpectedFpr() is a sample. Do it when all keys are in. It is
  // kInvalidArgument, and nothing was done, if the rate is above even now. That is no fault: a filter that is full may
  // be a little above the rate it was made for. It takes a few readings of the body, and no memory but Fold's.
  Status FoldToFpr(double fpr) noexcept;
  // Removes all keys, and what was told of their kinds; keeps size and memory.
  void Clear() noexcept;

 protected:
  // Create, for that layout, whatever options.layout is.
  Status CreateOf(Layout layout, uint64_t num_keys, const FilterOptions& options) noexcept;
  // CreateFromImage and Load, for an image of that layout (kAuto: of any).
  Status CopyImage(Layout layout, const void* image, size_t size, const FilterOptions& options) noexcept;
  Status LoadImage(Layout layout, const char* path, const FilterOptions& options) noexcept;

 private:
  friend class ConcurrentFilter;     // whose owner_ is made and copied so, too
  friend struct internal::BodyCopy;  // copies what is no image

  struct LINEFILTER_LOCAL Writing;  // its table KeyFilter::Image
  LINEFILTER_LOCAL Status CopyView(Layout layout, const FilterBase& view, const FilterOptions& options) noexcept;
  LINEFILTER_LOCAL Status CopyOf(const FilterBase& other, const FilterOptions& options) noexcept;
  LINEFILTER_LOCAL Status UnionBody(const FilterBase& other, const UnionOptions& options) noexcept;
  LINEFILTER_LOCAL void Release() noexcept;
  LINEFILTER_LOCAL void MoveFrom(Filter& other) noexcept;
  LINEFILTER_LOCAL Status Allocate(Layout layout, uint64_t body_bytes, uint32_t num_probes, const KeyHash& key_hash,
                                   const FilterOptions& options) noexcept;
  uint8_t* mutable_body() noexcept { return const_cast<uint8_t*>(state_.body); }

  Allocator allocator_;
};

// A lookup and an insertion read one cache line each. The most are 2^32 blocks (256 GiB). Only through a Filter& can
// this class, or one below, be made or assigned of another layout; it then answers as that.
class LINEFILTER_EXPORT BlockedFilter final : public Filter {
 public:
  // Does what Filter::Create does, for this layout.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateOf(Layout::kBlocked, num_keys, options);
  }
  // Does what Filter::CreateFromImage does, for an image of this layout.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return CopyImage(Layout::kBlocked, image, size, options);
  }
  // Does what Filter::Load does, for an image of this layout.
  Status Load(const char* path, const FilterOptions& options = {}) noexcept {
    return LoadImage(Layout::kBlocked, path, options);
  }
  // Does what Filter::CloneFrom does.
  Status CloneFrom(const BlockedFilter& other) noexcept { return Filter::CloneFrom(other); }

 private:  // it gives no key back
  using Filter::RemoveHash;
  using Filter::RemoveHashes;
  using Filter::RemoveKey;
};

// The layout `quotient` has the fewest false positives of all that keys can be inserted into: at 10 bits per key three
// fifths of those of a BlockedFilter. An insertion and a lookup read one cache line, and take longer than there.
// FilterOptions::removable makes one whose keys can be removed; else a removal is refused (num_probes() is then 0).
//
// THE RATE OF ONE THAT KEYS ARE REMOVED FROM RISES as keys come and go: what a full block forgot of its keys does not
// come back when some go. FilterOptions::turnovers sizes it for that; doc/guide/delete.md has the figures.
//
// Remove a key as often as it was inserted, and only then. The filter cannot see this:
// - A key that was never inserted but answers "maybe" (a false positive, as often as fpr says) can be removed. That
//   takes the entry of another key, which is then lost. So ask the exact store first, or remove only what it had. Never
//   remove one key from several filters of which each may have it: one that has it not may lose another key by that.
// - A key that was inserted twice (or added twice to the FilterBuilder of its image) is in the filter twice: removed
//   once, it still answers "maybe". InsertKey does not refuse it, for what is "maybe" may be a false positive.
// - A block that gets its 436th key is saturated: it answers "maybe" to all, and gives no key back until Clear. Nothing
//   is lost. With no more keys than the filter was sized for, at 2 bits per key or more, that does not happen. But a
//   key that is inserted 436 times does it.
class LINEFILTER_EXPORT QuotientFilter final : public Filter {
 public:
  // Does what Filter::Create does, for this layout.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateOf(Layout::kQuotient, num_keys, options);
  }
  // Does what Filter::CreateFromImage does, for an image of this layout. The image says whether keys can be removed.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return CopyImage(Layout::kQuotient, image, size, options);
  }
  // Does what Filter::Load does, for an image of this layout.
  Status Load(const char* path, const FilterOptions& options = {}) noexcept {
    return LoadImage(Layout::kQuotient, path, options);
  }
  // Does what Filter::CloneFrom does.
  Status CloneFrom(const QuotientFilter& other) noexcept { return Filter::CloneFrom(other); }
};

// The classic Bloom filter, scalar on purpose, is the baseline for all comparisons. It is right far beyond 2^32 bits.
class LINEFILTER_EXPORT ClassicFilter final : public Filter {
 public:
  // Does what Filter::Create does, for this layout.
  Status Create(uint64_t num_keys, const FilterOptions& options) noexcept {
    return CreateOf(Layout::kClassic, num_keys, options);
  }
  // Does what Filter::CreateFromImage does, for an image of this layout.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept {
    return CopyImage(Layout::kClassic, image, size, options);
  }
  // Does what Filter::Load does, for an image of this layout.
  Status Load(const char* path, const FilterOptions& options = {}) noexcept {
    return LoadImage(Layout::kClassic, path, options);
  }
  // Does what Filter::CloneFrom does.
  Status CloneFrom(const ClassicFilter& other) noexcept { return Filter::CloneFrom(other); }

 private:  // it gives no key back
  using Filter::RemoveHash;
  using Filter::RemoveHashes;
  using Filter::RemoveKey;
};

}  // namespace linefilter

#endif  // LINEFILTER_FILTER_H_
