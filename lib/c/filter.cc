// This makes filters of each kind, and frees them.
#include "lib/c/handles.h"
#include "lib/filters/growth.h"
#include "lib/filters/secret.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/options.h"

using linefilter::ConcurrentBlockedFilter;
using linefilter::Filter;
using linefilter::FilterOptions;
using linefilter::FilterView;
using linefilter::GrowthOptions;
using linefilter::Layout;
using linefilter::RotatingFilter;
using linefilter::Rotation;
using linefilter::ScalableFilter;
using linefilter::Sizing;
using linefilter::Status;
using linefilter::StatusCode;
using linefilter::internal::As;
using linefilter::internal::CheckLayoutIsBlocked;
using linefilter::internal::FilterHandle;
using linefilter::internal::FromC;
using linefilter::internal::FromCNotNull;
using linefilter::internal::HandleOr;
using linefilter::internal::NewHandle;
using linefilter::internal::NoHandle;
using linefilter::internal::OtherKind;
using linefilter::internal::OverLimit;
using linefilter::internal::Refused;
using linefilter::internal::ToC;

namespace {

// Returns the handle of what create(object, options) creates, if the options were `read`. The C++ object counts itself
// in memory_limit; the handle around it is taken off before. Where that is too little, body_bytes(), if it is not 0,
// tells the caller's own figures.
template <class Object, class Create, class BodyBytes>
linefilter_filter* NewFilter(const Status& read, const FilterOptions& given, linefilter_status* status,
                             const Create& create, const BodyBytes& body_bytes) {
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const handle = NewHandle<FilterHandle<Object>>(status, given.allocator, given.allocator);
  if (handle == nullptr) return nullptr;
  FilterOptions less = given;
  if (less.memory_limit != linefilter::kNoMemoryLimit) {
    less.memory_limit -= less.memory_limit < handle->around ? less.memory_limit : handle->around;
  }
  Status made = create(&handle->object, less);
  const uint64_t body = made.code() == StatusCode::kOverLimit ? body_bytes() : 0;
  if (body != 0) {
    made = OverLimit(body + sizeof(*handle), given.memory_limit);
  } else if (made.code() == StatusCode::kOverLimit) {
    made = Status::Error(made.code(), "beside %u bytes of the handle: %s", static_cast<unsigned>(handle->around),
                         Status(made).message());
  }
  return HandleOr(made, handle, status);
}

// The body of a filter of one piece.
uint64_t SizeOf(Layout layout, uint64_t num_keys, const FilterOptions& options) {
  Sizing sizing;
  const Status sized = linefilter::internal::SizeForOptions(layout, num_keys == 0 ? 1 : num_keys, options, &sizing);
  return sized.ok() ? sizing.body_bytes : 0;
}

// What has several stages tells its own figures, beside those of the handle.
uint64_t NoSize() { return 0; }

template <class Object>
linefilter_filter* FromImage(const Status& read, const FilterOptions& given, const FilterView& view, const void* image,
                             size_t size, linefilter_status* status) {
  return NewFilter<Object>(
      read, given, status,
      [&](Object* object, const FilterOptions& less) { return object->CreateFromImage(image, size, less); },
      [&] {
        if (view.num_stages() != 0) return uint64_t{0};
        return view.empty_set() ? linefilter::internal::FindMaker(view.layout())->sizing.min_bytes : view.body_bytes();
      });
}

}  // namespace

linefilter_filter* linefilter_filter_new(uint64_t num_keys, const linefilter_options* options,
                                         linefilter_status* status) {
  FilterOptions given;
  const Status read = FromCNotNull(options, &given);
  return NewFilter<Filter>(
      read, given, status,
      [&](Filter* object, const FilterOptions& less) { return object->Create(less.layout, num_keys, less); },
      [&] { return SizeOf(given.layout, num_keys, given); });
}

linefilter_filter* linefilter_concurrent_new(uint64_t num_keys, const linefilter_options* options,
                                             linefilter_status* status) {
  FilterOptions given;
  Status read = FromCNotNull(options, &given);
  if (read.ok()) read = CheckLayoutIsBlocked(given, "a concurrent filter has");
  return NewFilter<ConcurrentBlockedFilter>(
      read, given, status,
      [&](ConcurrentBlockedFilter* object, const FilterOptions& less) { return object->Create(num_keys, less); },
      [&] { return SizeOf(Layout::kBlocked, num_keys, given); });
}

