// This is a BlockedFilter behind kernels that load and change its words atomically, and snapshots of it.
#include "linefilter/concurrent.h"

#include <cstring>

#include "lib/base/memory.h"
#include "lib/base/shared_word.h"
#include "lib/filters/secret.h"
#include "lib/image/image_writer.h"
#include "lib/image/save.h"
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

ConcurrentBlockedFilter::ConcurrentBlockedFilter() noexcept : insert_(internal::AlwaysMaybeKernels().insert) {}

// Ends every Create that succeeded, and Seal: it takes over what owner_ has become.
void ConcurrentBlockedFilter::Share(const Allocator& allocator) noexcept {
  allocator_ = allocator;
  state_ = owner_.probe_state();
  layout_ = owner_.layout();
  key_hash_ = owner_.key_hash();
  if (layout_ != Layout::kAuto) internal::UseKernels(internal::FindLayout(layout_)->shared_kernels(), &state_);
  insert_ = state_.kernels->insert;
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

uint64_t ConcurrentBlockedFilter::InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new) noexcept {
  return state_.kernels->insert_batch(state_, hashes, n, were_new);
}

double ConcurrentBlockedFilter::FillRatio() const noexcept {
  if (body_bytes() == 0) return 0;
  uint64_t ones = 0;
  for (uint64_t i = 0; i < body_bytes(); i += kWordBytes) {
    ones += static_cast<uint64_t>(__builtin_popcountll(LoadSharedWord(body() + i)));
  }
  return static_cast<double>(ones) / (8.0 * static_cast<double>(body_bytes()));
}

double ConcurrentBlockedFilter::EstimatedKeys() const noexcept {
  if (body_bytes() == 0) return 0;
  return internal::FindLayout(layout_)->keys_at_fill(FillRatio(), num_probes(), num_blocks());
}

uint64_t ConcurrentBlockedFilter::MemoryUse() const noexcept { return body_bytes() + sizeof(*this); }

uint64_t ConcurrentBlockedFilter::ImageBytes() const noexcept { return owner_.ImageBytes(); }

Status ConcurrentBlockedFilter::WriteImageTo(void* out, size_t size) const noexcept {
  if (layout() == Layout::kAuto) return internal::NotCreated();
  if (size < ImageBytes()) return internal::BufferTooSmall(size, ImageBytes());
  uint8_t* const copy = static_cast<uint8_t*>(out);
  CopyShared(body(), body_bytes(), copy);
  internal::WriteTrailer({}, internal::TrailerOf(*this), copy, copy + body_bytes());
  return Status();
}

Status ConcurrentBlockedFilter::WriteImage(const Sink& sink) const noexcept {
  if (layout() == Layout::kAuto) return internal::NotCreated();
  const uint64_t piece_bytes = body_bytes() < kPieceBytes ? body_bytes() : kPieceBytes;
  internal::ImageWriter writer(internal::TrailerOf(*this), allocator_, sink, {});
  Status status = writer.Start();
  if (!status.ok()) return status;
  uint8_t* const piece = static_cast<uint8_t*>(internal::Allocate(allocator_, piece_bytes));
  if (piece == nullptr) return internal::OutOfMemory(piece_bytes);
  for (uint64_t done = 0; status.ok() && done < body_bytes(); done += piece_bytes) {
    const uint64_t size = body_bytes() - done < piece_bytes ? body_bytes() - done : piece_bytes;
    CopyShared(body() + done, size, piece);
    status = writer.Append(piece, size);
  }
  internal::Deallocate(allocator_, piece, piece_bytes);
  return status.ok() ? writer.Finish() : status;
}

Status ConcurrentBlockedFilter::Save(const char* path) const noexcept { return internal::SaveImageOf(*this, path); }

}  // namespace linefilter
