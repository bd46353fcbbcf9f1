// This makes, fills and writes a linefilter_rotating. rotating_lookup.cc asks it.
#include "lib/c/handles.h"
#include "lib/c/key_batches.h"
#include "lib/c/write_image.h"
#include "lib/layouts/options.h"

using linefilter::FilterOptions;
using linefilter::Layout;
using linefilter::RotatingFilter;
using linefilter::Rotation;
using linefilter::Status;
using linefilter::internal::BytesKeys;
using linefilter::internal::FromC;
using linefilter::internal::FromCNotNull;
using linefilter::internal::HandleOr;
using linefilter::internal::ImageBytesOf;
using linefilter::internal::ImageOf;
using linefilter::internal::InsertKeys;
using linefilter::internal::kAroundFilter;
using linefilter::internal::KeyFromC;
using linefilter::internal::NewHandle;
using linefilter::internal::NoHandle;
using linefilter::internal::NothingInserted;
using linefilter::internal::Refused;
using linefilter::internal::SaveImage;
using linefilter::internal::ToC;
using linefilter::internal::WithRoomForHandle;
using linefilter::internal::WriteImageTo;
using linefilter::internal::WriteImageToSink;

static_assert(static_cast<int>(Rotation::kByCaller) == LINEFILTER_ROTATE_BY_CALLER);
static_assert(static_cast<int>(Rotation::kByCount) == LINEFILTER_ROTATE_BY_COUNT);

namespace {

// Returns the handle that make(filter, options) makes.
template <class Make>
linefilter_rotating* NewRotating(const FilterOptions& options, linefilter_status* status, const Make& make) {
  auto* const handle = NewHandle<linefilter_rotating>(status, options.allocator, options.allocator);
  if (handle == nullptr) return nullptr;
  return HandleOr(make(&handle->filter, WithRoomForHandle<linefilter_rotating>(options)), handle, status);
}

}  // namespace

linefilter_rotating* linefilter_rotating_new(uint64_t window_keys, uint32_t num_generations,
                                             linefilter_rotation rotation, const linefilter_options* options,
                                             linefilter_status* status) {
  FilterOptions given;
  Status read = FromCNotNull(options, &given);
  if (read.ok()) read = linefilter::internal::CheckLayoutIsBlocked(given, "a rotating filter has");
  if (read.ok() && rotation != LINEFILTER_ROTATE_BY_CALLER && rotation != LINEFILTER_ROTATE_BY_COUNT) {
    read = Refused("the rotation is neither LINEFILTER_ROTATE_BY_CALLER nor LINEFILTER_ROTATE_BY_COUNT");
  }
  if (!read.ok()) return ToC(read, status), nullptr;
  return NewRotating(given, status, [&](RotatingFilter* filter, const FilterOptions& less) {
    return filter->Create(window_keys, num_generations, less, static_cast<Rotation>(rotation));
  });
}

linefilter_rotating* linefilter_rotating_from_image(const void* image, size_t size, const linefilter_options* options,
                                                    linefilter_status* status) {
  FilterOptions given;
  const Status read = FromC(options, &given);
  if (!read.ok()) return ToC(read, status), nullptr;
  return NewRotating(given, status, [&](RotatingFilter* filter, const FilterOptions& less) {
    return filter->CreateFromImage(image, size, less);
  });
}

void linefilter_rotating_free(linefilter_rotating* filter) { linefilter::internal::FreeHandle(filter); }

uint64_t linefilter_rotating_rotate(linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.Rotate();
}

bool linefilter_rotating_insert_key(linefilter_rotating* filter, const void* key, size_t size) {
  return filter != nullptr && filter->filter.InsertKey(KeyFromC(key, size));
}

bool linefilter_rotating_insert_u64(linefilter_rotating* filter, uint64_t key) {
  return filter != nullptr && filter->filter.InsertKey(key);
}

bool linefilter_rotating_insert_hash(linefilter_rotating* filter, uint64_t hash) {
  return filter != nullptr && filter->filter.InsertHash(hash);
}

uint64_t linefilter_rotating_insert_keys(linefilter_rotating* filter, const void* const* keys, const size_t* sizes,
                                         size_t n, uint8_t* were_new) {
  if (filter == nullptr) return NothingInserted(n, were_new);
  return InsertKeys(&filter->filter, BytesKeys{keys, sizes}, n, were_new);
}

uint64_t linefilter_rotating_insert_u64s(linefilter_rotating* filter, const uint64_t* keys, size_t n,
                                         uint8_t* were_new) {
  if (filter == nullptr) return NothingInserted(n, were_new);
  return InsertKeys(&filter->filter, keys, n, were_new);
}

uint64_t linefilter_rotating_insert_hashes(linefilter_rotating* filter, const uint64_t* hashes, size_t n,
                                           uint8_t* were_new) {
  return filter == nullptr ? NothingInserted(n, were_new) : filter->filter.InsertHashes(hashes, n, were_new);
}

uint64_t linefilter_rotating_memory_use(const linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.MemoryUse() + kAroundFilter<linefilter_rotating>;
}

uint64_t linefilter_rotating_image_bytes(const linefilter_rotating* filter) { return ImageBytesOf(filter); }

void* linefilter_rotating_image(const linefilter_rotating* filter, size_t* size, linefilter_status* status) {
  return ImageOf(filter, size, status);
}

linefilter_code linefilter_rotating_write_to(const linefilter_rotating* filter, void* out, size_t size,
                                             linefilter_status* status) {
  return WriteImageTo(filter, out, size, status);
}

linefilter_code linefilter_rotating_write_to_sink(const linefilter_rotating* filter, linefilter_sink sink,
                                                  void* context, linefilter_status* status) {
  return WriteImageToSink(filter, FromC(sink, context), status);
}

linefilter_code linefilter_rotating_save(const linefilter_rotating* filter, const char* path,
                                         linefilter_status* status) {
  return SaveImage(filter, path, status);
}
