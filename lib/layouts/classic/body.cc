#include "lib/layouts/classic/body.h"

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

// Unlike ClassicMayContain it reads all bits. In the tiny filters of engines the branch that ends early is mispredicted
// more dearly (24 against 28 ns of a whole lookup for 10 keys, 27 against 28 for 48).
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

// The number of zeros after n k throws into m bits has a variance of m e^-2t (e^t - 1 - t), t = n k / m, and each key
// takes k e^-t of them (Whang, Vander-Zanden, Taylor 1990, with k throws for a key).
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
double ExpectedFpr(const ProbeState& state) {
  const double fill = FillRatioOf(state.body, state.num_units);
  const double keys = SizeAtFill(fill, state.num_probes, state.num_units).keys;
  return EitherOf(EqualHashFpr(keys), IntPow(fill, state.num_probes));
}

size_t Positions(uint64_t body_bytes, uint32_t num_probes, uint64_t hash, uint64_t* positions) {
  if (body_bytes == 0 || !IsValid(body_bytes, num_probes)) return 0;
  for (uint32_t i = 0; i < num_probes; ++i, hash *= kProbeMultiplier) positions[i] = MulHigh(hash, 8 * body_bytes);
  return num_probes;
}

}  // namespace

extern const LayoutRecord kClassicLayout;
constexpr LayoutRecord kClassicLayout = [] {
  LayoutRecord record =
      PlainRecord<IsValid, Bind, ClassicKernels>(Layout::kClassic, "classic", ApproximateSize, ExpectedFpr);
  record.body_may_contain = MayContain;
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.unites = facts.zeros_are_empty = true;
  facts.max_num_probes = kMostProbesOfClassic;
  facts.bits_of_position = 1;
  record.absence_is_sound = ZeroAbsence::IsSound<SoundChunk>;
  record.positions = Positions;
  record.size_at_fill = SizeAtFill;
  return record;
}();

}  // namespace linefilter::internal
