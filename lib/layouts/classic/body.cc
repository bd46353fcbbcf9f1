#include "lib/layouts/classic/body.h"

#include <algorithm>
#include <cmath>

#include "lib/base/equal_hashes.h"
#include "lib/base/fill.h"
#include "lib/base/real.h"
#include "lib/layouts/layout_record.h"

namespace linefilter::internal {
namespace {

bool IsValid(uint64_t body_bytes, uint32_t num_probes) {
  return body_bytes <= kMaxClassicBytes && num_probes >= 1 && num_probes <= kMostProbesOfClassic;
}

// Unlike ClassicMayContain it reads all bits. In the tiny filters of engines a branch that ends early costs more by its
// mispredictions. (A whole lookup takes 24 against 28 ns for 10 keys, 27 against 28 for 48.)
bool MayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  if (!IsValid(body_bytes, num_probes)) return true;
  if (body_bytes == 0) return false;
  unsigned all = 1;
  for (uint32_t i = 0; i < num_probes; ++i) {
    const uint64_t bit = MulHigh(hash, 8 * body_bytes);
    all &= body[bit >> 3] >> (bit & 7);
    hash *= kProbeMultiplier;
  }
  return all != 0;
}

void Bind(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  Reset(state);
  state->body = body;
  state->num_units = body_bytes;
  state->unit_shift = 0;
  state->num_probes = static_cast<uint16_t>(num_probes);
}

// After n k throws into m bits, with t = n k / m, the number of zeros has a variance of m e^-2t (e^t - 1 - t). Each key
// takes k e^-t of them. (Whang, Vander-Zanden, Taylor 1990, with k throws for a key.)
SizeEstimate SizeAtFill(double fill, uint32_t num_probes, uint64_t num_units) {
  const double num_bits = 8.0 * static_cast<double>(num_units);
  const double keys = LnOfRest(fill) / (num_probes * LnOfRest(1 / num_bits));
  if (!(fill < 1)) return {keys, keys};
  return {keys, std::sqrt(num_bits * ExpMinusLine(keys * num_probes / num_bits)) / num_probes};
}

SizeEstimate ApproximateSize(const ProbeState& state) {
  return SizeAtFill(FillRatioOf(state.body, state.num_units), state.num_probes, state.num_units);
}

// It is fill ratio ^ num_probes, and keys that agree with a member in the whole hash.
double FprAtFill(double fill, double keys, uint32_t num_probes) {
  return EitherOf(EqualHashFpr(keys), IntPow(fill, num_probes));
}

double ExpectedFpr(const ProbeState& state) {
  const double fill = FillRatioOf(state.body, state.num_units);
  return FprAtFill(fill, SizeAtFill(fill, state.num_probes, state.num_units).keys, state.num_probes);
}

size_t Positions(uint64_t body_bytes, uint32_t num_probes, uint64_t hash, uint64_t* positions) {
  if (body_bytes == 0 || !IsValid(body_bytes, num_probes)) return 0;
  for (uint32_t i = 0; i < num_probes; ++i, hash *= kProbeMultiplier) positions[i] = MulHigh(hash, 8 * body_bytes);
  return num_probes;
}

}  // namespace

double ClassicUnitedFpr(const BodyList& bodies, uint64_t num_bytes, double, double* keys) {
  constexpr uint64_t kPieceBytes = 4096;
  uint32_t num_probes = 0;
  uint64_t ones = 0;
  for (uint64_t begin = 0; begin < num_bytes; begin += kPieceBytes) {
    const uint64_t size = std::min(kPieceBytes, num_bytes - begin);
    uint8_t piece[kPieceBytes] = {};
    for (size_t b = 0; b < bodies.size; ++b) {
      const ProbeState& state = bodies.at(bodies.all, b);
      if (state.num_units == 0) continue;  // an empty set
      num_probes = state.num_probes;
      for (uint64_t i = 0; i < size; ++i) piece[i] |= state.body[begin + i];  // vectorized by the compiler
    }
    ones += CountOnes(piece, size);
  }
  const double fill = static_cast<double>(ones) / (8.0 * static_cast<double>(num_bytes));
  const double united = SizeAtFill(fill, num_probes, num_bytes).keys;
  if (keys != nullptr) *keys = united;
  return FprAtFill(fill, united, num_probes);
}

extern const LayoutRecord kClassicLayout;
constexpr LayoutRecord kClassicLayout = [] {
  LayoutRecord record =
      PlainRecord<IsValid, Bind, ClassicKernels>(Layout::kClassic, "classic", ApproximateSize, ExpectedFpr);
  record.body_may_contain = MayContain;
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.unites = facts.zeros_are_empty = true;
  facts.max_num_probes = kMostProbesOfClassic;
  facts.has_positions = true;
  record.absence_is_sound = ZeroAbsence::IsSound<SoundChunk>;
  record.positions = Positions;
  record.size_at_fill = SizeAtFill;
  return record;
}();

}  // namespace linefilter::internal
