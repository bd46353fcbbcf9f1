// Keys to insert and keys to ask, of one of three kinds, with members and absent keys proven disjoint.
//
// Keys are functions of a number: member i is key i, absent key i is key 2^40 + i. 64-bit keys are MixHash(number), a
// bijection, so different numbers are different keys; hashes are HashKey of those, a bijection too. String keys are
// real words while they last and addresses made of real words above that; Queries proves their disjointness key by key.
#ifndef LINEFILTER_BENCH_KEYS_H_
#define LINEFILTER_BENCH_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace linefilter::tools {
struct KeyFamily;
}

namespace linefilter::bench {

enum class KeyKind {
  kHash,    // the 64-bit hash is given
  kU64,     // 64-bit keys, hash included in the time
  kString,  // strings, hash included in the time
};
const char* KeyKindName(KeyKind kind);  // "hash", "u64", "string"

// Distinct words that string keys are made of; 64 made-up ones where no list is installed.
uint64_t NumWords();

inline constexpr uint64_t kFirstAbsent = uint64_t{1} << 40;

// A run of keys of one kind, owned by somebody else.
struct Keys {
  KeyKind kind = KeyKind::kHash;
  size_t size = 0;
  const uint64_t* integers = nullptr;         // kHash: hashes; kU64: keys
  const std::string_view* strings = nullptr;  // kString
  Keys Slice(size_t first, size_t count) const;
};

// Makes keys by number, into memory of its own that the next call reuses.
class KeyMaker {
 public:
  explicit KeyMaker(KeyKind kind) : kind_(kind) {}
  // String keys of a family (tools/measure/key_families.h) instead of words and addresses; null: those.
  KeyMaker(KeyKind kind, const tools::KeyFamily* family) : kind_(kind), family_(family) {}
  // Keys number first .. first + count - 1.
  Keys Make(uint64_t first, size_t count);
  // Keys of these numbers.
  Keys MakeNumbered(const std::vector<uint64_t>& numbers);

 private:
  void Append(uint64_t number);
  void Clear();
  Keys Made();

  KeyKind kind_;
  const tools::KeyFamily* family_ = nullptr;
  std::vector<uint64_t> integers_;
  std::string characters_;
  std::vector<size_t> ends_;
  std::vector<std::string_view> strings_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_KEYS_H_
