// What is done with a filter as a whole: its image, its memory, and the sets that are made of it.
#include "lib/c/handles.h"
#include "lib/c/image_memory.h"

using namespace linefilter;
using namespace linefilter::internal;

const linefilter_view* linefilter_filter_view(const linefilter_filter* filter) {
  return filter == nullptr ? nullptr : &filter->view;
}

uint64_t linefilter_filter_memory_use(const linefilter_filter* filter) {
  return filter == nullptr ? 0 : filter->keys->MemoryUse();
}

uint64_t linefilter_filter_image_bytes(const linefilter_filter* filter) {
  return filter == nullptr ? 0 : filter->keys->ImageBytes();
}

void* linefilter_filter_image(const linefilter_filter* filter, size_t* size, linefilter_status* status) {
  if (size != nullptr) *size = 0;
  if (filter == nullptr) return ToC(NoHandle("filter"), status), nullptr;
  const auto write = [filter](void* out, size_t n) { return filter->keys->WriteImageTo(out, n); };
  for (;;) {
    const uint64_t bytes = filter->keys->ImageBytes();
    void* const image = NewImage(filter->allocator, bytes, size, status, write);
    // Another thread may have noted the first kind of keys meanwhile: that happens once.
    if (image != nullptr || filter->keys->ImageBytes() == bytes) return image;
  }
}

linefilter_code linefilter_filter_write_to(const linefilter_filter* filter, void* out, size_t size,
                                           linefilter_status* status) {
  if (filter == nullptr) return ToC(NoHandle("filter"), status);
  return ToC(filter->keys->WriteImageTo(out, out == nullptr ? 0 : size), status);
}

linefilter_code linefilter_filter_write_to_sink(const linefilter_filter* filter, linefilter_sink sink, void* context,
                                                linefilter_status* status) {
  return ToC(filter == nullptr ? NoHandle("filter") : filter->keys->WriteImage(FromC(sink, context)), status);
}

linefilter_code linefilter_filter_save(const linefilter_filter* filter, const char* path, linefilter_status* status) {
  Status saved = filter == nullptr ? NoHandle("filter") : CheckPath(path);
  if (saved.ok()) saved = filter->keys->Save(path);
  return ToC(saved, status);
}

linefilter_code linefilter_filter_clear(linefilter_filter* filter, linefilter_status* status) {
  if (Filter* const plain = As<Filter>(filter)) return plain->Clear(), ToC(Status(), status);
  if (ScalableFilter* const scalable = As<ScalableFilter>(filter)) return scalable->Clear(), ToC(Status(), status);
  return ToC(OtherKind(filter, "a plain or scalable filter"), status);
}

linefilter_code linefilter_filter_union(linefilter_filter* filter, const linefilter_view* other, double max_fpr,
                                        linefilter_status* status) {
  Filter* const to = As<Filter>(filter);
  if (to == nullptr) return ToC(OtherKind(filter, "a plain filter"), status);
  if (other == nullptr) return ToC(NoHandle("view"), status);
  if (other->image != nullptr) return ToC(to->Union(*other->image, {max_fpr}), status);
  if (other->parquet != nullptr) {
    return ToC(
        Status::Error(StatusCode::kIncompatible,
                      "the filter of a Parquet file is copied before it is united: call linefilter_parquet_copy"),
        status);
  }
  if (const Filter* const from = As<Filter>(other->filter)) return ToC(to->Union(*from, {max_fpr}), status);
  return ToC(
      Status::Error(StatusCode::kIncompatible,
                    "a union needs two filters of one layout and one piece: the other is of several stages (make it "
                    "for a number of keys instead of growing), or changes while it is asked (seal it, or open its "
                    "image)"),
      status);
}

linefilter_code linefilter_filter_fold(linefilter_filter* filter, uint64_t factor, linefilter_status* status) {
  Filter* const plain = As<Filter>(filter);
  return ToC(plain == nullptr ? OtherKind(filter, "a plain filter") : plain->Fold(factor), status);
}

linefilter_code linefilter_filter_fold_to_fpr(linefilter_filter* filter, double fpr, linefilter_status* status) {
  Filter* const plain = As<Filter>(filter);
  return ToC(plain == nullptr ? OtherKind(filter, "a plain filter") : plain->FoldToFpr(fpr), status);
}
