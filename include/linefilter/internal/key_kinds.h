// The kinds of keys that a filter was told of, as bits, so that a union is an OR, and the forms of the columns that
// they came from. Several threads may add to them.
#ifndef LINEFILTER_INTERNAL_KEY_KINDS_H_
#define LINEFILTER_INTERNAL_KEY_KINDS_H_

#include <atomic>
#include <cstdint>

#include "linefilter/internal/key_forms.h"
#include "linefilter/key.h"

namespace linefilter::internal {

class KeyKinds {
 public:
  // Bits 0 and 1 are text and integers, so that KeyKind is these two. No bit means that nothing was told, as of a
  // filter that has no keys yet. kUntold stands for keys that came without a kind: it never goes.
  static constexpr uint8_t kTold = 3, kUntold = 4;
  static_assert(static_cast<uint8_t>(KeyKind::kText) == 1 && static_cast<uint8_t>(KeyKind::kInteger) == 2 &&
                static_cast<uint8_t>(KeyKind::kMixed) == kTold);

  KeyKinds() noexcept = default;
  // The kind of keys that will come; kUnknown, and what is no kind, tells nothing.
  explicit KeyKinds(KeyKind kind) noexcept
      : KeyKinds(kind > KeyKind::kMixed ? uint8_t{0} : static_cast<uint8_t>(kind)) {}
  // With the forms that are those of these kinds, and with others (internal/key_forms.h).
  explicit KeyKinds(uint8_t bits) noexcept : KeyKinds(bits, FormsOf(bits)) {}
  KeyKinds(uint8_t bits, uint64_t forms) noexcept : bits_(bits), forms_(forms) {}
  KeyKinds(const KeyKinds& other) noexcept : KeyKinds(other.bits(), other.forms()) {}
  KeyKinds& operator=(const KeyKinds& other) noexcept {
    bits_.store(other.bits(), std::memory_order_relaxed);
    forms_.store(other.forms(), std::memory_order_relaxed);
    return *this;
  }

  uint8_t bits() const noexcept { return bits_.load(std::memory_order_relaxed); }
  uint64_t forms() const noexcept { return forms_.load(std::memory_order_relaxed); }
  bool told() const noexcept { return bits() != 0 || forms() != 0; }
  KeyKind kind() const noexcept { return KindOf(bits()); }
  // What FilterBase::key_forms tells.
  uint64_t key_forms() const noexcept {
    const uint64_t forms = this->forms();
    return (forms & 0xff) >= 0xfe ? kUnknownKeyForms : forms;
  }
  static KeyKind KindOf(uint8_t bits) noexcept {
    return (bits & kUntold) != 0 ? KeyKind::kUnknown : static_cast<KeyKind>(bits & kTold);
  }
  // The forms that a kind alone tells: one column of text, or of integers.
  static uint64_t FormsOf(uint8_t bits) noexcept { return bits <= 2 ? bits : UnknownForms(0); }

  // Adds those of another filter.
  void Add(const KeyKinds& other) noexcept { Add(other.bits(), other.forms()); }
  // Adds the kind of keys that come; kUnknown, and what is no kind, is kUntold.
  void Add(KeyKind kind) noexcept {
    uint8_t bits = static_cast<uint8_t>(kind);
    if (bits == 0 || bits > kTold) bits = kUntold;
    Add(bits, FormsOf(bits));
  }
  // Adds the forms of columns that come, and their kind. What are no forms is unknown.
  void AddForms(uint64_t forms) noexcept {
    if (!AreKeyForms(forms)) return Add(KeyKind::kUnknown);
    const uint64_t without_null = forms & ~uint64_t{0x80};
    Add(without_null <= 2 ? static_cast<uint8_t>(without_null) : kUntold, forms);
  }

 private:
  // It writes only what is new, so that threads that note the same share the line.
  void Add(uint8_t bits, uint64_t forms) noexcept {
    uint64_t old = this->forms();
    for (uint64_t joined; (joined = JoinedForms(old, forms)) != old;) {
      if (forms_.compare_exchange_weak(old, joined, std::memory_order_relaxed)) break;
    }
    if ((this->bits() & bits) != bits) bits_.fetch_or(bits, std::memory_order_relaxed);
  }

  std::atomic<uint8_t> bits_{0};
  std::atomic<uint64_t> forms_{0};
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_KEY_KINDS_H_
