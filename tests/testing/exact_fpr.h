// The exact false-positive rate of idealized layouts, by methods that no library would use: for judging the models in
// lib/layouts.
#ifndef LINEFILTER_TESTS_TESTING_EXACT_FPR_H_
#define LINEFILTER_TESTS_TESTING_EXACT_FPR_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace linefilter::test {

// `blocked`, if the bits of a key in its lanes were independent and uniform. A question asks one bit in each lane of S
// (S_k rotated; by symmetry not rotated). By inclusion and exclusion over the subsets A of S whose bits are all unset:
//   FPR_j = sum over A of (-1)^|A| g(A)^j
// where g(A) = 1/16 sum over r of (31/32)^|A intersected with (S rotated by r)| is the probability that one key of the
// block misses all bits of A. For loads Binomial(n, 1/B), g^j becomes (1 - (1 - g)/B)^n; for Poisson(m), exp(-m (1 -
// g)). Long doubles: the terms cancel, by up to 2^k.
class ExactBlockedFpr {
 public:
  explicit ExactBlockedFpr(uint32_t k) {
    constexpr uint32_t kSubsets[17] = {0,      0x0001, 0x0003, 0x000b, 0x0053, 0x0127, 0x0167, 0x053b, 0x06b7,
                                       0x0b77, 0x0ddf, 0x1b7f, 0x2eff, 0x2fff, 0x3fff, 0x7fff, 0xffff};
    const uint32_t s = kSubsets[k];
    std::map<std::array<int, 17>, long long> groups;  // subsets A by how many rotations they meet in 0..16 lanes
    for (uint32_t a = s;; a = (a - 1) & s) {
      std::array<int, 17> rotations_with{};
      for (uint32_t r = 0; r < 16; ++r)
        ++rotations_with[static_cast<size_t>(Ones(a & ((s << r | s >> (16 - r)) & 0xffff)))];
      groups[rotations_with] += Ones(a) % 2 == 0 ? 1 : -1;
      if (a == 0) break;
    }
    for (const auto& [rotations_with, count] : groups) {
      long double g = 0, miss = 1;
      for (size_t overlap = 0; overlap <= 16; ++overlap, miss *= 31.0L / 32) g += rotations_with[overlap] * miss / 16;
      if (count != 0) terms_.push_back({static_cast<long double>(count), 1 - g});
    }
  }

  // n keys in B blocks. The last term: keys whose 32-bit in-block hash is the question's.
  double OfKeys(uint64_t n, uint64_t num_blocks) const {
    long double fpr = 0;
    for (const Term& term : terms_) {
      const long double hit = term.hit / static_cast<long double>(num_blocks);
      fpr += hit >= 1 ? 0 : term.count * std::exp(static_cast<long double>(n) * std::log1p(-hit));
    }
    return WithEqualHashes(fpr, static_cast<double>(n) / static_cast<double>(num_blocks));
  }

  // The limit of many blocks.
  double OfDensity(double bits_per_key) const {
    long double fpr = 0;
    for (const Term& term : terms_) fpr += term.count * std::exp(-512.0L / bits_per_key * term.hit);
    return WithEqualHashes(fpr, 512 / bits_per_key);
  }

 private:
  struct Term {
    long double count, hit;  // hit = 1 - g
  };
  static int Ones(uint32_t x) {
    int ones = 0;
    for (; x != 0; x &= x - 1) ++ones;
    return ones;
  }
  static double WithEqualHashes(long double fpr, double load) {
    return static_cast<double>(fpr + (1 - fpr) * load / 4294967296.0L);
  }

  std::vector<Term> terms_;
};

// `classic`, if all k n bits were thrown independently into m: E[(X/m)^k], X = bits set, its distribution thrown bit by
// bit; and keys whose 64-bit hash is the question's.
inline double ExactClassicFpr(uint64_t n, uint64_t m, uint32_t k) {
  std::vector<double> set(m + 1, 0);  // set[x] = P(X = x)
  set[0] = 1;
  const double bits = static_cast<double>(m);
  for (uint64_t thrown = 0; thrown < n * k; ++thrown) {
    for (size_t x = m; x > 0; --x) {
      set[x] = set[x] * static_cast<double>(x) / bits + set[x - 1] * static_cast<double>(m - x + 1) / bits;
    }
    set[0] = 0;
  }
  double fpr = 0;
  for (size_t x = 0; x <= m; ++x) fpr += set[x] * std::pow(static_cast<double>(x) / bits, k);
  return fpr + (1 - fpr) * std::ldexp(static_cast<double>(n), -64);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_EXACT_FPR_H_
