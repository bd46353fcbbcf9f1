// Several filters that answer as one: makes a ProbeState ask them all. The stages themselves are Stage of
// lib/layouts/container/body.h.
//
//   Stage stages[2] = {MakeStage(older, ...), MakeStage(newer, ...)};  // the oldest first
//   BindStages(stages, 2, &state_);                                   // keeps the pointer
//   state_.kernels->insert(state_, hash);                              // into the newest; true: no stage had it
//
// Bind anew after each change of the array (a stage more, another newest).
#ifndef LINEFILTER_LIB_LAYOUTS_CONTAINER_KERNELS_H_
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_KERNELS_H_

#include <cstdint>

#include "lib/layouts/container/body.h"
#include "lib/layouts/kernels.h"

namespace linefilter::internal {

// Layout kContainer; num_stages 1..kMaxStages. Kernels: StagesKernels(), or SharedStagesKernels() where several threads
// insert and ask at once. num_probes becomes 0.
void BindStages(const Stage* stages, uint32_t num_stages, ProbeState* state, const Kernels& kernels = StagesKernels());

// BindStageTable with StagesKernels(): for a view. They never insert into it.
void BindImageStages(const uint8_t* body, const uint8_t* table, uint32_t num_stages, ProbeState* state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_CONTAINER_KERNELS_H_
