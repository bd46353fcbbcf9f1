// Questions by key, for what answers those by hash.
#ifndef LINEFILTER_LIB_FILTERS_HASH_KEYS_H_
#define LINEFILTER_LIB_FILTERS_HASH_KEYS_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/hash.h"
#include "linefilter/keyed_hash.h"

namespace linefilter::internal {

// Keys are hashed in groups that stay in the L1 and are long enough for the look-ahead ring.
inline constexpr size_t kHashedGroup = 256;

// MayContainKeys of a filter whose hashes are not the caller's.
template <class Filter, class T>
void HashAndAsk(const Filter& filter, const T* keys, size_t n, uint8_t* answers) {
  const bool is_keyed = filter.hash_id() == HashId::kKeyed;
  uint64_t hashes[kHashedGroup];
  for (size_t begin = 0; begin < n; begin += kHashedGroup) {
    const size_t size = n - begin < kHashedGroup ? n - begin : kHashedGroup;
    for (size_t i = 0; i < size; ++i) {
      const T key = keys[begin + i];
      hashes[i] = is_keyed ? KeyedHash(key, filter.secret()) : HashKey(key, filter.seed());
    }
    filter.MayContainHashes(hashes, size, answers + begin);
  }
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_HASH_KEYS_H_
