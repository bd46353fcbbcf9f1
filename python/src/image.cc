#include "python/src/image.h"

#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#include "python/src/errors.h"

namespace linefilter::python {
namespace {

constexpr size_t kLine = 64, kHugePage = size_t{2} << 20;

bool IsOfBytes(const Status& status) {
  return status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnsupported;
}

}  // namespace

AlignedBytes::AlignedBytes(size_t size) : size_(size) {
  const size_t alignment = size >= kHugePage ? kHugePage : kLine;
  if (size > SIZE_MAX / 2) throw std::bad_alloc();
  const size_t rounded = (size + alignment) / alignment * alignment;  // never 0
  data_.reset(static_cast<uint8_t*>(std::aligned_alloc(alignment, rounded)));
  if (data_ == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (alignment == kHugePage) madvise(data_.get(), rounded, MADV_HUGEPAGE);  // a wish: small pages work too
#endif
}

Image::Image(std::unique_ptr<Buffer> lent, const HashSecret* secret, Broken broken)
    : Core(nullptr), lent_(std::move(lent)) {
  Open(lent_->data(), lent_->size(), secret, broken);
}

Image::Image(std::unique_ptr<AlignedBytes> own, const HashSecret* secret, Broken broken)
    : Core(nullptr), own_(std::move(own)) {
  Open(own_->data(), own_->size(), secret, broken);
}

Image::Image(std::unique_ptr<FilterFile> file, const Status& status)
    : Core(nullptr), file_(std::move(file)), status_(status) {
  if (!status.ok()) return;
  data_ = view().body();
  size_ = view().image_bytes();
}

void Image::Open(const uint8_t* data, size_t size, const HashSecret* secret, Broken broken) {
  data_ = data;
  size_ = size;
  status_ = view_.Open(data, size, secret);
  if (broken == Broken::kRaise || !IsOfBytes(status_)) Check(status_);
}

void Image::VerifyNow(Broken broken) {
  if (!status_.ok()) return;
  {
    const py::gil_scoped_release release;
    status_ = view().Verify();
  }
  if (broken == Broken::kRaise) Check(status_);
  if (!status_.ok()) view_ = FilterView();
}

// FilterFile tells where a body is, and an image of the empty set has none: it is read. At most a few hundred bytes.
std::unique_ptr<AlignedBytes> ReadSmall(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  auto own = std::make_unique<AlignedBytes>(bytes.size());
  std::memcpy(own->data(), bytes.data(), bytes.size());
  return own;
}

// `open` is FilterFile's Map or Load.
template <class OpenFile>
std::unique_ptr<Image> Image::OfFile(const std::string& path, const HashSecret* secret, Broken broken,
                                     const OpenFile& open) {
  auto file = std::make_unique<FilterFile>();
  const auto without_gil = [&] {
    const py::gil_scoped_release release;
    return WithErrno([&] { return open(file.get()); });
  };
  const SystemResult result = without_gil();
  if (broken == Broken::kRaise || !IsOfBytes(result.status)) Check(result);
  if (file->view().empty_set()) return std::make_unique<Image>(ReadSmall(path), secret, broken);
  return std::unique_ptr<Image>(new Image(std::move(file), result.status));
}

std::unique_ptr<Image> Image::Map(const std::string& path, MapAdvice advice, const HashSecret* secret, Broken broken) {
  return OfFile(path, secret, broken, [&](FilterFile* file) { return file->Map(path.c_str(), advice, secret); });
}

std::unique_ptr<Image> Image::Load(const std::string& path, uint64_t memory_limit, const HashSecret* secret,
                                   Broken broken) {
  return OfFile(path, secret, broken,
                [&](FilterFile* file) { return file->Load(path.c_str(), {}, memory_limit, secret); });
}

}  // namespace linefilter::python
