// The handles of the C API point to these. They are made and freed in memory of the host, if it gave hooks.
#ifndef LINEFILTER_LIB_C_HANDLES_H_
#define LINEFILTER_LIB_C_HANDLES_H_

#include <new>

#include "lib/base/memory.h"
#include "lib/c/convert.h"
#include "linefilter/builder.h"
#include "linefilter/c.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/swappable.h"
#include "linefilter/view.h"

// A linefilter_view is what is asked.
struct linefilter_view {
  const linefilter::FilterBase* asked;
  const linefilter::FilterView* image;                  // null: the view of a linefilter_filter or linefilter_scalable
  const linefilter::ScalableFilter* growing = nullptr;  // for the latter
};

// Its layout is chosen when it is made.
struct linefilter_filter final : linefilter::Filter {
  explicit linefilter_filter(const linefilter::Allocator& memory) noexcept : allocator(memory) {}
  using Filter::CreateFromImage;
  using Filter::CreateLayout;
  using Filter::RemoveHash;
  using Filter::RemoveHashes;
  void Take(linefilter::BlockedFilter&& sealed) noexcept {
    Filter::operator=(static_cast<Filter&&>(sealed));
  }

  linefilter_view view{this, nullptr};
  linefilter::Allocator allocator;
};

struct linefilter_concurrent {
  explicit linefilter_concurrent(const linefilter::Allocator& memory) noexcept : allocator(memory) {}

  linefilter::ConcurrentBlockedFilter filter;
  linefilter::Allocator allocator;
};

struct linefilter_scalable {
  explicit linefilter_scalable(const linefilter::Allocator& memory) noexcept : allocator(memory) {}

  struct View final : linefilter_view {
    linefilter_scalable* whole;  // it belongs to this
  };

  linefilter::ScalableFilter filter;
  View view{{&filter, nullptr, &filter}, this};
  linefilter::Allocator allocator;
};

struct linefilter_rotating {
  explicit linefilter_rotating(const linefilter::Allocator& memory) noexcept : allocator(memory) {}

  linefilter::RotatingFilter filter;
  linefilter::Allocator allocator;
};

struct linefilter_swappable {
  explicit linefilter_swappable(const linefilter::Allocator& memory) noexcept : allocator(memory) {}

  linefilter::SwappableFilter filter;
  linefilter::Allocator allocator;
};

struct linefilter_builder final : linefilter::FilterBuilder {
  explicit linefilter_builder(const linefilter::FilterOptions& options) noexcept
      : FilterBuilder(options), allocator(options.allocator) {}
  using FilterBuilder::CheckFinish;
  // Ends every finish.
  linefilter::Status Made(const linefilter::Status& finished) noexcept {
    has_made |= finished.ok();
    return finished;
  }

  linefilter::Allocator allocator;
  bool has_made = false;  // an image, so there is a sizing
};

namespace linefilter::internal {

// A view that linefilter_view_free frees.
struct OpenView final : linefilter_view {
  explicit OpenView(const Allocator& memory) noexcept : linefilter_view{nullptr, nullptr}, allocator(memory) {
    asked = image = &view;  // not sooner: a base of what is not made yet cannot be pointed to
  }

  // Makes the file's view the one that is asked.
  void AskFile() noexcept { asked = image = &file.view(); }

  FilterView view;
  FilterFile file;
  Allocator allocator;
};

// memory_limit holds for all that ..._memory_use tells: the C++ object would count itself alone.
template <class Handle>
Status CheckLimit(uint64_t body_bytes, const FilterOptions& options) {
  const uint64_t needed = body_bytes + sizeof(Handle);
  return needed > options.memory_limit ? OverLimit(needed, options.memory_limit) : Status();
}

// Does the same where the C++ object itself holds the limit: what is left for `filter`, and what the handle has beyond.
template <class Handle>
inline constexpr uint64_t kAroundFilter = sizeof(Handle) - sizeof(Handle::filter);
template <class Handle>
FilterOptions WithRoomForHandle(const FilterOptions& options) {
  FilterOptions less = options;
  if (less.memory_limit == kNoMemoryLimit) return less;
  less.memory_limit -= less.memory_limit < kAroundFilter<Handle> ? less.memory_limit : kAroundFilter<Handle>;
  return less;
}

// The C++ object of a handle.
inline const Filter& FilterOf(const linefilter_filter& handle) { return handle; }
template <class Handle>
const auto& FilterOf(const Handle& handle) {
  return handle.filter;
}

// Makes a handle; null, and *status says so, if there is no memory.
template <class Handle, class... Arguments>
Handle* NewHandle(linefilter_status* status, const Allocator& allocator, const Arguments&... arguments) {
  void* const memory = Allocate(allocator, sizeof(Handle));
  if (memory == nullptr) return ToC(OutOfMemory(sizeof(Handle)), status), nullptr;
  return new (memory) Handle(arguments...);
}

template <class Handle>
void FreeHandle(Handle* handle) {
  if (handle == nullptr) return;
  const Allocator allocator = handle->allocator;
  handle->~Handle();
  Deallocate(allocator, handle, sizeof(Handle));
}

// Ends every function that makes a handle: it returns that, or null and the reason.
template <class Handle>
Handle* HandleOr(const Status& made, Handle* handle, linefilter_status* status) {
  if (ToC(made, status) == LINEFILTER_OK) return handle;
  FreeHandle(handle);
  return nullptr;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_HANDLES_H_
