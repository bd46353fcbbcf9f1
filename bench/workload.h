// What is asked of what: one filled filter per layout and size, and hashes to ask it.
#ifndef LINEFILTER_BENCH_WORKLOAD_H_
#define LINEFILTER_BENCH_WORKLOAD_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "linefilter/layout.h"
#include "linefilter/view.h"

namespace linefilter::bench {

// An image in huge pages, full at its bits per key, and query hashes half of which are members. Members are the
// hashes of 0..num_keys-1, others those of integers from 2^40 up: HashKey is a bijection on integers, so the two
// are disjoint. Small filters get few queries, so that streaming them is not what is measured; large ones enough
// to leave every cache.
class Workload {
 public:
  // Made at the first call; aborts the program if a member is answered "absent".
  static const Workload& Get(Layout layout, uint64_t body_bytes, double bits_per_key);

  // A view over the same bytes that answers with `target`.
  FilterView ViewFor(const char* target) const;
  const uint8_t* body() const { return view_.body(); }
  uint64_t body_bytes() const { return view_.body_bytes(); }
  const std::vector<uint64_t>& queries() const { return queries_; }
  double measured_fpr() const { return measured_fpr_; }
  double bits_per_key() const { return bits_per_key_; }
  uint32_t num_probes() const { return view_.num_probes(); }

 private:
  Workload(Layout layout, uint64_t body_bytes, double bits_per_key);
  void Check(uint64_t num_keys);

  struct Unmap {
    uint64_t size;
    void operator()(void* pointer) const;
  };
  std::unique_ptr<void, Unmap> image_;
  FilterView view_;
  std::vector<uint64_t> queries_;
  double measured_fpr_ = 0;
  double bits_per_key_ = 0;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_WORKLOAD_H_
