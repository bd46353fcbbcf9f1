#include "lib/build/partition.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "lib/base/memory.h"

namespace linefilter::internal {

struct alignas(64) Partition::Worker : RangeWriter {
  Partition* partition = nullptr;
  uint32_t free_page = kNoPage;  // the first of a list
};

// Each worker has `stride` elements of lines, fill and cursors.
struct Partition::Arrays {
  Worker* workers;
  uint64_t *lines, lines_stride;
  uint8_t* fill;
  uint64_t fill_stride;
  PageCursor* cursors;
  uint64_t cursors_stride;
  Chunk* chunks;
  uint64_t* reserve;
  uint32_t* links;
  uint64_t bytes;  // of all
};

namespace {

// Cuts memory into arrays.
class Layouter {
 public:
  explicit Layouter(uintptr_t begin) : begin_(begin) {}
  template <class T>
  T* Take(uint64_t n) {
    T* const array = reinterpret_cast<T*>(begin_ + static_cast<uintptr_t>(used_));
    used_ += RoundUp(n * sizeof(T));
    return array;
  }
  uint64_t used() const { return used_; }

 private:
  uintptr_t begin_;
  uint64_t used_ = 0;
};

// Cuts off n elements, and some more so that those of the next worker lie on other lines.
template <class T>
uint64_t Stride(uint64_t n) {
  return RoundUp(n * sizeof(T)) / sizeof(T);
}

uint64_t PagesIn(uint64_t capacity) { return capacity / kPageHashes; }

uint64_t NumPages(const PartitionShape& shape) {
  return shape.num_chunks * Partition::kLargestChunkPages + shape.reserve_pages;
}

}  // namespace

Partition::Arrays Partition::Arrange(uintptr_t base, const PartitionShape& shape) {
  Layouter layouter(base);
  Arrays arrays;
  arrays.lines_stride = Stride<uint64_t>(shape.num_ranges * kLineHashes);
  arrays.fill_stride = Stride<uint8_t>(shape.num_ranges);
  arrays.cursors_stride = Stride<PageCursor>(shape.num_ranges);
  arrays.workers = layouter.Take<Worker>(shape.num_workers);
  arrays.lines = layouter.Take<uint64_t>(shape.num_workers * arrays.lines_stride);
  arrays.fill = layouter.Take<uint8_t>(shape.num_workers * arrays.fill_stride);
  arrays.cursors = layouter.Take<PageCursor>(shape.num_workers * arrays.cursors_stride);
  arrays.chunks = layouter.Take<Chunk>(shape.num_chunks);
  arrays.reserve = layouter.Take<uint64_t>(shape.reserve_pages * kPageHashes);
  arrays.links = layouter.Take<uint32_t>(NumPages(shape));
  arrays.bytes = layouter.used();
  return arrays;
}

uint64_t Partition::BytesFor(const PartitionShape& shape) { return Arrange(0, shape).bytes; }

bool Partition::Create(const PartitionShape& shape) {
  Free();
  if (NumPages(shape) >= kNoPage) return false;
  memory_ = Allocate(allocator_, BytesFor(shape));
  if (memory_ == nullptr) return false;
  shape_ = shape;
  const Arrays arrays = Arrange(reinterpret_cast<uintptr_t>(memory_), shape);
  workers_ = arrays.workers;
  chunks_ = arrays.chunks;
  reserve_ = arrays.reserve;
  links_ = arrays.links;
  uint32_t range_shift = 0;
  while (uint64_t{1} << range_shift < shape.range_blocks) ++range_shift;
  for (size_t i = 0; i < shape.num_workers; ++i) {
    Worker& worker = *new (&workers_[i]) Worker;
    worker.partition = this;
    worker.num_blocks = shape.num_blocks;
    worker.range_shift = range_shift;
    worker.first_range = shape.first_range;
    worker.lines = arrays.lines + i * arrays.lines_stride;
    worker.fill = arrays.fill + i * arrays.fill_stride;
    worker.cursors = arrays.cursors + i * arrays.cursors_stride;
    worker.turn_page = TurnPage;
  }
  Clear();
  return true;
}

void Partition::Free() {
  if (memory_ != nullptr) Deallocate(allocator_, memory_, BytesFor(shape_));
  memory_ = nullptr;
}

void Partition::Clear() {
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    workers_[i].free_page = kNoPage;
    memset(workers_[i].fill, 0, static_cast<size_t>(shape_.num_ranges));
    for (uint64_t range = 0; range < shape_.num_ranges; ++range) new (&workers_[i].cursors[range]) PageCursor;
  }
  reserve_used_ = 0;
}

uint64_t* Partition::PageAt(uint32_t page) const {
  const uint64_t reserve = FirstReservePage();
  if (page >= reserve) return reserve_ + (page - reserve) * kPageHashes;
  return chunks_[page / kLargestChunkPages].hashes + page % kLargestChunkPages * kPageHashes;
}

bool Partition::TurnPage(RangeWriter* writer, uint64_t range) {
  Worker& worker = *static_cast<Worker*>(writer);
  Partition& self = *worker.partition;
  uint32_t page = worker.free_page;
  if (page != kNoPage) {
    worker.free_page = self.links_[page];
  } else {
    if (self.reserve_used_.load(std::memory_order_relaxed) >= self.shape_.reserve_pages) return false;
    const uint64_t taken = self.reserve_used_.fetch_add(1, std::memory_order_relaxed);
    if (taken >= self.shape_.reserve_pages) return false;
    page = static_cast<uint32_t>(self.FirstReservePage() + taken);
  }
  PageCursor& cursor = worker.cursors[range];
  self.links_[page] = cursor.page;
  cursor.page = page;
  cursor.to = self.PageAt(page);
  cursor.lines_left = kPageLines;
  return true;
}

