// Mutants of the layout `retrieval`, as in mutants.h: scalar code from doc/FORMAT.md section 8 with one deliberate
// fault.
//
// Faults of the reader are put on images that the library made: the judgement is then as sharp as for the library.
// Faults of the layout itself, which builder and reader have in common, need a solver of their own, which is slow: they
// are judged on small filters, and are large.
#ifndef LINEFILTER_TESTS_LAYOUTS_MUTANTS_RETRIEVAL_MUTANTS_H_
#define LINEFILTER_TESTS_LAYOUTS_MUTANTS_RETRIEVAL_MUTANTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linefilter/hash.h"
#include "tests/testing/library_subject.h"

namespace linefilter::mutants {

enum class RetrievalFault {
  kNone,
  // Of the reader:
  kHeaderTooSmall,     // T - 1
  kEighthIgnored,      // u = 0: no key has the constraint that has begun
  kLastMissing,        // the last constraint is not tested
  kCouplingOfOneLost,  // the constraint of all words together is not tested
  // Of the layout:
  kLinearFingerprint,       // f is GF(2)-linear in the row: one solution passes every key
  kNoCoupling,              // constraints of lanes of 16 unknowns, each for itself
  kHighColumnsUnused,       // rows of 48 bits: 120 of 504 unknowns lie idle
  kEighthOfBuilderIgnored,  // u = 0 in builder and reader: whole constraints only
};

// What a key asks of a block.
class RetrievalRules {
 public:
  explicit RetrievalRules(RetrievalFault fault) : fault_(fault) {}

  uint64_t Row(uint64_t g, uint32_t word) const {
    static constexpr uint64_t kRowMultipliers[8] = {0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345,
                                                    0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89};
    const bool is_short = fault_ == RetrievalFault::kHighColumnsUnused;
    return g * (is_short ? kRowMultipliers[word] & 0xffff : kRowMultipliers[word]);
  }
  uint32_t Eighth(uint64_t g) const {
    const bool ignored = fault_ == RetrievalFault::kEighthIgnored || fault_ == RetrievalFault::kEighthOfBuilderIgnored;
    return ignored ? 0 : Mixed(g) >> 29 & 7;
  }
  // Sums of the parities p of the 32 lanes.
  uint32_t Couple(uint32_t p) const {
    if (fault_ == RetrievalFault::kNoCoupling) return p;
    p ^= p >> 1 & 0x55555555;
    p ^= p >> 2 & 0x33333333;
    p ^= p >> 4 & 0x0f0f0f0f;
    p ^= p >> 8 & 0x00ff00ff;
    return p ^ p >> 16;
  }
  uint32_t Fingerprint(uint64_t g) const {
    if (fault_ != RetrievalFault::kLinearFingerprint) return static_cast<uint32_t>(Mixed(g) >> 32);
    uint32_t p = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      p |= static_cast<uint32_t>(Row(g, lane / 4) >> (16 * (lane % 4) + 9) & 1) << lane;
    }
    return Couple(p);
  }
  // The number of constraint n among the 32 sums.
  static uint32_t Number(uint32_t n) { return (n & 7) << 2 | (n >> 3 & 1) << 1 | n >> 4; }

  bool MayContain(const uint64_t* block, uint64_t g) const {
    uint32_t header = 0, p = 0;
    for (uint32_t word = 0; word < 8; ++word) {
      header |= static_cast<uint32_t>(block[word] >> 63) << word;
      uint64_t both = block[word] & Row(g, word);
      for (const int half : {8, 4, 2, 1}) both ^= both >> half;
      for (uint32_t lane = 0; lane < 4; ++lane) p |= static_cast<uint32_t>(both >> 16 * lane & 1) << (4 * word + lane);
    }
    if (fault_ == RetrievalFault::kHeaderTooSmall && header > 0) --header;
    uint32_t t = (header + Eighth(g)) / 8;
    if (fault_ == RetrievalFault::kLastMissing && t > 0) --t;
    const uint32_t wrong = Couple(p) ^ Fingerprint(g);
    for (uint32_t n = fault_ == RetrievalFault::kCouplingOfOneLost ? 1 : 0; n < t; ++n) {
      if ((wrong >> Number(n) & 1) != 0) return false;
    }
    return true;
  }

 private:
  static uint64_t Mixed(uint64_t g) { return g * 0x9E3779B97F4A7C15; }

  const RetrievalFault fault_;
};

// Gauss elimination, row by row, pivot = the lowest column.
class RetrievalSolver {
 public:
  explicit RetrievalSolver(const RetrievalRules& rules) : rules_(rules) {}

