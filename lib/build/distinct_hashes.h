// This collects the distinct hashes of a stream in memory that may be too small for all of them.
#ifndef LINEFILTER_LIB_BUILD_DISTINCT_HASHES_H_
#define LINEFILTER_LIB_BUILD_DISTINCT_HASHES_H_

#include <cstdint>

#include "lib/base/memory.h"
#include "lib/build/hash_chunk.h"
#include "lib/build/repeats.h"

namespace linefilter::internal {

// Collects those of an interval. Where they do not fit, the interval ends earlier, and another pass goes on behind it.
class DistinctHashes {
 public:
  // The least capacity. One of 2 d keeps an interval with d distinct hashes whole.
  static constexpr uint64_t kLeast = 4096;
  static uint64_t BytesFor(uint64_t capacity) { return kChunkHeaderBytes + sizeof(uint64_t) * capacity; }

  explicit DistinctHashes(const Allocator& allocator) : allocator_(allocator) {}
  ~DistinctHashes() {
    if (chunk_ != nullptr) Deallocate(allocator_, chunk_, chunk_->bytes);
  }
  DistinctHashes(const DistinctHashes&) = delete;
  DistinctHashes& operator=(const DistinctHashes&) = delete;

  // False if there is no memory.
  bool Create(uint64_t capacity) {
    chunk_ = static_cast<HashChunk*>(Allocate(allocator_, BytesFor(capacity)));
    if (chunk_ != nullptr) *chunk_ = HashChunk{nullptr, BytesFor(capacity)};
    return chunk_ != nullptr;
  }
  // Begins the interval of first to last, both included.
  void Begin(uint64_t first, uint64_t last) {
    first_ = first;
    last_ = last;
    size_ = 0;
    room_ = chunk_->capacity() < kFirstRoom ? chunk_->capacity() : kFirstRoom;
  }
  void Add(const uint64_t* hashes, uint64_t n) {
    uint64_t* const to = chunk_->hashes();
    for (uint64_t i = 0; i < n; ++i) {
      if (hashes[i] < first_ || hashes[i] > last_) continue;
      if (size_ == room_) MakeRoom();
      to[size_] = hashes[i];
      size_ += hashes[i] <= last_;
    }
  }
  // Ends the pass: the hashes are distinct and ascending now.
  void End() { size_ = SortDistinct(chunk_, size_); }

  const uint64_t* hashes() const { return chunk_->hashes(); }
  uint64_t size() const { return size_; }
  uint64_t last() const { return last_; }  // of the interval that was kept

 private:
  // 512 KiB: memory is touched as far as there are distinct hashes, and a few hashes stay in the L2.
  static constexpr uint64_t kFirstRoom = uint64_t{1} << 16;

  void MakeRoom() {
    End();
    if (size_ <= room_ / 2) return;
    if (room_ < chunk_->capacity()) {
      room_ = room_ < chunk_->capacity() / 2 ? 2 * room_ : chunk_->capacity();
    } else {
      size_ = room_ / 2;
      last_ = chunk_->hashes()[size_] - 1;
    }
  }

  Allocator allocator_;
  HashChunk* chunk_ = nullptr;
  uint64_t first_ = 0, last_ = 0, size_ = 0, room_ = 0;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_DISTINCT_HASHES_H_
