// A FilterBase is what every filter answers, whatever its layout, whoever owns its bytes and however they change.
// FilterView (view.h), SwappableFilter (swappable.h) and all that takes keys (key_filter.h) are FilterBases. Code that
// only asks takes a const FilterBase&.
//
//   const linefilter::FilterBase& filter = view;  // or a BlockedFilter, a RotatingFilter, ...
//   if (filter.MayContainKey(id)) ...             // one key
//   filter.MayContainKeys(ids, n, answers);       // a batch: several times faster
//
// True is "maybe", false is "absent". A key that was inserted is never "absent". Whatever is broken answers "maybe".
// All const calls are thread-safe against each other; the class of a filter says whether others may change it
// meanwhile.
#ifndef LINEFILTER_FILTER_BASE_H_
#define LINEFILTER_FILTER_BASE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/internal/key_kinds.h"
#include "linefilter/internal/probe_state.h"
#include "linefilter/key.h"
#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter {

// A number of keys, estimated from bits, and its standard error. Two of three estimates are off by less than the error,
// one of 16,000 by four times as much.
struct SizeEstimate {
  double keys = 0;   // the estimate; infinite if the bits tell no number, as where all are set
  double error = 0;  // its standard error, in keys

  // Whether it is above a number of keys by more than four errors. Infinitely many are.
  bool IsAbove(uint64_t num_keys) const noexcept { return !(keys - 4 * error <= static_cast<double>(num_keys)); }
};

// Lookups, and what a filter tells of itself.
class LINEFILTER_EXPORT FilterBase {
 public:
  // Asks for one key: an integer or bytes (linefilter/key.h). It is hashed with seed() or the secret. The answer is
  // always "maybe" if the filter was made of the caller's own hashes (KeyStatus tells).
  LINEFILTER_INLINE bool MayContainKey(Key key) const noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) ? MayContainHash(hash) : MayContainKeyNow(key);
  }
  // The same for a hash. key_hash().Of makes it, whatever the hash id. (HashKey(key, seed()) makes it for kXxh3 alone:
  // in a keyed filter it would be that of another key, and members "absent".)
  LINEFILTER_INLINE bool MayContainHash(uint64_t hash) const noexcept { return state_.may_contain(state_, hash); }

  // Prefetches the line that MayContainHash will read. Prepare others between the two: this hides misses when many keys
  // are asked of one filter. (linefilter/many.h asks many filters for one key.) Where there are several stages it is
  // the newest; a RotatingFilter and a SwappableFilter prefetch nothing.
  LINEFILTER_INLINE void Prepare(uint64_t hash) const noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(state_.body + (MulHigh(hash, state_.num_units) << state_.unit_shift));
#else
    (void)hash;
