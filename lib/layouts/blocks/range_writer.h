// This sorts hashes into ranges of blocks: the inner loop of bulk building.
//
// Each range has one line of 8 hashes that collects what falls into it. A full line leaves with streaming stores for
// the page of the range: the caches keep the lines (64 bytes per range) and nothing of the pages.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_RANGE_WRITER_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_RANGE_WRITER_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

inline constexpr size_t kLineHashes = 8;
// A page has 127 lines. Chunks of 1 MiB are a header of a line and 129 pages.
inline constexpr size_t kPageLines = 127, kPageHashes = kPageLines * kLineHashes;
inline constexpr uint32_t kNoPage = ~uint32_t{0};

// The place that a range's next line goes to.
struct PageCursor {
  uint64_t* to = nullptr;   // 64-byte aligned
  uint32_t lines_left = 0;  // in the page
  uint32_t page = kNoPage;
};

// One thread's side of a partition.
struct RangeWriter {
  uint64_t num_blocks = 0;
  uint32_t range_shift = 0;   // log2 of the blocks of a range
  uint64_t first_range = 0;   // the first that is written here
  uint64_t* lines = nullptr;  // per range, 64-byte aligned
  uint8_t* fill = nullptr;    // per range: hashes in its line, 0..8
  PageCursor* cursors = nullptr;
  // Gives a range a page; false if there is none.
  bool (*turn_page)(RangeWriter* writer, uint64_t range) = nullptr;
};

// Takes n hashes, all of them in the writer's ranges. Returns how many it took: fewer if there was no page.
size_t PartitionHashes(RangeWriter* writer, const uint64_t* hashes, size_t n);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_RANGE_WRITER_H_
