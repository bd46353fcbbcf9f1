// EngineSizes is what a policy makes of its options, once: the density, and the size of each filter of few keys.
//
// Engines make many filters of few keys: LevelDB one of 8 keys where values have 1,000 bytes. Whole blocks are waste
// there. So a filter of at most 64 keys has no blocks (it is `classic`) where that is smaller. It still has the asked
// fpr, or the rate of the asked layout and density in large filters. So 8 keys of `retrieval` at 10 bits take 22
// bytes instead of 72. (The rate of the asked layout in the same few keys is no measure: 8 keys in a block of
// `retrieval` have 5e-10, which nobody asked for and which would take 53 bytes. Layouts of blocks are not tried: one
// block of `retrieval` would be 12 bytes less for 64 keys of `classic`, and takes 10 us to make.) kAuto goes by itself.
#ifndef LINEFILTER_LIB_ADAPTERS_ENGINE_SIZES_H_
#define LINEFILTER_LIB_ADAPTERS_ENGINE_SIZES_H_

#include <cstdint>

#include "linefilter/builder.h"
#include "linefilter/layout.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::internal {

class EngineSizes {
 public:
  static constexpr uint64_t kMostFew = 64;

  // Sizes few keys for options with bits_per_key, which promise at most this rate. It takes half a ms.
  Status Create(const FilterOptions& options, double fpr) noexcept {
    options_ = options;
    Status status;
    for (uint64_t n = 1; n <= kMostFew && status.ok(); ++n) status = SizeFew(n, fpr);
    return status;
  }

  const FilterOptions& options() const noexcept { return options_; }
  // The size for so many keys; null if they are none or many, whose size follows from the options.
  const Sizing* Few(uint64_t num_keys) const noexcept {
    return num_keys - 1 < kMostFew ? &few_[num_keys - 1] : nullptr;  // 0 wraps
  }
  // The bytes of an image of so many keys; 0 if there is none.
  uint64_t ImageBytes(uint64_t num_keys) const noexcept {
    uint64_t bytes = 0;
    if (!FilterBuilder::EstimateBytes(options_, num_keys, &bytes).ok()) return 0;
    const Sizing* const few = Few(num_keys);
    Sizing asked;
    if (few == nullptr || !SizeForBitsPerKey(options_.layout, num_keys, options_.bits_per_key, &asked).ok())
      return bytes;
    return bytes - (asked.body_bytes - few->body_bytes);
  }

 private:
  Status SizeFew(uint64_t num_keys, double fpr) noexcept {
    Sizing& best = few_[num_keys - 1];
    const Status status = SizeForBitsPerKey(options_.layout, num_keys, options_.bits_per_key, &best);
    if (!status.ok() || !FactsOf(options_.layout).buildable) return status;
    for (const Layout layout : SupportedLayouts()) {
      const LayoutFacts facts = FactsOf(layout);
      Sizing other;
      if (!facts.buildable || facts.block_bytes != 0 || !SizeForFpr(layout, num_keys, fpr, &other).ok()) continue;
      if (other.body_bytes < best.body_bytes) best = other;
    }
    return status;
  }

  FilterOptions options_;
  Sizing few_[kMostFew];
};

// A builder of a policy's filters. `sizes` must outlive it. Engines give the keys of a filter sorted, so a key comes
// again right behind itself. (RocksDB's prefixes among them may come again later, and then count twice.)
class EngineBuilder : public FilterBuilder {
 public:
  explicit EngineBuilder(const EngineSizes& sizes) noexcept : FilterBuilder(sizes.options()), sizes_(sizes) {
    RepeatsAreAdjacent();
  }

  // Call it when the filter has all its keys, before anything is asked of its image.
  void ChooseSize() noexcept {
    if (const Sizing* const few = sizes_.Few(num_keys())) SizeAs(*few);
  }

 private:
  const EngineSizes& sizes_;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_ADAPTERS_ENGINE_SIZES_H_
