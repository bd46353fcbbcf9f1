// This is SipHash-1-3, written from the paper: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF"
// (2012), sections 2.1 to 2.4, with c = 1 and d = 3.
#include "lib/base/endian.h"
#include "linefilter/hash.h"

namespace linefilter {
namespace {

using internal::LoadLE64;

inline uint64_t RotateLeft(uint64_t x, int n) { return x << n | x >> (64 - n); }

class SipHash13 {
 public:
  explicit SipHash13(const HashSecret& secret) {
    const uint64_t k0 = LoadLE64(secret.bytes), k1 = LoadLE64(secret.bytes + 8);
    v0_ = k0 ^ 0x736f6d6570736575u;  // "somepseudorandomlygeneratedbytes"
    v1_ = k1 ^ 0x646f72616e646f6du;
    v2_ = k0 ^ 0x6c7967656e657261u;
    v3_ = k1 ^ 0x7465646279746573u;
  }
  void Add(uint64_t word) {
    v3_ ^= word;
    Round();
    v0_ ^= word;
  }
  uint64_t Finish() {
    v2_ ^= 0xff;
    for (int i = 0; i < 3; ++i) Round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void Round() {
    v0_ += v1_, v2_ += v3_;
    v1_ = RotateLeft(v1_, 13) ^ v0_, v3_ = RotateLeft(v3_, 16) ^ v2_;
    v0_ = RotateLeft(v0_, 32);
    v2_ += v1_, v0_ += v3_;
    v1_ = RotateLeft(v1_, 17) ^ v2_, v3_ = RotateLeft(v3_, 21) ^ v0_;
    v2_ = RotateLeft(v2_, 32);
  }

  uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace

uint64_t KeyedHashBytes(const void* key, size_t size, const HashSecret& secret) noexcept {
  SipHash13 hash(secret);
  const uint8_t* p = static_cast<const uint8_t*>(key);
  size_t left = size;
  for (; left >= 8; left -= 8, p += 8) hash.Add(LoadLE64(p));
  uint64_t last = static_cast<uint64_t>(size) << 56;
  for (size_t i = 0; i < left; ++i) last |= uint64_t{p[i]} << (8 * i);
  hash.Add(last);
  return hash.Finish();
}

uint64_t KeyedHashNumber(uint64_t key, const HashSecret& secret) noexcept {
  SipHash13 hash(secret);
  hash.Add(key);
  hash.Add(uint64_t{8} << 56);
  return hash.Finish();
}

// This is a message like any other: its hash tells nothing about that of a key.
uint64_t CheckOfSecret(const HashSecret& secret) noexcept { return KeyedHash("linefilter.secret", secret); }

}  // namespace linefilter
