// Filters of several threads become one: in each round half of them take the other half.
#include <atomic>

#include "lib/base/parallel.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"

namespace linefilter {

Status UniteFilters(Filter* const filters[], size_t num_filters, const Executor& executor,
                    const UnionOptions& options) noexcept {
  if (num_filters == 0) return Status::Error(StatusCode::kInvalidArgument, "no filter was given to unite");
  Status first_error;
  std::atomic<bool> has_error{false};
  for (size_t distance = 1; distance < num_filters && first_error.ok(); distance *= 2) {
    const size_t num_pairs = (num_filters - 1 - distance) / (2 * distance) + 1;
    const size_t num_workers = num_pairs < executor.num_threads ? num_pairs : executor.num_threads;
    internal::ShareOut(executor, num_workers, num_pairs, [&](size_t, uint64_t pair) {
      const size_t i = static_cast<size_t>(pair) * 2 * distance;
      const Status status = filters[i]->Union(*filters[i + distance], options);
      if (!status.ok() && !has_error.exchange(true)) first_error = status;
    });
  }
  return first_error;
}

}  // namespace linefilter
