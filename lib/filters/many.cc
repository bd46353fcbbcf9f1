#include "linefilter/many.h"

#include "lib/filters/ask_many.h"

namespace linefilter {
namespace {

auto Each(const FilterBase* const filters[]) {
  return [filters](size_t i) -> const FilterBase& { return *filters[i]; };
}

}  // namespace

size_t MayContainKey(const FilterBase* const filters[], size_t num_filters, Key key, uint8_t* answers) noexcept {
  return internal::AskManyForKey(Each(filters), num_filters, key, answers);
}

size_t MayContainHash(const FilterBase* const filters[], size_t num_filters, const KeyHash& hash_of, uint64_t hash,
                      uint8_t* answers) noexcept {
  return internal::AskManyForOne(Each(filters), num_filters, internal::OneHash{hash_of, hash}, answers);
}

void MayContainKeys(const FilterBase* const filters[], size_t num_filters, const std::string_view* keys, size_t n,
                    uint8_t* answers) noexcept {
  internal::AskManyForKeys(
      Each(filters), num_filters, [keys](size_t i) { return keys[i]; }, n, answers);
}

void MayContainKeys(const FilterBase* const filters[], size_t num_filters, const uint64_t* keys, size_t n,
                    uint8_t* answers) noexcept {
  internal::AskManyForKeys(
      Each(filters), num_filters, [keys](size_t i) { return keys[i]; }, n, answers);
}

void MayContainHashes(const FilterBase* const filters[], size_t num_filters, const KeyHash& hash_of,
                      const uint64_t* hashes, size_t n, uint8_t* answers) noexcept {
  internal::AskManyForHashes(Each(filters), num_filters, hash_of, hashes, n, answers);
}

}  // namespace linefilter
