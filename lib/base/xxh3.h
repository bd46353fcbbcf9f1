// XXH3 for the checks of images, and the secrets of our constant seeds (xxh3-inl.h has the idea).
#ifndef LINEFILTER_LIB_BASE_XXH3_H_
#define LINEFILTER_LIB_BASE_XXH3_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

// The seed of the trailer's check (doc/FORMAT.md section 4): words 19 and 20 of pi's fraction, behind kHashSeed. It
// never changes in format 1.
inline constexpr uint64_t kCheckSeed = 0xD1310BA698DFB5ACu;

// XXH3's default secret, as its specification prints it (xxhash_spec.md), in little-endian words.
inline constexpr uint64_t kDefaultSecret[24] = {
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072, 0x78e5c0cc4ee679cb,
    0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0, 0xcb00c391bb52283c, 0xa32e531b8b65d088,
    0x4ef90da297486471, 0xd8acdea946ef1938, 0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a,
    0x647378d9c97e9fc8, 0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
    0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af,
};

struct Xxh3Secret {
  alignas(64) uint8_t bytes[192];
};

// The secret that XXH3 derives from a seed: the words of its own, in turns plus and minus the seed.
constexpr Xxh3Secret DeriveSecret(uint64_t seed) {
  Xxh3Secret secret{};
  for (size_t i = 0; i < 24; ++i) {
    const uint64_t word = kDefaultSecret[i] + (i % 2 == 0 ? seed : 0 - seed);
    for (size_t byte = 0; byte < 8; ++byte) secret.bytes[8 * i + byte] = static_cast<uint8_t>(word >> (8 * byte));
  }
  return secret;
}
template <uint64_t kSeed>
inline constexpr Xxh3Secret kSecretOfSeed = DeriveSecret(kSeed);

inline constexpr size_t kMostBytesWithoutSecret = 240;

// This is XXH3 of more than 240 bytes, by the secret that belongs to the seed. It is not inlined: it is much code.
uint64_t LongXxh3(const void* data, size_t size, const Xxh3Secret& secret);

// xxHash takes the vectors for which it is compiled, in a library for any x86-64 those of 128 bits. So it is compiled
// again for longer ones, and LongXxh3 asks the CPU. Compiled for a CPU with AVX2 it is not.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__)
#define LINEFILTER_XXH3_AGAIN 1
uint64_t LongXxh3OfAvx2(const void* data, size_t size, const Xxh3Secret& secret);
uint64_t LongXxh3OfAvx512(const void* data, size_t size, const Xxh3Secret& secret);
#else
#define LINEFILTER_XXH3_AGAIN 0
#endif

// This is XXH3_64bits, for the checks of chunks.
uint64_t Xxh3(const void* data, size_t size);

// This is XXH3_64bits_withSeed of kCheckSeed, for the check of a trailer.
uint64_t Xxh3OfCheck(const void* data, size_t size);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_XXH3_H_
