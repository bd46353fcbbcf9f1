// What every writer to a sink does (linefilter/memory.h says what a sink is).
#ifndef LINEFILTER_LIB_BASE_SINK_H_
#define LINEFILTER_LIB_BASE_SINK_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// A sink gets no more at once.
inline constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

// Ask this before the work is done.
inline Status CheckSink(const Sink& sink) {
  if (sink.write != nullptr) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "the sink has no write function: set it");
}

// False if the sink refused a piece.
inline bool WritePieces(const Sink& sink, const uint8_t* data, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const uint64_t piece = size - done < kPieceBytes ? size - done : kPieceBytes;
    if (!sink.write(sink.context, data + done, static_cast<size_t>(piece))) return false;
    done += piece;
  }
  return true;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_SINK_H_
