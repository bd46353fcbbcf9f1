// What takes keys inserts by its Changes, and writes its image by the table of its class.
#include "linefilter/key_filter.h"

#include "lib/image/image_writer.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/file.h"

namespace linefilter {

KeyFilter::KeyFilter(const Image& image) noexcept
    : insert_(internal::NoChanges().insert), changes_(&internal::NoChanges()), image_(&image) {}

void KeyFilter::BindNothing() noexcept {
  internal::BindConstant(internal::AlwaysMaybeKernels(), &state_);
  key_hash_ = KeyHash();
  layout_ = Layout::kAuto;
  key_kinds_ = internal::KeyKinds();
  capacity_ = 0;
  UseChanges(internal::NoChanges());
}

void KeyFilter::UseChanges(const internal::Changes& changes) noexcept {
  insert_ = changes.insert;
  changes_ = &changes;
}

void KeyFilter::MoveState(KeyFilter& other) noexcept {
  FilterBase::operator=(other);
  UseChanges(*other.changes_);
  other.BindNothing();
}

uint64_t KeyFilter::InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new) noexcept {
  return changes_->insert_batch(state_, hashes, n, were_new);
}

uint64_t KeyFilter::MemoryUse() const noexcept { return around_ + image_->memory(*this); }

uint64_t KeyFilter::ImageBytes() const noexcept { return layout_ == Layout::kAuto ? 0 : image_->bytes(*this); }

Status KeyFilter::WriteImage(const Sink& sink) const noexcept {
  return layout_ == Layout::kAuto ? internal::NotCreated() : image_->write(*this, sink);
}

Status KeyFilter::WriteImageTo(void* out, size_t size) const noexcept {
  if (layout_ == Layout::kAuto) return internal::NotCreated();
  const uint64_t needed = ImageBytes();
  return size < needed ? internal::BufferTooSmall(size, needed) : image_->write_to(*this, out, size);
}

Status KeyFilter::Save(const char* path) const noexcept {
  if (layout_ == Layout::kAuto) return internal::NotCreated();
  AtomicFile file;
  Status status = file.Create(path);
  if (!status.ok()) return status;
  status = WriteImage(file.sink());
  if (!file.status().ok()) return file.status();  // the system's reason, not the sink's
  return status.ok() ? file.Commit() : status;
}

}  // namespace linefilter
