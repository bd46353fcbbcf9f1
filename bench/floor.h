// The floor: what the memory alone costs, with the access pattern of a lookup and nothing else.
#ifndef LINEFILTER_BENCH_FLOOR_H_
#define LINEFILTER_BENCH_FLOOR_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::bench {

// Reads all 64 bytes of each hash's line and sums them: a plain loop, or with a look-ahead ring of 32 prefetches.
uint64_t SumLinesPlain(const uint8_t* lines, uint64_t num_lines, const uint64_t* hashes, size_t n);
uint64_t SumLinesRing(const uint8_t* lines, uint64_t num_lines, const uint64_t* hashes, size_t n);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_FLOOR_H_
