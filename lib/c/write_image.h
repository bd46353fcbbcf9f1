// This writes the image of a filter's handle in its four ways; a null handle is an error.
#ifndef LINEFILTER_LIB_C_WRITE_IMAGE_H_
#define LINEFILTER_LIB_C_WRITE_IMAGE_H_

#include <cstddef>
#include <cstdint>

#include "lib/c/convert.h"
#include "lib/c/handles.h"
#include "lib/c/image_memory.h"

namespace linefilter::internal {

template <class Handle>
uint64_t ImageBytesOf(const Handle* handle) {
  return handle == nullptr ? 0 : FilterOf(*handle).ImageBytes();
}

template <class Handle>
void* ImageOf(const Handle* handle, size_t* size, linefilter_status* status) {
  if (size != nullptr) *size = 0;
  if (handle == nullptr) return ToC(NoHandle("filter"), status), nullptr;
  return NewImage(handle->allocator, FilterOf(*handle).ImageBytes(), size, status,
                  [handle](void* out, size_t n) { return FilterOf(*handle).WriteImageTo(out, n); });
}

template <class Handle>
linefilter_code WriteImageTo(const Handle* handle, void* out, size_t size, linefilter_status* status) {
  if (handle == nullptr) return ToC(NoHandle("filter"), status);
  return ToC(FilterOf(*handle).WriteImageTo(out, out == nullptr ? 0 : size), status);
}

template <class Handle>
linefilter_code WriteImageToSink(const Handle* handle, const Sink& sink, linefilter_status* status) {
  return ToC(handle == nullptr ? NoHandle("filter") : FilterOf(*handle).WriteImage(sink), status);
}

template <class Handle>
linefilter_code SaveImage(const Handle* handle, const char* path, linefilter_status* status) {
  Status saved = handle == nullptr ? NoHandle("filter") : CheckPath(path);
  if (saved.ok()) saved = FilterOf(*handle).Save(path);
  return ToC(saved, status);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_WRITE_IMAGE_H_
