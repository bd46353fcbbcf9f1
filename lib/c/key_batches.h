// Batches of keys are hashed, or made into std::string_view, in groups that stay in the L1 and overlap cache misses.
#ifndef LINEFILTER_LIB_C_KEY_BATCHES_H_
#define LINEFILTER_LIB_C_KEY_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lib/c/convert.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// C hands keys of bytes over like this.
struct BytesKeys {
  const void* const* keys;
  const size_t* sizes;
  std::string_view operator[](size_t i) const { return KeyFromC(keys[i], sizes[i]); }
};

// Answers if none of n keys is taken or given back.
inline uint64_t NothingInserted(size_t n, uint8_t* were_new) {
  if (were_new != nullptr && n != 0) memset(were_new, 0, n);
  return 0;
}

// What is done with the hashes of a group of keys in a filter; it returns how many of them were new, or were removed.
using ChangeGroup = uint64_t (*)(void* filter, const uint64_t* hashes, size_t n, uint8_t* answers);

// Calls change for all keys in groups; returns the sum of what it returns. Not a template of the filter: each would be
// a copy of all this.
template <class Keys>
uint64_t ChangeKeys(const KeyHash& key_hash, const Keys& keys, size_t n, uint8_t* answers, void* filter,
                    ChangeGroup change) {
  uint64_t count = 0;
  const bool hashed = key_hash.InGroups(
      n, [&](size_t i) { return Key(keys[i]); },
      [&](const uint64_t* hashes, size_t begin, size_t size) {
        count += change(filter, hashes, size, answers == nullptr ? nullptr : answers + begin);
      });
  return hashed ? count : NothingInserted(n, answers);
}

// These are filter->InsertHashes of keys, and filter->RemoveHashes.
template <class Filter, class Keys>
uint64_t InsertKeys(Filter* filter, const Keys& keys, size_t n, uint8_t* were_new) {
  return ChangeKeys(filter->key_hash(), keys, n, were_new, filter,
                    [](void* into, const uint64_t* hashes, size_t size, uint8_t* answers) {
                      return static_cast<Filter*>(into)->InsertHashes(hashes, size, answers);
                    });
}
template <class Filter, class Keys>
uint64_t RemoveKeys(Filter* filter, const Keys& keys, size_t n, uint8_t* were_removed) {
  return ChangeKeys(filter->key_hash(), keys, n, were_removed, filter,
                    [](void* from, const uint64_t* hashes, size_t size, uint8_t* answers) {
                      return static_cast<Filter*>(from)->RemoveHashes(hashes, size, answers);
                    });
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_KEY_BATCHES_H_
