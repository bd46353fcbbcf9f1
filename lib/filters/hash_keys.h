// This makes questions by key of those by hash.
#ifndef LINEFILTER_LIB_FILTERS_HASH_KEYS_H_
#define LINEFILTER_LIB_FILTERS_HASH_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/layouts/kernels.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// This is MayContainKeys of what answers. Where the hashes are the caller's, all keys are "maybe".
template <class Keys>
void HashAndAsk(const Serving& now, const Keys& keys, size_t n, uint8_t* answers) {
  const auto key_at = [&keys](size_t i) { return Key(keys[i]); };
  const auto ask = [&](const uint64_t* hashes, size_t begin, size_t size) {
    now.state.kernels->may_contain_to_bytes(now.state, hashes, size, answers + begin);
  };
  if (!now.key_hash.InGroups(n, key_at, ask) && n != 0) memset(answers, 1, n);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_HASH_KEYS_H_
