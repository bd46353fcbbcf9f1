#include "bench/queries.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_set>

#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

constexpr uint64_t kLargeBody = uint64_t{8} << 20;
constexpr size_t kFewKeys = size_t{1} << 18, kManyKeys = size_t{1} << 22;            // 2 MiB and 32 MiB of hashes
constexpr size_t kFewStrings = size_t{1} << 15, kManyStrings = size_t{1} << 17;      // about 1 MiB and 6 MiB
constexpr size_t kSliceOfKeys = size_t{1} << 15, kSliceOfStrings = size_t{1} << 13;  // 256 KiB
constexpr uint64_t kMostProvenKeys = uint64_t{1} << 24;

size_t NumQueries(const Spec& spec) {
  const bool large = spec.body_bytes >= kLargeBody;
  if (spec.kind == KeyKind::kString) return large ? kManyStrings : kFewStrings;
  return large ? kManyKeys : kFewKeys;
}

}  // namespace

Queries::Queries(const Spec& spec) : slice_size_(spec.kind == KeyKind::kString ? kSliceOfStrings : kSliceOfKeys) {
  const size_t count = NumQueries(spec);
  for (const int percent : kHitPercents) {
    std::vector<uint64_t> numbers(count);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t random = MixHash(i);
      const bool member = MulHigh(MixHash(random), 100) < static_cast<uint64_t>(percent);
      numbers[i] = member ? MulHigh(random, spec.num_keys) : kFirstAbsent + i;
    }
    makers_.emplace_back(spec.kind, spec.family);
    keys_[static_cast<size_t>(percent / 50)] = makers_.back().MakeNumbered(numbers);
  }
  ProveDisjoint(spec, keys_[0]);
}

uint64_t Queries::BytesFor(const Spec& spec) {
  constexpr uint64_t kBytesOfString = 80;  // an address, where it ends, and a view of it
  return std::size(kHitPercents) * NumQueries(spec) * (spec.kind == KeyKind::kString ? kBytesOfString : 8);
}

const Keys& Queries::WithHits(int percent) const { return keys_[static_cast<size_t>(percent / 50)]; }

void Queries::ProveDisjoint(const Spec& spec, const Keys& absent) const {
  if (spec.num_keys > kMostProvenKeys && spec.kind != KeyKind::kString) return;
  std::unordered_set<uint64_t> integers;
  std::unordered_set<std::string_view> strings;
  for (size_t i = 0; i < absent.size; ++i) {
    if (absent.strings != nullptr) {
      strings.insert(absent.strings[i]);
    } else {
      integers.insert(absent.integers[i]);
    }
  }
  ForMembers(spec, [&](const Keys& members) {
    for (size_t i = 0; i < members.size; ++i) {
      if (members.strings != nullptr ? strings.count(members.strings[i]) != 0
                                     : integers.count(members.integers[i]) != 0) {
        Die("the key sets are not disjoint: an absent key is a member");
      }
    }
  });
}

}  // namespace linefilter::bench
