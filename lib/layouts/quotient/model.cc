// The expected false-positive rate of the layout `quotient`.
//
// (Skeleton: a block with j keys has entries of 6 + 435 / j - 1 bits. Helper `model` writes the real one.)
#include "lib/base/real.h"
#include "lib/layouts/blocks/block_load.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/quotient/body.h"

namespace linefilter::internal {
namespace {

class BlockFpr {
 public:
  explicit BlockFpr(uint64_t first) : load_(static_cast<double>(first)) {}
  double Value() const {
    if (load_ == 0) return 0;
    const double bits = 5 + 435 / load_;
    const double fpr = load_ * ExpOfNegative(-0.6931471805599453 * (bits < 32 ? bits : 32));
    return fpr < 1 ? fpr : 1;
  }
  void Next() { load_ += 1; }

 private:
  double load_;
};

double MeanOfBlocks(const Load& load) {
  return MeanFpr(load, [](uint64_t first) { return BlockFpr(first); });
}

double ExpectedFprOfBlocks(uint64_t num_keys, uint64_t body_bytes, uint32_t) {
  const uint64_t num_blocks = body_bytes / 64;
  return num_blocks == 1 ? BlockFpr(num_keys).Value() : MeanOfBlocks(LoadOf(num_keys, num_blocks));
}

uint32_t NoProbes(double) { return 0; }

double LimitFpr(double bits_per_key, uint32_t) { return MeanOfBlocks(LimitLoad(bits_per_key)); }

}  // namespace

extern const LayoutMaker kQuotientMaker;
constexpr LayoutMaker kQuotientMaker = {{Layout::kQuotient, 0, 64, 64, uint64_t{64} << 32, ExpectedFprOfBlocks,
                                         LimitFpr, NoProbes, false, false, 0.05, 0, 0.05},
                                        4096,
                                        QuotientBuildRange,
                                        nullptr,
                                        QuotientFoldBlocks,
                                        QuotientFoldedFpr};

}  // namespace linefilter::internal
