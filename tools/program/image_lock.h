// An ImageLock is held by who changes an image, so that of several none writes over what another one added.
//
// It is flock on a file of its own, IMAGE.lock, which stays. The image itself would not do: it gets a new inode at each
// change, it may be read-only, and it may not be there yet. A lock file that is removed at the end would not do either:
// on NFS a client may go on seeing the removed one for a while, and then two hold the lock. The system lets go of the
// lock of a process that ends, however it ends. On NFS it is a lock for all machines, because the file is open for
// writing.
#ifndef LINEFILTER_TOOLS_PROGRAM_IMAGE_LOCK_H_
#define LINEFILTER_TOOLS_PROGRAM_IMAGE_LOCK_H_

#include <string>

#include "linefilter/status.h"

namespace linefilter::tools {

class ImageLock {
 public:
  ImageLock() = default;
  ~ImageLock();
  ImageLock(const ImageLock&) = delete;
  ImageLock& operator=(const ImageLock&) = delete;

  // Waits until nobody else has the lock of that image; after a second it says so on standard error. Through a symbolic
  // link it is the lock of the file behind that. Call it once.
  Status Take(const std::string& image);

 private:
  int fd_ = -1;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_IMAGE_LOCK_H_
