// This is a BlockedFilter behind kernels that load and change its words atomically, and snapshots of it.
#include "linefilter/concurrent.h"

#include <cstring>

#include "lib/base/memory.h"
#include "lib/base/shared_word.h"
#include "lib/filters/secret.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/options.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"

namespace linefilter {

using internal::kWordBytes;
using internal::LoadSharedWord;

namespace {

// A piece is a multiple of a chunk, so that it can be appended, and whole words, as a body is.
constexpr uint64_t kPieceBytes = uint64_t{1} << 20;
static_assert(kPieceBytes % internal::kChunkBytes == 0, "ImageWriter::Append takes whole chunks");

void CopyShared(const uint8_t* body, uint64_t size, uint8_t* to) {
  for (uint64_t i = 0; i < size; i += kWordBytes) {
    const uint64_t word = LoadSharedWord(body + i);
    memcpy(to + i, &word, sizeof(word));
  }
}

// These are for the owner, which counts itself and not what is around it.
FilterOptions WithRoomForThis(const FilterOptions& options) {
  constexpr uint64_t kAround = sizeof(ConcurrentBlockedFilter) - sizeof(BlockedFilter);
  FilterOptions less = options;
  if (less.memory_limit != kNoMemoryLimit)
    less.memory_limit -= less.memory_limit < kAround ? less.memory_limit : kAround;
  return less;
}

// This says what the owner says, in the caller's figures.
Status OverLimitOfThis(uint64_t body_bytes, const FilterOptions& options) {
  return internal::OverLimit(body_bytes + sizeof(ConcurrentBlockedFilter), options.memory_limit);
}

}  // namespace

// Ends every Create that succeeded, and Seal: it takes over what owner_ has become.
void ConcurrentBlockedFilter::Share(const Allocator& allocator) noexcept {
  allocator_ = allocator;
  state_ = owner_.probe_state();
  layout_ = owner_.layout();
  key_hash_ = owner_.key_hash();
  if (layout_ != Layout::kAuto) {
    internal::BindSharedBody(*internal::FindLayout(layout_), {state_.body, body_bytes(), num_probes()}, &state_);
  }
  UseInsert();
}

Status ConcurrentBlockedFilter::Create(uint64_t num_keys, const FilterOptions& options) noexcept {
  const Status status = owner_.Create(num_keys, WithRoomForThis(options));
  if (status.ok()) Share(options.allocator);
  if (status.code() != StatusCode::kOverLimit) return status;
  Sizing sizing;
  (void)internal::SizeForOptions(Layout::kBlocked, num_keys == 0 ? 1 : num_keys, options, &sizing);
  return OverLimitOfThis(sizing.body_bytes, options);
}

Status ConcurrentBlockedFilter::CreateFromImage(const void* image, size_t size, const FilterOptions& options) noexcept {
  const Status status = owner_.CreateFromImage(image, size, WithRoomForThis(options));
  if (status.ok()) Share(options.allocator);
  if (status.code() != StatusCode::kOverLimit) return status;
  const FilterView view(image, size, internal::SecretOf(options));
  return OverLimitOfThis(view.empty_set() ? internal::kBlockBytes : view.body_bytes(), options);
}

BlockedFilter ConcurrentBlockedFilter::Seal() noexcept {
  BlockedFilter sealed = static_cast<BlockedFilter&&>(owner_);
  Share(Allocator());
  return sealed;
}

// How its image is told and written, while others insert.
struct ConcurrentBlockedFilter::Writing {
  static const ConcurrentBlockedFilter& Of(const KeyFilter& filter) {
    return static_cast<const ConcurrentBlockedFilter&>(filter);
  }
  static uint64_t Memory(const KeyFilter& filter) { return filter.body_bytes() + sizeof(ConcurrentBlockedFilter); }
  static uint64_t Bytes(const KeyFilter& filter) { return Of(filter).owner_.ImageBytes(); }
  static Status Write(const KeyFilter& filter, const Sink& sink) {
    const Allocator& allocator = Of(filter).allocator_;
    const uint64_t body_bytes = filter.body_bytes(), piece_bytes = body_bytes < kPieceBytes ? body_bytes : kPieceBytes;
    internal::ImageWriter writer(internal::TrailerOf(filter), allocator, sink, {});
    Status status = writer.Start();
    if (!status.ok()) return status;
    uint8_t* const piece = static_cast<uint8_t*>(internal::Allocate(allocator, piece_bytes));
    if (piece == nullptr) return internal::OutOfMemory(piece_bytes);
    for (uint64_t done = 0; status.ok() && done < body_bytes; done += piece_bytes) {
      const uint64_t size = body_bytes - done < piece_bytes ? body_bytes - done : piece_bytes;
      CopyShared(filter.body() + done, size, piece);
      status = writer.Append(piece, size);
    }
    internal::Deallocate(allocator, piece, piece_bytes);
    return status.ok() ? writer.Finish() : status;
  }
  static Status WriteTo(const KeyFilter& filter, void* out, size_t) {
    uint8_t* const copy = static_cast<uint8_t*>(out);
    CopyShared(filter.body(), filter.body_bytes(), copy);
    internal::WriteTrailer({}, internal::TrailerOf(filter), copy, copy + filter.body_bytes());
    return Status();
  }
  static constexpr Image kImage = {Memory, Bytes, Write, WriteTo};
};

ConcurrentBlockedFilter::ConcurrentBlockedFilter() noexcept : KeyFilter(Writing::kImage) {}

}  // namespace linefilter
