// These filters do not look: they say "maybe" for whatever is broken, "absent" for the empty set.
#include <cstring>

#include "lib/layouts/kernels.h"

namespace linefilter::internal {
namespace {

template <bool kAnswer>
constexpr Kernels kConstantKernels = {
    []() { return "none"; }, [](const ProbeState&, uint64_t) { return kAnswer; },
    [](const ProbeState&, const uint64_t*, size_t n, uint8_t* answers) {
      if (n != 0) memset(answers, kAnswer, n);
    },
    [](const ProbeState&, const uint64_t*, size_t n, uint8_t* bits) {
      if (n != 0) memset(bits, kAnswer ? 0xff : 0, (n + 7) / 8);
      if (kAnswer && n % 8 != 0) bits[n / 8] = static_cast<uint8_t>((1u << (n % 8)) - 1);
    },
    [](const ProbeState&, const uint64_t*, size_t n) -> uint64_t { return kAnswer ? n : 0; }};

}  // namespace

const Kernels& AlwaysMaybeKernels() { return kConstantKernels<true>; }
const Kernels& AlwaysAbsentKernels() { return kConstantKernels<false>; }

}  // namespace linefilter::internal
