// XXH3 of 1 to 16 bytes, and of up to 32 by vectors, for keys that are hashed together. It is written from the
// specification, xxhash_spec.md.
//
// XXH3 has a path of its own for 1 to 3, for 4 to 8 and for 9 to 16 bytes. Words of a language take them in turns, and
// where keys are hashed one by one no CPU predicts which is next: that costs as much as the hash. So whoever has many
// keys brings keys of a path together (HashSorted), or goes all paths at once for the keys in a vector
// (lib/layouts/hash_keys.cc).
#ifndef LINEFILTER_LIB_BASE_SHORT_KEYS_H_
#define LINEFILTER_LIB_BASE_SHORT_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/page_ahead.h"
#include "lib/base/xxh3.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// What the paths multiply by: XXH3's own two constants, and the second and third prime of XXH64.
inline constexpr uint64_t kMixUpTo8 = 0x9fb21c651e98df25u, kMixUpTo16 = 0x165667919e3779f9u;
inline constexpr uint64_t kFirstMixUpTo3 = 0xc2b2ae3d27d4eb4fu, kSecondMixUpTo3 = 0x165667b19e3779f9u;

// What the length of 17 to 32 bytes is multiplied with: the first prime of XXH64.
inline constexpr uint64_t kSizeUpTo32 = 0x9e3779b185ebca87u;

// The longest key that has a path in plain code here.
inline constexpr size_t kShortKey = 16;

// What the paths xor a key with: words of the secret, and the seed of HashKey.
struct ShortKeyFlips {
  explicit ShortKeyFlips(uint64_t seed) {
    seed ^= kHashSeed;
    const uint32_t low = static_cast<uint32_t>(seed);
    const uint32_t swapped = (low >> 24) | ((low >> 8) & 0xff00u) | ((low << 8) & 0xff0000u) | (low << 24);
    up_to_3 = ((kDefaultSecret[0] ^ (kDefaultSecret[0] >> 32)) & 0xffffffffu) + seed;
    up_to_8 = (kDefaultSecret[1] ^ kDefaultSecret[2]) - (seed ^ (uint64_t{swapped} << 32));
    first_of_16 = (kDefaultSecret[3] ^ kDefaultSecret[4]) + seed;
    last_of_16 = (kDefaultSecret[5] ^ kDefaultSecret[6]) - seed;
    for (size_t i = 0; i < 4; ++i) of_32[i] = i % 2 == 0 ? kDefaultSecret[i] + seed : kDefaultSecret[i] - seed;
  }
  uint64_t up_to_3, up_to_8;
  uint64_t first_of_16, last_of_16;  // for the first 8 bytes of 9 to 16, and for the last ones
  uint64_t of_32[4];                 // for the first 16 bytes of 17 to 32, and for the last ones
};

// Makes the hashes of n keys by plain code: groups whose keys take several paths are sorted by path. It fetches what
// num_ahead keys behind them begin with, for they come next.
void HashSorted(const std::string_view* keys, size_t n, size_t num_ahead, uint64_t seed, uint64_t* hashes);

// Makes the Parquet hashes of n keys, one by one.
void ParquetHashEach(const std::string_view* keys, size_t n, uint64_t* hashes);

// The bytes of the key so many further on are fetched while one is hashed. Texts that lie one behind the other come to
// the L2 by themselves, but not to the L1. 1e6 words of 10 MB take 1.9 in place of 3.0 ns each by vectors of AVX-512;
// 16 and 64 do as well.
inline constexpr size_t kFetchKeysAhead = 32;

// Whether half of a sample of at least 8 keys are longer than vectors take: then they would be in vain. n is at
// least 8.
inline bool MostAreLonger(size_t most, const std::string_view* keys, size_t n) {
  constexpr size_t kSample = 8;
  size_t num_longer = 0;
  for (size_t i = 0; i < n; i += n / kSample) num_longer += keys[i].size() > most;
  return num_longer >= kSample / 2;
}

inline void FetchKeyAhead(const std::string_view* keys, size_t i, size_t end) {
#if defined(__GNUC__)
  const size_t ahead = i + kFetchKeysAhead;
  __builtin_prefetch(keys[ahead < end ? ahead : i].data());
  FetchPageAhead(keys + i);
#else
  (void)keys, (void)i, (void)end;
#endif
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_SHORT_KEYS_H_
