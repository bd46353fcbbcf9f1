// These fold and unite images to a sink, like Fold and Union of filter.h. The images may be larger than memory.
//
//   linefilter::FilterFile file;                        // of a filter that was made too large
//   linefilter::AtomicFile out;
//   uint64_t factor = 1;
//   linefilter::Status status = file.Map("large");
//   if (status.ok()) status = linefilter::FoldFactorForFpr(file.view(), 0.01, &factor);
//   if (status.ok()) status = out.Create("small");
//   if (status.ok()) status = linefilter::FoldImage(file.view(), factor, out.sink());
//   if (status.ok()) status = out.Commit();
//
//   const linefilter::FilterView* const days[] = {&monday.view(), &tuesday.view()};  // one size (options.h, foldable)
//   status = linefilter::UniteImages(days, 2, out.sink());
//
// Images of `blocked`, `split_block` and `quotient` can be folded, no others (LayoutFacts::folds).
#ifndef LINEFILTER_FOLD_H_
#define LINEFILTER_FOLD_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/filter_base.h"
#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter {

// Finds the largest factor by which the filter can be folded so that its ExpectedFpr(), from these very bits, is then
// at most `fpr` (0 to 1, both excluded). FoldToFpr folds by it. It is kInvalidArgument if the rate is above even now,
// as that of a full filter may be by a little.
LINEFILTER_EXPORT Status FoldFactorForFpr(const FilterBase& filter, double fpr, uint64_t* factor) noexcept;

// Finds the least factor that folds the image to at most `image_bytes` bytes. It is kInvalidArgument if there is none.
LINEFILTER_EXPORT Status FoldFactorForBytes(const FilterView& image, uint64_t image_bytes, uint64_t* factor) noexcept;

// Writes the image folded by `factor`, to the byte what a builder of the same keys would have made of that size and
// num_probes. The image is verified first (kCorrupt): a damaged one is not written on. It takes 1 MiB and 1/16384 of
// what is written. On an error the sink may have received a part.
LINEFILTER_EXPORT Status FoldImage(const FilterView& image, uint64_t factor, const Sink& sink,
                                   const Allocator& allocator = {}) noexcept;

// What the union of some filters would be.
struct UnionPlan {
  uint64_t body_bytes = 0;          // the greatest common divisor of the sizes
  uint64_t largest_body_bytes = 0;  // of the filters
  // The distinct keys of all, estimated from the united bits. Where nearly all of those are set it is the sum of the
  // estimates of each, which counts a key several times that is in several filters.
  double approximate_size = 0;
  // This is the rate of the united bits in body_bytes. Filters of unequal sizes that have no key yet count as having
  // one, in this and the next.
  double expected_fpr = 0;
  // The rate of these keys in largest_body_bytes. Where they are infinite, smaller filters that are full count with the
  // fewest keys that fill them.
  double fpr_of_largest = 0;
  double default_max_fpr = 1;  // what UnionOptions::max_fpr 0 means for them; 1 if the sizes are equal
};

// Tells what the union of num_filters >= 1 filters would be. It reads each twice and writes nothing.
// It is kIncompatible if they cannot be united whatever the rate.
LINEFILTER_EXPORT Status PlanUnion(const FilterBase* const filters[], size_t num_filters, UnionPlan* plan) noexcept;

// Writes the union of num_images >= 1 images, which are verified first (kCorrupt). kIncompatible is as in Union, also
// by the rate (UnionOptions::max_fpr); kInvalidArgument is of a max_fpr that is none. A union of unequal sizes has the
// greatest common divisor of their num_blocks. `classic` can be united, too, if the sizes are equal. Empty sets have no
// size and add nothing. The union does not say how many keys it has. Memory and errors are FoldImage's.
LINEFILTER_EXPORT Status UniteImages(const FilterView* const images[], size_t num_images, const Sink& sink,
                                     const UnionOptions& options = {}, const Allocator& allocator = {}) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_FOLD_H_
