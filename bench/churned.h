// Filters whose keys are inserted and removed one at a time, ours and another's, behind one interface.
#ifndef LINEFILTER_BENCH_CHURNED_H_
#define LINEFILTER_BENCH_CHURNED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace linefilter::bench {

// Each call takes a run of keys, so that what it costs to get there is not in the time of a key.
class Churned {
 public:
  virtual ~Churned() = default;
  // `done` gets a byte for each hash, 0 if the filter refused it. One call of the filter for each.
  virtual void Insert(const uint64_t* hashes, size_t n, uint8_t* done) = 0;
  // The same; 0 if the key was certainly no member.
  virtual void Remove(const uint64_t* hashes, size_t n, uint8_t* done) = 0;
  virtual void Ask(const uint64_t* hashes, size_t n, uint8_t* answers) const = 0;
  virtual uint64_t bytes() const = 0;
  // The rate that the filter computes from itself; 0 if it does not.
  virtual double own_fpr() const { return 0; }
};

// A `quotient` for so many keys; one that gives keys back, or a set.
std::unique_ptr<Churned> MakeChurnedQuotient(bool removable, uint64_t num_keys, double bits_per_key);
// Our own cuckoo filter of 10 or 12 bits per slot, 95 % full.
std::unique_ptr<Churned> MakeChurnedCuckoo(int slot_bits, uint64_t num_keys);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_CHURNED_H_
