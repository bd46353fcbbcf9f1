// libFuzzer's way into a target; LINEFILTER_FUZZ_TARGET is its name (CMakeLists.txt).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  linefilter::fuzz::LINEFILTER_FUZZ_TARGET(data, size);
  return 0;
}
