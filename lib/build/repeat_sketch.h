// This estimates whether many of a lot of hashes are repeats.
#ifndef LINEFILTER_LIB_BUILD_REPEAT_SKETCH_H_
#define LINEFILTER_LIB_BUILD_REPEAT_SKETCH_H_

#include <cstdint>

namespace linefilter::internal {

// It takes 8 KiB; repeat_sketch.cc tells how it works.
class RepeatSketch {
 public:
  // Comes before the first Add.
  void Clear();
  // Takes n hashes. num_keys is at most what ShowsRepeats gets: how many keys were added so far.
  void Add(const uint64_t* hashes, uint64_t n, uint64_t num_keys);
  // Tells whether the hashes that came are so few that num_keys is more than 1.05 times their number. It depends on the
  // set of hashes and num_keys alone, not on order, repeats or the CPU.
  bool ShowsRepeats(uint64_t num_keys) const;

 private:
  static constexpr uint32_t kNumRegisters = 8192;

  uint8_t registers_[kNumRegisters];
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_REPEAT_SKETCH_H_
