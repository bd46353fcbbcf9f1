// The sketch counts the distinct hashes of a sample: those that begin with `level` zeros, 2^-level of all. Each goes to
// one of m = 8192 places, and d of them leave m e^(-d / m) empty (linear counting: Whang, Vander-Zanden, Taylor 1990).
// The level follows from the number of keys, so a sample of no repeats has t = 0.625 to 1.25 hashes per place. The
// standard error is sqrt((e^t - 1) / (m t^2)): at most 1.65 %. Of sets without repeats one in 500 is taken for one of
// more than 5 %, which costs time and nothing else.
//
// While a stream comes its last level is not known. So each place holds the highest rank, 1 + leading zeros, of its
// hashes: these are the registers of a HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007). Those above the last level
// are the places of the last sample, and no hash below the level of the keys so far can be among them.
//
// DESIGN.md has what it costs, and what was rejected.
#include "lib/build/repeat_sketch.h"

#include "lib/base/real.h"
#include "lib/layouts/hash_interval.h"

namespace linefilter::internal {
namespace {

constexpr uint64_t kFewestOfSample = 5120;
constexpr double kMostRepeated = 1.05;  // keys per distinct one that are not shown
constexpr uint32_t kPlaceBits = 13;
static_assert(kSketchPlaces == 1 << kPlaceBits);

// The place depends on all of the hash, which sends no series of hashes to few places. (Without the shift, the bounds
// of blocks went to three quarters as many as random hashes.)
uint64_t PlaceOf(uint64_t hash) { return (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15u >> (64 - kPlaceBits); }

// Calls add(hash) for all of a sample.
template <class Add>
void ForEachOfSample(const uint64_t* hashes, uint64_t n, uint32_t level, const Add& add) {
  ForEachInInterval(hashes, n, {0, ~uint64_t{0} >> level}, [&](const uint64_t* sample, size_t size, const uint64_t*) {
    for (size_t i = 0; i < size; ++i) add(sample[i]);
  });
}

bool ShowsRepeatsBy(uint64_t num_empty, uint64_t num_keys) {
  double of_sample = static_cast<double>(num_keys) / kMostRepeated;
  for (uint32_t level = SketchLevel(num_keys); level != 0; --level) of_sample *= 0.5;
  return static_cast<double>(num_empty) > kSketchPlaces * ExpOfNegative(-of_sample / kSketchPlaces);
}

}  // namespace

uint32_t SketchLevel(uint64_t num_keys) {
  uint32_t level = 0;
  while (num_keys >> level >= 2 * kFewestOfSample) ++level;
  return level;
}

void SetSketch::Add(const uint64_t* hashes, uint64_t n, uint32_t level) {
  const auto add = [this](uint64_t hash) {
    const uint64_t place = PlaceOf(hash);
    words_[place / 64] |= uint64_t{1} << (place % 64);
  };
  if (level != 0) return ForEachOfSample(hashes, n, level, add);
  for (uint64_t i = 0; i < n; ++i) add(hashes[i]);
}

bool SetSketch::ShowsRepeats(uint64_t num_keys) const {
  uint64_t num_empty = kSketchPlaces;
  for (uint64_t i = 0; i < kWords; ++i) num_empty -= static_cast<uint64_t>(__builtin_popcountll(words_[i]));
  return ShowsRepeatsBy(num_empty, num_keys);
}

void StreamSketch::Add(const uint64_t* hashes, uint64_t n, uint32_t level) {
  ForEachOfSample(hashes, n, level, [this](uint64_t hash) {
    const uint8_t rank = static_cast<uint8_t>(1 + __builtin_clzll(hash | 1));
    uint8_t* const highest = &ranks[PlaceOf(hash)];
    if (*highest < rank) *highest = rank;
  });
}

bool StreamSketch::ShowsRepeats(uint64_t num_keys) const {
  const uint32_t level = SketchLevel(num_keys);
  uint64_t num_empty = 0;
  for (const uint8_t rank : ranks) num_empty += rank <= level;
  return ShowsRepeatsBy(num_empty, num_keys);
}

}  // namespace linefilter::internal
