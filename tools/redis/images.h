// An image of a file, as RedisFilter takes it: verified, all of its bytes at hand.
#ifndef LINEFILTER_TOOLS_REDIS_IMAGES_H_
#define LINEFILTER_TOOLS_REDIS_IMAGES_H_

#include <string>

#include "linefilter/file.h"

namespace linefilter::tools {

struct RedisImage {
  FilterFile file;
  const void* data() const { return file.view().body(); }  // an image begins with its body
  size_t size() const { return file.view().image_bytes(); }
};

// False after saying why.
bool OpenRedisImage(const char* command, const std::string& path, const HashSecret* secret, RedisImage* image);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_REDIS_IMAGES_H_