linefilter_filter* linefilter_scalable_new(uint64_t first_capacity, uint64_t max_growth,
                                           const linefilter_options* options, linefilter_status* status) {
  FilterOptions given;
  const Status read = FromCNotNull(options, &given);
  return NewFilter<ScalableFilter>(
      read, given, status,
      [&](ScalableFilter* object, const FilterOptions& less) {
        GrowthOptions growth;
        growth.max_growth = max_growth;
        return object->Create(first_capacity, less, growth);
      },
      NoSize);
}

static_assert(static_cast<int>(Rotation::kByCaller) == LINEFILTER_ROTATE_BY_CALLER);
static_assert(static_cast<int>(Rotation::kByCount) == LINEFILTER_ROTATE_BY_COUNT);

linefilter_filter* linefilter_rotating_new(uint64_t window_keys, uint32_t num_generations, linefilter_rotation rotation,
                                           const linefilter_options* options, linefilter_status* status) {
  FilterOptions given;
  Status read = FromCNotNull(options, &given);
  if (read.ok()) read = CheckLayoutIsBlocked(given, "a rotating filter has");
  if (read.ok() && rotation != LINEFILTER_ROTATE_BY_CALLER && rotation != LINEFILTER_ROTATE_BY_COUNT) {
    read = Refused("the rotation is neither LINEFILTER_ROTATE_BY_CALLER nor LINEFILTER_ROTATE_BY_COUNT");
  }
  return NewFilter<RotatingFilter>(
      read, given, status,
      [&](RotatingFilter* object, const FilterOptions& less) {
        return object->Create(window_keys, num_generations, less, static_cast<Rotation>(rotation));
      },
      NoSize);
}

// The field growth says who wrote an image. What has none, or an unknown one, is for the plain filter to refuse.
linefilter_filter* linefilter_filter_from_image(const void* image, size_t size, const linefilter_options* options,
                                                linefilter_status* status) {
  FilterOptions given;
  const Status read = FromC(options, &given);
  given.layout = Layout::kAuto;  // it does not count
  const FilterView view(image, size, linefilter::internal::SecretOf(given));
  const uint8_t writer = view.growth() == nullptr || view.growth_bytes() == 0 ? 0 : view.growth()[0];
  switch (writer) {
    case linefilter::internal::kScalableGrowth:
      return FromImage<ScalableFilter>(read, given, view, image, size, status);
    case linefilter::internal::kRotatingGrowth:
      return FromImage<RotatingFilter>(read, given, view, image, size, status);
    default:
      return FromImage<Filter>(read, given, view, image, size, status);
  }
}

linefilter_filter* linefilter_concurrent_from_image(const void* image, size_t size, const linefilter_options* options,
                                                    linefilter_status* status) {
  FilterOptions given;
  const Status read = FromC(options, &given);
  const FilterView view(image, size, linefilter::internal::SecretOf(given));
  return FromImage<ConcurrentBlockedFilter>(read, given, view, image, size, status);
}

linefilter_filter* linefilter_concurrent_seal(linefilter_filter* filter, linefilter_status* status) {
  ConcurrentBlockedFilter* const from = As<ConcurrentBlockedFilter>(filter);
  if (from == nullptr) return ToC(OtherKind(filter, "a concurrent filter"), status), nullptr;
  if (from->layout() == Layout::kAuto) {
    return ToC(Refused("the concurrent filter was sealed already: it holds nothing any more"), status), nullptr;
  }
  auto* const sealed = NewHandle<FilterHandle<Filter>>(status, filter->allocator, filter->allocator);
  if (sealed == nullptr) return nullptr;
  sealed->object = from->Seal();
  return HandleOr(Status(), sealed, status);
}

void linefilter_filter_free(linefilter_filter* filter) {
  if (filter != nullptr) filter->free(filter);
}

linefilter_kind linefilter_filter_kind(const linefilter_filter* filter) {
  return filter == nullptr ? LINEFILTER_KIND_PLAIN : filter->kind;
}

namespace linefilter::internal {

Status OtherKind(const linefilter_filter* filter, const char* needed) noexcept {
  static constexpr const char* kNames[] = {"plain", "concurrent", "scalable", "rotating"};
  if (filter == nullptr) return NoHandle("filter");
  return Status::Error(StatusCode::kIncompatible, "the call is for %s, and this one is %s: nothing was done", needed,
                       kNames[filter->kind]);
}

}  // namespace linefilter::internal
