// RedisFilter takes an image with all of its bytes at hand. OpenImage opens and verifies it.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_IMAGES_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_IMAGES_H_

#include <cstddef>
#include <cstdio>
#include <string>

#include "linefilter/redis.h"
#include "tools/program/image.h"
#include "tools/program/redis/failure.h"

namespace linefilter::tools {

// Says on standard error that `filter`, made of this image, has no room for keys, if it takes any: an image of no keys
// has no size. `instead` is the command that makes one by its capacity.
inline void WarnIfEmpty(const Image& image, const RedisFilter& filter, const std::string& name, const char* instead) {
  if (!image.view().empty_set() || !FactsOf(filter.layout()).has_positions) return;
  fprintf(
      stderr,
      "linefilter: warning: the image has no keys, so filter %s has the least size, %llu bytes: to add keys, make it "
      "by their number (%s)\n",
      ShownName(name).c_str(), static_cast<unsigned long long>(filter.body_bytes()), instead);
}

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_IMAGES_H_
