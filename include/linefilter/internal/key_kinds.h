// The kinds of keys that a filter was told of, as bits, so that a union is an OR. Several threads may add to them.
#ifndef LINEFILTER_INTERNAL_KEY_KINDS_H_
#define LINEFILTER_INTERNAL_KEY_KINDS_H_

#include <atomic>
#include <cstdint>

#include "linefilter/key.h"

namespace linefilter::internal {

class KeyKinds {
 public:
  // Bits 0 and 1 are text and integers, so that KeyKind is these two. No bit means that nothing was told, as of a
  // filter that has no keys yet. kUntold stands for keys that came without a kind: it never goes.
  static constexpr uint8_t kTold = 3, kUntold = 4;
  static_assert(static_cast<uint8_t>(KeyKind::kText) == 1 && static_cast<uint8_t>(KeyKind::kInteger) == 2 &&
                static_cast<uint8_t>(KeyKind::kMixed) == kTold);

  explicit KeyKinds(uint8_t bits = 0) noexcept : bits_(bits) {}
  // The kind of keys that will come; kUnknown, and what is no kind, tells nothing.
  explicit KeyKinds(KeyKind kind) noexcept : bits_(kind > KeyKind::kMixed ? uint8_t{0} : static_cast<uint8_t>(kind)) {}
  KeyKinds(const KeyKinds& other) noexcept : bits_(other.bits()) {}
  KeyKinds& operator=(const KeyKinds& other) noexcept {
    bits_.store(other.bits(), std::memory_order_relaxed);
    return *this;
  }

  uint8_t bits() const noexcept { return bits_.load(std::memory_order_relaxed); }
  KeyKind kind() const noexcept { return KindOf(bits()); }
  static KeyKind KindOf(uint8_t bits) noexcept {
    return (bits & kUntold) != 0 ? KeyKind::kUnknown : static_cast<KeyKind>(bits & kTold);
  }
  // It writes only what is new, so that threads that note the same kind share the line.
  void Add(uint8_t bits) noexcept {
    if ((this->bits() & bits) != bits) bits_.fetch_or(bits, std::memory_order_relaxed);
  }
  // Adds the kind of keys that come; kUnknown, and what is no kind, is kUntold.
  void Add(KeyKind kind) noexcept {
    const uint8_t bits = KeyKinds(kind).bits();
    Add(bits == 0 ? kUntold : bits);
  }

 private:
  std::atomic<uint8_t> bits_;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_KEY_KINDS_H_
