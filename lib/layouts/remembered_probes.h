// The best num_probes of small filters that were sized before.
//
// To find one takes several readings of a model, 1 to 10 us: as long as all else of a small filter, and engines make
// filters of about as many keys by the thousand. It depends on the layout, the keys and the body alone, so all threads
// share what they found. A place is one word that tells what it is of, so two threads may write it at once.
#ifndef LINEFILTER_LIB_LAYOUTS_REMEMBERED_PROBES_H_
#define LINEFILTER_LIB_LAYOUTS_REMEMBERED_PROBES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "linefilter/layout.h"

namespace linefilter::internal {

class RememberedProbes {
 public:
  RememberedProbes(Layout layout, uint64_t num_keys, uint64_t body_bytes) {
    if (num_keys >> kKeyBits != 0 || body_bytes >> kBodyBits != 0) return;
    content_ = ((static_cast<uint64_t>(layout) << kKeyBits | num_keys) << kBodyBits | body_bytes) << kProbeBits;
    place_ = &places_[content_ * 0x9e3779b97f4a7c15u >> (64 - kPlaceBits)];
  }

  bool Find(uint32_t* num_probes) const {
    if (place_ == nullptr) return false;
    const uint64_t there = place_->load(std::memory_order_relaxed);
    *num_probes = static_cast<uint32_t>(there - content_);
    return there - content_ < uint64_t{1} << kProbeBits && there != 0;
  }
  void Keep(uint32_t num_probes) {
    if (place_ != nullptr) place_->store(content_ + num_probes, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kKeyBits = 20, kBodyBits = 30, kProbeBits = 6, kPlaceBits = 10;

  uint64_t content_ = 0;
  std::atomic<uint64_t>* place_ = nullptr;
  inline static std::atomic<uint64_t> places_[size_t{1} << kPlaceBits] = {};
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_REMEMBERED_PROBES_H_
