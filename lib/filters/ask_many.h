// This asks many filters at once, for C++ and for C, whose arrays differ: filter_at(i) is the const FilterBase& of
// filter i, key_at(j) is key j.
//
// The idea: what answers in a filter may be another one the next moment (SwappableFilter). So its KeyHash is compared
// with that of the hash while it is asked. Where what answers never changes, they are compared once.
#ifndef LINEFILTER_LIB_FILTERS_ASK_MANY_H_
#define LINEFILTER_LIB_FILTERS_ASK_MANY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "lib/filters/serving.h"
#include "linefilter/filter_base.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// So many lines are on their way at once. Beyond some dozens a CPU has no place to keep track of them.
inline constexpr size_t kFiltersAtOnce = 64;

// The hashes of one key, each made when the first filter needs it.
class HashesOfKey {
 public:
  explicit HashesOfKey(Key key) noexcept : key_(key) {}

  // Makes the hash that key_hash makes; false if callers hash.
  bool Of(const KeyHash& key_hash, uint64_t* hash) noexcept {
    for (size_t i = 0; i < num_made_; ++i) {
      if (made_[i].seed != key_hash.seed || made_[i].id != key_hash.id) continue;
      *hash = made_[i].hash;
      return true;
    }
    if (!key_hash.Of(key_, hash)) return false;
    if (num_made_ < kMost) made_[num_made_++] = {*hash, key_hash.seed, key_hash.id};
    return true;
  }

 private:
  // To look through more would take as long as to hash a key of a few words.
  static constexpr size_t kMost = 16;
  struct Made {
    uint64_t hash;
    uint64_t seed;  // that and the id are what KeyHash::DifferenceTo compares
    HashId id;
  };

  const Key key_;
  size_t num_made_ = 0;
  Made made_[kMost];
};

// The hash that hash_of made, and none of another kind.
struct OneHash {
  KeyHash hash_of;
  uint64_t given;
  bool operator()(const KeyHash& key_hash, uint64_t* hash) const noexcept {
    *hash = given;
    return key_hash.DifferenceTo(hash_of) == nullptr;
  }
};

// Asks them for one key or hash: hash_of(key_hash, &hash) is false where there is none, and the answer "maybe".
template <class FilterAt, class HashOf>
size_t AskManyForOne(const FilterAt& filter_at, size_t num_filters, const HashOf& hash_of, uint8_t* answers) {
  size_t maybes = 0;
  for (size_t begin = 0; begin < num_filters; begin += kFiltersAtOnce) {
    const size_t end = std::min(begin + kFiltersAtOnce, num_filters);
    uint64_t hashes[kFiltersAtOnce];
    bool has_hash[kFiltersAtOnce];
    for (size_t i = begin; i < end; ++i) {
      const FilterBase& filter = filter_at(i);
      uint64_t* const hash = &hashes[i - begin];
      // What several filters serve in turn has no key hash of its own.
      has_hash[i - begin] = filter.probe_state().kernels->serve == nullptr && hash_of(filter.key_hash(), hash);
      if (has_hash[i - begin]) filter.Prepare(*hash);
    }
    for (size_t i = begin; i < end; ++i) {
      bool maybe = true;
      if (has_hash[i - begin]) {
        maybe = filter_at(i).MayContainHash(hashes[i - begin]);
      } else {
        WithServing(filter_at(i), [&](const Serving& now) {
          uint64_t hash = 0;
          if (hash_of(now.key_hash, &hash)) maybe = now.state.may_contain(now.state, hash);
        });
      }
      answers[i] = maybe;
      maybes += maybe;
    }
  }
  return maybes;
}

// Asks them for one key.
template <class FilterAt>
size_t AskManyForKey(const FilterAt& filter_at, size_t num_filters, Key key, uint8_t* answers) {
  HashesOfKey hashes(key);
  const auto hash_of = [&](const KeyHash& key_hash, uint64_t* hash) { return hashes.Of(key_hash, hash); };
  return AskManyForOne(filter_at, num_filters, hash_of, answers);
}

// Writes the row of one filter: "maybe" where the hashes are not its own.
inline void AnswerRow(const Serving& now, bool is_its_own, const uint64_t* hashes, size_t n, uint8_t* row) {
  if (is_its_own) {
    now.state.kernels->may_contain_to_bytes(now.state, hashes, n, row);
  } else if (n != 0) {
    memset(row, 1, n);
  }
}

// Asks them for n hashes that hash_of made; a row of n answers for each.
template <class FilterAt>
void AskManyForHashes(const FilterAt& filter_at, size_t num_filters, const KeyHash& hash_of, const uint64_t* hashes,
                      size_t n, uint8_t* answers) {
  for (size_t i = 0; i < num_filters; ++i) {
    WithServing(filter_at(i), [&](const Serving& now) {
      AnswerRow(now, now.key_hash.DifferenceTo(hash_of) == nullptr, hashes, n, answers + i * n);
    });
  }
}

// Asks at most kFiltersAtOnce filters for at most kKeysAtOnce keys; the rows lie `stride` bytes apart. The first filter
// that was not asked yet says how to hash, and with it all are asked that hash so.
inline constexpr size_t kKeysAtOnce = 256;  // their hashes stay in the L1 beside those of 64 filters

template <class FilterAt, class KeyAt>
void AskSomeForKeys(const FilterAt& filter_at, size_t num_filters, const KeyAt& key_at, size_t n, size_t stride,
                    uint8_t* answers) {
  using StoredKey = std::remove_const_t<decltype(key_at(size_t{}))>;  // std::string_view or uint64_t
  RoomForKeys<StoredKey, kKeysAtOnce> keys;
  for (size_t i = 0; i < n; ++i) ::new (static_cast<void*>(&keys.of[i])) StoredKey(key_at(i));
  uint64_t hashes[kKeysAtOnce];
  bool was_asked[kFiltersAtOnce] = {};
  for (size_t first = 0; first < num_filters; ++first) {
    if (was_asked[first]) continue;
    KeyHash key_hash;
    WithServing(filter_at(first), [&](const Serving& now) { key_hash = now.key_hash; });
    const bool hashes_keys = key_hash.OfKeys(keys.of, n, hashes);
    for (size_t i = first; i < num_filters; ++i) {
      if (was_asked[i]) continue;
      WithServing(filter_at(i), [&](const Serving& now) {
        const bool is_its_own = now.key_hash.DifferenceTo(key_hash) == nullptr;
        was_asked[i] = is_its_own || i == first;  // else it was swapped just now
        if (was_asked[i]) AnswerRow(now, is_its_own && hashes_keys, hashes, n, answers + i * stride);
      });
    }
  }
}

// Asks any number of both.
template <class FilterAt, class KeyAt>
void AskManyForKeys(const FilterAt& filter_at, size_t num_filters, const KeyAt& key_at, size_t n, uint8_t* answers) {
  for (size_t i = 0; i < num_filters; i += kFiltersAtOnce) {
    const auto filter_of_some = [&](size_t k) -> const FilterBase& { return filter_at(i + k); };
    const size_t some = std::min(kFiltersAtOnce, num_filters - i);
    for (size_t j = 0; j < n; j += kKeysAtOnce) {
      AskSomeForKeys(
          filter_of_some, some, [&](size_t k) { return key_at(j + k); }, std::min(kKeysAtOnce, n - j), n,
          answers + i * n + j);
    }
  }
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_ASK_MANY_H_
