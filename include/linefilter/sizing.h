// Sizing tells how large a filter is for which false-positive rate, by pure functions from the model of each layout.
//
//   linefilter::Sizing sizing;
//   linefilter::Status status = linefilter::SizeForFpr(linefilter::Layout::kBlocked, 1000000, 0.01, &sizing);
//   if (status.ok()) printf("%.1f bits per key\n", sizing.bits_per_key);
//
// In `blocked` the load of a block is Binomial(num_keys, 1 / num_blocks), and lanes overlap as the rotations make them;
// the classic formula would undersize it (asked 0.1 %, got 0.2 %). `classic` uses the textbook m = -n ln p / (ln 2)^2,
// k = m/n ln 2. `retrieval` uses the load of a block as above, and the mean rate of blocks of that load, a measured
// table. It is right to 0.3 % from 6 to 24 bits per key, to 3 % below 3. `quotient` takes the load of a block as above,
// and the mean room for entries of so many keys. It is right to 0.5 %, and 1 % takes 9.16 bits per key. Its num_probes
// is 0 for a set, and 1 for a multiset, which takes 9.2 (FilterOptions::removable). kAuto is `blocked` or `classic`.
// Ask for others by name: `retrieval`, which takes no key afterwards and is slower to build, and `quotient`. Results
// are the same to the bit on every CPU (no libm), so the same request gives the same image everywhere. All functions
// are thread-safe. bits_per_key is in bits, fpr in 0..1, sizes are in bytes.
//
// No number of bits makes the rate as small as one likes. A key with the same 64-bit hash as one of n members is
// "maybe" to every filter, which has a probability of n / 2^64. In layouts of blocks it is enough that it falls into a
// member's block and agrees with it in 32 bits of the hash: load / 2^32, where load is the keys per block. Every rate
// here has these terms. A filter that is one of several shards of n keys in all still has the n / 2^64 of them all: it
// does not know of the others.
#ifndef LINEFILTER_SIZING_H_
#define LINEFILTER_SIZING_H_

#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter {

struct FilterOptions;  // linefilter/options.h

// Requests outside these limits are refused with a sentence.
inline constexpr double kMinBitsPerKey = 1;
inline constexpr double kMaxBitsPerKey = 64;

// A filter that has not been made yet.
struct Sizing {
  Layout layout = Layout::kBlocked;  // never kAuto
  uint32_t num_probes = 1;           // retrieval: 0, it has none; quotient: see above
  uint64_t num_keys = 0;             // the keys that it is made for
  uint64_t body_bytes = 0;           // 0 for the empty set; of blocks: a multiple of their bytes
  double bits_per_key = 0;           // the real density, 8 * body_bytes / num_keys
  double expected_fpr = 0;           // the rate with exactly num_keys distinct keys
};

// These size the filter for num_keys keys at (at least) bits_per_key, or with (at most) an expected false-positive rate
// of fpr. It is kInvalidArgument if bits_per_key is outside its limits, or fpr is not between 0 and 1, below num_keys /
// 2^64, or below what the layout reaches with kMaxBitsPerKey. So is a size past what the layout can address (2^32
// blocks; classic: 2^48 bytes). An fpr that less than kMinBitsPerKey would reach gets kMinBitsPerKey. For 0 keys
// body_bytes and expected_fpr are 0.
LINEFILTER_EXPORT Status SizeForBitsPerKey(Layout layout, uint64_t num_keys, double bits_per_key,
                                           Sizing* sizing) noexcept;
LINEFILTER_EXPORT Status SizeForFpr(Layout layout, uint64_t num_keys, double fpr, Sizing* sizing) noexcept;

// The same for all that options ask for: rounding, removable, turnovers and the rest. The layout is that of the
// options, and expected_fpr that after their turnovers. Filter::Create and FilterBuilder make this size.
LINEFILTER_EXPORT Status SizeForOptions(uint64_t num_keys, const FilterOptions& options, Sizing* sizing) noexcept;

// The expected false-positive rate of body_bytes filled with num_keys distinct keys; 1 for arguments
// that no filter has.
LINEFILTER_EXPORT double ExpectedFpr(Layout layout, uint64_t num_keys, uint64_t body_bytes,
                                     uint32_t num_probes) noexcept;

// The same after so many turnovers of all keys (FilterOptions::turnovers), by a measured table that is right to 2 % at
// 6 to 32 bits per key. It differs from ExpectedFpr in `quotient` alone, with num_probes 1: from others no key is
// removed, or a removal leaves nothing behind. In a few blocks the rate is lower than this, because their load varies
// less.
LINEFILTER_EXPORT double ExpectedFprAfter(uint32_t turnovers, Layout layout, uint64_t num_keys, uint64_t body_bytes,
                                          uint32_t num_probes) noexcept;

// The most keys that body_bytes hold with an expected false-positive rate of at most fpr (the inverse of SizeForFpr).
// num_probes is that of a filter that is there already; 0 means the best for the keys, and then each has 1 bit at
// least. A layout without num_probes takes 0, and there keys may have less. It is 0 for an fpr that is not above 0 (or
// no number), and for arguments that no filter has. Every number of keys has a rate of 1 or less: for such an fpr it is
// 2^64 - 1, with the best num_probes one key for each bit.
LINEFILTER_EXPORT uint64_t MaxKeysForFpr(Layout layout, uint64_t body_bytes, double fpr,
                                         uint32_t num_probes = 0) noexcept;

// These are the limits for large sets, where the rounding to blocks does not show (classic: without the num_keys /
// 2^64, which grows with the set). The last two are inverses; arguments are clamped to the limits above.
// NumProbesForBitsPerKey is the best num_probes of a density; 0 for a layout without probes.
LINEFILTER_EXPORT uint32_t NumProbesForBitsPerKey(Layout layout, double bits_per_key) noexcept;
LINEFILTER_EXPORT double FprForBitsPerKey(Layout layout, double bits_per_key) noexcept;
LINEFILTER_EXPORT double BitsPerKeyForFpr(Layout layout, double fpr) noexcept;

// The relative error that ExpectedFpr and the limits may have against the exact rate of the layout, at 4 to 24 bits per
// key; the tests hold them to it. It is NaN (not stated) outside, and for a layout that cannot be sized.
LINEFILTER_EXPORT double ModelError(Layout layout, double bits_per_key, bool best_num_probes, bool large_set) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_SIZING_H_
