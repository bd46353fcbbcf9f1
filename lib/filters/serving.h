// What answers in a filter is the filter itself, or, where that changes, what its kernels find now.
#ifndef LINEFILTER_LIB_FILTERS_SERVING_H_
#define LINEFILTER_LIB_FILTERS_SERVING_H_

#include "lib/layouts/kernels.h"
#include "linefilter/filter_base.h"

namespace linefilter::internal {

// Calls use(Serving) once.
template <class Use>
void WithServing(const FilterBase& filter, const Use& use) {
  const ProbeState& state = filter.probe_state();
  if (state.kernels->serve == nullptr) {
    return use(Serving{state, filter.key_hash(), filter.layout(), filter.own_capacity()});
  }
  const auto call = [](void* context, const Serving& serving) { (*static_cast<const Use*>(context))(serving); };
  state.kernels->serve(state, call, const_cast<Use*>(&use));
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_SERVING_H_
