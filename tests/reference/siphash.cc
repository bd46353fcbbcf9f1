// SipHash-c-d as the paper describes it (Aumasson and Bernstein, 2012, section 2), byte by byte.
#include <array>

#include "tests/reference/reference.h"

namespace reference {
namespace {

using State = std::array<uint64_t, 4>;

uint64_t Rotated(uint64_t x, int left) { return (x << left) | (x >> (64 - left)); }

void SipRounds(int count, State* v) {
  for (int i = 0; i < count; ++i) {
    State& s = *v;
    s[0] += s[1];
    s[2] += s[3];
    s[1] = Rotated(s[1], 13);
    s[3] = Rotated(s[3], 16);
    s[1] ^= s[0];
    s[3] ^= s[2];
    s[0] = Rotated(s[0], 32);
    s[2] += s[1];
    s[0] += s[3];
    s[1] = Rotated(s[1], 17);
    s[3] = Rotated(s[3], 21);
    s[1] ^= s[2];
    s[3] ^= s[0];
    s[2] = Rotated(s[2], 32);
  }
}

}  // namespace

uint64_t SipHash(int c, int d, std::string_view message, const uint8_t* key) {
  const uint64_t k0 = GetLittleEndian(key, 8), k1 = GetLittleEndian(key + 8, 8);
  State v = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
  // The message, zeros, and in the last byte its length modulo 256.
  Bytes padded(message.begin(), message.end());
  padded.resize(message.size() / 8 * 8 + 7);
  padded.push_back(static_cast<uint8_t>(message.size() & 0xff));
  for (size_t i = 0; i < padded.size(); i += 8) {
    const uint64_t word = GetLittleEndian(padded.data() + i, 8);
    v[3] ^= word;
    SipRounds(c, &v);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
  SipRounds(d, &v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t CheckOfSecret(const uint8_t* secret) { return SipHash(1, 3, "linefilter.secret", secret); }

}  // namespace reference
