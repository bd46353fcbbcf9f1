// The inlined lookup path, compiled once per CPU level.
#ifndef LINEFILTER_BENCH_INLINED_H_
#define LINEFILTER_BENCH_INLINED_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/filter_base.h"

namespace linefilter::bench {

struct InlinedLoops {
  const char* march;
  const char* target;  // what Highway makes of it
  uint64_t (*count)(const FilterBase& filter, const uint64_t* hashes, size_t n);
  uint64_t (*branch)(const FilterBase& filter, const uint64_t* hashes, size_t n);
};

// Those that this CPU can run.
struct InlinedList {
  InlinedLoops loops[4];
  size_t size;
};
InlinedList SupportedInlinedLoops();

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_INLINED_H_
