// This is a BlockedFilter behind kernels that load and change its words atomically, and snapshots of it.
#include "linefilter/concurrent.h"

#include "lib/base/shared_word.h"
#include "lib/filters/around.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/layout_changes.h"

namespace linefilter {

// Ends every Create that succeeded, and Seal: it takes over what owner_ has become.
void ConcurrentBlockedFilter::Share(const Allocator& allocator) noexcept {
  allocator_ = allocator;
  state_ = owner_.probe_state();
  layout_ = owner_.layout();
  key_hash_ = owner_.key_hash();
  key_kinds_ = owner_.key_kinds();
  capacity_ = owner_.capacity();
  if (layout_ != Layout::kAuto) {
    internal::BindSharedBody(layout_, {state_.body, body_bytes(), num_probes(), key_hash_.id}, &state_);
  }
  UseChanges(internal::ChangesOf(layout_, state_));
}

Status ConcurrentBlockedFilter::Create(uint64_t num_keys, const FilterOptions& options) noexcept {
  internal::Around::Count(sizeof(*this) - sizeof(owner_) + around_, &owner_);
  const Status status = owner_.Create(num_keys, options);
  if (status.ok()) Share(options.allocator);
  return status;
}

Status ConcurrentBlockedFilter::CreateFromImage(const void* image, size_t size, const FilterOptions& options) noexcept {
  internal::Around::Count(sizeof(*this) - sizeof(owner_) + around_, &owner_);
  const Status status = owner_.CreateFromImage(image, size, options);
  if (status.ok()) Share(options.allocator);
  return status;
}

Status ConcurrentBlockedFilter::Load(const char* path, const FilterOptions& options) noexcept {
  internal::Around::Count(sizeof(*this) - sizeof(owner_) + around_, &owner_);
  const Status status = owner_.Load(path, options);
  if (status.ok()) Share(options.allocator);
  return status;
}

Status ConcurrentBlockedFilter::CloneFrom(const ConcurrentBlockedFilter& other) noexcept {
  if (other.layout() == Layout::kAuto) return internal::NotCreated();
  if (&other == this) return Status();
  internal::Around::Count(sizeof(*this) - sizeof(owner_) + around_, &owner_);
  FilterOptions options;
  options.allocator = other.allocator_;
  const Status status = owner_.CopyOf(other, options);
  if (status.ok()) Share(options.allocator);
  return status;
}

BlockedFilter ConcurrentBlockedFilter::Seal() noexcept {
  owner_.key_kinds_ = key_kinds_;
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
  static uint64_t Bytes(const KeyFilter& filter) {
    return filter.body_bytes() + internal::TrailerBytes(internal::TrailerOf(filter));
  }
  static Status Write(const KeyFilter& filter, const Sink& sink) {
    const auto copy = [body = filter.body()](uint64_t begin, uint64_t size, uint8_t* piece) {
      internal::CopyShared(body + begin, size, piece);
    };
    return internal::WriteInPieces(internal::TrailerOf(filter), Of(filter).allocator_, sink, copy);
  }
  static Status WriteTo(const KeyFilter& filter, void* out, size_t size) {
    const internal::Trailer trailer = internal::TrailerOf(filter);
    const uint64_t needed = filter.body_bytes() + internal::TrailerBytes(trailer);
    if (size < needed) return internal::BufferTooSmall(size, needed);  // a kind of keys was noted meanwhile
    uint8_t* const copy = static_cast<uint8_t*>(out);
    internal::CopyShared(filter.body(), filter.body_bytes(), copy);
    internal::WriteTrailer({}, trailer, copy, copy + filter.body_bytes());
    return Status();
  }
  static constexpr Image kImage = {Memory, Bytes, Write, WriteTo};
};

ConcurrentBlockedFilter::ConcurrentBlockedFilter() noexcept : KeyFilter(Writing::kImage) {}

}  // namespace linefilter
