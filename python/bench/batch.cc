// For contains_many.py: the C++ batch, behind a C function, in the process that is compared with it.
#include <cstddef>
#include <cstdint>

#include "linefilter/view.h"

// 0 if the image does not open.
extern "C" __attribute__((visibility("default"))) int may_contain_keys(const void* image, size_t size,
                                                                       const uint64_t* keys, size_t n,
                                                                       uint8_t* answers) {
  const linefilter::FilterView view(image, size, linefilter::VerifyMode::kTrusted);
  if (!view.status().ok()) return 0;
  view.MayContainKeys(keys, n, answers);
  return 1;
}
