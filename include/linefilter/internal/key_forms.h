// The forms of the columns whose values are a key: byte i is that of column i (doc/FORMAT.md section 13). A KeyKinds
// remembers one of these words: 0 if nothing was told, forms, or that they are unknown.
#ifndef LINEFILTER_INTERNAL_KEY_FORMS_H_
#define LINEFILTER_INTERNAL_KEY_FORMS_H_

#include <cstdint>

namespace linefilter::internal {

// Forms that differed, or that nobody told. Byte 1 then is the length of the field that the image has had for them: it
// keeps its length, so that no image becomes shorter while it is written.
constexpr uint64_t UnknownForms(unsigned field_bytes) noexcept { return 0xff | uint64_t{field_bytes} << 8; }

// Columns of forms that differ came, so a column of any one form would miss keys of the others. An image has zeros in
// that field then. (Text and integers are never equal: a filter of both is unknown, not this.)
constexpr uint64_t DifferentForms(unsigned field_bytes) noexcept { return 0xfe | uint64_t{field_bytes} << 8; }
constexpr bool AreDifferentForms(uint64_t forms) noexcept { return (forms & 0xff) == 0xfe; }

constexpr bool IsKeyForm(uint64_t form) noexcept {
  const uint64_t without_null = form & 0x7f;
  return form <= 0xff && ((without_null >= 1 && without_null <= 6) || (without_null >= 0x21 && without_null <= 0x46));
}

// How many columns have a form there.
constexpr unsigned NumKeyForms(uint64_t forms) noexcept {
  unsigned n = 0;
  for (; forms != 0; forms >>= 8) ++n;
  return n;
}

// Whether these are the forms of 1 to 8 columns.
constexpr bool AreKeyForms(uint64_t forms) noexcept {
  if (forms == 0) return false;
  for (; forms != 0; forms >>= 8) {
    if (!IsKeyForm(forms & 0xff)) return false;
  }
  return true;
}

// The bytes of the field that an image has for them. Text alone and integers alone are told by the kind of keys.
constexpr unsigned FormsFieldBytes(uint64_t forms) noexcept {
  if ((forms & 0xff) >= 0xfe) return static_cast<unsigned>(forms >> 8);
  return forms <= 2 ? 0 : NumKeyForms(forms);
}

// The forms of keys of both. The order does not matter. Where they differ in what a null is alone, it is a value: it is
// one of theirs.
constexpr uint64_t JoinedForms(uint64_t a, uint64_t b) noexcept {
  constexpr uint64_t kNullBits = 0x8080808080808080u;
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (AreKeyForms(a) && AreKeyForms(b) && ((a ^ b) & ~kNullBits) == 0) return a | b;
  const unsigned of_a = FormsFieldBytes(a), of_b = FormsFieldBytes(b);
  const unsigned field_bytes = of_a < of_b ? of_b : of_a;
  return field_bytes == 0 ? UnknownForms(0) : DifferentForms(field_bytes);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_KEY_FORMS_H_
