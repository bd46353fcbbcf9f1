// This has linefilter_builder, and images from streams.
#include "lib/c/handles.h"
#include "lib/c/image_memory.h"
#include "linefilter/bulk.h"

using namespace linefilter;
using namespace linefilter::internal;

linefilter_builder* linefilter_builder_new(const linefilter_options* options, linefilter_status* status) {
  FilterOptions given;
  const Status read = FromCNotNull(options, &given);
  if (!read.ok()) return ToC(read, status), nullptr;
  auto* const handle = NewHandle<linefilter_builder>(status, given.allocator, given);
  return handle == nullptr ? nullptr : HandleOr(handle->status(), handle, status);
}

void linefilter_builder_free(linefilter_builder* builder) { FreeHandle(builder); }

void linefilter_builder_add_key(linefilter_builder* builder, const void* key, size_t size) {
  if (builder != nullptr) builder->AddKey(KeyFromC(key, size));
}

void linefilter_builder_add_u64(linefilter_builder* builder, uint64_t key) {
  if (builder != nullptr) builder->AddKey(key);
}

void linefilter_builder_add_hash(linefilter_builder* builder, uint64_t hash) {
  if (builder != nullptr) builder->AddHash(hash);
}

void linefilter_builder_add_keys(linefilter_builder* builder, const void* const* keys, const size_t* sizes, size_t n) {
  if (builder == nullptr) return;
  ViewsInGroups(BytesKeys{keys, sizes}, n,
                [&](const std::string_view* views, size_t, size_t size) { builder->AddKeys(views, size); });
}

void linefilter_builder_add_u64s(linefilter_builder* builder, const uint64_t* keys, size_t n) {
  if (builder != nullptr) builder->AddKeys(keys, n);
}

void linefilter_builder_add_hashes(linefilter_builder* builder, const uint64_t* hashes, size_t n) {
  if (builder != nullptr) builder->AddHashes(hashes, n);
}

void linefilter_builder_borrow_hashes(linefilter_builder* builder, const uint64_t* hashes, size_t n) {
  if (builder != nullptr) builder->BorrowHashes(hashes, n);
}

linefilter_code linefilter_builder_status(const linefilter_builder* builder, linefilter_status* status) {
  return ToC(builder == nullptr ? NoHandle("builder") : builder->status(), status);
}

uint64_t linefilter_builder_num_keys(const linefilter_builder* builder) {
  return builder == nullptr ? 0 : builder->num_keys();
}

uint64_t linefilter_builder_image_bytes(const linefilter_builder* builder) {
  return builder == nullptr ? 0 : builder->ImageBytes();
}

linefilter_code linefilter_builder_estimate(const linefilter_options* options, uint64_t num_keys, uint64_t* image_bytes,
                                            uint64_t* peak_memory, linefilter_status* status) {
  FilterOptions given;
  Status estimated = FromCNotNull(options, &given);
  if (estimated.ok()) estimated = FilterBuilder::EstimateBytes(given, num_keys, image_bytes, peak_memory);
  return ToC(estimated, status);
}

void* linefilter_builder_finish(linefilter_builder* builder, size_t* size, linefilter_status* status) {
  if (size != nullptr) *size = 0;
  if (builder == nullptr) return ToC(NoHandle("builder"), status), nullptr;
  uint64_t bytes = 0;
  const Status ready = builder->CheckFinish(&bytes);  // before memory is taken
  if (!ready.ok()) return ToC(ready, status), nullptr;
  return NewImage(builder->allocator, bytes, size, status,
                  [builder](void* out, size_t n) { return builder->Made(builder->FinishTo(out, n, nullptr)); });
}

linefilter_code linefilter_builder_finish_to(linefilter_builder* builder, void* out, size_t size, size_t* written,
                                             linefilter_status* status) {
  if (builder == nullptr) return ToC(NoHandle("builder"), status);
  return ToC(builder->Made(builder->FinishTo(out, out == nullptr ? 0 : size, written)), status);
}

linefilter_code linefilter_builder_finish_to_sink(linefilter_builder* builder, linefilter_sink sink, void* context,
                                                  linefilter_status* status) {
  if (builder == nullptr) return ToC(NoHandle("builder"), status);
  return ToC(builder->Made(builder->FinishToSink(FromC(sink, context))), status);
}

linefilter_code linefilter_builder_finish_to_file(linefilter_builder* builder, const char* path,
                                                  linefilter_status* status) {
  Status finished = builder == nullptr ? NoHandle("builder") : CheckPath(path);
  if (finished.ok()) finished = builder->Made(builder->FinishToFile(path));
  return ToC(finished, status);
}

bool linefilter_builder_sizing(const linefilter_builder* builder, linefilter_sizing* sizing) {
  if (builder == nullptr || !builder->has_made) return false;
  ToC(builder->sizing(), sizing);
  return true;
}

void linefilter_builder_reset(linefilter_builder* builder) {
  if (builder != nullptr) builder->Reset();
}

namespace {

static_assert(kSourceFailed == LINEFILTER_SOURCE_FAILED);

HashSource SourceFromC(const linefilter_source* source) {
  if (source == nullptr) return HashSource();  // it lacks its functions
  return HashSource{source->read, source->rewind, source->context};
}

}  // namespace

linefilter_code linefilter_source_build_to_sink(const linefilter_options* options, const linefilter_source* source,
                                                linefilter_sink sink, void* context, linefilter_sizing* sizing,
                                                linefilter_status* status) {
  FilterOptions given;
  Sizing made;
  Status built = FromCNotNull(options, &given);
  if (built.ok()) built = BuildFromSource(given, SourceFromC(source), FromC(sink, context), &made);
  if (built.ok() && sizing != nullptr) ToC(made, sizing);
  return ToC(built, status);
}

linefilter_code linefilter_source_build_to_file(const linefilter_options* options, const linefilter_source* source,
                                                const char* path, linefilter_sizing* sizing,
                                                linefilter_status* status) {
  FilterOptions given;
  Sizing made;
  Status built = FromCNotNull(options, &given);
  if (built.ok()) built = CheckPath(path);
  if (built.ok()) built = BuildFromSourceToFile(given, SourceFromC(source), path, &made);
  if (built.ok() && sizing != nullptr) ToC(made, sizing);
  return ToC(built, status);
}
