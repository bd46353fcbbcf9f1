#include "tools/redis/images.h"

#include "tools/command.h"
#include "tools/images.h"

namespace linefilter::tools {

bool OpenRedisImage(const char* command, const std::string& path, const HashSecret* secret, RedisImage* image) {
  if (!OpenSource(path, secret, &image->file)) return false;
  if (!image->file.view().empty_set()) return true;
  Fail("redis %s: image %s holds no keys, and says of no size: `linefilter redis create` makes an empty filter",
       command, path.c_str());
  return false;
}

}  // namespace linefilter::tools
