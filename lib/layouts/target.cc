#include "linefilter/target.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hwy/targets.h"
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

// Our kernels use GFNI from AVX3_DL on (linefilter/internal/test_solved_block.h), for which Highway 1.0.3 does not ask
// the CPU. All that have the one have the other, but a virtual machine may hide it.
int64_t UnusableBits() {
#if HWY_ARCH_X86 && defined(__GNUC__)
  __builtin_cpu_init();  // the first use may be in a constructor
  return __builtin_cpu_supports("gfni") ? 0 : HWY_AVX3_DL | (HWY_AVX3_DL - 1);
#else
  return 0;
#endif
}

// One bit of Highway's HWY_TARGETS; better targets have lower bits. The target that this file is compiled for runs in
// any case, whatever the embedder has disabled in Highway, and however slow it is: nothing is below it.
int64_t SupportedBits() {
  return (hwy::SupportedTargets() & HWY_TARGETS & ~UnusableBits() & ~int64_t{LINEFILTER_SLOW_TARGETS}) |
         HWY_STATIC_TARGET;
}
int64_t BestOf(int64_t bits) { return bits & -bits; }

// Its place in a table made by HWY_EXPORT.
size_t IndexOf(int64_t bit) {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) return 0;  // a single target: a table of one
  hwy::ChosenTarget target;
  target.Update(bit);
  return target.GetIndex();
}

// The chosen target's index + 1, or 0 until the first use. Constant-initialized: no global constructor.
std::atomic<size_t> chosen_index{0};

// Finds a target; 0 if that is not the name of a supported one.
int64_t FindTarget(const char* name) {
  for (int64_t bits = SupportedBits(); bits != 0; bits &= bits - 1) {
    if (strcmp(hwy::TargetName(BestOf(bits)), name) == 0) return BestOf(bits);
  }
  return 0;
}

size_t ChooseFirst() {
  const char* const name = getenv("LINEFILTER_TARGET");
  const int64_t wanted = name == nullptr ? 0 : FindTarget(name);
  const size_t first = IndexOf(wanted != 0 ? wanted : BestOf(SupportedBits())) + 1;
  // Two first users at once find the same; a concurrent ForceTarget wins.
  size_t current = 0;
  return chosen_index.compare_exchange_strong(current, first, std::memory_order_relaxed) ? first : current;
}

}  // namespace

namespace internal {

size_t TargetTableIndex() {
  const size_t index = chosen_index.load(std::memory_order_relaxed);
  return (index != 0 ? index : ChooseFirst()) - 1;
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
  chosen_index.store(IndexOf(bit) + 1, std::memory_order_relaxed);
  return Status();
}

}  // namespace linefilter
