#include "linefilter/target.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hwy/targets.h"
#include "lib/layouts/cpu_targets.h"
#include "lib/layouts/target.h"

// A target that is slower than a lower one is not offered. Whether one is, a measurement tells: linefilter_bench has
// each layout on each target. slow_target_test plants others here.
// - SSE2 came with Highway 1.0.4. In a batch of `retrieval` a key took 100 ns on it (Highway 1.4), and 12 on SCALAR.
//   Both have the same lookups since, which the compiler's own SSE2 makes (linefilter/internal/test_solved_block.h).
#ifndef LINEFILTER_SLOW_TARGETS
#ifdef HWY_SSE2
#define LINEFILTER_SLOW_TARGETS HWY_SSE2
#else
#define LINEFILTER_SLOW_TARGETS 0
#endif
#endif

namespace linefilter {
namespace {

// Bits of Highway's HWY_TARGETS; better targets have lower bits. The target that this file is compiled for runs in any
// case, however slow it is: nothing is below it.
int64_t SupportedBits() {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) return HWY_STATIC_TARGET;
  return (internal::TargetsOfCpu() & HWY_TARGETS & ~int64_t{LINEFILTER_SLOW_TARGETS}) | HWY_STATIC_TARGET;
}
int64_t BestOf(int64_t bits) { return bits & -bits; }

// Its place in a LINEFILTER_TARGET_TABLE.
size_t IndexOf(int64_t bit) {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) return 0;  // a single target: a table of one
  hwy::ChosenTarget target;
  target.Update(bit);
  return target.GetIndex();
}

// Finds a target; 0 if that is not the name of a supported one.
int64_t FindTarget(const char* name) {
  for (int64_t bits = SupportedBits(); bits != 0; bits &= bits - 1) {
    if (strcmp(hwy::TargetName(BestOf(bits)), name) == 0) return BestOf(bits);
  }
  return 0;
}

}  // namespace

namespace internal {

std::atomic<size_t> chosen_index{0};

size_t ChooseFirst() {
  const char* const name = getenv("LINEFILTER_TARGET");
  const int64_t wanted = name == nullptr ? 0 : FindTarget(name);
  const size_t first = IndexOf(wanted != 0 ? wanted : BestOf(SupportedBits())) + 1;
  // Two first users at once find the same; a concurrent ForceTarget wins.
  size_t current = 0;
  return chosen_index.compare_exchange_strong(current, first, std::memory_order_relaxed) ? first : current;
}

}  // namespace internal

TargetList SupportedTargets() noexcept {
  TargetList list{};
  for (int64_t bits = SupportedBits(); bits != 0 && list.size < 32; bits &= bits - 1) {
    list.names[list.size++] = hwy::TargetName(BestOf(bits));
  }
  return list;
}

const char* ChosenTarget() noexcept {
  const size_t index = internal::TargetTableIndex();
  for (int64_t bits = SupportedBits(); bits != 0; bits &= bits - 1) {
    if (IndexOf(BestOf(bits)) == index) return hwy::TargetName(BestOf(bits));
  }
  return "unknown";
}

Status ForceTarget(const char* name) noexcept {
  int64_t bit = BestOf(SupportedBits());
  if (name != nullptr && *name != '\0') bit = FindTarget(name);
  if (bit == 0) {
    char known[160] = "";
    size_t used = 0;
    const TargetList list = SupportedTargets();
    for (size_t i = 0; i < list.size && used < sizeof(known); ++i) {
      used += static_cast<size_t>(snprintf(known + used, sizeof(known) - used, " %s", list.names[i]));
    }
    return Status::Error(StatusCode::kInvalidArgument, "target '%.40s' is not supported here; choose one of:%s", name,
                         known);
  }
  internal::chosen_index.store(IndexOf(bit) + 1, std::memory_order_relaxed);
  return Status();
}

}  // namespace linefilter
