// A Filter is a body of the right size, zeroed, and the kernels that write to it.
#include "linefilter/filter.h"

#include <cstring>
#include <numeric>

#include "lib/base/memory.h"
#include "lib/base/shared_word.h"
#include "lib/filters/fold.h"
#include "lib/filters/key_kinds.h"
#include "lib/filters/load_file.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/options.h"
#include "linefilter/fold.h"
#include "linefilter/view.h"

namespace linefilter {

using internal::FindLayout;
using internal::FindMaker;

// How its image is told and written.
struct Filter::Writing {
  static const Filter& Of(const KeyFilter& filter) { return static_cast<const Filter&>(filter); }
  static uint64_t Memory(const KeyFilter& filter) { return filter.body_bytes() + sizeof(Filter); }
  static uint64_t Bytes(const KeyFilter& filter) {
    return filter.body_bytes() + internal::TrailerBytes(internal::TrailerOf(filter));
  }
  static Status Write(const KeyFilter& filter, const Sink& sink) {
    return internal::WriteToSink(internal::TrailerOf(filter), filter.body(), Of(filter).allocator_, sink);
  }
  static Status WriteTo(const KeyFilter& filter, void* out, size_t) {
    uint8_t* const to = static_cast<uint8_t*>(out);
    memcpy(to, filter.body(), static_cast<size_t>(filter.body_bytes()));
    internal::WriteTrailer({}, internal::TrailerOf(filter), filter.body(), to + filter.body_bytes());
    return Status();
  }
  static constexpr Image kImage = {Memory, Bytes, Write, WriteTo};
};

Filter::Filter() noexcept : KeyFilter(Writing::kImage) {}

Filter::Filter(Filter&& other) noexcept : Filter() { MoveFrom(other); }

Filter& Filter::operator=(Filter&& other) noexcept {
  if (this != &other) {
    Release();
    MoveFrom(other);
  }
  return *this;
}

Filter::~Filter() { Release(); }

void Filter::MoveFrom(Filter& other) noexcept {
  MoveState(other);
  allocator_ = other.allocator_;
  other.allocator_ = Allocator();
}

void Filter::Release() noexcept {
  internal::Deallocate(allocator_, mutable_body(), body_bytes());
  BindNothing();
  allocator_ = Allocator();
}

// This is for a filter that has nothing yet.
Status Filter::Allocate(Layout layout, uint64_t body_bytes, uint32_t num_probes, const KeyHash& key_hash,
                        const FilterOptions& options) noexcept {
  const Status status = internal::CheckAllocator(options.allocator);
  if (!status.ok()) return status;
  const uint64_t needed = body_bytes + sizeof(*this) + around_;
  if (needed > options.memory_limit) return internal::OverLimit(needed, options.memory_limit);
  void* const body = internal::AllocateZeroed(options.allocator, body_bytes);
  if (body == nullptr) return internal::OutOfMemory(body_bytes);
  allocator_ = options.allocator;
  key_hash_ = key_hash;
  internal::BindBody(*FindLayout(layout), {static_cast<uint8_t*>(body), body_bytes, num_probes, key_hash.id}, &state_);
  UseChanges(internal::ChangesOf(layout, state_));
  layout_ = layout;
  return Status();
}

Status Filter::Create(uint64_t num_keys, const FilterOptions& options) noexcept {
  return CreateOf(options.layout, num_keys, options);
}

Status Filter::CreateOf(Layout layout, uint64_t num_keys, const FilterOptions& options) noexcept {
  Sizing sizing;
  Status status = internal::CheckOptions(layout, options);
  if (status.ok() && layout != Layout::kAuto && !FactsOf(layout).takes_keys) {
    status = Status::Error(StatusCode::kInvalidArgument,
                           "layout %s takes no key after it is made: use a builder, or blocked", LayoutName(layout));
  }
  if (status.ok()) status = internal::SizeForOptions(layout, num_keys == 0 ? 1 : num_keys, options, &sizing);
  if (!status.ok()) return status;
  Filter made;
  made.around_ = around_;
  status = made.Allocate(sizing.layout, sizing.body_bytes, sizing.num_probes, options.key_hash(), options);
  if (!status.ok()) return status;
  made.key_kinds_ = internal::KeyKinds(options.key_kind);
  made.capacity_ = num_keys != 0 || options.body_bytes != 0 ? num_keys : 1;
  *this = static_cast<Filter&&>(made);
  return Status();
}

Status Filter::CreateFromImage(const void* image, size_t size, const FilterOptions& options) noexcept {
  return CopyImage(options.layout, image, size, options);
}

Status Filter::CopyImage(Layout layout, const void* image, size_t size, const FilterOptions& options) noexcept {
  const auto copy = [&](const FilterView& view) { return CopyView(layout, view, options); };
  return internal::CopyImage(image, size, options, copy);
}

Status Filter::Load(const char* path, const FilterOptions& options) noexcept {
  return LoadImage(options.layout, path, options);
}

Status Filter::LoadImage(Layout layout, const char* path, const FilterOptions& options) noexcept {
  return internal::CopyFile(path, options, [&](const FilterView& view) { return CopyView(layout, view, options); });
}

// This is for a view that was verified, or of what has no check.
Status Filter::CopyView(Layout layout, const FilterBase& view, const FilterOptions& options) noexcept {
  // A layout that takes no single keys is refused as one that is not blocked.
  if (layout == Layout::kAuto) layout = FactsOf(view.layout()).takes_keys ? view.layout() : Layout::kBlocked;
  if (view.layout() != layout || !FactsOf(layout).takes_keys) {
    return Status::Error(StatusCode::kIncompatible, "the image has layout %s: a mutable %s filter cannot be made of it",
                         LayoutName(view.layout()), LayoutName(layout));
  }
  const Status status = CopyOf(view, options);
  if (status.ok()) key_kinds_ = internal::KeyKindsIn(view);
  return status;
}

Status Filter::CloneFrom(const Filter& other) noexcept {
  if (other.layout() == Layout::kAuto) return internal::NotCreated();
  FilterOptions options;
  options.allocator = other.allocator_;
  return &other == this ? Status() : CopyOf(other, options);
}

// Becomes a copy of a filter, or a view, of one body. An image of no keys has none, so the filter gets the least one.
Status Filter::CopyOf(const FilterBase& other, const FilterOptions& options) noexcept {
  const bool has_body = other.body_bytes() != 0;
  const uint64_t body_bytes = has_body ? other.body_bytes() : FindMaker(other.layout())->sizing.min_bytes;
  Filter made;
  made.around_ = around_;
  const Status allocated = made.Allocate(other.layout(), body_bytes, other.num_probes(), other.key_hash(), options);
  if (!allocated.ok()) return allocated;
  if (other.probe_state().is_shared) {
    internal::CopyShared(other.body(), body_bytes, made.mutable_body());
  } else if (has_body) {
    memcpy(made.mutable_body(), other.body(), static_cast<size_t>(body_bytes));
  }
  made.key_kinds_ = other.key_kinds();
  made.capacity_ = other.own_capacity();
  *this = static_cast<Filter&&>(made);
  return Status();
}

bool Filter::RemoveHash(uint64_t hash) noexcept { return changes_->remove(state_, hash); }

uint64_t Filter::RemoveHashes(const uint64_t* hashes, size_t n, uint8_t* were_removed) noexcept {
  return changes_->remove_batch(state_, hashes, n, were_removed);
}

Status Filter::Union(const Filter& other, const UnionOptions& options) noexcept { return UnionBody(other, options); }

Status Filter::Union(const FilterView& other, const UnionOptions& options) noexcept {
  const Status verified = other.Verify();
  return verified.ok() ? UnionBody(other, options) : verified;
}

Status Filter::UnionBody(const FilterBase& other, const UnionOptions& options) noexcept {
  const FilterBase* const both[] = {this, &other};
  Status status = internal::CheckUnion({both, 2});
  if (status.ok()) status = internal::CheckUnionFpr({both, 2}, options);
  if (!status.ok()) return status;
  internal::KeyKinds key_kinds = internal::KeyKindsIn(*this);
  key_kinds.Add(internal::KeyKindsIn(other));
  const bool adds_keys = other.body_bytes() != 0 && other.body() != body();
  const auto fold_blocks = FindMaker(layout())->fold_blocks;
  if (adds_keys && fold_blocks == nullptr) {
    uint8_t* const to = mutable_body();
    const uint8_t* const from = other.body();
    for (uint64_t i = 0; i < body_bytes(); ++i) to[i] |= from[i];  // vectorized by the compiler
  } else if (adds_keys) {
    const uint64_t num_blocks = std::gcd(this->num_blocks(), other.num_blocks());
    status = Fold(this->num_blocks() / num_blocks);
    if (!status.ok()) return status;
    fold_blocks(other.body(), num_blocks, other.num_blocks() / num_blocks, true, num_probes(), mutable_body());
  }
  key_kinds_ = key_kinds;
  return Status();
}

Status Filter::Fold(uint64_t factor) noexcept {
  const Status status = internal::CheckFold(*this, factor);
  if (!status.ok() || factor == 1) return status;
  const auto fold_blocks = FindMaker(layout())->fold_blocks;
  const uint64_t num_blocks = state_.num_units / factor, before = body_bytes(), after = before / factor;
  uint8_t* const body = mutable_body();
  uint8_t* to = body;
  if (internal::CanShrink(allocator_, before, after)) {
    fold_blocks(body, num_blocks, factor, false, num_probes(), body);
    internal::Shrink(body, before, after);
  } else {
    to = static_cast<uint8_t*>(internal::Allocate(allocator_, after));
    if (to == nullptr) return internal::NoMemoryToFold(after);
    fold_blocks(body, num_blocks, factor, false, num_probes(), to);
    internal::Deallocate(allocator_, body, before);
  }
  state_.body = to;
  state_.num_units = num_blocks;
  capacity_ = capacity_ / factor + (capacity_ % factor != 0);
  return Status();
}

Status Filter::FoldToFpr(double fpr) noexcept {
  uint64_t factor;
  const Status status = FoldFactorForFpr(*this, fpr, &factor);
  return status.ok() ? Fold(factor) : status;
}

void Filter::Clear() noexcept {
  key_kinds_ = internal::KeyKinds();
  if (body_bytes() != 0) memset(mutable_body(), 0, static_cast<size_t>(body_bytes()));
}

}  // namespace linefilter
