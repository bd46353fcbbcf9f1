// These kinds of keys have broken real filters: a weak hash, or none, maps them to few blocks or few bits.
//
// A key is a function of its number. Members and absent keys have numbers of their own, 0 to max_keys - 1 each, and no
// absent key is ever a member. Each family's comment in key_families.cc says how.
#ifndef LINEFILTER_TOOLS_MEASURE_KEY_FAMILIES_H_
#define LINEFILTER_TOOLS_MEASURE_KEY_FAMILIES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linefilter::tools {

inline constexpr size_t kMaxKeyBytes = 128;

struct KeyFamily {
  const char* name;
  const char* description;
  uint64_t max_keys;  // the most members, and absent keys
  // Writes key `number` (at most kMaxKeyBytes) and returns its length.
  size_t (*make)(uint64_t number, bool absent, char* out);
  // The key, 8 little-endian bytes, is a hash already, for calls by hash of a filter of HashId::kCaller.
  bool is_hash;
};

// The first one, `sequential`, is the default.
const std::vector<KeyFamily>& KeyFamilies();
// Finds a family; null if there is none of that name.
const KeyFamily* FindKeyFamily(const std::string& name);

// Makes hashes of the keys first .. first + n - 1, as a filter of that seed takes them. A family of hashes has no seed
// of its own: another seed than 0 mixes them anew, for another sample.
void MakeHashes(const KeyFamily& family, bool absent, uint64_t first, size_t n, uint64_t seed, uint64_t* hashes);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_KEY_FAMILIES_H_
