#include "lib/base/huge_pages.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace linefilter::internal {
namespace {

// Pages that lie only partly within the bytes are left out: the rest of them is somebody else's.
struct InnerPages {
  InnerPages(const void* memory, size_t size) {
    const uintptr_t from = reinterpret_cast<uintptr_t>(memory), end = (from + size) / kHugePage * kHugePage;
    const uintptr_t gap = (kHugePage - from % kHugePage) % kHugePage;
    begin = static_cast<uint8_t*>(const_cast<void*>(memory)) + gap;
    bytes = size > gap && end > from + gap ? static_cast<size_t>(end - from - gap) : 0;
  }
  void* begin;
  size_t bytes;
};

#ifdef MADV_HUGEPAGE
#ifdef MADV_COLLAPSE
constexpr int kCollapse = MADV_COLLAPSE;
#else
constexpr int kCollapse = 25;  // Linux has it since 6.1; the headers of Debian 12's C library are older
#endif

bool Advise(const InnerPages& pages, int advice) { return madvise(pages.begin, pages.bytes, advice) == 0; }

// ENOMEM: no huge page is free. EBUSY: the limit of the control group. EAGAIN: somebody else uses a page just now.
bool MayWorkLater(int error) { return error == ENOMEM || error == EBUSY || error == EAGAIN; }

Status NotJoined(size_t bytes, int error) {
  const auto size = static_cast<unsigned long long>(bytes);
  if (MayWorkLater(error)) {
    return Status::Error(StatusCode::kOutOfMemory,
                         "not all of %llu bytes are in huge pages: %s. Free some memory and call it again", size,
                         strerror(error));
  }
  return Status::Error(StatusCode::kIoError,
                       "the system makes no huge pages of these %llu bytes now: %s. Load a file that is mapped; map "
                       "shared memory at 2 MiB; else copy the image, or let Linux before 6.1 do it in time",
                       size, strerror(error));
}
#endif

}  // namespace

Status JoinHugePages(const void* memory, size_t size) noexcept {
  const InnerPages pages(memory, size);
  if (pages.bytes == 0) return Status();
#ifdef MADV_HUGEPAGE
  if (Advise(pages, kCollapse)) {
    // Without the wish the system may take a huge page apart again, and it would not join what is swapped in later. A
    // system that refuses the wish alone, as for some files, has joined pages all the same.
    Advise(pages, MADV_HUGEPAGE);
    return Status();
  }
  const int error = errno;
  // A wish helps where the system joins later. In a mapped file each fault would read 2 MiB, in spite of MADV_RANDOM.
  const bool is_old = madvise(pages.begin, 0, kCollapse) != 0;  // before Linux 6.1
  if (is_old || MayWorkLater(error)) Advise(pages, MADV_HUGEPAGE);
  return NotJoined(pages.bytes, error);
#else
  return Status::Error(StatusCode::kIoError, "this system has no call that makes huge pages: small pages work, too");
#endif
}

}  // namespace linefilter::internal

namespace linefilter {

void WishHugePages(void* memory, size_t size) noexcept {
#ifdef MADV_HUGEPAGE
  const internal::InnerPages pages(memory, size);
  if (pages.bytes != 0) internal::Advise(pages, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)size;
#endif
}

}  // namespace linefilter
