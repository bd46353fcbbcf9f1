// Keys are hashed path by path, so that nothing branches on a length.
#include "lib/base/short_keys.h"

#include <cstring>

#include "lib/base/endian.h"

namespace linefilter::internal {
namespace {

// A group's lists of one byte each stay in 12 lines of the L1. (Groups of 1,024 took as long.)
constexpr size_t kSortedKeys = 256;
// So many keys of a group tell whether its keys take several paths.
constexpr size_t kSampledKeys = 16;

enum Path : size_t { kUpTo8, kUpTo16, kOther, kNumPaths };

// 4 to 8 bytes, and 9 to 16; all others are few where there are words.
inline bool IsUpTo8(size_t size) { return size - 4 < 5; }
inline bool IsUpTo16(size_t size) { return size - 9 < 8; }
inline Path PathOf(size_t size) { return IsUpTo8(size) ? kUpTo8 : IsUpTo16(size) ? kUpTo16 : kOther; }

// The keys of each path. Their paths are told without a branch: each list gets the key, and that of its path keeps it.
struct Lists {
  Lists(const std::string_view* keys, size_t n, size_t end) {
    size_t num_8 = 0, num_16 = 0, num_other = 0;  // in registers: the lists are bytes, which may be any variable
    for (size_t i = 0; i < n; ++i) {
      FetchKeyAhead(keys, i, end);
      const size_t size = keys[i].size();
      const bool is_8 = IsUpTo8(size), is_16 = IsUpTo16(size);
      list[kUpTo8][num_8] = list[kUpTo16][num_16] = list[kOther][num_other] = static_cast<uint8_t>(i);
      num_8 += is_8;
      num_16 += is_16;
      num_other += !(is_8 | is_16);
    }
    sizes[kUpTo8] = num_8, sizes[kUpTo16] = num_16, sizes[kOther] = num_other;
  }
  // Calls hash(i) for the keys of a path.
  template <class Hash>
  void ForEach(Path path, const Hash& hash) const {
    for (size_t at = 0; at < sizes[path]; ++at) hash(size_t{list[path][at]});
  }
  uint8_t list[kNumPaths][kSortedKeys];
  size_t sizes[kNumPaths];
};

inline uint64_t RotateLeft(uint64_t x, int n) { return x << n | x >> (64 - n); }
inline const uint8_t* BytesOf(std::string_view key) { return reinterpret_cast<const uint8_t*>(key.data()); }

inline uint64_t HashUpTo8(std::string_view key, const ShortKeyFlips& flips) {
  const uint8_t* const bytes = BytesOf(key);
  const uint64_t both = LoadLE32(bytes + key.size() - 4) + (uint64_t{LoadLE32(bytes)} << 32);
  uint64_t h = both ^ flips.up_to_8;
  h ^= RotateLeft(h, 49) ^ RotateLeft(h, 24);
  h *= kMixUpTo8;
  h ^= (h >> 35) + key.size();
  h *= kMixUpTo8;
  return h ^ (h >> 28);
}

inline uint64_t SwapBytes(uint64_t x) {
  x = (x & 0x00ff00ff00ff00ffu) << 8 | (x >> 8 & 0x00ff00ff00ff00ffu);
  x = (x & 0x0000ffff0000ffffu) << 16 | (x >> 16 & 0x0000ffff0000ffffu);
  return x << 32 | x >> 32;
}

inline uint64_t HashUpTo16(std::string_view key, const ShortKeyFlips& flips) {
  const uint8_t* const bytes = BytesOf(key);
  const uint64_t first = LoadLE64(bytes) ^ flips.first_of_16;
  const uint64_t last = LoadLE64(bytes + key.size() - 8) ^ flips.last_of_16;
  uint64_t h = key.size() + SwapBytes(first) + last + (first * last ^ MulHigh(first, last));
  h ^= h >> 37;
  h *= kMixUpTo16;
  return h ^ (h >> 32);
}

// Whether a group is worth sorting: the keys of a sample take several paths. Where all take one, the CPU predicts it,
// and to sort them would cost a nanosecond each.
bool TakesSeveralPaths(const std::string_view* keys, size_t n) {
  const size_t step = n / kSampledKeys;
  const Path first = PathOf(keys[0].size());
  bool several = false;
  for (size_t i = 1; i < kSampledKeys; ++i) several |= PathOf(keys[i * step].size()) != first;
  return several;
}

}  // namespace

void HashSorted(const std::string_view* keys, size_t n, size_t num_ahead, uint64_t seed, uint64_t* hashes) {
  const ShortKeyFlips flips(seed);
  const std::string_view* const end = keys + n + num_ahead;
  while (n != 0) {
    const size_t size = n < kSortedKeys ? n : kSortedKeys;
    if (size < kSampledKeys || !TakesSeveralPaths(keys, size)) {
      for (size_t i = 0; i < size; ++i) hashes[i] = HashBytes(keys[i].data(), keys[i].size(), seed);
    } else {
      const Lists lists(keys, size, static_cast<size_t>(end - keys));
      lists.ForEach(kUpTo8, [&](size_t i) { hashes[i] = HashUpTo8(keys[i], flips); });
      lists.ForEach(kUpTo16, [&](size_t i) { hashes[i] = HashUpTo16(keys[i], flips); });
      lists.ForEach(kOther, [&](size_t i) { hashes[i] = HashBytes(keys[i].data(), keys[i].size(), seed); });
    }
    keys += size, hashes += size, n -= size;
  }
}

}  // namespace linefilter::internal
