// This makes the image of a body: which optional fields it gets, and the way through a sink, whole or piece by piece.
#ifndef LINEFILTER_LIB_IMAGE_IMAGE_WRITER_H_
#define LINEFILTER_LIB_IMAGE_IMAGE_WRITER_H_

#include <cstdint>

#include "lib/base/memory.h"
#include "lib/base/sink.h"
#include "lib/image/trailer.h"
#include "linefilter/executor.h"
#include "linefilter/hash.h"
#include "linefilter/internal/key_kinds.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::internal {

static_assert(kPieceBytes % kChunkBytes == 0, "ImageWriter::Append takes whole chunks");

// num_keys is null if nobody counted. A body of at most 4 KiB does not record it, unless kinds of keys are told: a tiny
// image of an engine has only the fixed trailer. The kinds of keys are written where one was told, also if it is
// unknown by now: so an image never becomes shorter while it is written and other threads note kinds. Forms are kept
// likewise, as zeros.
Trailer MakeTrailer(Layout layout, uint64_t body_bytes, uint32_t num_probes, HashId hash_id, uint64_t seed,
                    const uint64_t* num_keys, const KeyKinds& key_kinds);

// The trailer of what a builder makes, which noted more kinds and forms than its options tell.
inline Trailer TrailerFor(const FilterOptions& options, const Sizing& sizing, const KeyKinds& noted = KeyKinds()) {
  KeyKinds key_kinds(options.key_kind);
  key_kinds.Add(noted);
  return MakeTrailer(sizing.layout, sizing.body_bytes, sizing.num_probes, options.hash_id, options.key_hash().seed,
                     &sizing.num_keys, key_kinds);
}
// The trailer of a filter that takes keys for as long as it lives: nobody counted them. Filter is a mutable one.
template <class Filter>
Trailer TrailerOf(const Filter& filter) {
  return MakeTrailer(filter.layout(), filter.body_bytes(), filter.num_probes(), filter.hash_id(), filter.seed(),
                     nullptr, filter.key_kinds());
}
// This is said instead of writing the image of a filter that has none.
Status NotCreated();
// This is said instead of writing an image to a buffer that it does not fit into.
Status BufferTooSmall(uint64_t has, uint64_t needs);

inline uint64_t ImageBytesFor(const FilterOptions& options, const Sizing& sizing, const KeyKinds& noted = KeyKinds()) {
  return sizing.body_bytes + TrailerBytes(TrailerFor(options, sizing, noted));
}

// Writes everything behind `body`, which is complete, to `out`.
void WriteTrailer(const Executor& executor, const Trailer& trailer, const uint8_t* body, uint8_t* out);

Status WriteToSink(const Trailer& trailer, const uint8_t* body, const Allocator& allocator, const Sink& sink,
                   const Executor& executor = {});

// This writes an image whose body need not be in memory as a whole: Start, Append..., Finish.
class ImageWriter {
 public:
  ImageWriter(const Trailer& trailer, const Allocator& allocator, const Sink& sink, const Executor& executor)
      : trailer_(trailer), allocator_(allocator), sink_(sink), executor_(executor) {}
  ~ImageWriter();
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  // The bytes that Start allocates.
  static uint64_t BytesFor(const Trailer& trailer) { return TrailerBytes(trailer); }
  Status Start();
  // Takes the next bytes of the body: a multiple of kChunkBytes, or all that are left.
  Status Append(const uint8_t* data, uint64_t size);
  Status Finish();
  // Adds to the number of keys, if the image tells one; before the last Append. Facts may claim any number: it stays at
  // the most that can be told, and never wraps to a few.
  void AddKeys(uint64_t num_keys) {
    if (!trailer_.has_num_keys) return;
    trailer_.num_keys = UINT64_MAX - trailer_.num_keys < num_keys ? UINT64_MAX : trailer_.num_keys + num_keys;
  }

 private:
  Trailer trailer_;
  Allocator allocator_;
  Sink sink_;
  Executor executor_;
  uint8_t* end_ = nullptr;  // what follows the body
  uint64_t appended_ = 0;
};

// Writes an image whose body is made piece by piece: make(begin, size, piece) makes `size` bytes of it.
template <class Make>
Status WriteInPieces(const Trailer& trailer, const Allocator& allocator, const Sink& sink, const Make& make) {
  ImageWriter writer(trailer, allocator, sink, {});
  Status status = writer.Start();
  const uint64_t body_bytes = trailer.body_bytes, piece_bytes = body_bytes < kPieceBytes ? body_bytes : kPieceBytes;
  if (!status.ok() || body_bytes == 0) return status.ok() ? writer.Finish() : status;
  uint8_t* const piece = static_cast<uint8_t*>(Allocate(allocator, piece_bytes));
  if (piece == nullptr) return OutOfMemory(piece_bytes);
  for (uint64_t begin = 0; status.ok() && begin < body_bytes; begin += piece_bytes) {
    const uint64_t size = body_bytes - begin < piece_bytes ? body_bytes - begin : piece_bytes;
    make(begin, size, piece);
    status = writer.Append(piece, size);
  }
  Deallocate(allocator, piece, piece_bytes);
  return status.ok() ? writer.Finish() : status;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_IMAGE_IMAGE_WRITER_H_
