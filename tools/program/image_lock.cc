#include "tools/program/image_lock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace linefilter::tools {
namespace {

constexpr int kTries = 50, kPauseMicroseconds = 20000;  // a second, then it is worth a line

// The lock file of an image, perhaps of one that is not there yet.
std::string NameOfLock(const std::string& image) {
  char* const real = realpath(image.c_str(), nullptr);
  const std::string name = std::string(real != nullptr ? real : image) + ".lock";
  free(real);
  return name;
}

// A lock file of another user may be one that we cannot write, which does on a local file system.
int OpenLock(const std::string& name) {
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  return fd >= 0 || errno != EACCES ? fd : open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

bool LockNow(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0; }

bool LockWaiting(int fd, const std::string& image) {
  for (int i = 0; i < kTries; ++i) {
    if (LockNow(fd)) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    usleep(kPauseMicroseconds);
  }
  fprintf(stderr, "linefilter: %s is being changed by another process: waiting until that ends\n", image.c_str());
  int result;
  do {
    result = flock(fd, LOCK_EX);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

ImageLock::~ImageLock() {
  if (fd_ >= 0) close(fd_);
}

Status ImageLock::Take(const std::string& image) {
  const std::string name = NameOfLock(image);
  fd_ = OpenLock(name);
  if (fd_ < 0) {
    return Status::Error(StatusCode::kIoError, "cannot open the lock file %s: %s", name.c_str(), strerror(errno));
  }
  if (LockWaiting(fd_, image)) return Status();
  return Status::Error(StatusCode::kIoError, "cannot lock %s: %s; change the image on a file system that has locks",
                       name.c_str(), strerror(errno));
}

}  // namespace linefilter::tools
