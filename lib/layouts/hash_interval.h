// This takes the hashes of an interval out of many: the sample that a sketch of repeats looks at, or those of some
// blocks (a hash's block grows with the hash).
#ifndef LINEFILTER_LIB_LAYOUTS_HASH_INTERVAL_H_
#define LINEFILTER_LIB_LAYOUTS_HASH_INTERVAL_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

// The hashes from first to last, both included; first <= last.
struct HashInterval {
  uint64_t first = 0, last = ~uint64_t{0};
};

// SelectHashes stores whole vectors: it needs so much room more than for n hashes.
inline constexpr size_t kSelectSlack = 8;

// Copies those of n hashes that are in the interval to `out`, in their order, and returns how many these are.
size_t SelectHashes(const uint64_t* hashes, size_t n, HashInterval interval, uint64_t* out);

// Calls take(selected, n, next) with all hashes of the interval, some at a time; at `next` is what is read after them.
template <class Take>
void ForEachInInterval(const uint64_t* hashes, uint64_t n, HashInterval interval, const Take& take) {
  constexpr uint64_t kMost = 2048;  // they stay in the L1
  uint64_t selected[kMost + kSelectSlack];
  for (uint64_t done = 0; done < n; done += kMost) {
    const uint64_t some = n - done < kMost ? n - done : kMost;
    take(selected, SelectHashes(hashes + done, static_cast<size_t>(some), interval, selected), hashes + done + some);
  }
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_HASH_INTERVAL_H_
