#include "python/src/image.h"

#include <sys/mman.h>

#include <fstream>
#include <new>
#include <utility>

#include "python/src/errors.h"

namespace linefilter::python {
namespace {

constexpr size_t kLine = 64, kHugePage = size_t{2} << 20;

bool IsOfBytes(const Status& status) {
  return status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnsupported;
}

// FilterFile tells where a body is, and an image of the empty set has none: its bytes, some dozen, are read once more.
// What has come in its place meanwhile is not read beyond them.
std::unique_ptr<AlignedBytes> ReadAgain(const std::string& path, size_t size) {
  auto own = std::make_unique<AlignedBytes>(size);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(own->data()), static_cast<std::streamsize>(size));
  if (static_cast<size_t>(in.gcount()) != size || in.peek() != std::ifstream::traits_type::eof()) {
    Check(Status::Error(StatusCode::kIoError, "'%.120s' was replaced or removed while it was opened: open it again",
                        path.c_str()));
  }
  return own;
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

Image::Image(std::unique_ptr<Buffer> lent, VerifyMode verify, const HashSecret* secret, Broken broken)
    : Core(nullptr), lent_(std::move(lent)) {
  Open(lent_->data(), lent_->size(), verify, secret, broken);
}

Image::Image(std::unique_ptr<AlignedBytes> own, VerifyMode verify, const HashSecret* secret, Broken broken)
    : Core(nullptr), own_(std::move(own)) {
  Open(own_->data(), own_->size(), verify, secret, broken);
}

Image::Image(std::unique_ptr<FilterFile> file, const Status& status)
    : Core(nullptr), file_(std::move(file)), status_(status) {
  if (!status.ok()) return;
  data_ = view().body();
  size_ = view().image_bytes();
}

void Image::Open(const uint8_t* data, size_t size, VerifyMode verify, const HashSecret* secret, Broken broken) {
  data_ = data;
  size_ = size;
  {
    const ReleasedGil release;
    status_ = view_.Open(data, size, verify, secret);
  }
  if (broken == Broken::kRaise || !IsOfBytes(status_)) Check(status_);
}

std::unique_ptr<Image> Image::OfFile(const std::string& path, const HashSecret* secret, Broken broken,
                                     const std::function<Status(FilterFile*)>& open) {
  auto file = std::make_unique<FilterFile>();
  const auto without_gil = [&] {
    const ReleasedGil release;
    return WithErrno([&] { return open(file.get()); });
  };
  const SystemResult result = without_gil();
  if (broken == Broken::kRaise || !IsOfBytes(result.status)) Check(result);
  if (file->view().empty_set())
    return std::make_unique<Image>(ReadAgain(path, file->view().image_bytes()), VerifyMode::kWhole, secret, broken);
  return std::unique_ptr<Image>(new Image(std::move(file), result.status));
}

}  // namespace linefilter::python
