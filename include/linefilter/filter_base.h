// What every filter answers, whatever its layout and whoever owns its bytes: FilterView (view.h), ScalableFilter
// (scalable.h), BlockedFilter, ClassicFilter and CountingBlockedFilter (filter.h) are FilterBases.
//
// "maybe" = true, "absent" = false. A key that was inserted is never "absent". Whatever is broken answers "maybe".
// All const calls are thread-safe against each other (a mutable filter: while nobody inserts).
#ifndef LINEFILTER_FILTER_BASE_H_
#define LINEFILTER_FILTER_BASE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/internal/probe_state.h"
#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter {

// A hash on its way into one filter: see FilterBase::Prepare.
struct PreparedHash {
  uint64_t hash;  // the one that was prepared
};

// Lookups, and what a filter tells of itself.
class LINEFILTER_EXPORT FilterBase {
 public:
  // One key: an integer or bytes (linefilter/key.h). It is hashed with seed() or the secret. Answers "maybe" always if
  // the filter was made of the caller's own hashes (KeyStatus tells).
  LINEFILTER_INLINE bool MayContainKey(Key key) const noexcept {
    uint64_t hash = 0;
    return !key_hash_.Of(key, &hash) || MayContainHash(hash);
  }
  // The same of a hash, which hash_id() tells how to make.
  LINEFILTER_INLINE bool MayContainHash(uint64_t hash) const noexcept { return state_.may_contain(state_, hash); }

  // A lookup in two halves: Prepare prefetches the line, Probe answers. Between them, prepare others: this hides the
  // misses when one key is asked of many filters, or many keys of one. The hash must be probed in the filter prepared.
  LINEFILTER_INLINE PreparedHash Prepare(uint64_t hash) const noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(state_.body + (MulHigh(hash, state_.num_units) << state_.unit_shift));
#endif
    return PreparedHash{hash};
  }
  LINEFILTER_INLINE bool Probe(PreparedHash prepared) const noexcept { return MayContainHash(prepared.hash); }

  // Batches: n hashes in; answers out as one byte each (1 maybe, 0 absent), as one bit each (bit i & 7 of byte i >> 3;
  // (n + 7) / 8 bytes are written, unused bits 0), or only counted. Several times faster than single calls: dispatched
  // once, cache misses overlap. No alignment is asked of any pointer to bytes; n may be 0.
  void MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) const noexcept;
  void MayContainHashesToBits(const uint64_t* hashes, size_t n, uint8_t* bits) const noexcept;
  uint64_t CountMaybes(const uint64_t* hashes, size_t n) const noexcept;

  // The same from keys, hashed here in small groups.
  void MayContainKeys(const std::string_view* keys, size_t n, uint8_t* answers) const noexcept;
  void MayContainKeys(const uint64_t* keys, size_t n, uint8_t* answers) const noexcept;

  // Ok if ...Key calls can be answered, else why they answer "maybe".
  Status KeyStatus() const noexcept;

  // kAuto while broken.
  Layout layout() const noexcept { return layout_; }
  // How its keys become hashes, and the parts of that: for a keyed hash the seed is the check of the secret.
  LINEFILTER_INLINE const KeyHash& key_hash() const noexcept { return key_hash_; }
  LINEFILTER_INLINE HashId hash_id() const noexcept { return key_hash_.id; }   // see key_hash
  LINEFILTER_INLINE uint64_t seed() const noexcept { return key_hash_.seed; }  // see key_hash
  const HashSecret& secret() const noexcept { return key_hash_.secret; }       // see key_hash
  // 0 in `retrieval`, which has none, and in `container`, whose stages have their own.
  uint32_t num_probes() const noexcept { return state_.num_probes; }
  // The blocks, or the bits; in bytes. Of several stages: all of them.
  uint64_t body_bytes() const noexcept {
    return state_.num_stages == 0 ? state_.num_units << state_.unit_shift : AllStages().num_blocks * 64;
  }
  // 0 in a layout without blocks.
  uint64_t num_blocks() const noexcept {
    if (state_.num_stages != 0) return AllStages().num_blocks;
    return state_.unit_shift == 0 ? 0 : state_.num_units;
  }
  // body_bytes() bytes, as long as the filter or its image lives and does not move. Null for a filter whose stages are
  // not one piece of memory.
  const uint8_t* body() const noexcept { return state_.num_stages == 0 ? state_.body : AllStages().body; }
  // The target that answers ("AVX3", ...).
  const char* target() const noexcept;

  // Looked up in the bits, so each reads the whole body (about 0.1 s per GB).
  // Share of one bits, 0..1. (`retrieval`: about one half up to 24 bits per key, less above; its levels tell the load.
  // `counting`: of the bits of its counters.)
  double FillRatio() const noexcept;
  // Distinct keys, estimated from the fill; infinite if every bit is set. `retrieval`: from the levels, too many by
  // up to 4 % at 4 to 20 bits per key; of blocks at the highest level, which 15 keys and fewer reach, from their one
  // bits; infinite if a level is 0.
  double EstimatedKeys() const noexcept;
  // How many blocks have each level, in layouts whose blocks tell one: `retrieval`'s T (doc/FORMAT.md section 8): 8
  // more halve the block's false-positive rate. Returns the number of levels; 0: there are none.
  static constexpr size_t kMaxLevels = 256;
  size_t CountLevels(uint64_t* counts) const noexcept;  // kMaxLevels of them
  // The rate at which uniformly distributed hashes of absent keys answer "maybe", from these very bits: 1 for a broken
  // image, 0 for the empty set. Keys whose hashes agree with a member's are in it, 2^-32 for each key of a block and
  // 2^-64 for each of `classic`; how many keys there are, the bits tell, on
  // average; of a few keys they may tell too few. But for that `blocked` and `counting` are exact up to 2^20 blocks,
  // above that from a sample of so many; `retrieval` always.
  double ExpectedFpr() const noexcept;

  // For linefilter/inline.h and the library itself.
  LINEFILTER_INLINE const internal::ProbeState& probe_state() const noexcept { return state_; }

 protected:
  FilterBase() noexcept;  // broken: answers "maybe"
  ~FilterBase() = default;
  FilterBase(const FilterBase&) noexcept;
  FilterBase& operator=(const FilterBase&) noexcept;

  internal::ProbeState state_;
  KeyHash key_hash_;
  Layout layout_ = Layout::kAuto;  // kAuto while broken

 private:
  struct Blocks {
    const uint8_t* body;
    uint64_t num_blocks;
  };
  Blocks AllStages() const noexcept;
};

// One hash asked of many filters: all lines are prefetched before the first is read. answers[i] is that of filters[i];
// returns how many answered "maybe". All filters must use the hash's seed. No pointer may be null.
LINEFILTER_EXPORT size_t MayContainHash(const FilterBase* const filters[], size_t num_filters, uint64_t hash,
                                        uint8_t* answers) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_FILTER_BASE_H_
