// What peers that threads fill and ask at once share: filling on one thread and two, and keys that nobody has seen.
#ifndef LINEFILTER_BENCH_PEERS_CONCURRENT_H_
#define LINEFILTER_BENCH_PEERS_CONCURRENT_H_

#include "bench/peer.h"
#include "bench/threads.h"

namespace linefilter::bench {

// Calls insert(hashes) with all members, of two threads with half of them each.
template <class Insert>
void FillWith(Access access, const Keys& members, const Insert& insert) {
  if (!IsOnTwoThreads(access)) return insert(members);
  struct Halves {
    const Keys& members;
    const Insert& insert;
  } halves{members, insert};
  const Executor executor = TwoThreads();
  executor.run(
      executor.context,
      [](void* argument, size_t index) {
        const Halves& halves = *static_cast<const Halves*>(argument);
        const size_t half = (halves.members.size + 1) / kTwoThreads;
        halves.insert(halves.members.Slice(index * half, half));
      },
      &halves, kTwoThreads);
}

// Hashes that are neither members nor asked, other ones each time.
class NewKeys {
 public:
  Keys Next() {
    next_ += kRun;
    return maker_.Make(next_, kRun);
  }

 private:
  static constexpr size_t kRun = 1024;
  KeyMaker maker_{KeyKind::kHash};
  uint64_t next_ = 5 * kFirstAbsent;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_CONCURRENT_H_
