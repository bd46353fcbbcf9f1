// What this machine's memory can hold of a plan.
#ifndef LINEFILTER_BENCH_AVAILABLE_H_
#define LINEFILTER_BENCH_AVAILABLE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/plan.h"

namespace linefilter::bench {

// Bytes that can be had without swapping, in this control group and those that hold it; a guess of 4 GiB where the
// system does not say. `root` is where /proc and /sys are looked for: tests give trees of their own.
uint64_t AvailableMemory(const std::string& root = "");

// Takes away what does not fit into `available` bytes: of each group builds first, as they need most, then the group.
// `kept` tells the bytes of a group that lives all the time, beside others; 0 of one that lives alone.
// Returns a sentence for each.
std::vector<std::string> LeaveOutTooLarge(uint64_t available, const std::function<uint64_t(const Group&)>& kept,
                                          std::vector<Group>* groups);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_AVAILABLE_H_
