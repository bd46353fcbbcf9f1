// An AtomicFile appears under its name only when it is complete.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "lib/base/system_error.h"
#include "linefilter/file.h"
#include "linefilter/hash.h"

namespace linefilter {
namespace {

constexpr int kTries = 10;  // names, each of 64 random bits

// The length of the folder part of a path, with its slash.
size_t FolderLength(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? 0 : static_cast<size_t>(slash - path) + 1;
}

// The name is in the same folder, so that rename never crosses file systems, and short, so that any name that fits can
// be written. It is hardly ever the same twice, so that what killed processes left does not stand in the way (a
// container's is always number 1).
void MakeTemporaryName(const char* path, char* out, size_t size) {
  static std::atomic<uint64_t> counter{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t process = static_cast<uint64_t>(getpid()) << 32 ^ counter.fetch_add(1, std::memory_order_relaxed);
  const uint64_t time = static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
  snprintf(out, size, "%.*s.linefilter-%016llx.tmp", static_cast<int>(FolderLength(path)), path,
           static_cast<unsigned long long>(MixHash(MixHash(process) ^ time)));
}

// Finds what will be replaced: the file at the end of a symbolic link, not the link. Null with errno if there is none.
char* ResolveLink(const char* path) {
  struct stat info;
  if (lstat(path, &info) != 0) return errno == ENOENT ? strdup(path) : nullptr;
  return S_ISLNK(info.st_mode) ? realpath(path, nullptr) : strdup(path);
}

// The rename itself must survive a power failure. A file system that cannot sync folders is no reason to fail.
bool SyncFolderOf(char* path) {
  const size_t length = FolderLength(path);
  const char saved = path[length];
  path[length] = '\0';
  const int fd = open(length == 0 ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  path[length] = saved;
  if (fd < 0) return errno == EACCES;  // a folder may be writable and not readable
  const bool synced = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int error = errno;
  close(fd);
  errno = error;
  return synced;
}

}  // namespace

AtomicFile::~AtomicFile() { Drop(); }

void AtomicFile::Drop() noexcept {
  if (fd_ >= 0) {
    close(fd_);
    unlink(temporary_);
    fd_ = -1;
  }
  free(path_);
  free(temporary_);
  path_ = temporary_ = nullptr;
}

Status AtomicFile::Failed(const char* what) noexcept {
  status_ = internal::SystemError(what, path_);
  Drop();
  return status_;
}

Status AtomicFile::Create(const char* path) noexcept {
  Drop();
  status_ = Status();
  if (path == nullptr) return status_ = Status::Error(StatusCode::kInvalidArgument, "the path is NULL");
  if (*path == '\0') {
    errno = ENOENT;
    return status_ = internal::SystemError("no file name was given:", path);
  }
  path_ = ResolveLink(path);
  if (path_ == nullptr) return status_ = internal::SystemError("cannot look up", path);
  const size_t size = strlen(path_) + 64;
  temporary_ = static_cast<char*>(malloc(size));
  if (temporary_ == nullptr) return Failed("cannot write");
  struct stat old;
  const bool replaces = stat(path_, &old) == 0;
  if (!replaces && errno != ENOENT) return Failed("cannot look at");
  if (replaces && !S_ISREG(old.st_mode)) {
    errno = S_ISDIR(old.st_mode) ? EISDIR : EEXIST;
    return Failed("not a regular file, so it is not replaced:");
  }
  for (int i = 0; i < kTries && fd_ < 0; ++i) {
    MakeTemporaryName(path_, temporary_, size);
    fd_ = open(temporary_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) return Failed("cannot create a file beside");
  if (replaces && fchmod(fd_, old.st_mode & 07777) != 0) return Failed("cannot keep the mode of");
  return status_;
}

Status AtomicFile::Append(const void* data, size_t size) noexcept {
  if (!status_.ok()) return status_;
  if (fd_ < 0) return Status::Error(StatusCode::kInvalidArgument, "the file is not open: call AtomicFile::Create");
  const char* from = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t written = write(fd_, from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;
    if (written <= 0) return Failed("cannot write");
    from += written;
    size -= static_cast<size_t>(written);
  }
  return status_;
}

Status AtomicFile::Commit() noexcept {
  if (!status_.ok()) return status_;
  if (fd_ < 0) return Status::Error(StatusCode::kInvalidArgument, "the file is not open: call AtomicFile::Create");
  if (fsync(fd_) != 0) return Failed("cannot sync");
  const bool closed = close(fd_) == 0 || errno == EINTR;
  fd_ = -1;
  if (!closed || rename(temporary_, path_) != 0) {
    const int error = errno;
    unlink(temporary_);
    errno = error;
    return Failed("cannot close and rename a file to");
  }
  if (!SyncFolderOf(path_)) return Failed("cannot sync the folder of");
  Drop();
  return status_;
}

Sink AtomicFile::sink() noexcept {
  return Sink{[](void* file, const void* data, size_t size) noexcept {
                return static_cast<AtomicFile*>(file)->Append(data, size).ok();
              },
              this};
}

}  // namespace linefilter
