#include "lib/parquet/magnitude.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kWords = 4;

void Negate(uint64_t* words) {
  bool carry = true;
  for (uint32_t i = 0; i < kWords; ++i) {
    words[i] = ~words[i] + uint64_t{carry};
    carry = carry && words[i] == 0;
  }
}

bool IsNegative(const ParquetInteger& integer) { return (integer.words[kWords - 1] >> 63) != 0; }

// Whether all bits from this one up are those of `word`, all ones or all zeros.
bool AllAre(uint64_t word, const ParquetInteger& integer, uint32_t from) {
  if (from == 64 * kWords) return true;
  uint32_t i = from / 64;
  if ((integer.words[i] ^ word) >> (from % 64) != 0) return false;
  while (++i < kWords) {
    if (integer.words[i] != word) return false;
  }
  return true;
}

}  // namespace

Magnitude::Magnitude(const ParquetInteger& integer) : is_negative(IsNegative(integer)) {
  for (uint32_t i = 0; i < kWords; ++i) words[i] = integer.words[i];
  if (is_negative) Negate(words);
}

uint32_t Magnitude::Bits() const {
  for (uint32_t bit = 64 * kWords; bit != 0; --bit) {
    if (((words[(bit - 1) / 64] >> ((bit - 1) % 64)) & 1) != 0) return bit;
  }
  return 0;
}

bool Magnitude::MultiplyBy(uint32_t factor) {
  uint64_t carry = 0;
  for (uint64_t& word : words) {
    const uint64_t low = (word & 0xffffffffu) * factor + carry;  // below 2^64: both factors and the carry have 32 bits
    const uint64_t high = (word >> 32) * factor + (low >> 32);
    word = (high << 32) | (low & 0xffffffffu);
    carry = high >> 32;
  }
  return carry == 0;
}

bool Magnitude::DivideBy(uint32_t divisor) {
  uint64_t rest = 0;
  for (uint32_t i = kWords; i-- != 0;) {
    const uint64_t high = (rest << 32) | (words[i] >> 32);
    const uint64_t low = ((high % divisor) << 32) | (words[i] & 0xffffffffu);
    words[i] = ((high / divisor) << 32) | (low / divisor);  // each quotient has 32 bits, because rest < divisor
    rest = low % divisor;
  }
  return rest == 0;
}

uint32_t Magnitude::TakeTwos() {
  uint32_t twos = 0;
  for (; (words[0] & 1) == 0; ++twos) {
    for (uint32_t i = 0; i < kWords; ++i) words[i] = (words[i] >> 1) | (i + 1 < kWords ? words[i + 1] << 63 : 0);
  }
  return twos;
}

bool Magnitude::To(ParquetInteger* integer) const {
  for (uint32_t i = 0; i < kWords; ++i) integer->words[i] = words[i];
  if (is_negative) Negate(integer->words);
  return IsZero() || IsNegative(*integer) == is_negative;
}

bool FitsSigned(const ParquetInteger& integer, uint32_t bits) {
  return AllAre(IsNegative(integer) ? ~uint64_t{0} : 0, integer, bits - 1);
}

bool FitsUnsigned(const ParquetInteger& integer, uint32_t bits) { return AllAre(0, integer, bits); }

void StoreBigEndian(const ParquetInteger& integer, size_t size, uint8_t* out) {
  for (size_t i = 0; i < size; ++i) out[size - 1 - i] = static_cast<uint8_t>(integer.words[i / 8] >> (8 * (i % 8)));
}

}  // namespace linefilter::internal
