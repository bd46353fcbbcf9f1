// This makes a Filter of a body that lies elsewhere and is no image, as one in a Parquet file.
#ifndef LINEFILTER_LIB_FILTERS_BODY_COPY_H_
#define LINEFILTER_LIB_FILTERS_BODY_COPY_H_

#include "linefilter/filter.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter::internal {

struct BodyCopy {
  // Does what Filter::CreateFromImage does with an image of the same bits, which need not be made. `view` is not
  // broken, has one body, and no larger one than a filter of its layout may have.
  static Status Make(const FilterBase& view, const FilterOptions& options, Filter* filter) {
    return filter->CopyView(options.layout, view, options);
  }
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_BODY_COPY_H_
