// This is a Filter behind kernels that load and change its words atomically, and snapshots of it.
#include "linefilter/concurrent.h"

#include "lib/base/shared_word.h"
#include "lib/filters/around.h"
#include "lib/filters/load_file.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_names.h"

namespace linefilter {
namespace {

bool Shares(const LayoutFacts& facts) { return facts.shares; }

Status CheckLayout(Layout layout, bool removable) {
  if (removable) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "many threads cannot fill what gives keys back: leave out removable, or make a Filter of "
                         "layout quotient and let one thread at a time use it");
  }
  if (Shares(FactsOf(layout))) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "many threads cannot fill layout %s: choose %s",
                       LayoutName(layout), internal::NamesOf(Shares, "auto", " or ").text);
}

Status CheckImage(const FilterView& view) {
  if (Shares(FactsOf(view.layout()))) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "the image has layout %s, which many threads cannot fill: take one of layout %s",
                       LayoutName(view.layout()), internal::NamesOf(Shares, nullptr, " or ").text);
}

}  // namespace

// Ends every Create that succeeded, and Seal: it takes over what owner_ has become.
void ConcurrentFilter::Share(const Allocator& allocator) noexcept {
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

Status ConcurrentFilter::Create(uint64_t num_keys, const FilterOptions& options) noexcept {
  const Layout layout = options.layout == Layout::kAuto ? Layout::kBlocked : options.layout;
  Status status = CheckLayout(layout, options.removable);
  if (!status.ok()) return status;
  internal::Around::Count(sizeof(*this) - sizeof(owner_) + around_, &owner_);
  status = owner_.CreateOf(layout, num_keys, options);
  if (status.ok()) Share(options.allocator);
  return status;
}

Status ConcurrentFilter::CreateFromImage(const void* image, size_t size, const FilterOptions& options) noexcept {
  return internal::CopyImage(image, size, options, [&](const FilterView& view) { return CopyView(view, options); });
}

Status ConcurrentFilter::Load(const char* path, const FilterOptions& options) noexcept {
  return internal::CopyFile(path, options, [&](const FilterView& view) { return CopyView(view, options); });
}

// This is for a view that was verified.
Status ConcurrentFilter::CopyView(const FilterView& view, const FilterOptions& options) noexcept {
  Status status = CheckImage(view);
  if (!status.ok()) return status;
  internal::Around::Count(sizeof(*this) - sizeof(owner_) + around_, &owner_);
  status = owner_.CopyView(options.layout, view, options);
  if (status.ok()) Share(options.allocator);
  return status;
}

Status ConcurrentFilter::CloneFrom(const ConcurrentFilter& other) noexcept {
  if (other.layout() == Layout::kAuto) return internal::NotCreated();
  if (&other == this) return Status();
  internal::Around::Count(sizeof(*this) - sizeof(owner_) + around_, &owner_);
  FilterOptions options;
  options.allocator = other.allocator_;
  const Status status = owner_.CopyOf(other, options);
  if (status.ok()) Share(options.allocator);
  return status;
}

Filter ConcurrentFilter::Seal() noexcept {
  owner_.key_kinds_ = key_kinds_;
  Filter sealed = static_cast<Filter&&>(owner_);
  Share(Allocator());
  return sealed;
}

// How its image is told and written, while others insert.
struct ConcurrentFilter::Writing {
  static const ConcurrentFilter& Of(const KeyFilter& filter) { return static_cast<const ConcurrentFilter&>(filter); }
  static uint64_t Memory(const KeyFilter& filter) { return filter.body_bytes() + sizeof(ConcurrentFilter); }
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

ConcurrentFilter::ConcurrentFilter() noexcept : KeyFilter(Writing::kImage) {}

}  // namespace linefilter
