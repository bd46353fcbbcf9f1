#include "linefilter/target.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lib/kernels/target.h"

namespace linefilter {
namespace {

// 0 until the first use. Constant-initialized: no global constructor.
std::atomic<int64_t> chosen_target{0};

int64_t SupportedBits() { return hwy::SupportedTargets() & HWY_TARGETS; }

// Better targets have lower bits.
int64_t BestOf(int64_t bits) { return bits & -bits; }

// 0 if that is not the name of a supported target.
int64_t FindTarget(const char* name) {
  for (int64_t bits = SupportedBits(); bits != 0; bits &= bits - 1) {
    if (strcmp(hwy::TargetName(BestOf(bits)), name) == 0) return BestOf(bits);
  }
  return 0;
}

int64_t FirstChoice() {
  const char* name = getenv("LINEFILTER_TARGET");
  const int64_t wanted = name == nullptr ? 0 : FindTarget(name);
  return wanted != 0 ? wanted : BestOf(SupportedBits());
}

}  // namespace

namespace internal {

int64_t ChosenTargetBit() {
  int64_t bit = chosen_target.load(std::memory_order_relaxed);
  if (bit != 0) return bit;
  // Of two first users at once both find the same; a concurrent ForceTarget wins.
  const int64_t first = FirstChoice();
  return chosen_target.compare_exchange_strong(bit, first, std::memory_order_relaxed) ? first : bit;
}

}  // namespace internal

TargetList SupportedTargets() noexcept {
  TargetList list{};
  for (int64_t bits = SupportedBits(); bits != 0 && list.size < 32; bits &= bits - 1) {
    list.names[list.size++] = hwy::TargetName(BestOf(bits));
  }
  return list;
}

const char* ChosenTarget() noexcept { return hwy::TargetName(internal::ChosenTargetBit()); }

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
    return Status::Error(StatusCode::kInvalidArgument, "target '%.40s' is not supported here; choose one of:%s", name, known);
  }
  chosen_target.store(bit, std::memory_order_relaxed);
  return Status();
}

}  // namespace linefilter
