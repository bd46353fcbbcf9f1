#include "bench/peer.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace linefilter::bench {

const char* AccessName(Access access) {
  static constexpr const char* kNames[] = {"single",
                                           "branch",
                                           "dependent",
                                           "batch",
                                           "inlined",
                                           "inlined_branch",
                                           "inlined_dependent",
                                           "insert_single",
                                           "insert_batch",
                                           "build",
                                           "build_2_threads",
                                           "fill",
                                           "fill_batch",
                                           "fill_2_threads",
                                           "fill_batch_2_threads",
                                           "single_during_inserts",
                                           "batch_during_inserts"};
  static_assert(std::size(kNames) == static_cast<size_t>(Access::kBatchDuringInserts) + 1);
  return kNames[static_cast<size_t>(access)];
}

void PeerFilter::Insert(size_t, Access access, const Keys&) {
  Die("this peer has no access %s: leave it out of peer.accesses", AccessName(access));
}

void PeerFilter::Build(size_t, Access access, const Spec&) {
  Die("this peer has no access %s of its own: leave Peer::rebuilds false", AccessName(access));
}

void PeerFilter::InsertNew(size_t) {
  Die("this peer takes no keys while it is asked: leave that out of peer.accesses");
}

void Die(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "linefilter_bench: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  abort();
}

}  // namespace linefilter::bench
