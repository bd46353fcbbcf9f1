// This appends to a std::string without an exception crossing, for the filters and the builder.
#ifndef LINEFILTER_INTERNAL_APPEND_H_
#define LINEFILTER_INTERNAL_APPEND_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "linefilter/internal/huge_pages.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Casts a size that fits into size_t. On 64-bit CPUs it is one already: a plain cast would fall under -Wuseless-cast.
template <class Integer>
constexpr size_t ToSize(Integer size) {
  return static_cast<size_t>(size);
}

// Makes room for `size` bytes behind *text and lets `write(out, size)` fill it; on an error *text is as before. Many
// bytes get huge pages if the system has them: it takes them when a page is first written, so the wish comes first.
template <class Write>
Status AppendToString(std::string* text, uint64_t size, const Write& write) {
  const size_t old_size = text->size();
  const auto no_memory = [size] {
    return Status::Error(StatusCode::kOutOfMemory, "no memory to append %llu bytes to the string",
                         static_cast<unsigned long long>(size));
  };
  if (size > text->max_size() - old_size) return no_memory();  // on 32 bits the sum would be a small number
#if defined(__cpp_exceptions)
  try {
#endif
    if (size >= kOwnMapping) {
      text->reserve(old_size + ToSize(size));
      WishHugePages(&(*text)[0] + old_size, ToSize(size));
    }
    text->resize(old_size + ToSize(size));
#if defined(__cpp_exceptions)
  } catch (...) {
    return no_memory();
  }
#endif
  const Status status = write(&(*text)[old_size], ToSize(size));
  if (!status.ok()) text->resize(old_size);
  return status;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_APPEND_H_
