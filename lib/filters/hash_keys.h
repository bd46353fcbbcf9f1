// This makes questions by key of those by hash.
#ifndef LINEFILTER_LIB_FILTERS_HASH_KEYS_H_
#define LINEFILTER_LIB_FILTERS_HASH_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lib/layouts/kernels.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// Calls use(hashes, begin, size) for groups of keys, as KeyHash::InGroups does: of an array, or of what has
// operator[] for bytes that stay where they are.
template <class T, class Use>
bool HashInGroups(const KeyHash& key_hash, const T* keys, size_t n, const Use& use) {
  return key_hash.InGroups(keys, n, use);
}
template <class Keys, class Use>
bool HashInGroups(const KeyHash& key_hash, const Keys& keys, size_t n, const Use& use) {
  return key_hash.InGroupsOfText(
      n, [&](size_t i) { return std::string_view(keys[i]); }, use);
}

// These are MayContainKeys and MayContainKeysToBits of what answers. Where the hashes are the caller's, all keys are
// "maybe".
template <class Keys>
void HashAndAsk(const Serving& now, const Keys& keys, size_t n, uint8_t* answers) {
  const auto ask = [&](const uint64_t* hashes, size_t begin, size_t size) {
    now.state.kernels->may_contain_to_bytes(now.state, hashes, size, answers + begin);
  };
  if (!HashInGroups(now.key_hash, keys, n, ask) && n != 0) memset(answers, 1, n);
}
template <class Keys>
void HashAndAskToBits(const Serving& now, const Keys& keys, size_t n, uint8_t* bits) {
  const auto ask = [&](const uint64_t* hashes, size_t begin, size_t size) {  // `begin` is a multiple of 8
    now.state.kernels->may_contain_to_bits(now.state, hashes, size, bits + begin / 8);
  };
  if (HashInGroups(now.key_hash, keys, n, ask) || n == 0) return;
  memset(bits, 0xff, (n + 7) / 8);
  if (n % 8 != 0) bits[n / 8] = static_cast<uint8_t>((1u << n % 8) - 1);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_HASH_KEYS_H_
