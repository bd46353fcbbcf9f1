// The library allocates images here. linefilter_image_free needs nothing but the pointer, because where the memory came
// from stands in front of it.
#ifndef LINEFILTER_LIB_C_IMAGE_MEMORY_H_
#define LINEFILTER_LIB_C_IMAGE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "lib/c/convert.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Returns 64-byte aligned memory; null if there is none.
void* AllocateImage(const Allocator& allocator, uint64_t size);

// Returns the image that write(out, size) makes; else null, and *status says why. `size` may be null; *size is 0
// before.
template <class Write>
void* NewImage(const Allocator& allocator, uint64_t bytes, size_t* size, linefilter_status* status,
               const Write& write) {
  void* const image = AllocateImage(allocator, bytes);
  if (image == nullptr) {
    ToC(Status::Error(StatusCode::kOutOfMemory, "no memory for an image of %llu bytes: write it to a sink or to a file",
                      static_cast<unsigned long long>(bytes)),
        status);
    return nullptr;
  }
  if (ToC(write(image, static_cast<size_t>(bytes)), status) != LINEFILTER_OK) {
    linefilter_image_free(image);
    return nullptr;
  }
  if (size != nullptr) *size = static_cast<size_t>(bytes);
  return image;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_IMAGE_MEMORY_H_
