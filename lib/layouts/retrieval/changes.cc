// A body of the layout `retrieval` is solved as a whole, so it is not changed.
#include "lib/layouts/layout_changes.h"

namespace linefilter::internal {

extern const LayoutChanges kRetrievalChanges;
constexpr LayoutChanges kRetrievalChanges = {};

}  // namespace linefilter::internal
