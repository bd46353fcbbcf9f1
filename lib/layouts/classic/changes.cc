// How a filter of the layout `classic` is filled: plain scalar loops, as those of kernels.cc.
#include "lib/layouts/blocks/answers.h"
#include "lib/layouts/classic/body.h"
#include "lib/layouts/layout_changes.h"

namespace linefilter::internal {
namespace {

bool Insert(const ProbeState& state, uint64_t hash) {
  return ClassicInsert(const_cast<uint8_t*>(state.body), 8 * state.num_units, state.num_probes, hash);
}

template <class Answers>
uint64_t InsertAll(const ProbeState& state, const uint64_t* hashes, size_t n, Answers answers) {
  uint8_t* body = const_cast<uint8_t*>(state.body);
  const uint64_t num_bits = 8 * state.num_units;
  for (size_t i = 0; i < n; ++i) answers.Put(i, ClassicInsert(body, num_bits, state.num_probes, hashes[i]));
  return answers.count;
}

uint64_t InsertBatch(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new) {
  return were_new != nullptr ? InsertAll(state, hashes, n, AnswersToBytesAndCount{were_new})
                             : InsertAll(state, hashes, n, AnswersToCount());
}

constexpr Changes kChanges = {Insert, InsertBatch};

}  // namespace

extern const LayoutChanges kClassicChanges;
constexpr LayoutChanges kClassicChanges = {[](const ProbeState&) -> const Changes& { return kChanges; }};

void ClassicBuildRange(const ProbeState& state, const BlockRange& range, void*) {
  const uint64_t num_bits = 8 * state.num_units;
  const uint32_t num_probes = state.num_probes;
  uint8_t* const body = range.blocks;
  for (uint64_t s = 0; s < range.num_spans; ++s) {
    const HashSpan span = range.spans[s];
    for (uint64_t i = 0; i < span.size; ++i) ClassicSet(body, num_bits, num_probes, span.hashes[i]);
  }
}

}  // namespace linefilter::internal
