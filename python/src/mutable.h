// Mutable: a BlockedFilter, ClassicFilter or CountingBlockedFilter behind a mutex: one writer, or any number of
// readers.
#ifndef LINEFILTER_PYTHON_SRC_MUTABLE_H_
#define LINEFILTER_PYTHON_SRC_MUTABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <variant>

#include "linefilter/filter.h"
#include "python/src/core.h"

namespace linefilter::python {

class Mutable final : public Core {
 public:
  explicit Mutable(Layout layout) : Core(&mutex_) {
    if (layout == Layout::kClassic) any_.emplace<ClassicFilter>();
    if (layout == Layout::kCounting) any_.emplace<CountingBlockedFilter>();
    filter_ = std::visit([](auto& filter) -> MutableFilter* { return &filter; }, any_);
  }

  // Before anybody else knows this object. Without the GIL, if you like.
  Status Create(uint64_t num_keys, const FilterOptions& options) {
    return std::visit([&](auto& filter) { return filter.Create(num_keys, options); }, any_);
  }
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options) {
    return std::visit([&](auto& filter) { return filter.CreateFromImage(image, size, options); }, any_);
  }

  const FilterBase& filter() const override { return *filter_; }
  // Under mutex().
  MutableFilter& mutable_filter() { return *filter_; }
  const MutableFilter& mutable_filter() const { return *filter_; }
  FairMutex& mutex() const { return mutex_; }
  // With the GIL, for what is brief.
  template <class Work>
  auto UseBriefly(const Work& work) const {
    return ReadBriefly([&](const FilterBase&) { return work(*static_cast<const MutableFilter*>(filter_)); });
  }

  // With the GIL.
  bool InsertHash(uint64_t hash) {
    std::unique_lock lock(mutex_, std::defer_lock);
    LockWithGil(&lock);
    return filter_->InsertHash(hash);
  }
  // Without the GIL. Return how many were certainly new; `were_new` may be null.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new) {
    return InPieces(n, [&](size_t begin, size_t size) {
      return filter_->InsertHashes(hashes + begin, size, were_new == nullptr ? nullptr : were_new + begin);
    });
  }
  // With the GIL; false: refused. Of a CountingBlockedFilter, as the other removals.
  bool RemoveHash(uint64_t hash) {
    std::unique_lock lock(mutex_, std::defer_lock);
    LockWithGil(&lock);
    return counting().RemoveHash(hash);
  }
  // Without the GIL. Return how many were removed; `were_removed` may be null.
  uint64_t RemoveHashes(const uint64_t* hashes, size_t n, uint8_t* were_removed) {
    return InPieces(n, [&](size_t begin, size_t size) {
      return counting().RemoveHashes(hashes + begin, size, were_removed == nullptr ? nullptr : were_removed + begin);
    });
  }
  uint64_t RemoveWords(const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* were_removed) {
    return InPieces(n, [&](size_t begin, size_t size) {
      uint64_t count = 0;
      hasher.OfGroups(keys + begin, size, [&](size_t at, const uint64_t* hashes, size_t group) {
        count += counting().RemoveHashes(hashes, group, were_removed == nullptr ? nullptr : were_removed + begin + at);
        return true;
      });
      return count;
    });
  }
  uint64_t InsertWords(const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* were_new) {
    return InPieces(n, [&](size_t begin, size_t size) {
      uint64_t count = 0;
      hasher.OfGroups(keys + begin, size, [&](size_t at, const uint64_t* hashes, size_t group) {
        count += filter_->InsertHashes(hashes, group, were_new == nullptr ? nullptr : were_new + begin + at);
        return true;
      });
      return count;
    });
  }

 private:
  // Lookups of other threads get in between.
  template <class Change>
  uint64_t InPieces(size_t n, const Change& change) {
    uint64_t count = 0;
    for (size_t begin = 0; begin < n; begin += kPiece) {
      const std::unique_lock lock(mutex_);
      count += change(begin, std::min(kPiece, n - begin));
    }
    return count;
  }

  CountingBlockedFilter& counting() { return std::get<CountingBlockedFilter>(any_); }

  mutable FairMutex mutex_;
  std::variant<BlockedFilter, ClassicFilter, CountingBlockedFilter> any_;
  MutableFilter* filter_;  // what any_ holds
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_MUTABLE_H_
