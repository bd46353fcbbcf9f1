// This is a filter of any layout, to be filled and asked in memory. It is a mutable one where the layout has one; else
// the builder makes it, which holds 8 bytes per key until Finish.
#ifndef LINEFILTER_TOOLS_MEASURE_ANY_FILTER_H_
#define LINEFILTER_TOOLS_MEASURE_ANY_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"

namespace linefilter::tools {

// Makes a mutable filter; null for a layout that takes no key once it is made.
inline std::unique_ptr<Filter> CreateMutable(Layout layout, uint64_t num_keys, FilterOptions options, Status* status) {
  *status = Status();
  if (!FactsOf(layout).takes_keys) return nullptr;
  auto filter = std::make_unique<Filter>();
  options.layout = layout;
  *status = filter->Create(num_keys, options);
  return filter;
}

class AnyFilter {
 public:
  // Creates it for num_keys keys; the layout is not that of the options. It refuses what memory_limit forbids.
  Status Create(Layout layout, uint64_t num_keys, FilterOptions options) {
    Status status;
    options.layout = layout;
    mutable_ = CreateMutable(layout, num_keys, options, &status);
    if (mutable_ != nullptr || !status.ok()) return status;
    uint64_t image_bytes = 0, peak = 0;
    status = FilterBuilder::EstimateBytes(options, num_keys, &image_bytes, &peak);
    if (!status.ok()) return status;
    if (peak > options.memory_limit) {
      return Status::Error(StatusCode::kOverLimit,
                           "layout %s is made of all keys at once: %llu bytes are needed (8 per key and the image), "
                           "%llu may be used: ask for fewer keys or bits per key",
                           LayoutName(layout), static_cast<unsigned long long>(peak),
                           static_cast<unsigned long long>(options.memory_limit));
    }
    builder_ = std::make_unique<FilterBuilder>(options);
    return builder_->status();
  }

  void InsertHashes(const uint64_t* hashes, size_t n) {
    if (mutable_ != nullptr) {
      mutable_->InsertHashes(hashes, n);
    } else {
      builder_->AddHashes(hashes, n);
    }
  }
  // Call this when all keys are in. Before, filter() of a layout that is not mutable answers "maybe".
  Status Finish() {
    if (mutable_ != nullptr) return Status();
    const size_t size = static_cast<size_t>(builder_->ImageBytes());
    image_.reset(static_cast<uint8_t*>(std::aligned_alloc(kLine, (size + kLine) / kLine * kLine)));
    if (image_ == nullptr) return Status::Error(StatusCode::kOutOfMemory, "no memory for an image of %zu bytes", size);
    Status status = builder_->FinishTo(image_.get(), size, nullptr);
    if (status.ok()) status = view_.Open(image_.get(), size, VerifyMode::kTrusted);
    return status;
  }
  // Empties the filter.
  void Clear() {
    if (mutable_ != nullptr) {
      mutable_->Clear();
    } else {
      builder_->Reset();
      view_ = FilterView();
    }
  }
  const FilterBase& filter() const {
    return mutable_ != nullptr ? static_cast<const FilterBase&>(*mutable_) : static_cast<const FilterBase&>(view_);
  }

  // The most that such a filter holds at once; 0 for what cannot be made.
  static uint64_t MemoryFor(Layout layout, uint64_t num_keys, FilterOptions options) {
    uint64_t image_bytes = 0, peak = 0;
    options.layout = layout;
    if (!FilterBuilder::EstimateBytes(options, num_keys, &image_bytes, &peak).ok()) return 0;
    return FactsOf(layout).takes_keys ? image_bytes : peak;
  }

 private:
  static constexpr size_t kLine = 64;
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };

  std::unique_ptr<Filter> mutable_;
  std::unique_ptr<FilterBuilder> builder_;
  std::unique_ptr<uint8_t, Free> image_;
  FilterView view_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_ANY_FILTER_H_
