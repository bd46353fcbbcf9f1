// Filters of several threads become one: in each round half of them take the other half.
#include <atomic>

#include "lib/base/parallel.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"

namespace linefilter {
namespace {

// Two threads would write to one that comes twice. They are few: one for each thread.
Status AreDistinct(Filter* const filters[], size_t num_filters) {
  for (size_t i = 0; i < num_filters; ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (filters[i] != filters[k]) continue;
      return Status::Error(StatusCode::kInvalidArgument,
                           "filters %zu and %zu to unite are the same one, and nothing was united: give each thread a "
                           "filter of its own",
                           k, i);
    }
  }
  return Status();
}

}  // namespace

Status UniteFilters(Filter* const filters[], size_t num_filters, const Executor& executor,
                    const UnionOptions& options) noexcept {
  if (num_filters == 0) return Status::Error(StatusCode::kInvalidArgument, "no filter was given to unite");
  if (Status status = AreDistinct(filters, num_filters); !status.ok()) return status;
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
