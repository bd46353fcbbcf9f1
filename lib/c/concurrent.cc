// This makes, fills and writes a linefilter_concurrent. concurrent_lookup.cc asks it.
#include "lib/c/handles.h"
#include "lib/c/key_batches.h"
#include "lib/c/write_image.h"
#include "lib/filters/secret.h"
#include "lib/layouts/options.h"

using linefilter::FilterOptions;
using linefilter::FilterView;
using linefilter::Layout;
using linefilter::Sizing;
using linefilter::Status;
using linefilter::internal::BytesKeys;
using linefilter::internal::CheckLimit;
using linefilter::internal::FromC;
using linefilter::internal::FromCNotNull;
using linefilter::internal::HandleOr;
using linefilter::internal::ImageBytesOf;
using linefilter::internal::ImageOf;
using linefilter::internal::InsertKeys;
using linefilter::internal::KeyFromC;
using linefilter::internal::NewHandle;
using linefilter::internal::NoHandle;
using linefilter::internal::NothingInserted;
using linefilter::internal::Refused;
using linefilter::internal::SaveImage;
using linefilter::internal::SizeFilter;
using linefilter::internal::ToC;
using linefilter::internal::WriteImageTo;
using linefilter::internal::WriteImageToSink;

linefilter_concurrent* linefilter_concurrent_new(uint64_t num_keys, const linefilter_options* options,
                                                 linefilter_status* status) {
  FilterOptions given;
  Status read = FromCNotNull(options, &given);
  if (read.ok()) read = linefilter::internal::CheckLayoutIsBlocked(given, "a concurrent filter has");
  Sizing sizing;
  if (read.ok()) read = SizeFilter(Layout::kBlocked, num_keys, given, &sizing);
  if (read.ok()) read = CheckLimit<linefilter_concurrent>(sizing.body_bytes, given);
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const handle = NewHandle<linefilter_concurrent>(status, given.allocator, given.allocator);
  return handle == nullptr ? nullptr : HandleOr(handle->filter.Create(num_keys, given), handle, status);
}

linefilter_concurrent* linefilter_concurrent_from_image(const void* image, size_t size,
                                                        const linefilter_options* options, linefilter_status* status) {
  FilterOptions given;
  Status read = FromC(options, &given);
  const FilterView view(image, size, linefilter::internal::SecretOf(given));
  if (read.ok()) read = CheckLimit<linefilter_concurrent>(view.body_bytes(), given);
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const handle = NewHandle<linefilter_concurrent>(status, given.allocator, given.allocator);
  return handle == nullptr ? nullptr : HandleOr(handle->filter.CreateFromImage(image, size, given), handle, status);
}

linefilter_filter* linefilter_concurrent_seal(linefilter_concurrent* filter, linefilter_status* status) {
  if (filter == nullptr) return ToC(NoHandle("filter"), status), nullptr;
  if (filter->filter.layout() == Layout::kAuto) {
    return ToC(Refused("the concurrent filter was sealed already: it holds nothing any more"), status), nullptr;
  }
  auto* const sealed = NewHandle<linefilter_filter>(status, filter->allocator, filter->allocator);
  if (sealed == nullptr) return nullptr;
  sealed->Take(filter->filter.Seal());
  return HandleOr(Status(), sealed, status);
}

void linefilter_concurrent_free(linefilter_concurrent* filter) { linefilter::internal::FreeHandle(filter); }

bool linefilter_concurrent_insert_key(linefilter_concurrent* filter, const void* key, size_t size) {
  return filter != nullptr && filter->filter.InsertKey(KeyFromC(key, size));
}

bool linefilter_concurrent_insert_u64(linefilter_concurrent* filter, uint64_t key) {
  return filter != nullptr && filter->filter.InsertKey(key);
}

bool linefilter_concurrent_insert_hash(linefilter_concurrent* filter, uint64_t hash) {
  return filter != nullptr && filter->filter.InsertHash(hash);
}

uint64_t linefilter_concurrent_insert_keys(linefilter_concurrent* filter, const void* const* keys, const size_t* sizes,
                                           size_t n, uint8_t* were_new) {
  if (filter == nullptr) return NothingInserted(n, were_new);
  return InsertKeys(&filter->filter, BytesKeys{keys, sizes}, n, were_new);
}

uint64_t linefilter_concurrent_insert_u64s(linefilter_concurrent* filter, const uint64_t* keys, size_t n,
                                           uint8_t* were_new) {
  if (filter == nullptr) return NothingInserted(n, were_new);
  return InsertKeys(&filter->filter, keys, n, were_new);
}

uint64_t linefilter_concurrent_insert_hashes(linefilter_concurrent* filter, const uint64_t* hashes, size_t n,
                                             uint8_t* were_new) {
  return filter == nullptr ? NothingInserted(n, were_new) : filter->filter.InsertHashes(hashes, n, were_new);
}

uint64_t linefilter_concurrent_memory_use(const linefilter_concurrent* filter) {
  return filter == nullptr ? 0 : filter->filter.body_bytes() + sizeof(*filter);
}

uint64_t linefilter_concurrent_image_bytes(const linefilter_concurrent* filter) { return ImageBytesOf(filter); }

void* linefilter_concurrent_image(const linefilter_concurrent* filter, size_t* size, linefilter_status* status) {
  return ImageOf(filter, size, status);
}

linefilter_code linefilter_concurrent_write_to(const linefilter_concurrent* filter, void* out, size_t size,
                                               linefilter_status* status) {
  return WriteImageTo(filter, out, size, status);
}

linefilter_code linefilter_concurrent_write_to_sink(const linefilter_concurrent* filter, linefilter_sink sink,
                                                    void* context, linefilter_status* status) {
  return WriteImageToSink(filter, FromC(sink, context), status);
}

linefilter_code linefilter_concurrent_save(const linefilter_concurrent* filter, const char* path,
                                           linefilter_status* status) {
  return SaveImage(filter, path, status);
}
