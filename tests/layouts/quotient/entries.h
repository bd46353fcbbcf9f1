// Blocks of the layout `quotient` as lists of entries, for tests of its rates. It shares nothing with the library, and
// is fast enough for many turnovers: an entry is a number of 32 bits whose dropped bits are 0 (doc/FORMAT.md section
// 12).
#ifndef LINEFILTER_TESTS_LAYOUTS_QUOTIENT_ENTRIES_H_
#define LINEFILTER_TESTS_LAYOUTS_QUOTIENT_ENTRIES_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linefilter::quotient_test {

inline constexpr int kMostLength = 64 * 26, kEntryBits = 512 - 77;

inline int BucketOf(uint32_t q) { return static_cast<int>(q >> 26); }
inline int WidthOf(uint32_t q, int length) { return length / 64 + (BucketOf(q) < length % 64 ? 1 : 0); }
inline uint32_t Cut(uint32_t q, int width) {
  return width >= 26 ? q : q & ~uint32_t{0} << static_cast<uint32_t>(26 - width);
}

// Takes the width of each entry of that length, and whether the entry differs from the one before.
template <class Take>
void ForEntries(const std::vector<uint32_t>& sorted, int length, const Take& take) {
  uint32_t before = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const int width = WidthOf(sorted[i], length);
    const uint32_t entry = Cut(sorted[i], width);
    take(width, i == 0 || entry != before);
    before = entry;
  }
}

// The length of a new block of these quotients, which are sorted; -1 if it is saturated.
inline int LengthOf(const std::vector<uint32_t>& sorted, bool multiset) {
  const auto bits = [&](int length) {
    int sum = 0;
    ForEntries(sorted, length, [&](int width, bool is_new) { sum += multiset || is_new ? 1 + width : 0; });
    return sum;
  };
  int low = 0, high = kMostLength;
  if (bits(0) > kEntryBits) return -1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (bits(middle) <= kEntryBits) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// The rate of such a block.
inline double RateOfNew(const std::vector<uint32_t>& sorted, bool multiset) {
  const int length = LengthOf(sorted, multiset);
  if (length < 0) return 1;
  double rate = 0;
  ForEntries(sorted, length, [&](int width, bool is_new) { rate += is_new ? std::ldexp(1.0, -6 - width) : 0; });
  return rate;
}

// A block of a multiset from which keys are removed.
class Multiset {
 public:
  void Insert(uint32_t q) {
    if (is_saturated_) return;
    const int length = Length();
    const uint32_t entry = Cut(q, WidthOf(q, length));
    entries_.insert(std::lower_bound(entries_.begin(), entries_.end(), entry), entry);
    if (entries_.size() > kEntryBits) {
      is_saturated_ = true;
      return;
    }
    int fits = length;
    while (BitsAt(fits / 64 * 64) > kEntryBits) fits = fits / 64 * 64 - 1;
    while (BitsAt(fits) > kEntryBits) --fits;
    for (uint32_t& each : entries_) each = fits == length ? each : Cut(each, WidthOf(each, fits));
    Border(fits);
  }

  // False if the key was lost.
  bool Remove(uint32_t q) {
    if (is_saturated_) return true;
    const auto run = std::lower_bound(entries_.begin(), entries_.end(), q >> 26 << 26);
    const size_t first = static_cast<size_t>(run - entries_.begin());
    const uint32_t entry = Cut(q, width_ + (first < num_long_ ? 1 : 0));
    const auto found = std::lower_bound(run, entries_.end(), entry);
    if (found == entries_.end() || *found != entry) return false;
    entries_.erase(found);
    if (first < num_long_) --num_long_;
    MoveBorder();
    return true;
  }

  double Rate() const {
    if (is_saturated_) return 1;
    double rate = 0;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (i == 0 || entries_[i] != entries_[i - 1]) rate += std::ldexp(1.0, -6 - width_ - (i < num_long_ ? 1 : 0));
    }
    return rate;
  }

 private:
  int Length() const {
    return entries_.empty() || width_ == 26 ? kMostLength : 64 * width_ + BucketOf(entries_[num_long_]);
  }
  size_t LongAt(int length) const {
    size_t n = 0;
    while (n < entries_.size() && BucketOf(entries_[n]) < length % 64) ++n;
    return n;
  }
  int BitsAt(int length) const {
    return static_cast<int>(entries_.size()) * (1 + length / 64) + static_cast<int>(LongAt(length));
  }
  void Border(int length) {
    width_ = length / 64;
    num_long_ = LongAt(length);
    MoveBorder();
  }
  void MoveBorder() {
    if (entries_.empty()) {
      width_ = 26;
    } else if (num_long_ == entries_.size()) {  // all are long
      ++width_;
    } else {
      return;
    }
    num_long_ = 0;
  }

  std::vector<uint32_t> entries_;
  size_t num_long_ = 0;
  int width_ = 26;
  bool is_saturated_ = false;
};

}  // namespace linefilter::quotient_test

#endif  // LINEFILTER_TESTS_LAYOUTS_QUOTIENT_ENTRIES_H_
