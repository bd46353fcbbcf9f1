// doc/FORMAT.md section 8: the reader bit by bit, and the writer as dense elimination over all 504 columns.
#include <array>
#include <optional>
#include <set>

#include "tests/reference/reference.h"

namespace reference {
namespace {

constexpr uint64_t kFactors[8] = {0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345,
                                  0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89};
constexpr int kZ[32] = {0, 4, 8, 12, 16, 20, 24, 28, 2, 6, 10, 14, 18, 22, 26, 30,
                        1, 5, 9, 13, 17, 21, 25, 29, 3, 7, 11, 15, 19, 23, 27, 31};
constexpr int kMostT = 248, kColumns = 512;  // columns 64 l + 63 are no unknowns: no equation has them

uint64_t QOf(uint64_t g) { return g * 0x9E3779B97F4A7C15; }
bool FBit(uint64_t g, int i) { return (QOf(g) >> (32 + i) & 1) != 0; }
int UOf(uint64_t g) { return static_cast<int>(QOf(g) >> 29 & 7); }

// One linear equation: bit b of word l is column 64 l + b.
struct Equation {
  std::array<uint64_t, 8> left{};
  bool right = false;
  bool Has(int column) const { return (left[static_cast<size_t>(column / 64)] >> (column % 64) & 1) != 0; }
  void Add(const Equation& other) {
    for (size_t l = 0; l < 8; ++l) left[l] ^= other.left[l];
    right ^= other.right;
  }
};

Equation Constraint(uint64_t g, int n) {
  const int z = kZ[n];
  Equation equation;
  for (int l = 0; l < 8; ++l) {
    for (int b = 0; b < 63; ++b) {
      const int i = 4 * l + b / 16;
      const uint64_t a = g * kFactors[l] >> b & 1;
      if ((i & z) == z) equation.left[static_cast<size_t>(l)] |= a << b;
    }
  }
  equation.right = FBit(g, z);
  return equation;
}

class System {
 public:
  // False if the equation contradicts those before.
  bool Take(Equation equation) {
    for (int column = 0; column < kColumns; ++column) {
      if (!equation.Has(column)) continue;
      std::optional<Equation>& row = rows_[static_cast<size_t>(column)];
      if (!row.has_value()) {
        row = equation;
        since_mark_.push_back(column);
        return true;
      }
      equation.Add(*row);
    }
    return !equation.right;
  }
  // Forget: back to what was at Mark.
  void Mark() { since_mark_.clear(); }
  void Forget() {
    for (const int column : since_mark_) rows_[static_cast<size_t>(column)].reset();
  }
  // The unknowns, those without pivot 0. A row's other columns are above its pivot.
  std::array<uint64_t, 8> Solve() const {
    std::array<uint64_t, 8> unknowns{};
    for (int column = kColumns - 1; column >= 0; --column) {
      const std::optional<Equation>& row = rows_[static_cast<size_t>(column)];
      if (!row.has_value()) continue;
      uint64_t value = row->right;
      for (int c = column + 1; c < kColumns; ++c) {
        value ^= row->Has(c) ? unknowns[static_cast<size_t>(c / 64)] >> (c % 64) & 1 : 0;
      }
      unknowns[static_cast<size_t>(column / 64)] |= value << (column % 64);
    }
    return unknowns;
  }

 private:
  std::vector<std::optional<Equation>> rows_{kColumns};  // by pivot; one is never changed by those that come later
  std::vector<int> since_mark_;
};

// What T has more than T - 1; false if that contradicts.
bool TakeStep(const std::set<uint64_t>& keys, int t_of_block, System* system) {
  for (const uint64_t g : keys) {
    const int sum = t_of_block + UOf(g);
    if (sum % 8 == 0 && !system->Take(Constraint(g, sum / 8 - 1))) return false;
  }
  return true;
}

}  // namespace

bool RetrievalMayContain(const Bytes& body, uint64_t hash) {
  const uint8_t* const block = body.data() + 64 * MulHi(hash, body.size() / 64);
  const uint64_t g = InBlockHash(hash);
  uint64_t words[8];
  int header = 0;
  for (int l = 0; l < 8; ++l) {
    words[l] = GetLittleEndian(block + 8 * l, 8);
    header |= static_cast<int>(words[l] >> 63) << l;
  }
  bool p[32] = {};
  for (int i = 0; i < 32; ++i) {
    const uint64_t both = words[i / 4] & g * kFactors[i / 4];
    for (int b = 16 * (i % 4); b < 16 * (i % 4) + 16; ++b) p[i] ^= (both >> b & 1) != 0;
  }
  const int t = (header + UOf(g)) / 8 % 32;
  for (int n = 0; n < t; ++n) {
    bool y = false;
    for (int k = 0; k < 32; ++k) y ^= (k & kZ[n]) == kZ[n] && p[k];
    if (y != FBit(g, kZ[n])) return false;
  }
  return true;
}

int SolveRetrievalBlock(const std::vector<uint64_t>& hashes, uint8_t* block) {
  std::set<uint64_t> keys;
  for (const uint64_t hash : hashes) keys.insert(InBlockHash(hash));
  System system;
  int t = 0;
  for (; t < kMostT; ++t) {
    system.Mark();
    if (TakeStep(keys, t + 1, &system)) continue;
    system.Forget();
    break;
  }
  const std::array<uint64_t, 8> unknowns = system.Solve();
  for (int l = 0; l < 8; ++l) {
    const uint64_t header_bit = static_cast<uint64_t>(t >> l & 1) << 63;
    PutLittleEndian(unknowns[static_cast<size_t>(l)] | header_bit, 8, block + 8 * l);
  }
  return t;
}

void SolveRetrieval(const std::vector<uint64_t>& hashes, Bytes* body) {
  const uint64_t num_blocks = body->size() / 64;
  std::vector<std::vector<uint64_t>> of_block(num_blocks);
  for (const uint64_t hash : hashes) of_block[MulHi(hash, num_blocks)].push_back(hash);
  for (uint64_t i = 0; i < num_blocks; ++i) SolveRetrievalBlock(of_block[i], body->data() + 64 * i);
}

}  // namespace reference
