// How many more keys a filter takes until it has a certain rate. This alone of what a filter tells needs the models, so
// that a reader of images links none.
#ifndef LINEFILTER_LIB_FILTERS_ROOM_H_
#define LINEFILTER_LIB_FILTERS_ROOM_H_

#include <cstdint>

#include "lib/filters/growth.h"
#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

// The room of a filter that grows, whose stages `all` asks: what the newest stage takes, and those that would be opened
// behind it. `held` are the bytes that count against its memory_limit.
uint64_t RoomOfGrowth(const ProbeState& all, const Growth& growth, uint64_t held, double fpr);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_ROOM_H_
