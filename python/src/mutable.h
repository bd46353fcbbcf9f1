// Mutable: a BlockedFilter, ClassicFilter or CountingBlockedFilter behind a mutex.
#ifndef LINEFILTER_PYTHON_SRC_MUTABLE_H_
#define LINEFILTER_PYTHON_SRC_MUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <variant>

#include "linefilter/filter.h"
#include "python/src/locked.h"

namespace linefilter::python {

class Mutable final : public Locked<MutableFilter> {
 public:
  explicit Mutable(Layout layout) {
    if (layout == Layout::kClassic) any_.emplace<ClassicFilter>();
    if (layout == Layout::kCounting) any_.emplace<CountingBlockedFilter>();
    SetOwn(std::visit([](auto& filter) -> MutableFilter* { return &filter; }, any_));
  }

  // Before anybody else knows this object. Without the GIL, if you like.
  Status Create(uint64_t num_keys, const FilterOptions& options) {
    return std::visit([&](auto& filter) { return filter.Create(num_keys, options); }, any_);
  }
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options) {
    return std::visit([&](auto& filter) { return filter.CreateFromImage(image, size, options); }, any_);
  }

  // With the GIL; false: refused. Of a CountingBlockedFilter, as the other removals.
  bool RemoveHash(uint64_t hash) {
    std::unique_lock lock(mutex(), std::defer_lock);
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
    return WordsInPieces(hasher, keys, n, were_removed, [this](const uint64_t* hashes, size_t size, uint8_t* answers) {
      return counting().RemoveHashes(hashes, size, answers);
    });
  }

 private:
  CountingBlockedFilter& counting() { return std::get<CountingBlockedFilter>(any_); }

  std::variant<BlockedFilter, ClassicFilter, CountingBlockedFilter> any_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_MUTABLE_H_
