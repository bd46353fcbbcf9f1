// This makes filters of each kind, and frees them.
#include "lib/c/handles.h"
#include "lib/filters/growth.h"
#include "lib/filters/load_file.h"
#include "lib/filters/secret.h"
#include "lib/layouts/options.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

// Returns the handle of what create(object) creates, if the options were `read`.
template <class Object, class Create>
linefilter_filter* NewFilter(const Status& read, const Allocator& allocator, linefilter_status* status,
                             const Create& create) {
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const handle = NewHandle<FilterHandle<Object>>(status, allocator, allocator);
  return handle == nullptr ? nullptr : HandleOr(create(&handle->object), handle, status);
}

template <class Object>
linefilter_filter* FromImage(const Status& read, const FilterOptions& given, const void* image, size_t size,
                             linefilter_status* status) {
  return NewFilter<Object>(read, given.allocator, status,
                           [&](Object* object) { return object->CreateFromImage(image, size, given); });
}

// Returns what make(image, size, options, status) makes of the image in a file.
template <class Make>
linefilter_filter* OfFile(const char* path, const linefilter_options* options, linefilter_status* status,
                          const Make& make) {
  FilterOptions given;
  FilterFile file;
  Status read = CheckPath(path);
  if (read.ok()) read = FromC(options, &given);
  if (read.ok()) read = LoadFile(path, given, &file);
  if (!read.ok()) return ToC(read, status), nullptr;
  return make(file.data(), file.view().image_bytes(), options, status);
}

template <class Object>
linefilter_filter* Clone(const linefilter_filter* filter, const Object& from, linefilter_status* status) {
  return NewFilter<Object>(Status(), filter->allocator, status,
                           [&](Object* object) { return object->CloneFrom(from); });
}

}  // namespace

linefilter_filter* linefilter_filter_new(uint64_t num_keys, const linefilter_options* options,
                                         linefilter_status* status) {
  FilterOptions given;
  const Status read = FromCNotNull(options, &given);
  return NewFilter<Filter>(read, given.allocator, status,
                           [&](Filter* object) { return object->Create(num_keys, given); });
}

linefilter_filter* linefilter_concurrent_new(uint64_t num_keys, const linefilter_options* options,
                                             linefilter_status* status) {
  FilterOptions given;
  const Status read = FromCNotNull(options, &given);
  return NewFilter<ConcurrentFilter>(read, given.allocator, status,
                                     [&](ConcurrentFilter* object) { return object->Create(num_keys, given); });
}

linefilter_filter* linefilter_scalable_new(uint64_t first_capacity, uint64_t max_growth,
                                           const linefilter_options* options, linefilter_status* status) {
  FilterOptions given;
  const Status read = FromCNotNull(options, &given);
  return NewFilter<ScalableFilter>(read, given.allocator, status, [&](ScalableFilter* object) {
    return object->Create(first_capacity, given, GrowthOptions{max_growth});
  });
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
  return NewFilter<RotatingFilter>(read, given.allocator, status, [&](RotatingFilter* object) {
    return object->Create(window_keys, num_generations, given, static_cast<Rotation>(rotation));
  });
}

// The field growth says who wrote an image. What has none, or an unknown one, is for the plain filter to refuse.
linefilter_filter* linefilter_filter_from_image(const void* image, size_t size, const linefilter_options* options,
                                                linefilter_status* status) {
  FilterOptions given;
  const Status read = FromC(options, &given);
  given.layout = Layout::kAuto;                                               // it does not count
  const FilterView view(image, size, VerifyMode::kTrusted, SecretOf(given));  // whoever reads the body verifies it
  const uint8_t writer = view.growth() == nullptr || view.growth_bytes() == 0 ? 0 : view.growth()[0];
  switch (writer) {
    case kScalableGrowth:
      return FromImage<ScalableFilter>(read, given, image, size, status);
    case kRotatingGrowth:
      return FromImage<RotatingFilter>(read, given, image, size, status);
    default:
      return FromImage<Filter>(read, given, image, size, status);
  }
}

linefilter_filter* linefilter_concurrent_from_image(const void* image, size_t size, const linefilter_options* options,
                                                    linefilter_status* status) {
  FilterOptions given;
  const Status read = FromC(options, &given);
  given.layout = Layout::kAuto;  // it does not count
  return FromImage<ConcurrentFilter>(read, given, image, size, status);
}

linefilter_filter* linefilter_filter_load(const char* path, const linefilter_options* options,
                                          linefilter_status* status) {
  return OfFile(path, options, status, linefilter_filter_from_image);
}

linefilter_filter* linefilter_concurrent_load(const char* path, const linefilter_options* options,
                                              linefilter_status* status) {
  return OfFile(path, options, status, linefilter_concurrent_from_image);
}

linefilter_filter* linefilter_filter_clone(const linefilter_filter* filter, linefilter_status* status) {
  if (filter == nullptr) return ToC(NoHandle("filter"), status), nullptr;
  if (const auto* const from = As<ConcurrentFilter>(filter)) return Clone(filter, *from, status);
  if (const auto* const from = As<ScalableFilter>(filter)) return Clone(filter, *from, status);
  if (const auto* const from = As<RotatingFilter>(filter)) return Clone(filter, *from, status);
  return Clone(filter, *As<Filter>(filter), status);
}

linefilter_filter* linefilter_concurrent_seal(linefilter_filter* filter, linefilter_status* status) {
  ConcurrentFilter* const from = As<ConcurrentFilter>(filter);
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
