// A target is the instructions that do the work. Every one gives the same bits; the CPU's best is chosen at run time.
//
//   (void)linefilter::ForceTarget("AVX2");  // for a measurement; an error where this CPU has not got it
//   printf("%s\n", linefilter::ChosenTarget());
//
// A target is named as Highway names it: "AVX3_DL", "AVX3", "AVX2", "SSE4", "SSSE3", "SCALAR", "NEON", "SVE2", ...
#ifndef LINEFILTER_TARGET_H_
#define LINEFILTER_TARGET_H_

#include <cstddef>

#include "linefilter/internal/export.h"
#include "linefilter/status.h"

namespace linefilter {

// The targets that this build contains and this CPU can run, best first.
struct TargetList {
  const char* names[32];  // the first `size`; they live as long as the program
  size_t size;            // how many
};
LINEFILTER_EXPORT TargetList SupportedTargets() noexcept;

// The target that filters made or opened from now on will use.
LINEFILTER_EXPORT const char* ChosenTarget() noexcept;

// Forces a target; null or "" returns to the best one. kInvalidArgument (with the list of what there is) if it is not
// supported. Filters that exist keep theirs. It is process-wide and thread-safe, and meant for tests and measurements.
// For experiments without a recompilation the environment variable LINEFILTER_TARGET, read once at first use, does the
// same; a name that is not supported there is ignored (ChosenTarget tells).
LINEFILTER_EXPORT Status ForceTarget(const char* name) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_TARGET_H_
