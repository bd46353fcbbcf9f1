// Image: the bytes of an image, kept where they are for as long as somebody needs them, and a view over them.
#ifndef LINEFILTER_PYTHON_SRC_IMAGE_H_
#define LINEFILTER_PYTHON_SRC_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "linefilter/file.h"
#include "linefilter/view.h"
#include "python/src/buffer.h"
#include "python/src/core.h"

namespace linefilter::python {

// Memory for an image: blocks on cache lines; from 2 MiB up in huge pages where the system has them.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t size);  // throws std::bad_alloc
  uint8_t* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<uint8_t, Free> data_;
  size_t size_;
};

// What to do with bytes that are broken or not understood. (Another secret, or a file that cannot be read, always
// raises.)
enum class Broken { kRaise, kMaybe };

// Immutable, so every call is safe from any thread; and never closed: what Python calls closing is to drop it.
class Image final : public Core {
 public:
  // Over bytes that are somebody's, of our own, or of a file: opened, which throws as `broken` says.
  Image(std::unique_ptr<Buffer> lent, VerifyMode verify, const HashSecret* secret, Broken broken);
  Image(std::unique_ptr<AlignedBytes> own, VerifyMode verify, const HashSecret* secret, Broken broken);
  // `open` is FilterFile's Map or Load.
  static std::unique_ptr<Image> OfFile(const std::string& path, const HashSecret* secret, Broken broken,
                                       const std::function<Status(FilterFile*)>& open);

  const FilterBase& filter() const override { return view(); }
  const FilterView& view() const { return file_ != nullptr ? file_->view() : view_; }
  // The first byte: where blocks are first, that of the body.
  const uint8_t* data() const { return data_; }
  // 0 of a file whose image is broken.
  size_t size() const { return size_; }
  // ok, or why it answers "maybe" to everything, or to keys of a part that was found damaged while it was asked.
  Status status() const { return status_.ok() ? view().status() : status_; }

 private:
  Image(std::unique_ptr<FilterFile> file, const Status& status);
  void Open(const uint8_t* data, size_t size, VerifyMode verify, const HashSecret* secret, Broken broken);

  std::unique_ptr<Buffer> lent_;
  std::unique_ptr<AlignedBytes> own_;
  std::unique_ptr<FilterFile> file_;
  FilterView view_;
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  Status status_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_IMAGE_H_
