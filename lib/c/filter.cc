// A linefilter_filter is one of the mutable filters of C++.
#include "lib/c/handles.h"
#include "lib/c/key_batches.h"
#include "lib/c/write_image.h"
#include "lib/filters/secret.h"

using linefilter::FilterOptions;
using linefilter::FilterView;
using linefilter::Layout;
using linefilter::Sizing;
using linefilter::Status;
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
using linefilter::internal::RemoveKeys;
using linefilter::internal::SaveImage;
using linefilter::internal::SizeFilter;
using linefilter::internal::ToC;
using linefilter::internal::WriteImageTo;
using linefilter::internal::WriteImageToSink;

namespace {

// `auto` is what it would be for that many keys.
Status ResolveLayout(uint64_t num_keys, const FilterOptions& options, Layout* layout) {
  Sizing sizing;
  const Status status = SizeFilter(options.layout, num_keys, options, &sizing);
  *layout = sizing.layout;
  return status.ok() ? CheckLimit<linefilter_filter>(sizing.body_bytes, options) : status;
}

}  // namespace

linefilter_filter* linefilter_filter_new(uint64_t num_keys, const linefilter_options* options,
                                         linefilter_status* status) {
  FilterOptions given;
  Layout layout = Layout::kAuto;
  Status made = FromCNotNull(options, &given);
  if (made.ok()) made = ResolveLayout(num_keys, given, &layout);
  if (!made.ok()) return ToC(made, status), nullptr;
  auto* const filter = NewHandle<linefilter_filter>(status, given.allocator, given.allocator);
  return filter == nullptr ? nullptr : HandleOr(filter->CreateLayout(layout, num_keys, given), filter, status);
}

linefilter_filter* linefilter_filter_from_image(const void* image, size_t size, const linefilter_options* options,
                                                linefilter_status* status) {
  FilterOptions given;
  Status read = FromC(options, &given);
  const FilterView view(image, size, linefilter::internal::SecretOf(given));
  if (read.ok()) read = CheckLimit<linefilter_filter>(view.body_bytes(), given);
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const filter = NewHandle<linefilter_filter>(status, given.allocator, given.allocator);
  if (filter == nullptr) return nullptr;
  return HandleOr(filter->CreateFromImage(Layout::kAuto, image, size, given), filter, status);
}

void linefilter_filter_free(linefilter_filter* filter) { linefilter::internal::FreeHandle(filter); }

bool linefilter_filter_insert_key(linefilter_filter* filter, const void* key, size_t size) {
  return filter != nullptr && filter->InsertKey(KeyFromC(key, size));
}

bool linefilter_filter_insert_u64(linefilter_filter* filter, uint64_t key) {
  return filter != nullptr && filter->InsertKey(key);
}

bool linefilter_filter_insert_hash(linefilter_filter* filter, uint64_t hash) {
  return filter != nullptr && filter->InsertHash(hash);
}

uint64_t linefilter_filter_insert_keys(linefilter_filter* filter, const void* const* keys, const size_t* sizes,
                                       size_t n, uint8_t* were_new) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_new);
  return InsertKeys(filter, linefilter::internal::BytesKeys{keys, sizes}, n, were_new);
}

uint64_t linefilter_filter_insert_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n, uint8_t* were_new) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_new);
  return InsertKeys(filter, keys, n, were_new);
}

uint64_t linefilter_filter_insert_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                         uint8_t* were_new) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_new);
  return filter->InsertHashes(hashes, n, were_new);
}

bool linefilter_filter_remove_key(linefilter_filter* filter, const void* key, size_t size) {
  return linefilter_filter_remove_keys(filter, &key, &size, 1, nullptr) == 1;
}

bool linefilter_filter_remove_u64(linefilter_filter* filter, uint64_t key) {
  return linefilter_filter_remove_u64s(filter, &key, 1, nullptr) == 1;
}

bool linefilter_filter_remove_hash(linefilter_filter* filter, uint64_t hash) {
  return filter != nullptr && filter->RemoveHash(hash);
}

uint64_t linefilter_filter_remove_keys(linefilter_filter* filter, const void* const* keys, const size_t* sizes,
                                       size_t n, uint8_t* were_removed) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_removed);
  return RemoveKeys(filter, linefilter::internal::BytesKeys{keys, sizes}, n, were_removed);
}

uint64_t linefilter_filter_remove_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n,
                                       uint8_t* were_removed) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_removed);
  return RemoveKeys(filter, keys, n, were_removed);
}

uint64_t linefilter_filter_remove_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                         uint8_t* were_removed) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_removed);
  return filter->RemoveHashes(hashes, n, were_removed);
}

const linefilter_view* linefilter_filter_view(const linefilter_filter* filter) {
  return filter == nullptr ? nullptr : &filter->view;
}

linefilter_code linefilter_filter_union(linefilter_filter* filter, const linefilter_view* other,
                                        linefilter_status* status) {
  if (filter == nullptr) return ToC(NoHandle("filter"), status);
  if (other == nullptr) return ToC(NoHandle("view"), status);
  if (other->image != nullptr) return ToC(filter->Union(*other->image), status);
  if (linefilter::FactsOf(other->asked->layout()).has_stages) {  // no linefilter_filter
    return ToC(Status::Error(linefilter::StatusCode::kIncompatible,
                             "a union needs two filters of one layout; the other is of several stages"),
               status);
  }
  return ToC(filter->Union(static_cast<const linefilter_filter&>(*other->asked)), status);
}

linefilter_code linefilter_filter_fold(linefilter_filter* filter, uint64_t factor, linefilter_status* status) {
  return ToC(filter == nullptr ? NoHandle("filter") : filter->Fold(factor), status);
}

linefilter_code linefilter_filter_fold_to_fpr(linefilter_filter* filter, double fpr, linefilter_status* status) {
  return ToC(filter == nullptr ? NoHandle("filter") : filter->FoldToFpr(fpr), status);
}

void linefilter_filter_clear(linefilter_filter* filter) {
  if (filter != nullptr) filter->Clear();
}

uint64_t linefilter_filter_memory_use(const linefilter_filter* filter) {
  return filter == nullptr ? 0 : filter->body_bytes() + sizeof(*filter);
}

uint64_t linefilter_filter_image_bytes(const linefilter_filter* filter) { return ImageBytesOf(filter); }

void* linefilter_filter_image(const linefilter_filter* filter, size_t* size, linefilter_status* status) {
  return ImageOf(filter, size, status);
}

linefilter_code linefilter_filter_write_to(const linefilter_filter* filter, void* out, size_t size,
                                           linefilter_status* status) {
  return WriteImageTo(filter, out, size, status);
}

linefilter_code linefilter_filter_write_to_sink(const linefilter_filter* filter, linefilter_sink sink, void* context,
                                                linefilter_status* status) {
  return WriteImageToSink(filter, FromC(sink, context), status);
}

linefilter_code linefilter_filter_save(const linefilter_filter* filter, const char* path, linefilter_status* status) {
  return SaveImage(filter, path, status);
}
