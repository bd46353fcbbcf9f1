#include "lib/image/image_writer.h"

#include "lib/base/endian.h"
#include "lib/base/memory.h"
#include "lib/base/parallel.h"

namespace linefilter::internal {
namespace {

Status WriteAll(const Sink& sink, const uint8_t* data, uint64_t size) {
  if (WritePieces(sink, data, size)) return Status();
  return Status::Error(StatusCode::kIoError, "the sink refused to take the image");
}

// Writes the checks of `size` bytes that begin with a chunk.
void WriteChunkChecks(const Executor& executor, const uint8_t* data, uint64_t size, uint8_t* checks) {
  constexpr uint64_t kAtOnce = 64;
  const uint64_t num_chunks = (size + kChunkBytes - 1) / kChunkBytes, num_parts = (num_chunks + kAtOnce - 1) / kAtOnce;
  const uint64_t workers = executor.run == nullptr ? 1 : executor.num_threads;
  ShareOut(executor, static_cast<size_t>(workers < num_parts ? workers : num_parts), num_parts,
           [&](size_t, uint64_t part) {
             const uint64_t begin = part * kAtOnce, end = begin + kAtOnce < num_chunks ? begin + kAtOnce : num_chunks;
             for (uint64_t i = begin; i < end; ++i) StoreLE32(ChunkCheck(data, size, i), checks + 4 * i);
           });
}

}  // namespace

Trailer MakeTrailer(Layout layout, uint64_t body_bytes, uint32_t num_probes, HashId hash_id, uint64_t seed,
                    const uint64_t* num_keys, const KeyKinds& key_kinds) {
  static constexpr uint8_t kContents[] = {0, 1, 2, 3};  // of the field, by the KeyKind
  const uint8_t kinds = key_kinds.bits();
  const bool kinds_are_told = (kinds & KeyKinds::kTold) != 0;
  const uint64_t forms = key_kinds.forms();
  const unsigned forms_bytes = FormsFieldBytes(forms);
  Trailer trailer;
  trailer.layout = static_cast<uint8_t>(layout);
  trailer.num_probes = static_cast<uint8_t>(num_probes);
  trailer.hash_id = static_cast<uint8_t>(hash_id);
  trailer.has_seed = seed != 0 || KeyHash::IsKeyed(hash_id);
  trailer.seed = seed;
  trailer.body_bytes = body_bytes;
  trailer.has_num_keys = num_keys != nullptr &&
                         (body_bytes > kSmallBodyBytes || (body_bytes != 0 && (kinds_are_told || forms_bytes != 0)));
  trailer.num_keys = trailer.has_num_keys ? *num_keys : 0;
  if (kinds_are_told) {
    trailer.key_kind = &kContents[static_cast<uint8_t>(KeyKinds::KindOf(kinds))];
    trailer.key_kind_bytes = kKeyKindBytes;
  }
  trailer.key_forms_bytes = static_cast<uint16_t>(forms_bytes);
  trailer.key_forms = forms_bytes != 0 && AreKeyForms(forms) ? forms : 0;
  return trailer;
}

Status NotCreated() {
  return Status::Error(StatusCode::kInvalidArgument,
                       "the filter was never created, or was sealed or moved: it has no image");
}

Status BufferTooSmall(uint64_t has, uint64_t needs) {
  return Status::Error(StatusCode::kInvalidArgument, "the buffer has %llu bytes, the image needs %llu",
                       static_cast<unsigned long long>(has), static_cast<unsigned long long>(needs));
}

void WriteTrailer(const Executor& executor, const Trailer& trailer, const uint8_t* body, uint8_t* out) {
  if (trailer.body_bytes > kSmallBodyBytes) WriteChunkChecks(executor, body, trailer.body_bytes, out);
  WriteFields(trailer, body, out);
}

Status WriteToSink(const Trailer& trailer, const uint8_t* body, const Allocator& allocator, const Sink& sink,
                   const Executor& executor) {
  ImageWriter writer(trailer, allocator, sink, executor);
  Status status = writer.Start();
  if (status.ok()) status = writer.Append(body, trailer.body_bytes);
  return status.ok() ? writer.Finish() : status;
}

ImageWriter::~ImageWriter() { Deallocate(allocator_, end_, BytesFor(trailer_)); }

Status ImageWriter::Start() {
  const Status status = CheckSink(sink_);
  if (!status.ok()) return status;
  end_ = static_cast<uint8_t*>(Allocate(allocator_, BytesFor(trailer_)));
  if (end_ == nullptr) return OutOfMemory(BytesFor(trailer_));
  if (trailer_.body_bytes == 0) WriteFields(trailer_, nullptr, end_);
  return Status();
}

Status ImageWriter::Append(const uint8_t* data, uint64_t size) {
  if (size == 0) return Status();
  if (trailer_.body_bytes > kSmallBodyBytes) {
    WriteChunkChecks(executor_, data, size, end_ + 4 * (appended_ / kChunkBytes));
  }
  appended_ += size;
  if (appended_ == trailer_.body_bytes) WriteFields(trailer_, data, end_);  // a small body comes as one piece
  return WriteAll(sink_, data, size);
}

Status ImageWriter::Finish() { return WriteAll(sink_, end_, BytesFor(trailer_)); }

}  // namespace linefilter::internal
