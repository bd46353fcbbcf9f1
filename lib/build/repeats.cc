#include "lib/build/repeats.h"

#include <algorithm>

#include "lib/build/mark_table.h"

namespace linefilter::internal {
namespace {

// A hash of a list of chunks.
class Place {
 public:
  Place() = default;
  explicit Place(HashChunk* first) { Enter(first); }

  uint64_t& operator*() const { return *at_; }
  void Next() {
    if (++at_ == end_) Enter(chunk_->next);
  }
  void Prefetch() const {
    constexpr uintptr_t kAhead = 128;
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(at_) + kAhead), 1);
  }
  void Skip(uint64_t n) {
    ForEachSpan(n, [](uint64_t*, uint64_t) {});
  }
  // Calls visit(hashes, n) for the next n hashes, piece by piece, and goes behind them.
  template <class Visit>
  void ForEachSpan(uint64_t n, const Visit& visit) {
    while (n != 0) {
      const uint64_t rest = static_cast<uint64_t>(end_ - at_), some = n < rest ? n : rest;
      visit(at_, some);
      at_ += some;
      n -= some;
      if (at_ == end_) Enter(chunk_->next);
    }
  }

 private:
  void Enter(HashChunk* chunk) {
    chunk_ = chunk;
    at_ = chunk == nullptr ? nullptr : chunk->hashes();
    end_ = chunk == nullptr ? nullptr : at_ + chunk->capacity();
  }

  HashChunk* chunk_ = nullptr;
  uint64_t *at_ = nullptr, *end_ = nullptr;
};

// A radix sort in place, from the highest bits that differ (American flag sort: McIlroy, Bostic, McIlroy 1993). What is
// sorted moves to the front, over what was read already.
class Sorter {
 public:
  explicit Sorter(HashChunk* first) : out_(first) {}

  // Each level of the recursion sorts by the next bits that differ: 8 of many hashes, as few as 4 where that leaves
  // some 16 to a bucket. So there are at most 16 levels.
  void Sort(Place from, uint64_t n) {
    if (n <= kFew) return SortFew(from, n);
    const uint64_t one = *from;
    uint64_t differing = 0;
    Place(from).ForEachSpan(n, [&](const uint64_t* hashes, uint64_t size) {
      for (uint64_t i = 0; i < size; ++i) differing |= hashes[i] ^ one;
    });
    if (differing == 0) return Emit(one);
    uint32_t bits = kLeastBits;
    while (bits < kMostBits && n >> (bits + kFewBits) != 0) ++bits;
    const uint32_t high = 64 - static_cast<uint32_t>(__builtin_clzll(differing));
    const Digit digit = {high > bits ? high - bits : 0, (uint32_t{1} << bits) - 1};
    uint64_t sizes[1 << kMostBits];
    Distribute(from, n, digit, sizes);
    for (uint32_t d = 0; d <= digit.mask; ++d) {
      const Place begin = from;
      from.Skip(sizes[d]);
      Sort(begin, sizes[d]);
    }
  }
  uint64_t num_left() const { return num_left_; }

 private:
  static constexpr uint32_t kFewBits = 5, kLeastBits = 4, kMostBits = 8;
  static constexpr uint64_t kFew = uint64_t{1} << kFewBits;

  struct Digit {
    uint32_t shift, mask;
    uint32_t operator()(uint64_t hash) const { return static_cast<uint32_t>(hash >> shift) & mask; }
  };

  void Emit(uint64_t hash) {
    *out_ = hash;
    out_.Next();
    ++num_left_;
  }

  void SortFew(Place from, uint64_t n) {
    uint64_t few[kFew];
    uint64_t* to = few;
    from.ForEachSpan(n, [&](const uint64_t* hashes, uint64_t size) { to = std::copy_n(hashes, size, to); });
    std::sort(few, to);
    for (uint64_t i = 0; i < n; ++i) {
      if (i == 0 || few[i] != few[i - 1]) Emit(few[i]);
    }
  }

  // Brings each hash to where those of its digit lie; sizes[d] is how many have digit d.
#if defined(__GNUC__)
  __attribute__((noinline))  // its places are on the stack once, not at each level of the recursion
#endif
  static void
  Distribute(const Place& from, uint64_t n, Digit digit, uint64_t* sizes) {
    std::fill_n(sizes, digit.mask + 1, 0);
    Place(from).ForEachSpan(n, [&](const uint64_t* hashes, uint64_t size) {
      for (uint64_t i = 0; i < size; ++i) ++sizes[digit(hashes[i])];
    });
    Place next[1 << kMostBits];
    uint64_t left[1 << kMostBits];
    next[0] = from;
    for (uint32_t d = 0; d <= digit.mask; ++d) {
      left[d] = sizes[d];
      if (d == digit.mask) break;
      next[d + 1] = next[d];
      next[d + 1].Skip(sizes[d]);
    }
    for (uint32_t d = 0; d <= digit.mask; ++d) {
      for (; left[d] != 0; --left[d], next[d].Next()) {
        uint64_t hash = *next[d];
        for (uint32_t other = digit(hash); other != d; other = digit(hash)) {
          std::swap(hash, *next[other]);
          next[other].Next();
          next[other].Prefetch();
          --left[other];
        }
        *next[d] = hash;
      }
    }
  }

  Place out_;
  uint64_t num_left_ = 0;
};

// So few hashes are compared pair by pair.
constexpr uint64_t kPairwise = 16;

// This is FewMayRepeat of at most kPairwise hashes. A filter of 10 takes 15.4 instead of 19.1 ns for each (blocked). A
// mark is compared with those 1 ... 8 places behind it, around the end. That is half a circle, so that every two meet,
// without a branch. (Up to 32 hashes it gains nothing.)
bool FewestMayRepeat(const uint64_t* hashes, uint64_t n) {
  uint32_t marks[kPairwise + kPairwise / 2];
  for (uint32_t i = 0; i < kPairwise; ++i) marks[i] = i;  // where there is no hash, one that none is likely to have
  for (uint64_t i = 0; i < n; ++i) marks[i] = static_cast<uint32_t>(MixedOf(hashes[i]) >> 32);
  for (uint64_t i = 0; i < kPairwise / 2; ++i) marks[kPairwise + i] = marks[i];
  uint32_t equal = 0;
  for (uint64_t distance = 1; distance <= kPairwise / 2; ++distance) {
    for (uint64_t i = 0; i < kPairwise; ++i) equal |= marks[i] == marks[i + distance];
  }
  return equal != 0;
}

}  // namespace

bool FewMayRepeat(HashChunk* first, uint64_t n) {
  if (n <= kPairwise) return n != 0 && FewestMayRepeat(first->hashes(), n);
  MarkTable table(n);
  bool has_room = true;
  Place(first).ForEachSpan(
      n, [&](const uint64_t* hashes, uint64_t size) { has_room = has_room && table.Add(hashes, size); });
  return !has_room || !table.AreDistinct();
}

uint64_t SortDistinct(HashChunk* first, uint64_t n) {
  if (n == 0) return 0;
  Sorter sorter(first);
  sorter.Sort(Place(first), n);
  return sorter.num_left();
}

}  // namespace linefilter::internal
