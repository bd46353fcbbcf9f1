#include "bench/peer.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace linefilter::bench {

const char* AccessName(Access access) {
  switch (access) {
    case Access::kSingle:
      return "single";
    case Access::kBranch:
      return "branch";
    case Access::kDependent:
      return "dependent";
    case Access::kBatch:
      return "batch";
    case Access::kInlined:
      return "inlined";
    case Access::kInlinedBranch:
      return "inlined_branch";
    case Access::kInlinedDependent:
      return "inlined_dependent";
    case Access::kInsertSingle:
      return "insert_single";
    case Access::kInsertBatch:
      return "insert_batch";
    case Access::kBuild:
      return "build";
    case Access::kBuildTwoThreads:
      return "build_2_threads";
    case Access::kFill:
      return "fill";
    case Access::kFillBatch:
      return "fill_batch";
    case Access::kFillTwoThreads:
      return "fill_2_threads";
    case Access::kFillBatchTwoThreads:
      return "fill_batch_2_threads";
    case Access::kSingleDuringInserts:
      return "single_during_inserts";
    case Access::kBatchDuringInserts:
      return "batch_during_inserts";
  }
  return "unknown";
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
