// This reads filters from files (mapped or loaded), and writes files safely.
//
//   linefilter::FilterFile file;
//   linefilter::Status status = file.Map("users.filter");
//   if (!status.ok()) ...  // status.message() says what to do
//   if (file.view().MayContainKey(name)) ...  // ask the database
#ifndef LINEFILTER_FILE_H_
#define LINEFILTER_FILE_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter {

namespace internal {
class LazyChecks;
}

// What the system is told about a mapped file.
enum class MapAdvice : uint8_t {
  kWillNeed,  // the system starts reading the file now, in huge pages if its file system has them
  kRandom,    // pages come when asked for, without read-ahead: a filter larger than memory
};

// A FilterFile owns a file's bytes and the view over them. Before Map and Load, and after Close, view() answers
// "maybe". It is movable. Views taken from it end with it.
//
// Map and Load look at the new file first. On an error the old one stays open, and view() answers from it: look at the
// Status. If none was open, view() answers "maybe", and its status() is that of the last Map or Load. So until Load
// returns, old and new bytes are both held; call Close before it where there is no room for both.
class LINEFILTER_EXPORT FilterFile {
 public:
  FilterFile() noexcept = default;
  FilterFile(FilterFile&& other) noexcept;
  FilterFile& operator=(FilterFile&& other) noexcept;
  ~FilterFile();

  // Maps the file (mmap): nothing is copied, and processes share the pages. The file must not shrink while it is
  // mapped: a lookup beyond its new end kills the process (SIGBUS). Replace files by rename, as this library does; call
  // Load where others may cut them short.
  //
  // `verify` says when the body is verified; kAuto is kWhole for a file of up to 64 MiB, and kLazy above. A file that
  // is found damaged by kWhole is not opened (kCorrupt). With kLazy it is opened at once, and a lookup may verify a
  // chunk of 64 KiB, which takes 7.6 us (median, AMD Zen 4). In a `container` it may verify one per stage, in `classic`
  // more beside damage. When all chunks are verified, lookups are those of kTrusted.
  // view().Verify() in another thread gets there sooner; view().status() tells what was found. If there is no memory
  // for the marks of kLazy (2 bytes per chunk, and 64 KiB at most besides), it is kOutOfMemory.
  Status Map(const char* path, VerifyMode verify = VerifyMode::kAuto, MapAdvice advice = MapAdvice::kWillNeed,
             const HashSecret* secret = nullptr) noexcept;

  // Reads the file into aligned memory with huge pages and verifies all of it on the way. From half a GB up, lookups
  // are 1.2 to 1.5 times faster than with Map. (Where Map finds huge pages, as on ext4 since Linux 6.16 in a file that
  // is not in memory yet, both are equal.) kCorrupt means that a byte is damaged.
  Status Load(const char* path, const Allocator& allocator = {}, uint64_t memory_limit = kNoMemoryLimit,
              const HashSecret* secret = nullptr) noexcept;

  // Closes the file; view() then answers "maybe".
  void Close() noexcept;
  // The view is good as long as this object lives and is not moved. A copy of it borrows the bytes and what is known of
  // them: it may be asked while this object, or the one that it was moved to, holds the file.
  const FilterView& view() const noexcept { return view_; }
  // The image: view().image_bytes() bytes, as long as it is open; else null.
  const void* data() const noexcept { return data_; }

 private:
  LINEFILTER_LOCAL void MoveFrom(FilterFile& other) noexcept;
  LINEFILTER_LOCAL Status Become(FilterFile* opened, const Status& status) noexcept;
  LINEFILTER_LOCAL Status MapFirst(const char* path, VerifyMode verify, MapAdvice advice,
                                   const HashSecret* secret) noexcept;
  LINEFILTER_LOCAL Status AskLazily() noexcept;
  LINEFILTER_LOCAL Status LoadFirst(const char* path, const Allocator& allocator, uint64_t memory_limit,
                                    const HashSecret* secret) noexcept;

  FilterView view_;
  void* data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;
  Allocator allocator_;
  internal::LazyChecks* lazy_ = nullptr;
};

// A file that appears under its name only when it is complete. It is written to a temporary name in the same folder,
// synced and renamed, then the folder is synced. If it is dropped without Commit, or the process is killed at any
// moment, the old file, if any, is untouched. A dropped file is removed; a killed process leaves its temporary file,
// named .linefilter-, 16 hexadecimal digits, .tmp. Nobody reads it: remove it when no process saves to the folder.
class LINEFILTER_EXPORT AtomicFile {
 public:
  AtomicFile() noexcept = default;
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Begins the file. kIoError means that `path` exists and is no regular file: a device or folder is never replaced.
  // The file that a symbolic link leads to is replaced, not the link. A replaced file hands on its mode.
  Status Create(const char* path) noexcept;
  Status Append(const void* data, size_t size) noexcept;  // behind what was appended before
  // On an error the old file stays, unless syncing the folder failed: then the new one has its name already.
  Status Commit() noexcept;
  // A sink that appends.
  Sink sink() noexcept;
  // The first failure; Append and Commit answer it from then on.
  const Status& status() const noexcept { return status_; }

 private:
  LINEFILTER_LOCAL void Drop() noexcept;
  LINEFILTER_LOCAL Status Failed(const char* what) noexcept;

  Status status_;
  char* path_ = nullptr;
  char* temporary_ = nullptr;
  int fd_ = -1;
};

}  // namespace linefilter

#endif  // LINEFILTER_FILE_H_
