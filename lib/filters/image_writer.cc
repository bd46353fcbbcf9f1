#include "lib/filters/image_writer.h"

#include "lib/filters/memory.h"

namespace linefilter::internal {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

Status WritePieces(const uint8_t* data, uint64_t size, const Sink& sink) {
  for (uint64_t done = 0; done < size;) {
    const uint64_t piece = size - done < kPieceBytes ? size - done : kPieceBytes;
    if (!sink.write(sink.context, data + done, piece)) {
      return Status::Error(StatusCode::kIoError, "the sink refused to take the image");
    }
    done += piece;
  }
  return Status();
}

}  // namespace

Trailer MakeTrailer(Layout layout, uint64_t body_bytes, uint32_t num_probes, HashId hash_id, uint64_t seed,
                    const uint64_t* num_keys) {
  Trailer trailer;
  trailer.layout = static_cast<uint8_t>(layout);
  trailer.num_probes = static_cast<uint8_t>(num_probes);
  trailer.hash_id = static_cast<uint8_t>(hash_id);
  trailer.has_seed = seed != 0;
  trailer.seed = seed;
  trailer.body_bytes = body_bytes;
  trailer.has_num_keys = num_keys != nullptr && body_bytes > kSmallBodyBytes;
  trailer.num_keys = trailer.has_num_keys ? *num_keys : 0;
  return trailer;
}

Status WriteToSink(const Trailer& trailer, const uint8_t* body, const Allocator& allocator, const Sink& sink) {
  if (sink.write == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument, "the sink has no write function: set it");
  }
  const uint64_t trailer_bytes = TrailerBytes(trailer);
  uint8_t* const end = static_cast<uint8_t*>(Allocate(allocator, trailer_bytes));
  if (end == nullptr) return OutOfMemory(trailer_bytes);
  WriteTrailer(trailer, body, end);
  Status status = WritePieces(body, trailer.body_bytes, sink);
  if (status.ok()) status = WritePieces(end, trailer_bytes, sink);
  Deallocate(allocator, end, trailer_bytes);
  return status;
}

}  // namespace linefilter::internal
