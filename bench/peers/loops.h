// The loops around a peer that answers one key at a time, for code that is compiled once.
#ifndef LINEFILTER_BENCH_PEERS_LOOPS_H_
#define LINEFILTER_BENCH_PEERS_LOOPS_H_

#include <string_view>

#include "bench/peer.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
// A namespace of its own, so that the loops compiled per target (own-inl.h) do not find these beside their own.
namespace loops {
#include "bench/peers/loops.inc"
}  // namespace loops
using namespace loops;
}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_LOOPS_H_
