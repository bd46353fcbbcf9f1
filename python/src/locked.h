// Locked: a filter of the library that takes keys, behind a mutex: one writer, or any number of readers.
#ifndef LINEFILTER_PYTHON_SRC_LOCKED_H_
#define LINEFILTER_PYTHON_SRC_LOCKED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "python/src/core.h"

namespace linefilter::python {

template <class Filter>
class Locked : public Core {
 public:
  const FilterBase& filter() const override { return *own_; }
  // Under mutex(), but for what makes it, before anybody else knows this object.
  Filter& own() { return *own_; }
  const Filter& own() const { return *own_; }
  FairMutex& mutex() const { return mutex_; }
  // Before anybody else knows this object. Without the GIL, if you like.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options) {
    return own_->CreateFromImage(image, size, options);
  }

  // With the GIL, for what is brief.
  template <class Work>
  auto UseBriefly(const Work& work) const {
    return ReadBriefly([&](const FilterBase&) { return work(own()); });
  }

  // With the GIL.
  bool InsertHash(uint64_t hash) {
    std::unique_lock lock(mutex_, std::defer_lock);
    LockWithGil(&lock);
    return own_->InsertHash(hash);
  }
  // Without the GIL. Return how many were certainly new; `were_new` may be null.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new) {
    return InPieces(n, [&](size_t begin, size_t size) {
      return own_->InsertHashes(hashes + begin, size, were_new == nullptr ? nullptr : were_new + begin);
    });
  }
  uint64_t InsertWords(const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* were_new) {
    return WordsInPieces(hasher, keys, n, were_new, [this](const uint64_t* hashes, size_t size, uint8_t* answers) {
      return own_->InsertHashes(hashes, size, answers);
    });
  }

 protected:
  Locked() : Core(&mutex_) {}
  void SetOwn(Filter* own) { own_ = own; }

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
  // The same of keys: change(hashes, size, answers), of which `answers` is null if those given are.
  template <class Change>
  uint64_t WordsInPieces(const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* answers, const Change& change) {
    return InPieces(n, [&](size_t begin, size_t size) {
      uint64_t count = 0;
      hasher.OfGroups(keys + begin, size, [&](size_t at, const uint64_t* hashes, size_t group) {
        count += change(hashes, group, answers == nullptr ? nullptr : answers + begin + at);
        return true;
      });
      return count;
    });
  }

 private:
  mutable FairMutex mutex_;
  Filter* own_ = nullptr;  // what the derived class holds
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_LOCKED_H_
