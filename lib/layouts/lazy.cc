#include "lib/layouts/lazy.h"

namespace linefilter::internal {

bool BlockIsSound(const ProbeState& state, uint64_t hash, const SoundChunk& is_sound) {
  return BlockAbsence<LineBlocks>::IsSound(state, hash, is_sound) != 0;
}

bool GoOver(const ProbeState& state) {
  const LazyBody& body = LazyBody::Of(state);
  if (!body.all_sound.load(std::memory_order_relaxed)) return false;
  state.inline_test.Replace(body.trusted.inline_test);
  state.may_contain.Replace(body.trusted.may_contain);
  state.kernels.Replace(body.trusted.kernels);
  return true;
}

bool AskAgain(const ProbeState& state, uint64_t hash) {
  LazyBody& body = LazyBody::Of(state);
  const bool maybe = body.trusted.may_contain(body.trusted, hash);
  return maybe || (!GoOver(state) && !body.absence_is_sound(&body, hash));
}

Status VerifyRest(const ProbeState& state) {
  LazyBody& body = LazyBody::Of(state);
  const Status status = body.verify_rest(&body);
  GoOver(state);
  return status;
}

}  // namespace linefilter::internal
