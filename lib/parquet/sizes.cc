// Sizes of filters as engines want them: by distinct values and rate, or by a budget of bytes.
#include "linefilter/internal/split_block.h"
#include "linefilter/layout.h"
#include "linefilter/parquet.h"
#include "linefilter/sizing.h"

namespace linefilter {
namespace {

using internal::kSplitBlockBytes;

uint64_t PowerOfTwoFrom(uint64_t value) {
  uint64_t power = 1;
  while (power < value) power *= 2;
  return power;
}

// A number of blocks that many numbers divide, so that a fold comes close to any size. These are highly composite: 2 to
// 12 divide the first. The largest is taken that costs a tenth at the most.
uint64_t Foldable(uint64_t blocks) {
  for (const uint64_t step : {uint64_t{27720}, uint64_t{2520}, uint64_t{360}, uint64_t{60}, uint64_t{12}}) {
    if (blocks % step <= blocks / 10 && blocks >= step) return blocks - blocks % step;
  }
  return blocks;
}

FilterOptions Options() {
  FilterOptions options;
  options.layout = Layout::kSplitBlock;
  options.hash_id = HashId::kParquet;
  return options;
}

}  // namespace

FilterOptions ParquetFilterOptions(double fpr) noexcept {
  FilterOptions options = Options();
  options.fpr = fpr;
  return options;
}

FilterOptions ParquetFilterOptionsOfBytes(uint64_t max_bytes, ParquetSize size) noexcept {
  uint64_t blocks = max_bytes / kSplitBlockBytes;
  if (blocks == 0) blocks = 1;
  if (blocks > internal::kMaxSplitBlocks) blocks = internal::kMaxSplitBlocks;
  if (size == ParquetSize::kFoldable) blocks = Foldable(blocks);
  if (size == ParquetSize::kPowerOfTwo) {
    const uint64_t power = PowerOfTwoFrom(blocks);
    blocks = power == blocks ? power : power / 2;
  }
  FilterOptions options = Options();
  options.body_bytes = blocks * kSplitBlockBytes;
  return options;
}

uint64_t ParquetBitsetBytes(uint64_t distinct_values, double fpr, bool power_of_two) noexcept {
  Sizing sizing;
  const uint64_t values = distinct_values == 0 ? 1 : distinct_values;
  if (!SizeForFpr(Layout::kSplitBlock, values, fpr, &sizing).ok()) return 0;
  return power_of_two ? PowerOfTwoFrom(sizing.body_bytes) : sizing.body_bytes;
}

}  // namespace linefilter
