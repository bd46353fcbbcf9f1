// An image of a file, as RedisFilter takes it: all of its bytes at hand. OpenSource opens and verifies it.
#ifndef LINEFILTER_TOOLS_REDIS_IMAGES_H_
#define LINEFILTER_TOOLS_REDIS_IMAGES_H_

#include <cstddef>

#include "linefilter/file.h"

namespace linefilter::tools {

struct RedisImage {
  FilterFile file;
  const void* data() const { return file.data(); }
  size_t size() const { return file.view().image_bytes(); }
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_REDIS_IMAGES_H_
