// A linefilter_scalable is the ScalableFilter of C++.
#include "lib/c/handles.h"
#include "lib/c/key_batches.h"
#include "lib/c/write_image.h"

using linefilter::FilterOptions;
using linefilter::GrowthOptions;
using linefilter::ScalableFilter;
using linefilter::StageFacts;
using linefilter::Status;
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
using linefilter::internal::SaveImage;
using linefilter::internal::ToC;
using linefilter::internal::WithRoomForHandle;
using linefilter::internal::WriteImageTo;
using linefilter::internal::WriteImageToSink;

linefilter_scalable* linefilter_scalable_new(uint64_t first_capacity, uint64_t max_growth,
                                             const linefilter_options* options, linefilter_status* status) {
  FilterOptions given;
  GrowthOptions growth;
  growth.max_growth = max_growth;
  const Status read = FromCNotNull(options, &given);
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const handle = NewHandle<linefilter_scalable>(status, given.allocator, given.allocator);
  if (handle == nullptr) return nullptr;
  return HandleOr(handle->filter.Create(first_capacity, WithRoomForHandle<linefilter_scalable>(given), growth), handle,
                  status);
}

linefilter_scalable* linefilter_scalable_from_image(const void* image, size_t size, const linefilter_options* options,
                                                    linefilter_status* status) {
  FilterOptions given;
  const Status read = FromC(options, &given);
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const handle = NewHandle<linefilter_scalable>(status, given.allocator, given.allocator);
  if (handle == nullptr) return nullptr;
  const FilterOptions less = WithRoomForHandle<linefilter_scalable>(given);
  return HandleOr(handle->filter.CreateFromImage(image, size, less), handle, status);
}

void linefilter_scalable_free(linefilter_scalable* filter) { linefilter::internal::FreeHandle(filter); }

bool linefilter_scalable_insert_key(linefilter_scalable* filter, const void* key, size_t size) {
  return filter != nullptr && filter->filter.InsertKey(KeyFromC(key, size));
}

bool linefilter_scalable_insert_u64(linefilter_scalable* filter, uint64_t key) {
  return filter != nullptr && filter->filter.InsertKey(key);
}

bool linefilter_scalable_insert_hash(linefilter_scalable* filter, uint64_t hash) {
  return filter != nullptr && filter->filter.InsertHash(hash);
}

uint64_t linefilter_scalable_insert_keys(linefilter_scalable* filter, const void* const* keys, const size_t* sizes,
                                         size_t n, uint8_t* were_new) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_new);
  return InsertKeys(&filter->filter, linefilter::internal::BytesKeys{keys, sizes}, n, were_new);
}

uint64_t linefilter_scalable_insert_u64s(linefilter_scalable* filter, const uint64_t* keys, size_t n,
                                         uint8_t* were_new) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_new);
  return InsertKeys(&filter->filter, keys, n, were_new);
}

uint64_t linefilter_scalable_insert_hashes(linefilter_scalable* filter, const uint64_t* hashes, size_t n,
                                           uint8_t* were_new) {
  if (filter == nullptr) return linefilter::internal::NothingInserted(n, were_new);
  return filter->filter.InsertHashes(hashes, n, were_new);
}

const linefilter_view* linefilter_scalable_view(const linefilter_scalable* filter) {
  return filter == nullptr ? nullptr : &filter->view;
}

linefilter_code linefilter_scalable_growth_status(const linefilter_scalable* filter, linefilter_status* status) {
  return ToC(filter == nullptr ? NoHandle("filter") : filter->filter.growth_status(), status);
}

uint32_t linefilter_scalable_num_stages(const linefilter_scalable* filter) {
  return filter == nullptr ? 0 : filter->filter.num_stages();
}

bool linefilter_scalable_stage_at(const linefilter_scalable* filter, uint32_t index, linefilter_scalable_stage* stage) {
  if (filter == nullptr || index >= filter->filter.num_stages()) return false;
  const StageFacts facts = filter->filter.stage(index);
  *stage = {facts.capacity, facts.num_keys, facts.num_blocks, facts.fpr, facts.num_probes, 0};
  return true;
}

double linefilter_scalable_fpr(const linefilter_scalable* filter) {
  return filter == nullptr ? 0 : filter->filter.fpr();
}

uint64_t linefilter_scalable_max_growth(const linefilter_scalable* filter) {
  return filter == nullptr ? 0 : filter->filter.growth().max_growth;
}

uint64_t linefilter_scalable_num_keys(const linefilter_scalable* filter) {
  return filter == nullptr ? 0 : filter->filter.num_keys();
}

void linefilter_scalable_clear(linefilter_scalable* filter) {
  if (filter != nullptr) filter->filter.Clear();
}

uint64_t linefilter_scalable_memory_use(const linefilter_scalable* filter) {
  return filter == nullptr ? 0 : kAroundFilter<linefilter_scalable> + filter->filter.MemoryUse();
}

uint64_t linefilter_scalable_image_bytes(const linefilter_scalable* filter) { return ImageBytesOf(filter); }

void* linefilter_scalable_image(const linefilter_scalable* filter, size_t* size, linefilter_status* status) {
  return ImageOf(filter, size, status);
}

linefilter_code linefilter_scalable_write_to(const linefilter_scalable* filter, void* out, size_t size,
                                             linefilter_status* status) {
  return WriteImageTo(filter, out, size, status);
}

linefilter_code linefilter_scalable_write_to_sink(const linefilter_scalable* filter, linefilter_sink sink,
                                                  void* context, linefilter_status* status) {
  return WriteImageToSink(filter, FromC(sink, context), status);
}

linefilter_code linefilter_scalable_save(const linefilter_scalable* filter, const char* path,
                                         linefilter_status* status) {
  return SaveImage(filter, path, status);
}
