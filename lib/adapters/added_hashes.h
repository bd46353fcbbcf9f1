// AddedHashes keeps the hashes of a filter's keys apart from its builder, to be asked when the filter is made.
#ifndef LINEFILTER_LIB_ADAPTERS_ADDED_HASHES_H_
#define LINEFILTER_LIB_ADAPTERS_ADDED_HASHES_H_

#include <cstddef>
#include <cstdint>
#include <new>

namespace linefilter::internal {

// It keeps chunks, so that nothing is copied when it grows: 8 bytes per key, as the builder takes for itself.
class AddedHashes {
 public:
  AddedHashes() = default;
  ~AddedHashes() { Clear(); }
  AddedHashes(const AddedHashes&) = delete;
  AddedHashes& operator=(const AddedHashes&) = delete;

  void Add(uint64_t hash) noexcept {
    if (newest_ != nullptr && newest_->size != 0 && newest_->hashes[newest_->size - 1] == hash) return;
    if ((newest_ == nullptr || newest_->size == kChunkHashes) && !AppendChunk()) return;
    newest_->hashes[newest_->size++] = hash;
  }

  // False if memory ran out, so that some are missing.
  bool has_all() const noexcept { return has_all_; }

  // Calls visit(hashes, n) for one chunk after the other.
  template <class Visit>
  void ForEachChunk(const Visit& visit) const {
    for (const Chunk* chunk = newest_; chunk != nullptr; chunk = chunk->older) visit(chunk->hashes, chunk->size);
  }

  void Clear() noexcept {
    while (newest_ != nullptr) {
      Chunk* const older = newest_->older;
      delete newest_;
      newest_ = older;
    }
    has_all_ = true;
  }

 private:
  static constexpr size_t kChunkHashes = 2046;  // 16 KiB with the two other members
  struct Chunk {
    Chunk* older;
    size_t size;
    uint64_t hashes[kChunkHashes];
  };

  bool AppendChunk() noexcept {
    Chunk* const chunk = new (std::nothrow) Chunk;
    if (chunk == nullptr) return has_all_ = false;
    chunk->older = newest_;
    chunk->size = 0;
    newest_ = chunk;
    return true;
  }

  Chunk* newest_ = nullptr;
  bool has_all_ = true;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_ADAPTERS_ADDED_HASHES_H_
