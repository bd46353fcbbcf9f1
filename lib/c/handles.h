// The handles of the C API point to these. They are made and freed in memory of the host, if it gave hooks.
#ifndef LINEFILTER_LIB_C_HANDLES_H_
#define LINEFILTER_LIB_C_HANDLES_H_

#include <new>

#include "lib/base/memory.h"
#include "lib/c/convert.h"
#include "lib/filters/around.h"
#include "linefilter/builder.h"
#include "linefilter/c.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/key_filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/swappable.h"
#include "linefilter/view.h"

namespace linefilter {
class ParquetFilterView;
}  // namespace linefilter

// What is asked, and whose it is: one of the four pointers below `asked` is not null.
struct linefilter_view {
  const linefilter::FilterBase* asked = nullptr;
  const linefilter::FilterView* image = nullptr;
  linefilter_filter* filter = nullptr;  // the view goes with it
  linefilter::SwappableFilter* swappable = nullptr;
  const linefilter::ParquetFilterView* parquet = nullptr;
  void (*free)(linefilter_view* handle) = nullptr;  // null for a filter's view
};

// What takes keys. It is the base of a FilterHandle, which has the C++ object.
struct linefilter_filter {
  linefilter_kind kind;
  linefilter::KeyFilter* keys;
  linefilter_view view;
  linefilter::Allocator allocator;
  void (*free)(linefilter_filter* handle);
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

// A kind of filter is the class of its C++ object.
template <class Object>
inline constexpr linefilter_kind kKindOf = LINEFILTER_KIND_PLAIN;
template <>
inline constexpr linefilter_kind kKindOf<ConcurrentFilter> = LINEFILTER_KIND_CONCURRENT;
template <>
inline constexpr linefilter_kind kKindOf<ScalableFilter> = LINEFILTER_KIND_SCALABLE;
template <>
inline constexpr linefilter_kind kKindOf<RotatingFilter> = LINEFILTER_KIND_ROTATING;

template <class Object>
struct FilterHandle final : linefilter_filter {
  explicit FilterHandle(const Allocator& memory) noexcept
      : linefilter_filter{kKindOf<Object>, nullptr, {}, memory, Free} {
    view.asked = keys = &object;  // not sooner: a base of what is not made yet cannot be pointed to
    view.filter = this;
    internal::Around::Count(sizeof(FilterHandle) - sizeof(Object), &object);
  }
  static void Free(linefilter_filter* handle) { FreeHandle(static_cast<FilterHandle*>(handle)); }

  Object object;
};

// The C++ object of a filter of that kind; null for another kind and for null.
template <class Object>
Object* As(const linefilter_filter* filter) {
  return filter == nullptr || filter->kind != kKindOf<Object> ? nullptr : static_cast<Object*>(filter->keys);
}

// What a view asks; for null what is broken, and answers "maybe".
inline const FilterBase& AskedBy(const linefilter_view* view) {
  static const FilterView broken;
  return view != nullptr ? *view->asked : broken;
}

// The status where a filter is null, or of another kind than is `needed`, such as "a plain filter".
Status OtherKind(const linefilter_filter* filter, const char* needed) noexcept;

// A view that linefilter_view_free frees: that of an image.
struct OpenView final : linefilter_view {
  explicit OpenView(const Allocator& memory) noexcept : allocator(memory) {
    asked = image = &opened;
    free = [](linefilter_view* handle) { FreeHandle(static_cast<OpenView*>(handle)); };
  }

  // Makes the file's view the one that is asked.
  void AskFile() noexcept { asked = image = &file.view(); }

  FilterView opened;
  FilterFile file;
  Allocator allocator;
};

// Another one: what serves in it is replaced.
struct SwappableView final : linefilter_view {
  explicit SwappableView(const Allocator& memory) noexcept : allocator(memory) {
    asked = swappable = &object;
    free = [](linefilter_view* handle) { FreeHandle(static_cast<SwappableView*>(handle)); };
  }

  SwappableFilter object;
  Allocator allocator;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_HANDLES_H_
