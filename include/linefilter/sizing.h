// How large for which false-positive rate: pure functions from the model of each layout.
//
// `blocked`: the load of a block is Binomial(num_keys, 1 / num_blocks), and lanes overlap as the rotations make them;
// the classic formula would undersize it (asked 0.1 %, got 0.2 %). `classic`: the textbook m = -n ln p / (ln 2)^2, k =
// m/n ln 2. `retrieval`: the load of a block as above, and the mean rate of blocks of that load, a measured table;
// right to 0.3 % from 6 to 24 bits per key, to 3 % below 3. `counting`: exact; 1 % takes 43.9 bits per key, and the 64
// that there may be reach 0.22 %. kAuto is `blocked` or `classic`, never `retrieval`, which takes no key afterwards and
// is slower to build, nor `counting`: whoever wants them says so. Deterministic to the bit on every CPU
// (no libm), so the same request gives the same image everywhere. Thread-safe. Units: bits_per_key in bits, fpr in
// 0..1, sizes in bytes.
//
// No number of bits makes the rate as small as one likes. A key with the same 64-bit hash as one of n members is
// "maybe" to every filter, which has a probability of n / 2^64. In layouts of blocks it is enough that it falls into
// the block of a member and agrees with it in 32 bits of the hash: load / 2^32, where load is the keys per block. Every
// rate here has these terms. A filter that is one of several shards of n keys in all still has the n / 2^64 of them
// all: it does not know of the others.
#ifndef LINEFILTER_SIZING_H_
#define LINEFILTER_SIZING_H_

#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter {

// Requests outside are refused with a sentence.
inline constexpr double kMinBitsPerKey = 1;
inline constexpr double kMaxBitsPerKey = 64;

// A filter that has not been made yet.
struct Sizing {
  Layout layout = Layout::kBlocked;  // never kAuto
  uint32_t num_probes = 1;           // retrieval: 0, it has none
  uint64_t num_keys = 0;             // it is made for so many
  uint64_t body_bytes = 0;           // 0 for the empty set; of blocks: a multiple of 64, rounded up
  double bits_per_key = 0;           // what it really is: 8 * body_bytes / num_keys
  double expected_fpr = 0;           // of a filter with exactly num_keys distinct keys
};

// The filter for num_keys keys at (at least) bits_per_key, or with (at most) an expected false-positive rate of fpr.
// kInvalidArgument: bits_per_key outside its limits; fpr not between 0 and 1, below num_keys / 2^64, or below what the
// layout reaches with kMaxBitsPerKey; a size past what the layout can address (2^32 blocks; classic: 2^48 bytes).
// An fpr that less than kMinBitsPerKey would reach gets kMinBitsPerKey. 0 keys: body_bytes 0, expected_fpr 0.
LINEFILTER_EXPORT Status SizeForBitsPerKey(Layout layout, uint64_t num_keys, double bits_per_key,
                                           Sizing* sizing) noexcept;
LINEFILTER_EXPORT Status SizeForFpr(Layout layout, uint64_t num_keys, double fpr, Sizing* sizing) noexcept;

// The expected false-positive rate of body_bytes filled with num_keys distinct keys; 1 for arguments
// that no filter has.
LINEFILTER_EXPORT double ExpectedFpr(Layout layout, uint64_t num_keys, uint64_t body_bytes,
                                     uint32_t num_probes) noexcept;

// The most keys that body_bytes hold with an expected false-positive rate of at most fpr (the inverse of SizeForFpr).
LINEFILTER_EXPORT uint64_t MaxKeysForFpr(Layout layout, uint64_t body_bytes, double fpr) noexcept;

// The limits for large sets, where the rounding to blocks does not show (classic: without the num_keys / 2^64, which
// grows with the set). Inverses of each other, pair by pair; arguments are clamped to the limits above.
// MinBitsPerKeyForNumProbes is the least density at which num_probes is best. NumProbesForBitsPerKey is 0 for a layout
// without probes.
LINEFILTER_EXPORT uint32_t NumProbesForBitsPerKey(Layout layout, double bits_per_key) noexcept;
LINEFILTER_EXPORT double MinBitsPerKeyForNumProbes(Layout layout, uint32_t num_probes) noexcept;
LINEFILTER_EXPORT double FprForBitsPerKey(Layout layout, double bits_per_key) noexcept;
LINEFILTER_EXPORT double BitsPerKeyForFpr(Layout layout, double fpr) noexcept;

// By how much ExpectedFpr and the limits may be off the exact rate of the layout, relative, at 4 to 24 bits per key;
// the tests hold them to it. NaN (not stated) outside, and for a layout that cannot be sized.
LINEFILTER_EXPORT double ModelError(Layout layout, double bits_per_key, bool best_num_probes, bool large_set) noexcept;

// The largest num_probes of a layout (blocked and counting 16, classic 30, retrieval 0: it has no probes). The least is
// 1, or 0.
LINEFILTER_EXPORT uint32_t MaxNumProbes(Layout layout) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_SIZING_H_