  void Solve(const std::vector<uint64_t>& keys, uint64_t* block) {
    std::fill(std::begin(age_), std::end(age_), 0u);
    uint32_t header = 0;
    while (header < 248 && TakeEighth(keys, header + 1)) ++header;
    uint64_t x[8] = {};
    for (int column = 511; column >= 0; --column) {
      if (age_[column] == 0 || age_[column] > header) continue;  // rows of the eighth that failed are left out
      uint64_t sum = 0;
      for (int word = 0; word < 8; ++word) sum ^= rows_[column].left[word] & x[word];
      const uint64_t value = (static_cast<uint64_t>(__builtin_popcountll(sum)) ^ rows_[column].right) & 1;
      x[column / 64] |= value << (column % 64);
    }
    for (uint32_t word = 0; word < 8; ++word) block[word] = x[word] | uint64_t{header >> word & 1} << 63;
  }

 private:
  struct Equation {
    uint64_t left[8];
    uint32_t right;
  };

  // The equations that T = header has and header - 1 has not; false if one contradicts.
  bool TakeEighth(const std::vector<uint64_t>& keys, uint32_t header) {
    for (const uint64_t g : keys) {
      const uint32_t sum = header + rules_.Eighth(g);
      if (sum % 8 == 0 && !Take(g, sum / 8 - 1, header)) return false;
    }
    return true;
  }
  bool Take(uint64_t g, uint32_t constraint, uint32_t header) {
    const uint32_t number = RetrievalRules::Number(constraint);
    Equation equation{{}, rules_.Fingerprint(g) >> number & 1};
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((rules_.Couple(uint32_t{1} << lane) >> number & 1) == 0) continue;
      equation.left[lane / 4] |= rules_.Row(g, lane / 4) & uint64_t{0xffff} << 16 * (lane % 4);
    }
    for (int column = 0; column < 512; ++column) {
      if ((equation.left[column / 64] >> (column % 64) & 1) == 0) continue;
      if (age_[column] == 0) {
        rows_[column] = equation;
        age_[column] = header;
        return true;
      }
      for (int word = 0; word < 8; ++word) equation.left[word] ^= rows_[column].left[word];
      equation.right ^= rows_[column].right;
    }
    return equation.right == 0;
  }

  const RetrievalRules& rules_;
  Equation rows_[512];  // by pivot
  uint32_t age_[512];   // the T at which the row came; 0 = none
};

// `own_solver`: builder and reader have the fault; else the reader alone.
class ScalarRetrieval : public test::LibrarySubject {
 public:
  ScalarRetrieval(const test::FprRow& row, RetrievalFault fault, bool own_solver = false)
      : LibrarySubject(row), rules_(fault), own_solver_(own_solver), words_(row.body_bytes / 8) {}

  void Reset(uint64_t seed) override {
    LibrarySubject::Reset(seed);
    seed_ = seed;
    hashes_.clear();
  }
  void Insert(const uint64_t* keys, size_t n) override {
    if (!own_solver_) return LibrarySubject::Insert(keys, n);
    for (size_t i = 0; i < n; ++i) hashes_.push_back(HashKey(keys[i], seed_));
  }
  void Finish() override {
    if (own_solver_) return SolveAll();
    LibrarySubject::Finish();
    for (size_t i = 0; i < words_.size(); ++i) {  // little-endian
      const uint8_t* bytes = filter().body() + 8 * i;
      words_[i] = 0;
      for (int byte = 7; byte >= 0; --byte) words_[i] = words_[i] << 8 | bytes[byte];
    }
  }
  uint64_t CountMaybes(const uint64_t* keys, size_t n) const override {
    uint64_t maybes = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t hash = HashKey(keys[i], seed_);
      maybes += rules_.MayContain(&words_[8 * BlockOf(hash)], InBlockHash(hash));
    }
    return maybes;
  }

 private:
  uint64_t BlockOf(uint64_t hash) const { return MulHigh(hash, words_.size() / 8); }
  void SolveAll() {
    std::vector<std::vector<uint64_t>> keys(words_.size() / 8);
    for (const uint64_t hash : hashes_) keys[BlockOf(hash)].push_back(InBlockHash(hash));
    RetrievalSolver solver(rules_);
    for (size_t block = 0; block < keys.size(); ++block) solver.Solve(keys[block], &words_[8 * block]);
  }

  const RetrievalRules rules_;
  const bool own_solver_;
  std::vector<uint64_t> words_, hashes_;
  uint64_t seed_ = 0;
};

}  // namespace linefilter::mutants

#endif  // LINEFILTER_TESTS_LAYOUTS_MUTANTS_RETRIEVAL_MUTANTS_H_
