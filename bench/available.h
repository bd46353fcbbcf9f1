// What this machine's memory can hold of a plan.
#ifndef LINEFILTER_BENCH_AVAILABLE_H_
#define LINEFILTER_BENCH_AVAILABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/plan.h"

namespace linefilter::bench {

// Bytes that can be had without swapping, in this control group; a guess of 4 GiB where the system does not say.
uint64_t AvailableMemory();

// Takes away what does not fit into `available` bytes beside `kept` ones: builds first, as they need most, then the
// group. Returns a sentence for each.
std::vector<std::string> LeaveOutTooLarge(uint64_t available, uint64_t kept, std::vector<Group>* groups);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_AVAILABLE_H_
