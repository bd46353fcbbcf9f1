// A unit test holds a filter to its false-positive rate, whoever made the filter and whatever the test framework is.
//
//   linefilter::FprLimit limit;
//   limit.at_most = 0.01;  // 1 %, for which 12,300 absent keys are enough
//   const linefilter::FprResult result = linefilter::CheckFpr(filter, members, absent, limit);
//   if (!result.ok()) puts(result.sentence);  // with GoogleTest: EXPECT_TRUE(result.ok()) << result.sentence;
//   const auto foreign = [&](const std::string& key) { return other_library.count(key) != 0; };
//   if (!linefilter::CheckFpr(foreign, members, absent, limit).ok()) ...
//
// CheckFpr asks every member and every absent key once, and gives the counts to the judge. linefilter/fpr_judge.h has
// the rules of the verdict, the limits, and what a result tells. The sentence names the first ten members that were
// lost, or ten of the absent keys that are members. examples/fpr_test is a whole test with GoogleTest.
//
// The filter is a FilterBase, which is asked in batches, or anything that can be called with a key and returns whether
// the set may have it. A filter of another library is called from a lambda, as above.
//
// The keys are two ranges: containers, arrays, or whatever a range-for can read once, the absent keys first. Their
// elements are keys as in linefilter/key.h: integers, enums, strings, string views, C strings, arrays of bytes. Both
// ranges have the kind of keys that the filter was made of, for text "1000" and the integer 1000 are different keys. A
// key is named with its position in its range, from 0.
//
// Absent keys should be distinct, and like those that the filter will meet. QueriesForLimit tells how many to make.
// Those that answer "maybe" are looked up among the members, so members among them are found. No more memory is needed
// than for these keys, and none for the members. With a baseline that knows its bits per key, the members are all that
// the filter has: its bytes are divided by their number. A sample of them seems to take more bits.
//
// Nothing is thrown but by the filter, by the ranges, and where memory runs out. A request that makes no sense is
// kUndecided, and its sentence says what to do. Calls are thread-safe as far as lookups in the filter are.
#ifndef LINEFILTER_TESTING_H_
#define LINEFILTER_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "linefilter/filter_base.h"
#include "linefilter/fpr_judge.h"
#include "linefilter/key.h"

namespace linefilter {
namespace internal {

// Keys on their way to a FilterBase.
template <bool kNumbers>
class FprBatch {
 public:
  bool is_full() const { return size_ == kMost; }

  void Add(const Key& key) {
    if constexpr (kNumbers) {
      numbers_[size_] = key.number();
    } else {
      char word[8];
      bytes_.append(key.bytes_or_word(word));  // the range may forget its key at the next one
      ends_[size_] = bytes_.size();
    }
    ++size_;
  }

  // Calls on_answer(position, key, maybe) for each key, and empties the batch.
  template <class OnAnswer>
  void Ask(const FilterBase& filter, uint64_t* position, const OnAnswer& on_answer) {
    uint8_t answers[kMost];
    if constexpr (kNumbers) {
      filter.MayContainKeys(numbers_, size_, answers);
      for (size_t i = 0; i < size_; ++i) on_answer((*position)++, Key(numbers_[i]), answers[i] != 0);
    } else {
      std::string_view keys[kMost];
      for (size_t i = 0, begin = 0; i < size_; begin = ends_[i++]) {
        keys[i] = std::string_view(bytes_).substr(begin, ends_[i] - begin);
      }
      filter.MayContainKeys(keys, size_, answers);
      for (size_t i = 0; i < size_; ++i) on_answer((*position)++, Key(keys[i]), answers[i] != 0);
      bytes_.clear();
    }
    size_ = 0;
  }

 private:
  static constexpr size_t kMost = 256;
  uint64_t numbers_[kNumbers ? kMost : 1];
  size_t ends_[kNumbers ? 1 : kMost];
  std::string bytes_;
  size_t size_ = 0;
};

// Asks for each key of a range, by batches if it can.
template <class Filter, class Keys, class OnAnswer>
void AskForFpr(Filter& filter, Keys&& keys, const OnAnswer& on_answer) {
  uint64_t position = 0;
  if constexpr (std::is_convertible_v<Filter&, const FilterBase&>) {
    using Element = std::decay_t<decltype(*std::begin(keys))>;
    FprBatch<kIsNumberKey<Element>> batch;
    for (auto&& key : keys) {
      batch.Add(Key(key));
      if (batch.is_full()) batch.Ask(filter, &position, on_answer);
    }
    batch.Ask(filter, &position, on_answer);
  } else {
    for (auto&& key : keys) {
      const bool maybe = static_cast<bool>(filter(key));
      on_answer(position++, Key(key), maybe);
    }
  }
}

// The bits per key of a filter of ours; 0 of others.
template <class Filter>
double BitsPerKeyForFpr(const Filter& filter, uint64_t num_keys) {
  if constexpr (std::is_convertible_v<const Filter&, const FilterBase&>) {
    const FilterBase& base = filter;
    return num_keys == 0 ? 0 : 8 * static_cast<double>(base.body_bytes()) / static_cast<double>(num_keys);
  } else {
    return 0;
  }
}

}  // namespace internal

// Asks the filter for all keys of both ranges, and judges what was counted. Without members nothing can be lost, and
// keys that are members cannot be found among the absent ones.
template <class Filter, class Members, class Absent>
FprResult CheckFpr(Filter&& filter, Members&& members, Absent&& absent, const FprLimit& limit) {
  FprCounts counts;
  std::unordered_multimap<std::string, uint64_t> maybes;  // absent keys, with their positions
  const auto bytes_of = [](const Key& key) {
    char word[8];
    return std::string(key.bytes_or_word(word));
  };
  internal::AskForFpr(filter, absent, [&](uint64_t position, const Key& key, bool maybe) {
    ++counts.num_queries;
    if (maybe) maybes.emplace(bytes_of(key), position);
  });
  counts.false_positives = maybes.size();

  FprKeys lost, absent_members;
  internal::AskForFpr(filter, members, [&](uint64_t position, const Key& key, bool maybe) {
    ++counts.num_members;
    if (!maybe) {
      ++counts.num_lost;
      lost.Add(position, key);
    }
    if (maybes.empty()) return;
    const auto found = maybes.equal_range(bytes_of(key));
    for (auto it = found.first; it != found.second; ++it) {
      ++counts.num_absent_members;
      absent_members.Add(it->second, key);
    }
    maybes.erase(found.first, found.second);  // a member may come again
  });
  counts.num_queries -= counts.num_absent_members;
  counts.false_positives -= counts.num_absent_members;
  counts.bits_per_key = internal::BitsPerKeyForFpr(filter, counts.num_members);
  return JudgeFpr(counts, limit, lost, absent_members);
}

}  // namespace linefilter

#endif  // LINEFILTER_TESTING_H_
