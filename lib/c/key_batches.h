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

inline constexpr size_t kKeyGroup = 256;

// C hands keys of bytes over like this.
struct BytesKeys {
  const void* const* keys;
  const size_t* sizes;
  std::string_view operator[](size_t i) const { return KeyFromC(keys[i], sizes[i]); }
};

// Calls group(begin, size) for all of n.
template <class Group>
void InGroups(size_t n, const Group& group) {
  for (size_t begin = 0; begin < n; begin += kKeyGroup) group(begin, n - begin < kKeyGroup ? n - begin : kKeyGroup);
}

// Answers if none of n keys is taken or given back.
inline uint64_t NothingInserted(size_t n, uint8_t* were_new) {
  if (were_new != nullptr && n != 0) memset(were_new, 0, n);
  return 0;
}

// Calls change(hashes, size, answers) for all keys in groups; returns the sum of what it returns.
template <class Keys, class Change>
uint64_t ChangeKeys(const KeyHash& key_hash, const Keys& keys, size_t n, uint8_t* answers, const Change& change) {
  uint64_t count = 0;
  const bool hashed = key_hash.InGroups(
      n, [&](size_t i) { return Key(keys[i]); },
      [&](const uint64_t* hashes, size_t begin, size_t size) {
        count += change(hashes, size, answers == nullptr ? nullptr : answers + begin);
      });
  return hashed ? count : NothingInserted(n, answers);
}

// These are filter->InsertHashes of keys, and filter->RemoveHashes.
template <class Filter, class Keys>
uint64_t InsertKeys(Filter* filter, const Keys& keys, size_t n, uint8_t* were_new) {
  return ChangeKeys(filter->key_hash(), keys, n, were_new,
                    [filter](const uint64_t* hashes, size_t size, uint8_t* answers) {
                      return filter->InsertHashes(hashes, size, answers);
                    });
}
template <class Filter, class Keys>
uint64_t RemoveKeys(Filter* filter, const Keys& keys, size_t n, uint8_t* were_removed) {
  return ChangeKeys(filter->key_hash(), keys, n, were_removed,
                    [filter](const uint64_t* hashes, size_t size, uint8_t* answers) {
                      return filter->RemoveHashes(hashes, size, answers);
                    });
}

// This is filter.MayContainKeys of keys of bytes.
template <class Filter>
void AskKeys(const Filter& filter, const BytesKeys& keys, size_t n, uint8_t* answers) {
  std::string_view group[kKeyGroup];
  InGroups(n, [&](size_t begin, size_t size) {
    for (size_t i = 0; i < size; ++i) group[i] = keys[begin + i];
    filter.MayContainKeys(group, size, answers + begin);
  });
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_KEY_BATCHES_H_
