// Mutable: a Filter behind a mutex.
#ifndef LINEFILTER_PYTHON_SRC_MUTABLE_H_
#define LINEFILTER_PYTHON_SRC_MUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "linefilter/filter.h"
#include "python/src/locked.h"

namespace linefilter::python {

class Mutable final : public Locked<Filter> {
 public:
  explicit Mutable(Layout layout) : layout_(layout) { SetOwn(&own_); }

  // Before anybody else knows this object. Without the GIL, if you like.
  Status Create(uint64_t num_keys, const FilterOptions& options) { return own_.Create(layout_, num_keys, options); }
  Status CreateFromImage(const void* image, size_t size, FilterOptions options) {
    options.layout = layout_;
    return own_.CreateFromImage(image, size, options);
  }

  // With the GIL; false: refused.
  bool RemoveHash(uint64_t hash) {
    std::unique_lock lock(mutex(), std::defer_lock);
    LockWithGil(&lock);
    return own_.RemoveHash(hash);
  }
  // Without the GIL. Return how many were removed; `were_removed` may be null.
  uint64_t RemoveHashes(const uint64_t* hashes, size_t n, uint8_t* were_removed) {
    return InPieces(n, [&](size_t begin, size_t size) {
      return own_.RemoveHashes(hashes + begin, size, were_removed == nullptr ? nullptr : were_removed + begin);
    });
  }
  uint64_t RemoveWords(const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* were_removed) {
    return WordsInPieces(hasher, keys, n, were_removed, [this](const uint64_t* hashes, size_t size, uint8_t* answers) {
      return own_.RemoveHashes(hashes, size, answers);
    });
  }

 private:
  const Layout layout_;
  Filter own_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_MUTABLE_H_
