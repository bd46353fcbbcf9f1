// Reproducible randomness for tests: the same on every machine and standard library.
#ifndef LINEFILTER_TESTS_TESTING_RANDOM_H_
#define LINEFILTER_TESTS_TESTING_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linefilter::test {

// SplitMix64 (Steele, Lea and Flood 2014). Different seeds give streams that are disjoint for all practical purposes.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du) {}
  uint64_t operator()() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Less than `end`; the bias is below end / 2^64.
  uint64_t Below(uint64_t end) { return (*this)() % end; }

 private:
  uint64_t state_;
};

inline std::vector<uint64_t> RandomHashes(size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) hash = random();
  return hashes;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_RANDOM_H_
