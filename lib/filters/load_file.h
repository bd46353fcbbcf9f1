// The image that a filter is made of, in bytes or in a file.
#ifndef LINEFILTER_LIB_FILTERS_LOAD_FILE_H_
#define LINEFILTER_LIB_FILTERS_LOAD_FILE_H_

#include <cstddef>

#include "lib/filters/secret.h"
#include "lib/layouts/options.h"
#include "linefilter/file.h"
#include "linefilter/options.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter::internal {

// Reads and verifies it. It is not mapped, because a process that cuts the file short would end this one.
inline Status LoadFile(const char* path, const FilterOptions& options, FilterFile* file) {
  const Status secret = CheckSecret(options);
  if (!secret.ok()) return secret;
  return file->Load(path, options.allocator, options.memory_limit, SecretOf(options));
}

// These make a filter by copy(view), of a view that was verified.
template <class Copy>
Status CopyImage(const void* image, size_t size, const FilterOptions& options, const Copy& copy) {
  const Status secret = CheckSecret(options);
  if (!secret.ok()) return secret;
  const FilterView view(image, size, VerifyMode::kWhole, SecretOf(options));
  return view.status().ok() ? copy(view) : view.status();
}
template <class Copy>
Status CopyFile(const char* path, const FilterOptions& options, const Copy& copy) {
  FilterFile file;
  const Status loaded = LoadFile(path, options, &file);
  return loaded.ok() ? copy(file.view()) : loaded;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_LOAD_FILE_H_
