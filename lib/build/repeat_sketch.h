// This estimates whether many of a lot of hashes are repeats; repeat_sketch.cc tells how.
#ifndef LINEFILTER_LIB_BUILD_REPEAT_SKETCH_H_
#define LINEFILTER_LIB_BUILD_REPEAT_SKETCH_H_

#include <cstdint>

namespace linefilter::internal {

inline constexpr uint32_t kSketchPlaces = 8192;

// The sketch of num_keys keys looks at the hashes that begin with so many zeros.
uint32_t SketchLevel(uint64_t num_keys);

// The sketch of hashes whose number is known: a bit for each place, and 0 at first.
class SetSketch {
 public:
  static constexpr uint64_t kWords = kSketchPlaces / 64;

  explicit SetSketch(uint64_t* words) : words_(words) {}
  void Add(const uint64_t* hashes, uint64_t n, uint32_t level);
  // Tells whether the hashes that came are so few that num_keys, whose level they came with, is more than 1.05 times
  // their number. It depends on the set of hashes and num_keys alone, not on order, repeats or the CPU.
  bool ShowsRepeats(uint64_t num_keys) const;

 private:
  uint64_t* words_;
};

// This is the sketch of a stream whose end nobody knows: the level grows while hashes come. It is zeroed memory first.
struct StreamSketch {
  uint8_t ranks[kSketchPlaces];

  // `level` is that of the keys so far.
  void Add(const uint64_t* hashes, uint64_t n, uint32_t level);
  bool ShowsRepeats(uint64_t num_keys) const;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_REPEAT_SKETCH_H_