void Partition::ReleasePage(Worker& worker, uint32_t page) {
  links_[page] = worker.free_page;
  worker.free_page = page;
}

void Partition::ReadChunk(size_t index_of_worker, uint64_t index) {
  Worker& worker = workers_[index_of_worker];
  const Chunk& chunk = chunks_[index];
  const uint64_t pages = PagesIn(chunk.capacity), first = index * kLargestChunkPages;
  // It would rather stop than lose a key: ReserveFor tells why it does not happen.
  const auto take = [&](uint64_t begin, uint64_t end) {
    const size_t n = static_cast<size_t>(end < chunk.size ? end - begin : chunk.size - begin);
    if (PartitionHashes(&worker, chunk.hashes + begin, n) != n) abort();
  };
  for (uint64_t page = 0; page < pages; ++page) {
    const uint64_t begin = page * kPageHashes;
    if (begin < chunk.size) take(begin, begin + kPageHashes);
    ReleasePage(worker, static_cast<uint32_t>(first + page));
  }
  const uint64_t rest = pages * kPageHashes;
  if (rest < chunk.size) take(rest, chunk.size);
}

bool Partition::Read(size_t worker, const uint64_t* hashes, size_t n) {
  return PartitionHashes(&workers_[worker], hashes, n) == n;
}

// All pages of a range's list are full but the first.
uint64_t Partition::PageFill(const PageCursor& cursor, uint32_t page) const {
  return page == cursor.page ? kPageHashes - kLineHashes * cursor.lines_left : kPageHashes;
}

uint64_t Partition::RangeHashes(uint64_t range) const {
  uint64_t hashes = 0;
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    const PageCursor& cursor = workers_[i].cursors[range];
    hashes += workers_[i].fill[range];
    for (uint32_t page = cursor.page; page != kNoPage; page = links_[page]) hashes += PageFill(cursor, page);
  }
  return hashes;
}

uint64_t Partition::RangeSpans(uint64_t range) const {
  uint64_t spans = 0;
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    spans += workers_[i].fill[range] != 0;
    for (uint32_t page = workers_[i].cursors[range].page; page != kNoPage; page = links_[page]) ++spans;
  }
  return spans;
}

uint64_t Partition::NextSpans(uint64_t range, Place* place, HashSpan* spans, uint64_t capacity) const {
  uint64_t n = 0;
  for (; n < capacity && place->worker < shape_.num_workers;) {
    const Worker& worker = workers_[place->worker];
    const PageCursor& cursor = worker.cursors[range];
    if (!place->in_pages) {  // first what is left in the line
      place->in_pages = true;
      place->page = cursor.page;
      if (worker.fill[range] != 0) spans[n++] = {worker.lines + kLineHashes * range, worker.fill[range]};
    } else if (place->page == kNoPage) {
      ++place->worker;
      place->in_pages = false;
    } else {
      spans[n++] = {PageAt(place->page), PageFill(cursor, place->page)};
      place->page = links_[place->page];
    }
  }
  return n;
}

// Turns links into numbers of hashes: of every page of a chunk, and of the reserve as far as it was used.
void Partition::CountPages() {
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    for (uint64_t range = 0; range < shape_.num_ranges; ++range) {
      const PageCursor& cursor = workers_[i].cursors[range];
      for (uint32_t page = cursor.page, next; page != kNoPage; page = next) {
        next = links_[page];
        links_[page] = static_cast<uint32_t>(PageFill(cursor, page));
      }
    }
    for (uint32_t page = workers_[i].free_page, next; page != kNoPage; page = next) {
      next = links_[page];
      links_[page] = 0;
    }
  }
}

// Moves what is in the pages of a chunk to its begin.
void Partition::CloseGaps(Chunk& chunk, uint64_t index) {
  chunk.size = 0;
  for (uint64_t page = 0; page < PagesIn(chunk.capacity); ++page) {
    const uint64_t n = links_[index * kLargestChunkPages + page];
    memmove(chunk.hashes + chunk.size, chunk.hashes + page * kPageHashes, static_cast<size_t>(8 * n));
    chunk.size += n;
  }
}

void Partition::PutBack() {
  CountPages();
  uint64_t front = 0, back = shape_.num_chunks;
  for (uint64_t i = 0; i < shape_.num_chunks; ++i) CloseGaps(chunks_[i], i);
  const auto put = [&](const uint64_t* hashes, uint64_t n) {
    while (n != 0) {
      Chunk& chunk = chunks_[front];
      const uint64_t room = chunk.capacity - chunk.size, some = n < room ? n : room;
      memcpy(chunk.hashes + chunk.size, hashes, static_cast<size_t>(8 * some));
      chunk.size += some;
      hashes += some;
      n -= some;
      if (some == room) ++front;
    }
  };
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    for (uint64_t range = 0; range < shape_.num_ranges; ++range) {
      put(workers_[i].lines + kLineHashes * range, workers_[i].fill[range]);
    }
  }
  const uint64_t used = reserve_used_ < shape_.reserve_pages ? reserve_used_.load() : shape_.reserve_pages;
  for (uint64_t i = 0; i < used; ++i) put(reserve_ + i * kPageHashes, links_[FirstReservePage() + i]);
  // This closes the gaps that are left, from behind.
  for (; front < back; ++front) {
    Chunk& to = chunks_[front];
    while (to.size < to.capacity && front + 1 < back) {
      Chunk& from = chunks_[back - 1];
      const uint64_t room = to.capacity - to.size, some = from.size < room ? from.size : room;
      memcpy(to.hashes + to.size, from.hashes + from.size - some, static_cast<size_t>(8 * some));
      to.size += some;
      from.size -= some;
      if (from.size == 0) --back;
    }
  }
  Clear();
}

}  // namespace linefilter::internal