#endif
  }

  // These ask for a batch of n hashes. Answers are one byte each (1 maybe, 0 absent), one bit each (bit i & 7 of byte i
  // >> 3; (n + 7) / 8 bytes are written, unused bits 0), or only counted. A batch is several times faster than single
  // calls, because it dispatches once and cache misses overlap. Pointers to bytes need no alignment; n may be 0.
  // key_hash().OfKeys(keys, n, hashes) makes the hashes of an array of keys, whatever the hash id; OfEach of others.
  void MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) const noexcept;
  void MayContainHashesToBits(const uint64_t* hashes, size_t n, uint8_t* bits) const noexcept;
  uint64_t CountMaybes(const uint64_t* hashes, size_t n) const noexcept;

  // The same for keys, hashed here in small groups. Keys that are std::string are made std::string_view first.
  void MayContainKeys(const std::string_view* keys, size_t n, uint8_t* answers) const noexcept;
  void MayContainKeys(const uint64_t* keys, size_t n, uint8_t* answers) const noexcept;
  void MayContainKeysToBits(const std::string_view* keys, size_t n, uint8_t* bits) const noexcept;
  void MayContainKeysToBits(const uint64_t* keys, size_t n, uint8_t* bits) const noexcept;

  // Ok if calls by key can be answered; else it says why they answer "maybe".
  Status KeyStatus() const noexcept;

  // The facts from layout() to body(), a SwappableFilter does not tell of what serves, for that may be another filter
  // the next moment: ask a lease. Its questions, and the facts from target() on, are those of what serves.

  // kAuto while broken.
  Layout layout() const noexcept { return layout_; }
  // These tell how its keys become hashes, and the parts of that. For a keyed hash the seed is the check of the secret.
  LINEFILTER_INLINE const KeyHash& key_hash() const noexcept { return key_hash_; }
  LINEFILTER_INLINE HashId hash_id() const noexcept { return key_hash_.id; }   // see key_hash
  LINEFILTER_INLINE uint64_t seed() const noexcept { return key_hash_.seed; }  // see key_hash
  // The kinds of its keys, as far as somebody told them (linefilter/key.h): kUnknown if nobody did, or if keys came of
  // which nobody did. Look at it before many keys are asked: members of another kind would be "absent".
  KeyKind key_kind() const noexcept { return key_kinds_.kind(); }
  // The forms of the columns that its keys came from (doc/FORMAT.md section 13): byte i is the KeyForm of column i, and
  // 0x80 more if its nulls are keys. Keys of the kind text or integer alone have that form. It is 0 if nothing was told
  // yet, kUnknownKeyForms if nobody knows them, or if they differ.
  uint64_t key_forms() const noexcept { return key_kinds_.key_forms(); }
  // 0 in `retrieval`, which has none, and in a `container`, whose stages have their own. Those of a RotatingFilter's
  // generations are the same.
  uint32_t num_probes() const noexcept { return state_.num_probes; }
  // The bytes of the blocks, or of the bits; several stages count together.
  uint64_t body_bytes() const noexcept {
    return state_.num_stages == 0 ? state_.num_units << state_.unit_shift : AllStages().num_blocks * 64;
  }
  // 0 in a layout without blocks.
  uint64_t num_blocks() const noexcept {
    if (state_.num_stages != 0) return AllStages().num_blocks;
    return state_.unit_shift == 0 ? 0 : state_.num_units;
  }
  // The body: body_bytes() bytes, as long as the filter or its image lives and does not move. It is null for a filter
  // whose stages are not one piece of memory. Those of a ConcurrentFilter change while they are read.
  const uint8_t* body() const noexcept { return state_.num_stages == 0 ? state_.body : AllStages().body; }

  // The target that answers ("AVX3", ...).
  const char* target() const noexcept;

  // The keys that it was made for; 0 if nobody said. The filter of Create knows, and that of an image whose trailer has
  // a number of keys or says how it grows. A ScalableFilter tells the keys of the stages opened so far, a
  // RotatingFilter those of all its generations. Filter::Fold divides them by its factor; an image that FoldImage
  // writes tells those of the image that was folded.
  uint64_t capacity() const noexcept;

  // The share of one bits, 0..1. Each call from here on reads the whole body (about 0.1 s per GB). In `retrieval` the
  // share is about one half up to 24 bits per key, less above; its levels tell the load. While others set bits, the
  // answer lies between what it was when the call began and when it ended.
  double FillRatio() const noexcept;
  // The distinct keys, estimated from the fill, with the standard error; infinite if every bit is set, 0 while broken.
  // The error is 0.03 % of 1e6 keys at 10 bits per key. A key that several stages hold counts in each. `retrieval`
  // estimates from the levels, too many by up to 4 % at 4 to 20 bits per key, which its error contains. Blocks at the
  // highest level, which 15 keys and fewer reach, count by their one bits; a level of 0 makes it infinite.
  SizeEstimate ApproximateSize() const noexcept;
  // How many more distinct keys it takes until its expected rate is `fpr`, by the model. It is 0 if the rate is above
  // that already, for a filter that takes no key, and for an fpr that is not above 0. No key is taken by `retrieval`,
  // the empty set, a broken filter, and a ParquetFilterView above 2^24 blocks (512 MiB), which no Filter can copy.
  // Several stages are asked for what the newest still takes; a ScalableFilter counts the stages that it would open, up
  // to its memory_limit. A RotatingFilter counts as if it did not rotate. For an fpr of 1 or more it is UINT64_MAX
  // where keys are taken.
  uint64_t RoomFor(double fpr) const noexcept;
  // Whether more distinct keys are in it than it was made for, beyond four standard errors of the estimate. So a filter
  // that holds just those is not called overfull (but one in 30,000). It is false if nobody said how many they are.
  // Stages may hold more by the keys that they took for members when those came.
  bool OverCapacity() const noexcept;
  // Counts how many blocks have each level, in layouts whose blocks tell one. That is `retrieval`'s T (doc/FORMAT.md
  // section 8): 8 more halve the block's false-positive rate. It returns the number of levels; 0 if there are none.
  static constexpr size_t kMaxLevels = 256;
  size_t CountLevels(uint64_t* counts) const noexcept;  // kMaxLevels of them
  // The rate at which uniformly distributed hashes of absent keys answer "maybe", from these very bits: 1 for a broken
  // image, 0 for the empty set. It includes keys whose hashes agree with a member's: 2^-32 for each key of a block,
  // 2^-64 for each of `classic`. On average the bits tell how many keys there are; for a few keys they may tell too
  // few. But for that `blocked`, `split_block` and `quotient` are exact up to 2^20 blocks (a sample of so many above),
  // `retrieval` always.
  double ExpectedFpr() const noexcept;

  // Only linefilter/inline.h and the library itself use these.
  LINEFILTER_INLINE const internal::ProbeState& probe_state() const noexcept { return state_; }
  uint64_t own_capacity() const noexcept { return capacity_; }
  const internal::KeyKinds& key_kinds() const noexcept { return key_kinds_; }

 protected:
  FilterBase() noexcept;  // broken: answers "maybe"
  ~FilterBase() = default;
  FilterBase(const FilterBase&) noexcept;
  FilterBase& operator=(const FilterBase&) noexcept;

  internal::ProbeState state_;
  KeyHash key_hash_;
  Layout layout_ = Layout::kAuto;  // kAuto while broken
  internal::KeyKinds key_kinds_;   // see key_kind()
  uint64_t capacity_ = 0;          // see capacity()

 private:
  bool MayContainKeyNow(Key key) const noexcept;
  struct Blocks {
    const uint8_t* body;
    uint64_t num_blocks;
  };
  Blocks AllStages() const noexcept;
};

}  // namespace linefilter

#endif  // LINEFILTER_FILTER_BASE_H_
