// The file of an image that a filter is made of.
#ifndef LINEFILTER_LIB_FILTERS_LOAD_FILE_H_
#define LINEFILTER_LIB_FILTERS_LOAD_FILE_H_

#include "lib/filters/secret.h"
#include "lib/layouts/options.h"
#include "linefilter/file.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Reads and verifies it. It is not mapped, because a process that cuts the file short would end this one.
inline Status LoadFile(const char* path, const FilterOptions& options, FilterFile* file) {
  const Status secret = CheckSecret(options);
  if (!secret.ok()) return secret;
  return file->Load(path, options.allocator, options.memory_limit, SecretOf(options));
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_LOAD_FILE_H_
