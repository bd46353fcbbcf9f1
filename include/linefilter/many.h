// This asks many filters at once: for one key, as a read of a log-structured store asks the filters of all its levels,
// or for a batch of keys. For one key, the lines of up to 64 filters are prefetched before the first is read.
//
//   uint8_t answers[8];  // levels are pointers to 8 filters, of any class and in any order
//   if (linefilter::MayContainKey(levels, 8, "alice@example.org", answers) == 0) ...  // none of them has it
//
// Filters of different seeds, secrets or layouts may be mixed. Each is asked for the key's hash of its own kind: by
// key, the hash is made here, once for all filters whose KeyHash is the same. By hash, the caller says whose hash it
// is, and a filter whose KeyHash differs answers "maybe". In such a filter the hash would be that of another key, and
// a member would be "absent".
//
// Nothing is allocated. All calls are thread-safe as the questions of the filters are. No pointer may be null, unless
// its count is 0.
#ifndef LINEFILTER_MANY_H_
#define LINEFILTER_MANY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "linefilter/filter_base.h"
#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/key.h"

namespace linefilter {

// Asks many filters for one key. answers[i] is that of filters[i], 1 for "maybe" and 0 for "absent". It returns how
// many answered "maybe". A filter of the caller's own hashes answers "maybe" (FilterBase::KeyStatus). The key is hashed
// once for each different KeyHash, for up to 16 of them; above that filters hash for themselves.
LINEFILTER_EXPORT size_t MayContainKey(const FilterBase* const filters[], size_t num_filters, Key key,
                                       uint8_t* answers) noexcept;

// The same for a hash that hash_of made: FilterOptions::key_hash() or FilterBase::key_hash() of what it was made for.
// A filter whose hash id, seed or secret differs answers "maybe". (Of a SwappableFilter ask a lease for its KeyHash.)
LINEFILTER_EXPORT size_t MayContainHash(const FilterBase* const filters[], size_t num_filters, const KeyHash& hash_of,
                                        uint64_t hash, uint8_t* answers) noexcept;

// Asks many filters for a batch of n keys. The answers are a matrix with a row of n bytes for each filter, so
// num_filters * n bytes are written: answers[i * n + j] is that of filters[i] for keys[j]. Keys are hashed in small
// groups, once for each different KeyHash among 64 filters. Keys that are std::string are made std::string_view first.
LINEFILTER_EXPORT void MayContainKeys(const FilterBase* const filters[], size_t num_filters,
                                      const std::string_view* keys, size_t n, uint8_t* answers) noexcept;
LINEFILTER_EXPORT void MayContainKeys(const FilterBase* const filters[], size_t num_filters, const uint64_t* keys,
                                      size_t n, uint8_t* answers) noexcept;

// The same for n hashes that hash_of made. All answers of a filter whose KeyHash differs are "maybe".
LINEFILTER_EXPORT void MayContainHashes(const FilterBase* const filters[], size_t num_filters, const KeyHash& hash_of,
                                        const uint64_t* hashes, size_t n, uint8_t* answers) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_MANY_H_
