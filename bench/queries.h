// What one filter is asked: keys of which 0, 50 or 100 % are members, in an order that no branch predictor learns.
//
// As many as it takes: a 2022 server's predictor knew 32768 integers by heart (a caller's branch then cost 0 ns instead
// of 8) and 8192 strings (classic: 5.6 ns instead of 17). Not more: 2^20 integers would measure their own streaming.
// Filters beyond the L2 cache get enough to leave every cache. All are handed out in slices that stay in the L2 cache.
#ifndef LINEFILTER_BENCH_QUERIES_H_
#define LINEFILTER_BENCH_QUERIES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "bench/peer.h"

namespace linefilter::bench {

inline constexpr int kHitPercents[] = {0, 50, 100};

class Queries {
 public:
  // Aborts if an absent key is a member: key by key up to 2^24 members; above that keys are integers, and different
  // numbers are different keys by construction (keys.h).
  explicit Queries(const Spec& spec);

  const Keys& WithHits(int percent) const;
  // What they take, about.
  static uint64_t BytesFor(const Spec& spec);
  // Slices of at most this many keys.
  size_t slice_size() const { return slice_size_; }

 private:
  void ProveDisjoint(const Spec& spec, const Keys& absent) const;

  size_t slice_size_;
  std::vector<KeyMaker> makers_;  // own the keys
  std::array<Keys, 3> keys_;      // as kHitPercents
};

// Absent keys that no Queries asks, for measuring the false-positive rate: calls work(keys) in runs, `count` in all.
template <class Work>
void ForAbsent(const Spec& spec, uint64_t count, const Work& work) {
  constexpr uint64_t kRun = 16384;
  KeyMaker maker(spec.kind, spec.family);
  for (uint64_t done = 0; done < count; done += kRun) {
    work(maker.Make(3 * kFirstAbsent + done, static_cast<size_t>(count - done < kRun ? count - done : kRun)));
  }
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_QUERIES_H_
