#include "bench/memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <string>

#include "bench/peer.h"

namespace linefilter::bench {
namespace {

constexpr uint64_t kHugePage = uint64_t{2} << 20;

std::mutex all_mutex;
std::set<const HugeBuffer*> all;  // that are alive

}  // namespace

HugeBuffer::HugeBuffer(uint64_t size)
    : mapped_((size + kHugePage - 1) / kHugePage * kHugePage + kHugePage), size_(size) {
  raw_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw_ == MAP_FAILED) {
    Die("no memory for a filter of %llu MiB: leave the largest sizes out with --rows",
        static_cast<unsigned long long>(size >> 20));
  }
  const uintptr_t aligned = (reinterpret_cast<uintptr_t>(raw_) + kHugePage - 1) / kHugePage * kHugePage;
  data_ = reinterpret_cast<uint8_t*>(aligned);
#if defined(MADV_HUGEPAGE)
  madvise(data_, mapped_ - kHugePage, MADV_HUGEPAGE);
#endif
  memset(data_, 0, size);  // every page is there before a clock starts
#if defined(__linux__)
  // Where memory was in pieces the system took small pages: it moves them together now (Linux 6.1; refused, it stays
  // so).
  constexpr int kCollapse = 25;  // MADV_COLLAPSE, which older headers lack
  madvise(data_, mapped_ - kHugePage, kCollapse);
#endif
  const std::lock_guard<std::mutex> lock(all_mutex);
  all.insert(this);
}

HugeBuffer::~HugeBuffer() {
  {
    const std::lock_guard<std::mutex> lock(all_mutex);
    all.erase(this);
  }
  munmap(raw_, mapped_);
}

Allocator HugeBuffer::SharedBy() {
  Allocator allocator;
  allocator.allocate = [](void* context, size_t size, size_t) noexcept -> void* {
    HugeBuffer* const buffer = static_cast<HugeBuffer*>(context);
    return size <= buffer->size() ? buffer->data() : nullptr;
  };
  allocator.deallocate = [](void*, void*, size_t, size_t) noexcept {};
  allocator.context = this;
  return allocator;
}

Allocator Arena::allocator() {
  Allocator allocator;
  allocator.allocate = [](void* context, size_t size, size_t alignment) noexcept -> void* {
    Arena* const arena = static_cast<Arena*>(context);
    const std::lock_guard<std::mutex> lock(arena->mutex_);
    const uint64_t begin = (arena->used_ + alignment - 1) / alignment * alignment;
    if (begin + size > arena->buffer_.size()) return nullptr;
    arena->used_ = begin + size;
    ++arena->pieces_;
    return arena->buffer_.data() + begin;
  };
  allocator.deallocate = [](void* context, void* piece, size_t, size_t) noexcept {
    Arena* const arena = static_cast<Arena*>(context);
    const std::lock_guard<std::mutex> lock(arena->mutex_);
    if (piece != nullptr && --arena->pieces_ == 0) arena->used_ = 0;
  };
  allocator.context = this;
  return allocator;
}

double HugePagePercent() {
  std::ifstream in("/proc/self/smaps");
  double present = 0, huge = 0, present_here = 0, huge_here = 0;
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    const std::string field = line.substr(0, colon);
    if (field == "Rss") present_here = std::stod(line.substr(colon + 1)), huge_here = 0;
    if (field == "AnonHugePages" || field == "FilePmdMapped") huge_here += std::stod(line.substr(colon + 1));
    // The last line of a mapping; "hg" are those that asked for huge pages.
    if (field == "VmFlags" && (line + " ").find(" hg ") != std::string::npos)
      present += present_here, huge += huge_here;
  }
  return present > 0 ? 100 * huge / present : -1;
}

void PrintSmallPages(double huge_page_percent) {
  if (huge_page_percent < 0 || huge_page_percent >= kAlmostAllPages) return;
  printf(
      "only %.0f %% of the filters' memory is in huge pages: large sizes look slower than they are. "
      "Free some memory, or allow them: echo madvise >/sys/kernel/mm/transparent_hugepage/enabled\n",
      huge_page_percent);
}

void ReadAllPages() {
  const std::lock_guard<std::mutex> lock(all_mutex);
  for (const HugeBuffer* buffer : all) {
    for (uint64_t i = 0; i < buffer->size(); i += 4096)
      static_cast<void>(static_cast<const volatile uint8_t*>(buffer->data())[i]);
  }
}

}  // namespace linefilter::bench
