// Mutants: filters with one deliberate fault each, which the FPR regression test must find; and the same code without a
// fault, which must pass. Scalar code from doc/FORMAT.md sections 6 and 7; it shares only the hash with the library.
//
// They are no weakened SIMD kernels: they show that the judgement sees such faults, not that a given kernel has none.
// The library's kernels have no seam for a fault, and a build of them with one would be another library; that each of
// them answers like the scalar code is for kernels_test.cc, on every target.
#ifndef LINEFILTER_TESTS_LAYOUTS_MUTANTS_MUTANTS_H_
#define LINEFILTER_TESTS_LAYOUTS_MUTANTS_MUTANTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linefilter/hash.h"
#include "tests/testing/fpr_rows.h"
#include "tests/testing/library_subject.h"

namespace linefilter::mutants {

enum class BlockedFault {
  kNone,
  kStuckLane,        // lane 5 passes whatever is in it
  kLow1BitDropped,   // of the in-block hash: half the rotations are left,
  kLow4BitsDropped,  // one of 16 is left
  kLow8BitsDropped,
  kLowHalfOfHash,  // in place of both halves folded: a caller's shard by low bits of the hash leaves little of it
};

constexpr uint32_t kSubsets[17] = {0,      0x0001, 0x0003, 0x000b, 0x0053, 0x0127, 0x0167, 0x053b, 0x06b7,
                                   0x0b77, 0x0ddf, 0x1b7f, 0x2eff, 0x2fff, 0x3fff, 0x7fff, 0xffff};
constexpr uint32_t kMultipliers[16] = {0x243F6A89, 0x85A308D3, 0x13198A2F, 0x03707345, 0xA4093823, 0x299F31D1,
                                       0x082EFA99, 0xEC4E6C89, 0x452821E7, 0x38D01377, 0xBE5466CF, 0x34E90C6D,
                                       0xC0AC29B7, 0xC97C50DD, 0x3F84D5B5, 0xB5470917};

class ScalarBlocked : public test::Subject {
 public:
  ScalarBlocked(const test::FprRow& row, BlockedFault fault)
      : fault_(fault), num_probes_(row.num_probes), lanes_(row.body_bytes / 4) {}

  void Reset(uint64_t seed) override {
    lanes_.assign(lanes_.size(), 0);
    seed_ = seed;
  }
  void Insert(const uint64_t* keys, size_t n) override {
    for (size_t i = 0; i < n; ++i) {
      uint32_t* block = nullptr;
      const uint32_t x = InBlockHash(keys[i], &block);
      for (uint32_t lane = 0; lane < 16; ++lane) block[lane] |= BitOf(x, lane);
    }
  }
  uint64_t CountMaybes(const uint64_t* keys, size_t n) const override {
    uint64_t maybes = 0;
    for (size_t i = 0; i < n; ++i) {
      uint32_t* block = nullptr;
      const uint32_t x = InBlockHash(keys[i], &block);
      bool maybe = true;
      for (uint32_t lane = 0; lane < 16 && maybe; ++lane) {
        if (fault_ == BlockedFault::kStuckLane && lane == 5) continue;
        maybe = (BitOf(x, lane) & ~block[lane]) == 0;
      }
      maybes += maybe;
    }
    return maybes;
  }

 private:
  uint32_t InBlockHash(uint64_t key, uint32_t** block) const {
    const uint64_t hash = HashKey(key, seed_);
    *block = const_cast<uint32_t*>(lanes_.data()) + 16 * MulHigh(hash, lanes_.size() / 16);
    const uint32_t x = linefilter::InBlockHash(hash);
    switch (fault_) {
      case BlockedFault::kLow1BitDropped:
        return x & ~1u;
      case BlockedFault::kLow4BitsDropped:
        return x & ~0xfu;
      case BlockedFault::kLow8BitsDropped:
        return x & ~0xffu;
      case BlockedFault::kLowHalfOfHash:
        return static_cast<uint32_t>(hash);
      default:
        return x;
    }
  }
  // The key's bit in a lane; 0 if the lane does not take part.
  uint32_t BitOf(uint32_t x, uint32_t lane) const {
    const uint32_t takes_part = kSubsets[num_probes_] >> ((lane + x) & 15) & 1;
    return takes_part << (x * kMultipliers[lane] >> 27);
  }

  const BlockedFault fault_;
  const uint32_t num_probes_;
  std::vector<uint32_t> lanes_;
  uint64_t seed_ = 0;
};

enum class ClassicFault {
  kNone,
  kOneProbeMissing,  // the last one is not tested
  k24BitPositions,   // the hash is cut to its highest 24 bits
  kEvenPositions,    // the lowest bit of every position is dropped
};

class ScalarClassic : public test::Subject {
 public:
  ScalarClassic(const test::FprRow& row, ClassicFault fault)
      : fault_(fault), num_probes_(row.num_probes), bits_(8 * row.body_bytes, 0) {}

  void Reset(uint64_t seed) override {
    bits_.assign(bits_.size(), 0);
    seed_ = seed;
  }
  void Insert(const uint64_t* keys, size_t n) override {
    for (size_t i = 0; i < n; ++i) {
      uint64_t hash = Hash(keys[i]);
      for (uint32_t probe = 0; probe < num_probes_; ++probe, hash *= kStep) bits_[Position(hash)] = 1;
    }
  }
  uint64_t CountMaybes(const uint64_t* keys, size_t n) const override {
    const uint32_t tested = num_probes_ - (fault_ == ClassicFault::kOneProbeMissing ? 1 : 0);
    uint64_t maybes = 0;
    for (size_t i = 0; i < n; ++i) {
      uint64_t hash = Hash(keys[i]);
      bool maybe = true;
      for (uint32_t probe = 0; probe < tested && maybe; ++probe, hash *= kStep) maybe = bits_[Position(hash)] != 0;
      maybes += maybe;
    }
    return maybes;
  }

 private:
  static constexpr uint64_t kStep = 0xd1342543de82ef95u;

  uint64_t Hash(uint64_t key) const {
    const uint64_t hash = HashKey(key, seed_);
    return fault_ == ClassicFault::k24BitPositions ? hash >> 40 << 40 : hash;
  }
  uint64_t Position(uint64_t hash) const {
    const uint64_t position = MulHigh(hash, bits_.size());
    return fault_ == ClassicFault::kEvenPositions ? position & ~uint64_t{1} : position;
  }

  const ClassicFault fault_;
  const uint32_t num_probes_;
  std::vector<uint8_t> bits_;  // a byte each: an obvious filter need not be small
  uint64_t seed_ = 0;
};

// The library with a share of absent keys more that answer "maybe".
class ShiftedLibrary : public test::LibrarySubject {
 public:
  ShiftedLibrary(const test::FprRow& row, double share)
      : LibrarySubject(row), limit_(static_cast<uint64_t>(row.expected_fpr * share * 18446744073709551616.0)) {}
  uint64_t CountMaybes(const uint64_t* keys, size_t n) const override {
    uint64_t more = 0;
    for (size_t i = 0; i < n; ++i) more += keys[i] >> 63 != 0 && HashKey(keys[i], 12345) < limit_;
    return LibrarySubject::CountMaybes(keys, n) + more;
  }

 private:
  const uint64_t limit_;
};

// Hashes of 32 bits, spread over 64: for LibrarySubject.
inline uint64_t HashOf32Bits(uint64_t key, uint64_t seed) { return MixHash(HashKey(key, seed) & 0xffffffffu); }

}  // namespace linefilter::mutants

#endif  // LINEFILTER_TESTS_LAYOUTS_MUTANTS_MUTANTS_H_
