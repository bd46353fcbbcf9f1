#include "bench/keys.h"

#include <algorithm>
#include <fstream>
#include <unordered_set>

#include "linefilter/hash.h"
#include "tools/measure/key_families.h"

namespace linefilter::bench {
namespace {

// Distinct real words in an order without pattern: three quarters for members, the rest for absent keys.
class Words {
 public:
  Words() {
    std::unordered_set<std::string> seen;
    for (const char* list : {"american-english-insane", "british-english-insane", "ngerman", "words"}) {
      std::ifstream in(std::string("/usr/share/dict/") + list);
      for (std::string word; std::getline(in, word);) {
        if (!word.empty() && seen.insert(word).second) words_.push_back(word);
      }
    }
    for (uint64_t i = words_.size(); i < 64; ++i) words_.push_back("word" + std::to_string(i));  // no list is installed
    for (size_t i = words_.size() - 1; i > 0; --i) std::swap(words_[i], words_[MulHigh(MixHash(i), i + 1)]);
  }
  uint64_t size() const { return words_.size(); }
  uint64_t num_members() const { return words_.size() / 4 * 3; }
  uint64_t num_absent() const { return words_.size() - num_members(); }
  const std::string& Member(uint64_t i) const { return words_[i]; }
  const std::string& Absent(uint64_t i) const { return words_[num_members() + i]; }
  const std::string& Any(uint64_t random) const { return words_[MulHigh(random, words_.size())]; }

 private:
  std::vector<std::string> words_;
};

const Words& AllWords() {
  static const Words words;
  return words;
}

// A word, or where they are used up an address of two words that ends in the number, so that none comes twice.
void AppendString(uint64_t number, std::string* out) {
  const Words& words = AllWords();
  const bool absent = number >= kFirstAbsent;
  const uint64_t i = absent ? number - kFirstAbsent : number;
  if (i < (absent ? words.num_absent() : words.num_members())) {
    *out += absent ? words.Absent(i) : words.Member(i);
    return;
  }
  const uint64_t random = MixHash(number);
  *out += "https://";
  *out += words.Any(random);
  *out += ".example/";
  *out += words.Any(MixHash(random));
  *out += '/';
  *out += std::to_string(number);
}

}  // namespace

uint64_t NumWords() { return AllWords().size(); }

const char* KeyKindName(KeyKind kind) {
  return kind == KeyKind::kHash ? "hash" : kind == KeyKind::kU64 ? "u64" : "string";
}

Keys Keys::Slice(size_t first, size_t count) const {
  Keys slice = *this;
  slice.size = std::min(count, size - first);
  if (integers != nullptr) slice.integers += first;
  if (strings != nullptr) slice.strings += first;
  return slice;
}

void KeyMaker::Clear() {
  integers_.clear();
  characters_.clear();
  ends_.clear();
}

void KeyMaker::Append(uint64_t number) {
  if (kind_ == KeyKind::kString) {
    if (family_ != nullptr) {
      const bool absent = number >= kFirstAbsent;
      char key[tools::kMaxKeyBytes];
      characters_.append(key, family_->make(absent ? number - kFirstAbsent : number, absent, key));
    } else {
      AppendString(number, &characters_);
    }
    ends_.push_back(characters_.size());
    return;
  }
  const uint64_t key = MixHash(number);
  integers_.push_back(kind_ == KeyKind::kHash ? HashKey(key) : key);
}

Keys KeyMaker::Made() {
  Keys keys;
  keys.kind = kind_;
  if (kind_ != KeyKind::kString) {
    keys.integers = integers_.data();
    keys.size = integers_.size();
    return keys;
  }
  strings_.clear();
  size_t begin = 0;
  for (const size_t end : ends_) {
    strings_.emplace_back(characters_.data() + begin, end - begin);
    begin = end;
  }
  keys.strings = strings_.data();
  keys.size = strings_.size();
  return keys;
}

Keys KeyMaker::Make(uint64_t first, size_t count) {
  Clear();
  if (kind_ != KeyKind::kString) integers_.reserve(count);
  for (size_t i = 0; i < count; ++i) Append(first + i);
  return Made();
}

Keys KeyMaker::MakeNumbered(const std::vector<uint64_t>& numbers) {
  Clear();
  for (const uint64_t number : numbers) Append(number);
  return Made();
}

}  // namespace linefilter::bench
