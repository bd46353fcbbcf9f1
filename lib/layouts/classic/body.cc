#include "lib/layouts/classic/body.h"

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

double KeysAtFill(double fill, uint32_t num_probes, uint64_t num_units) {
  const double num_bits = 8.0 * static_cast<double>(num_units);
  return LnOfRest(fill) / (num_probes * LnOfRest(1 / num_bits));
}

double EstimatedKeys(const ProbeState& state) {
  return KeysAtFill(FillRatioOf(state.body, state.num_units), state.num_probes, state.num_units);
}

// It is fill ratio ^ num_probes, and keys that agree with a member in the whole hash.
double ExpectedFpr(const ProbeState& state) {
  const double fill = FillRatioOf(state.body, state.num_units);
  const double keys = KeysAtFill(fill, state.num_probes, state.num_units);
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
      PlainRecord<IsValid, Bind, ClassicKernels>(Layout::kClassic, "classic", EstimatedKeys, ExpectedFpr);
  record.body_may_contain = MayContain;
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.unites = facts.zeros_are_empty = true;
  facts.max_num_probes = kMostProbesOfClassic;
  facts.bits_of_position = 1;
  record.absence_is_sound = ZeroAbsence::IsSound<SoundChunk>;
  record.positions = Positions;
  record.keys_at_fill = KeysAtFill;
  return record;
}();

}  // namespace linefilter::internal
