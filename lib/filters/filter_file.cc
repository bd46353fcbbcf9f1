// This reads filters in files: mapped, or loaded and verified.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/base/endian.h"
#include "lib/base/huge_pages.h"
#include "lib/base/memory.h"
#include "lib/base/system_error.h"
#include "lib/filters/lazy_checks.h"
#include "lib/image/trailer.h"
#include "linefilter/file.h"

namespace linefilter {
namespace {

using internal::kChunkBytes;
using internal::SystemError;

// A file up to this size is verified when it is mapped: about 6 ms, at 0.1 s per GB, if the page cache has it.
constexpr size_t kMostWhole = size_t{64} << 20;

// A file that is open for reading, and its size.
struct OpenFile {
  int fd = -1;
  size_t size = 0;
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }
  Status Open(const char* path) {
    if (path == nullptr) return Status::Error(StatusCode::kInvalidArgument, "the path is NULL");
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not hang us
    if (fd < 0) return SystemError("cannot open", path);
    struct stat info;
    if (fstat(fd, &info) != 0) return SystemError("cannot stat", path);
    if (!S_ISREG(info.st_mode)) {
      return Status::Error(StatusCode::kIoError, "'%.120s' is not a regular file: an image must be one", path);
    }
    if (info.st_size == 0) {
      return Status::Error(StatusCode::kCorrupt, "'%.120s' is empty: even the empty set has an image of 8 bytes", path);
    }
    if (static_cast<uint64_t>(info.st_size) > SIZE_MAX / 2)
      return internal::OutOfMemory(static_cast<uint64_t>(info.st_size));
    size = static_cast<size_t>(info.st_size);
    return Status();
  }
};

Status ReadAll(int fd, const char* path, uint8_t* to, size_t size) {
  while (size != 0) {
    const ssize_t got = read(fd, to, size);
    if (got < 0) {
      if (errno == EINTR) continue;
      return SystemError("cannot read", path);
    }
    if (got == 0) return Status::Error(StatusCode::kIoError, "'%.120s' became shorter while it was read", path);
    to += got;
    size -= static_cast<size_t>(got);
  }
  return Status();
}

// Reads the file chunk by chunk and computes each chunk's check (4 bytes at `checks`) while it is in the cache. The
// chunk in which the body ends is computed again when its end is known.
Status ReadAndCheck(const OpenFile& file, const char* path, uint8_t* to, uint8_t* checks) {
  for (uint64_t begin = 0, i = 0; begin < file.size; begin += kChunkBytes, ++i) {
    const size_t size = static_cast<size_t>(file.size - begin < kChunkBytes ? file.size - begin : kChunkBytes);
    const Status status = ReadAll(file.fd, path, to + begin, size);
    if (!status.ok()) return status;
    internal::StoreLE32(internal::ChunkCheck(to, file.size, i), checks + 4 * i);
  }
  return Status();
}

Status CompareChecks(const FilterView& view, const uint8_t* computed, const uint8_t* stored) {
  const uint64_t whole = view.body_bytes() / kChunkBytes;
  for (uint64_t i = 0; i < view.num_chunks(); ++i) {
    if (i < whole && memcmp(computed + 4 * i, stored + 4 * i, 4) == 0) continue;
    const Status status = view.VerifyChunks(i, 1);  // the last one; or a damaged one, for its message
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace

FilterFile::FilterFile(FilterFile&& other) noexcept { MoveFrom(other); }

FilterFile& FilterFile::operator=(FilterFile&& other) noexcept {
  if (this != &other) {
    Close();
    MoveFrom(other);
  }
  return *this;
}

FilterFile::~FilterFile() { Close(); }

void FilterFile::MoveFrom(FilterFile& other) noexcept {
  view_ = other.view_;
  data_ = other.data_;
  size_ = other.size_;
  mapped_ = other.mapped_;
  allocator_ = other.allocator_;
  lazy_ = other.lazy_;
  other.data_ = nullptr;
  other.lazy_ = nullptr;
  other.Close();
}

void FilterFile::Close() noexcept {
  if (data_ != nullptr) {
    if (mapped_) {
      munmap(data_, size_);
    } else {
      internal::Deallocate(allocator_, data_, size_);
    }
  }
  data_ = nullptr;
  size_ = 0;
  view_ = FilterView();
  internal::LazyChecks::Free(lazy_);
  lazy_ = nullptr;
}

// Ends Map and Load: it takes over what they opened, or nothing. Where nothing was open, view() keeps the reason,
// whatever failed. A view that could not be opened points to nothing. One that was opened before the file turned out to
// be damaged points to bytes that go with `opened`.
Status FilterFile::Become(FilterFile* opened, const Status& status) noexcept {
  if (status.ok()) {
    *this = static_cast<FilterFile&&>(*opened);
  } else if (data_ == nullptr) {
    view_ = opened->view_.layout() == Layout::kAuto ? opened->view_ : FilterView();
    view_.status_ = status;
  }
  return status;
}

Status FilterFile::Map(const char* path, VerifyMode verify, MapAdvice advice, const HashSecret* secret) noexcept {
  FilterFile opened;
  return Become(&opened, opened.MapFirst(path, verify, advice, secret));
}

Status FilterFile::Load(const char* path, const Allocator& allocator, uint64_t memory_limit,
                        const HashSecret* secret) noexcept {
  FilterFile opened;
  return Become(&opened, opened.LoadFirst(path, allocator, memory_limit, secret));
}

// Maps into an object that has nothing yet.
Status FilterFile::MapFirst(const char* path, VerifyMode verify, MapAdvice advice, const HashSecret* secret) noexcept {
  OpenFile file;
  Status status = file.Open(path);
  if (!status.ok()) return status;
  if (verify == VerifyMode::kAuto) verify = file.size > kMostWhole ? VerifyMode::kLazy : VerifyMode::kWhole;
  void* const data = mmap(nullptr, file.size, PROT_READ, MAP_SHARED, file.fd, 0);
  if (data == MAP_FAILED) return SystemError("cannot map", path);
  // Advice: its failure is harmless. What is verified now is not read at random.
  const bool is_random = advice == MapAdvice::kRandom;
  // Pages that come from now on may be huge, as on ext4 since Linux 6.16, so this is first. Then 512 MB answered as
  // fast as loaded ones, and the first 100 keys took 80 ms, not 280. Filters that are read at random want single pages.
  if (!is_random) internal::WishHugePages(data, file.size);
  if (!is_random || verify == VerifyMode::kWhole) madvise(data, file.size, MADV_WILLNEED);
  data_ = data;
  size_ = file.size;
  mapped_ = true;
  status = view_.Open(data, file.size, verify == VerifyMode::kLazy ? VerifyMode::kTrusted : verify, secret);
  if (is_random) madvise(data, file.size, MADV_RANDOM);
  return status.ok() && verify == VerifyMode::kLazy ? AskLazily() : status;
}

// A body without chunks was verified with its trailer.
Status FilterFile::AskLazily() noexcept {
  if (view_.num_chunks() == 0) return Status();
  const internal::CheckedBody checked = {internal::FindLayout(view_.layout()), view_.body(), view_.body_bytes(),
                                         view_.chunk_checks_, view_.num_stages()};
  lazy_ = internal::LazyChecks::Make(checked, &view_.state_);
  if (lazy_ != nullptr) return Status();
  return Status::Error(
      StatusCode::kOutOfMemory,
      "no memory for the %llu bytes that verifying a file lazily takes: open it whole or trusted, which "
      "need none",
      static_cast<unsigned long long>(internal::LazyChecks::BytesFor(checked)));
}

// Loads into an object that has nothing yet.
Status FilterFile::LoadFirst(const char* path, const Allocator& allocator, uint64_t memory_limit,
                             const HashSecret* secret) noexcept {
  OpenFile file;
  Status status = internal::CheckAllocator(allocator);
  if (status.ok()) status = file.Open(path);
  if (!status.ok()) return status;
  const size_t checks_bytes = 4 * (file.size / kChunkBytes + 1);
  if (file.size + checks_bytes > memory_limit) return internal::OverLimit(file.size + checks_bytes, memory_limit);
  data_ = internal::Allocate(allocator, file.size);
  size_ = file.size;
  allocator_ = allocator;
  uint8_t* const checks = static_cast<uint8_t*>(internal::Allocate(allocator, checks_bytes));
  if (data_ == nullptr || checks == nullptr) {
    status = internal::OutOfMemory(file.size + checks_bytes);
  } else {
    uint8_t* const bytes = static_cast<uint8_t*>(data_);
    status = ReadAndCheck(file, path, bytes, checks);
    if (status.ok()) status = view_.Open(bytes, file.size, VerifyMode::kTrusted, secret);
    if (status.ok()) status = CompareChecks(view_, checks, bytes + view_.body_bytes());
  }
  internal::Deallocate(allocator, checks, checks_bytes);
  return status;
}

}  // namespace linefilter
