#include "lib/layouts/classic/body.h"

#include "lib/base/equal_hashes.h"
#include "lib/base/fill.h"
#include "lib/base/real.h"
#include "linefilter/sizing.h"

namespace linefilter::internal {

bool ClassicBodyIsValid(uint64_t body_bytes, uint32_t num_probes) {
  return body_bytes <= kMaxClassicBytes && num_probes >= 1 && num_probes <= MaxNumProbes(Layout::kClassic);
}

bool ClassicBodyMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  if (!ClassicBodyIsValid(body_bytes, num_probes)) return true;
  if (body_bytes == 0) return false;
  unsigned all = 1;
  for (uint32_t i = 0; i < num_probes; ++i) {
    const uint64_t bit = MulHigh(hash, 8 * body_bytes);
    all &= body[bit >> 3] >> (bit & 7);
    hash *= kProbeMultiplier;
  }
  return all != 0;
}

void BindClassic(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  *state = ProbeState();
  state->body = body;
  state->num_units = body_bytes;
  state->unit_shift = 0;
  state->layout = Layout::kClassic;
  state->num_probes = num_probes;
}

namespace {

double KeysAtFill(double fill, const ProbeState& state) {
  const double num_bits = 8.0 * static_cast<double>(state.num_units);
  return LnOfRest(fill) / (state.num_probes * LnOfRest(1 / num_bits));
}

}  // namespace

double ClassicEstimatedKeys(const ProbeState& state) {
  return KeysAtFill(FillRatioOf(state.body, state.num_units), state);
}

double ClassicExpectedFpr(const ProbeState& state) {
  const double fill = FillRatioOf(state.body, state.num_units);
  return EitherOf(EqualHashFpr(KeysAtFill(fill, state)), IntPow(fill, state.num_probes));
}

}  // namespace linefilter::internal
