// Keys that have a hash one chooses: XXH3 of 8 bytes and CRC-32 are bijections of them, written backwards here. For
// tests of shards, which take the keys of one hash value in a million, and of adversaries.
#ifndef LINEFILTER_TESTS_TESTING_KEYS_OF_HASHES_H_
#define LINEFILTER_TESTS_TESTING_KEYS_OF_HASHES_H_

#include <cstdint>

namespace linefilter::test {

// doc/FORMAT.md section 1: what HashKey xors into the seed of XXH3.
inline constexpr uint64_t kSeedOfKeys = 0x9216d5d98979fb1b;

inline uint64_t RotatedLeft(uint64_t x, int n) { return x << n | x >> (-n & 63); }
inline uint64_t Swapped32(uint64_t x) { return RotatedLeft(x, 32); }

inline uint64_t InverseOfOdd(uint64_t a) {
  uint64_t x = a;  // right modulo 8; each step doubles the bits
  for (int i = 0; i < 5; ++i) x *= 2 - a * x;
  return x;
}

// What XXH3 xors an 8-byte key with, its halves exchanged: all that the seed does to it.
inline uint64_t FlipOfXxh3(uint64_t seed) {
  return 0xc73ab174c5ecd5a2u - (seed ^ (uint64_t{__builtin_bswap32(static_cast<uint32_t>(seed))} << 32));
}

// The integer key of which XXH3_64bits_withSeed has that value.
inline uint64_t KeyWithXxh3(uint64_t hash, uint64_t seed) {
  const uint64_t inverse = InverseOfOdd(0x9fb21c651e98df25u);
  uint64_t h = hash ^ (hash >> 28) ^ (hash >> 56);
  h *= inverse;
  h ^= (h >> 35) + 8;  // changes the low 30 bits alone, and so inverts itself
  h *= inverse;
  // p(z) = 1 + z^24 + z^49 over GF(2) modulo z^64 - 1: p^64 = p(z^64) = 1, so p^63 = p p^2 p^4 ... p^32 inverts p, and
  // p^2(z) = p(z^2).
  uint64_t x = h;
  for (int power = 1; power < 64; power *= 2) {
    x ^= RotatedLeft(x, 49 * power % 64) ^ RotatedLeft(x, 24 * power % 64);
  }
  return Swapped32(x ^ FlipOfXxh3(seed));
}

// The integer key of which HashKey has that value.
inline uint64_t KeyWithHash(uint64_t hash, uint64_t seed = 0) { return KeyWithXxh3(hash, seed ^ kSeedOfKeys); }

// CRC-32 (of Ethernet, zip): a step of 8 bits, the lowest byte of the key first.
inline uint32_t Crc32Step(uint32_t state) {
  for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state & 1 ? 0xedb88320u : 0);
  return state;
}
inline uint32_t Crc32(uint64_t key) {
  uint32_t state = ~uint32_t{0};
  for (int byte = 0; byte < 8; ++byte) state = Crc32Step(state ^ static_cast<uint8_t>(key >> 8 * byte));
  return ~state;
}

// The integer key with those low 32 bits of which CRC-32 has that value.
inline uint64_t KeyWithCrc32(uint32_t low, uint32_t crc) {
  uint32_t state = ~crc;
  for (int bit = 0; bit < 32; ++bit) state = state >> 31 ? (state ^ 0xedb88320u) << 1 | 1 : state << 1;
  uint32_t before = ~uint32_t{0};
  for (int byte = 0; byte < 4; ++byte) before = Crc32Step(before ^ static_cast<uint8_t>(low >> 8 * byte));
  return uint64_t{state ^ before} << 32 | low;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_KEYS_OF_HASHES_H_
