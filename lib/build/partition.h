// This sorts hashes into ranges of blocks, in place: pages of one range each. A chunk of hashes that was read becomes
// pages to write to, so little memory is needed beside the hashes: a page per range and worker, and the reserve for it.
#ifndef LINEFILTER_LIB_BUILD_PARTITION_H_
#define LINEFILTER_LIB_BUILD_PARTITION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lib/layouts/layout_maker.h"
#include "linefilter/memory.h"

namespace linefilter::internal {

// A page is 63 lines. Chunks of 2 MiB are a header of a line and 520 pages.
inline constexpr uint64_t kPageHashes = 63 * 8;
inline constexpr uint32_t kNoPage = ~uint32_t{0};

struct PartitionShape {
  uint64_t num_blocks = 0;
  uint64_t index_mask = ~uint64_t{0};        // LayoutRecord's
  uint64_t range_blocks = 0;                 // a power of two
  uint64_t first_range = 0, num_ranges = 0;  // the ranges that are partitioned
  size_t num_workers = 1;
  uint64_t num_chunks = 0;
  uint64_t reserve_pages = 0;
};

// The totals of all chunks that are read.
struct ChunkTotals {
  uint64_t num_chunks = 0;
  // Those behind the last page of their chunk, or that come by Read: no page becomes free by them.
  uint64_t loose_hashes = 0;
  void Add(uint64_t capacity, uint64_t times = 1) {
    num_chunks += times;
    loose_hashes += times * (capacity % kPageHashes);
  }
};

class Partition {
 public:
  // A chunk that holds `size` hashes before Read, and again after PutBack.
  struct Chunk {
    uint64_t* hashes;  // 64-byte aligned
    uint64_t capacity, size;
  };
  static constexpr uint64_t kLargestChunkPages = 520;  // a larger one must not come (builder_chunk.h)

  explicit Partition(const Allocator& allocator) : allocator_(allocator) {}
  ~Partition() { Free(); }
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  // Tells the reserve_pages that always suffice. loose_hashes are as ChunkTotals counts them.
  //
  // Proof: what a worker has sorted lies in full pages and, per range, one that is not. It came from pages of its
  // chunks that are free by now, from the page that it is reading, and from loose hashes. So it needs, beside the pages
  // that it freed, at most num_ranges + 1, and a full one for each kPageHashes loose hashes.
  static uint64_t ReserveFor(uint64_t num_workers, uint64_t num_ranges, uint64_t loose_hashes) {
    return num_workers * (num_ranges + 1) + loose_hashes / kPageHashes;
  }
  // The bytes that Create allocates.
  static uint64_t BytesFor(const PartitionShape& shape);
  bool Create(const PartitionShape& shape);
  bool created() const { return memory_ != nullptr; }
  void Free();
  // Set each chunk after Create.
  Chunk& chunk(uint64_t index) { return chunks_[index]; }

  // Sorts a chunk's hashes into the ranges and takes its memory for pages. Different workers may read different chunks
  // at the same time. The reserve must have ReserveFor pages.
  void ReadChunk(size_t worker, uint64_t index);
  // Sorts hashes from elsewhere into pages of the reserve; false if it has no more.
  bool Read(size_t worker, const uint64_t* hashes, size_t n);
  // The same where the reserve must have enough, as ReserveFor tells: it would rather stop than lose a key.
  void MustRead(size_t worker, const uint64_t* hashes, size_t n);

  // A place goes through all that fell into a range (numbered from first_range), in pieces.
  struct Place {
    size_t worker = 0;
    uint32_t page = kNoPage;
    bool in_pages = false;
  };
  uint64_t RangeHashes(uint64_t range) const;
  uint64_t RangeSpans(uint64_t range) const;
  // Writes up to `capacity` spans from `place` on, and moves it; 0 at the end.
  uint64_t NextSpans(uint64_t range, Place* place, HashSpan* spans, uint64_t capacity) const;

  // Puts all hashes back into the chunks, in another order: full ones first. The partition is then empty.
  void PutBack();
  // Forgets all hashes; the reserve is whole again.
  void Clear();

  const PartitionShape& shape() const { return shape_; }

 private:
  // The place that a range's next hash goes to, and the end of its page.
  struct Cursor {
    uint64_t* to = nullptr;
    uint64_t* end = nullptr;
  };
  // One thread's side; aligned: threads do not share lines.
  struct alignas(64) Worker {
    Cursor* cursors = nullptr;     // of each range
    uint32_t* pages = nullptr;     // the page of each cursor
    uint32_t free_page = kNoPage;  // the first of a list
  };
  struct Arrays;

  // Tells where all arrays lie in memory that begins at `base`; with base 0, how much they take.
  static Arrays Arrange(uintptr_t base, const PartitionShape& shape);
  bool TurnPage(Worker* worker, uint64_t range);
  uint64_t* PageAt(uint32_t page) const;
  static uint64_t PageFill(const Worker& worker, uint64_t range, uint32_t page);
  void ReleasePage(Worker& worker, uint32_t page);
  void CountPages();
  void CloseGaps(Chunk& chunk, uint64_t index);
  uint64_t FirstReservePage() const { return shape_.num_chunks * kLargestChunkPages; }

  Allocator allocator_;
  PartitionShape shape_;
  uint32_t range_shift_ = 0;  // log2 of the blocks of a range
  void* memory_ = nullptr;
  Worker* workers_ = nullptr;
  Chunk* chunks_ = nullptr;
  uint64_t* reserve_ = nullptr;
  // For each page this is the one before it in its range's list, or in a worker's of free ones. PutBack turns them into
  // numbers of hashes, because it needs no list any more.
  uint32_t* links_ = nullptr;
  std::atomic<uint64_t> reserve_used_{0};
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_PARTITION_H_
