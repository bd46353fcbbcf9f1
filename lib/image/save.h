// This saves a filter's image as a file that is complete before it gets its name.
#ifndef LINEFILTER_LIB_IMAGE_SAVE_H_
#define LINEFILTER_LIB_IMAGE_SAVE_H_

#include "lib/image/image_writer.h"
#include "linefilter/file.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Filter is one with ImageBytes and WriteImage.
template <class Filter>
Status SaveImageOf(const Filter& filter, const char* path) {
  if (filter.layout() == Layout::kAuto) return NotCreated();
  AtomicFile file;
  Status status = file.Create(path);
  if (!status.ok()) return status;
  status = filter.WriteImage(file.sink());
  if (!file.status().ok()) return file.status();  // the system's reason, not the sink's
  return status.ok() ? file.Commit() : status;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_IMAGE_SAVE_H_
