// XXH64 with seed 0 as the xxHash specification describes it (doc/xxhash_spec.md of xxHash, "XXH64 Algorithm"), step by
// step. The numbers of the steps are the specification's.
#include "tests/reference/reference.h"

namespace reference {
namespace {

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F, kPrime3 = 0x165667B19E3779F9,
                   kPrime4 = 0x85EBCA77C2B2AE63, kPrime5 = 0x27D4EB2F165667C5;

uint64_t Rotated(uint64_t x, int left) { return (x << left) | (x >> (64 - left)); }

uint64_t Round(uint64_t accumulator, uint64_t lane) { return Rotated(accumulator + lane * kPrime2, 31) * kPrime1; }

// This does steps 1 to 3 with the message's whole stripes of 32 bytes.
uint64_t ConvergedStripes(const uint8_t* message, size_t stripes) {
  if (stripes == 0) return kPrime5;
  uint64_t accumulators[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
  for (size_t stripe = 0; stripe < stripes; ++stripe) {
    for (size_t i = 0; i < 4; ++i) {
      accumulators[i] = Round(accumulators[i], GetLittleEndian(message + 32 * stripe + 8 * i, 8));
    }
  }
  uint64_t converged = Rotated(accumulators[0], 1) + Rotated(accumulators[1], 7) + Rotated(accumulators[2], 12) +
                       Rotated(accumulators[3], 18);
  for (const uint64_t accumulator : accumulators) {
    converged = (converged ^ Round(0, accumulator)) * kPrime1 + kPrime4;
  }
  return converged;
}

}  // namespace

uint64_t Xxh64(std::string_view message) {
  const Bytes bytes(message.begin(), message.end());
  size_t at = bytes.size() / 32 * 32;
  uint64_t hash = ConvergedStripes(bytes.data(), at / 32);
  hash += bytes.size();                      // step 4
  for (; bytes.size() - at >= 8; at += 8) {  // step 5
    hash = Rotated(hash ^ Round(0, GetLittleEndian(bytes.data() + at, 8)), 27) * kPrime1 + kPrime4;
  }
  if (bytes.size() - at >= 4) {
    hash = Rotated(hash ^ GetLittleEndian(bytes.data() + at, 4) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < bytes.size(); ++at) hash = Rotated(hash ^ bytes[at] * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;  // step 6
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace reference
