// Each hash is stored at once at the end of its range's page, whose line is in the cache. No branch depends on the hash
// but the one that asks whether the page is full, once in a thousand. The line behind comes while this one fills: else
// a store would wait for it, and all stores after it.
#include "lib/build/partition.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "lib/base/memory.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

// Each worker has `stride` elements of cursors and pages.
struct Partition::Arrays {
  Worker* workers;
  Cursor* cursors;
  uint32_t* pages;
  uint64_t cursors_stride, pages_stride;
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
  arrays.cursors_stride = Stride<Cursor>(shape.num_ranges);
  arrays.pages_stride = Stride<uint32_t>(shape.num_ranges);
  arrays.workers = layouter.Take<Worker>(shape.num_workers);
  arrays.cursors = layouter.Take<Cursor>(shape.num_workers * arrays.cursors_stride);
  arrays.pages = layouter.Take<uint32_t>(shape.num_workers * arrays.pages_stride);
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
  for (range_shift_ = 0; uint64_t{1} << range_shift_ < shape.range_blocks;) ++range_shift_;
  for (size_t i = 0; i < shape.num_workers; ++i) {
    new (&workers_[i]) Worker{arrays.cursors + i * arrays.cursors_stride, arrays.pages + i * arrays.pages_stride};
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
    Worker& worker = workers_[i];
    worker.free_page = kNoPage;
    for (uint64_t range = 0; range < shape_.num_ranges; ++range) {
      new (&worker.cursors[range]) Cursor;
      worker.pages[range] = kNoPage;
    }
  }
  reserve_used_ = 0;
}

uint64_t* Partition::PageAt(uint32_t page) const {
  const uint64_t reserve = FirstReservePage();
  if (page >= reserve) return reserve_ + (page - reserve) * kPageHashes;
  return chunks_[page / kLargestChunkPages].hashes + page % kLargestChunkPages * kPageHashes;
}

bool Partition::TurnPage(Worker* worker, uint64_t range) {
  uint32_t page = worker->free_page;
  if (page != kNoPage) {
    worker->free_page = links_[page];
  } else {
    if (reserve_used_.load(std::memory_order_relaxed) >= shape_.reserve_pages) return false;
    const uint64_t taken = reserve_used_.fetch_add(1, std::memory_order_relaxed);
    if (taken >= shape_.reserve_pages) return false;
    page = static_cast<uint32_t>(FirstReservePage() + taken);
  }
  links_[page] = worker->pages[range];
  worker->pages[range] = page;
  uint64_t* const begin = PageAt(page);
  worker->cursors[range] = {begin, begin + kPageHashes};
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
  const auto take = [&](uint64_t begin, uint64_t end) {
    MustRead(index_of_worker, chunk.hashes + begin, static_cast<size_t>((end < chunk.size ? end : chunk.size) - begin));
  };
  for (uint64_t page = 0; page < pages; ++page) {
    const uint64_t begin = page * kPageHashes;
    if (begin < chunk.size) take(begin, begin + kPageHashes);
    ReleasePage(worker, static_cast<uint32_t>(first + page));
  }
  const uint64_t rest = pages * kPageHashes;
  if (rest < chunk.size) take(rest, chunk.size);
}

bool Partition::Read(size_t index_of_worker, const uint64_t* hashes, size_t n) {
  constexpr uintptr_t kLine = 64;
  Worker& worker = workers_[index_of_worker];
  const uint64_t num_blocks = shape_.num_blocks, index_mask = shape_.index_mask, first_range = shape_.first_range;
  const uint32_t shift = range_shift_;
  Cursor* const cursors = worker.cursors;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t hash = hashes[i], range = (BlockIndex(hash & index_mask, num_blocks) >> shift) - first_range;
    Cursor& cursor = cursors[range];
    if (__builtin_expect(cursor.to == cursor.end, 0) && !TurnPage(&worker, range)) return false;
    *cursor.to++ = hash;
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(cursor.to) + kLine), 1);
  }
  return true;
}

void Partition::MustRead(size_t worker, const uint64_t* hashes, size_t n) {
  if (!Read(worker, hashes, n)) abort();
}

// All pages of a range's list are full but the first.
uint64_t Partition::PageFill(const Worker& worker, uint64_t range, uint32_t page) {
  const Cursor& cursor = worker.cursors[range];
  return page == worker.pages[range] ? kPageHashes - static_cast<uint64_t>(cursor.end - cursor.to) : kPageHashes;
}

uint64_t Partition::RangeHashes(uint64_t range) const {
  uint64_t hashes = 0;
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    const Worker& worker = workers_[i];
    for (uint32_t page = worker.pages[range]; page != kNoPage; page = links_[page]) {
      hashes += PageFill(worker, range, page);
    }
  }
  return hashes;
}

uint64_t Partition::RangeSpans(uint64_t range) const {
  uint64_t spans = 0;
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    for (uint32_t page = workers_[i].pages[range]; page != kNoPage; page = links_[page]) ++spans;
  }
  return spans;
}

uint64_t Partition::NextSpans(uint64_t range, Place* place, HashSpan* spans, uint64_t capacity) const {
  uint64_t n = 0;
  for (; n < capacity && place->worker < shape_.num_workers;) {
    const Worker& worker = workers_[place->worker];
    if (!place->in_pages) {
      place->in_pages = true;
      place->page = worker.pages[range];
    }
    if (place->page == kNoPage) {
      ++place->worker;
      place->in_pages = false;
    } else {
      spans[n++] = {PageAt(place->page), PageFill(worker, range, place->page)};
      place->page = links_[place->page];
    }
  }
  return n;
}

// Turns links into numbers of hashes: of every page of a chunk, and of the reserve as far as it was used.
void Partition::CountPages() {
  for (size_t i = 0; i < shape_.num_workers; ++i) {
    const Worker& worker = workers_[i];
    for (uint64_t range = 0; range < shape_.num_ranges; ++range) {
      for (uint32_t page = worker.pages[range], next; page != kNoPage; page = next) {
        next = links_[page];
        links_[page] = static_cast<uint32_t>(PageFill(worker, range, page));
      }
    }
    for (uint32_t page = worker.free_page, next; page != kNoPage; page = next) {
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
