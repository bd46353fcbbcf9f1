// There are two slots, one of which serves. Each slot counts its readers.
//
// A reader adds itself to the readers of the slot that serves, looks again which one does, and goes back if it is
// another by now. A writer fills the other slot, stores its index, and waits until each count of the old slot was 0
// once. That is enough: the addition and the second look of a reader, the store and the look at the counts of the
// writer are all sequentially consistent. So they have one order. If the addition comes before the look at the count,
// the writer waits. Else the store comes before the second look, and the reader goes back without having touched the
// slot. (Or the slot serves again by then, filled anew: then the reader reads the new filter, which is right, and its
// second look has acquired what was written before the store.) A reader's subtraction releases, and the writer's look
// acquires, so its last read happened before the filter is freed.
//
// Readers that go back leave a slot's counts above 0 for a moment, even while a writer fills it. That is harmless: it
// is the writer who decides, and it only ever waits longer than needed.
#include "linefilter/swappable.h"

#include <chrono>
#include <thread>

#include "lib/base/memory.h"
#include "lib/filters/serving.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"

namespace linefilter {
namespace {

// Each thread has a number, in turn, so that threads share a stripe only if there are many, or many came and went
// between them. Then they are slower, as they write to one line.
size_t StripeOfThisThread() {
  static std::atomic<uint32_t> next{0};
  static thread_local uint32_t number = 0;  // 0: not given yet
  if (number == 0) number = (next.fetch_add(1, std::memory_order_relaxed) & 0xffff) + 1;
  return number;
}

// Leases take microseconds, mostly: the CPU is not given away for the first of them.
void WaitUntilZero(const std::atomic<uint32_t>& count) {
  constexpr int kSpins = 256, kYields = 16;
  for (int i = 0; count.load(std::memory_order_seq_cst) != 0; ++i) {
    if (i < kSpins) continue;
    if (i < kSpins + kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --i;
    }
  }
}

// Null if `next` may follow `now`; else it names the difference.
const char* DifferenceTo(const FilterBase& now, const FilterBase& next) {
  if (now.layout() == Layout::kAuto) return nullptr;  // nothing serves
  return now.key_hash().DifferenceTo(next.key_hash());
}

}  // namespace

// Its kernels ask what serves, in a lease.
struct SwappableFilter::Asking {
  static Lease LeaseOf(const internal::ProbeState& state) {
    return static_cast<const SwappableFilter*>(state.owner)->Read();
  }
  static bool MayContain(const internal::ProbeState& state, uint64_t hash) {
    return LeaseOf(state)->MayContainHash(hash);
  }
  static void ToBytes(const internal::ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* answers) {
    LeaseOf(state)->MayContainHashes(hashes, n, answers);
  }
  static void ToBits(const internal::ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* bits) {
    LeaseOf(state)->MayContainHashesToBits(hashes, n, bits);
  }
  static uint64_t Count(const internal::ProbeState& state, const uint64_t* hashes, size_t n) {
    return LeaseOf(state)->CountMaybes(hashes, n);
  }
  static void Serve(const internal::ProbeState& state, internal::UseServing use, void* context) {
    const Lease lease = LeaseOf(state);
    internal::WithServing(*lease, [&](const internal::Serving& serving) { use(context, serving); });
  }
};

SwappableFilter::SwappableFilter() noexcept {
  static constexpr internal::Kernels kKernels = [] {
    internal::Kernels kernels = {};
    kernels.may_contain = Asking::MayContain;
    kernels.may_contain_to_bytes = Asking::ToBytes;
    kernels.may_contain_to_bits = Asking::ToBits;
    kernels.count_maybes = Asking::Count;
    kernels.serve = Asking::Serve;
    return kernels;
  }();
  internal::UseKernels(kKernels, &state_);
  state_.changes = true;
  state_.owner = this;
  key_hash_.id = HashId::kCaller;
  for (Slot& slot : slots_) {
    slot.filter = &nothing_;
    slot.release = nullptr;
    slot.owned = slot.owner = nullptr;
  }
}

// By contract nobody has a lease or swaps. So nothing is waited for: after fork, the counts and the mutex may be held
// by threads that are not there. (A swap that fork cut in two leaves the old filter to the child unfreed.)
SwappableFilter::~SwappableFilter() {
  const Slot& slot = slots_[serving_.load(std::memory_order_acquire)];
  if (slot.release != nullptr) slot.release(slot.owned);
}

SwappableFilter::Lease SwappableFilter::Read() const noexcept {
  const size_t stripe = StripeOfThisThread() % kStripes;
  for (;;) {
    const uint32_t index = serving_.load(std::memory_order_acquire);
    Slot& slot = slots_[index];
    std::atomic<uint32_t>& readers = slot.stripes[stripe].readers;
    readers.fetch_add(1, std::memory_order_seq_cst);
    if (serving_.load(std::memory_order_seq_cst) == index) return Lease(slot.filter, slot.owner, &readers);
    readers.fetch_sub(1, std::memory_order_release);
  }
}

// It ends with the mutex unlocked: `release` is the host's code.
void SwappableFilter::Switch(const FilterBase* filter, void (*release)(void*) noexcept, void* owned, void* owner,
                             std::unique_lock<std::mutex>* lock) noexcept {
  const uint32_t old = serving_.load(std::memory_order_relaxed);
  Slot& next = slots_[1 - old];
  next.filter = filter;
  next.release = release;
  next.owned = owned;
  next.owner = owner;
  serving_.store(1 - old, std::memory_order_seq_cst);
  num_swaps_.fetch_add(1, std::memory_order_relaxed);

  Slot& retired = slots_[old];
  for (const Stripe& stripe : retired.stripes) WaitUntilZero(stripe.readers);
  void (*const old_release)(void*) noexcept = retired.release;
  void* const old_owned = retired.owned;
  retired.filter = &nothing_;
  retired.release = nullptr;
  retired.owned = retired.owner = nullptr;
  lock->unlock();
  if (old_release != nullptr) old_release(old_owned);
}

Status SwappableFilter::Serve(const FilterBase* filter, void (*release)(void*) noexcept, void* owned,
                              void* owner) noexcept {
  if (filter == nullptr || filter->layout() == Layout::kAuto) {
    return Status::Error(
        StatusCode::kIncompatible,
        "the new filter is broken, was never made, was moved from, or is itself a SwappableFilter: the one "
        "that serves stays. Look at the error of what should have made it, or Clear, if \"maybe\" to "
        "all is meant");
  }
  std::unique_lock<std::mutex> lock(mutex_);
  const auto now = [this] { return slots_[serving_.load(std::memory_order_relaxed)].filter; };
  // What serves is refused as such, even damaged: on any other error its second owner would free it. Verifying takes
  // long, and others may swap meanwhile, so all is looked at again.
  if (filter != now()) {
    lock.unlock();
    const auto verify = filter->probe_state().kernels->verify;
    const Status verified = verify == nullptr ? Status() : verify(filter->probe_state());
    if (!verified.ok()) return verified;
    lock.lock();
  }
  if (filter == now()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "this very filter serves already, and goes on: it would be released twice. Hand over each "
                         "filter once");
  }
  if (const char* const difference = DifferenceTo(*now(), *filter)) {
    return Status::Error(StatusCode::kIncompatible,
                         "the new filter has another %s than the one that serves: who hashes by himself would lose "
                         "keys. Make it with the same, or Clear before",
                         difference);
  }
  Switch(filter, release, owned, owner, &lock);
  return Status();
}

void SwappableFilter::Clear() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  Switch(&nothing_, nullptr, nullptr, nullptr, &lock);
}

Status SwappableFilter::NoMemory(size_t bytes) noexcept { return internal::OutOfMemory(bytes); }

}  // namespace linefilter
