// An image that a command asks or describes: a file, standard input ("-"), or a pipe.
#ifndef LINEFILTER_TOOLS_PROGRAM_IMAGE_H_
#define LINEFILTER_TOOLS_PROGRAM_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "linefilter/file.h"

namespace linefilter::tools {

// Bytes at an address that suits blocks, which grow at their end.
class ImageBytes {
 public:
  // `size` bytes to be written behind what is there, or null if there is no memory; Added says how many were.
  uint8_t* Room(size_t size);
  void Added(size_t size) { size_ += size; }
  const uint8_t* data() const { return bytes_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(uint8_t* pointer) const { free(pointer); }
  };
  std::unique_ptr<uint8_t, Free> bytes_;
  size_t size_ = 0, capacity_ = 0;
};

// A file is mapped. What cannot be mapped is read into memory, once, whatever Open then says of it.
class Image {
 public:
  Image() = default;
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // This is FilterFile::Map, in the words of the program where the secret does not fit. kIncompatible is for one that
  // is missing or of another image (SecretState), kInvalidArgument for one that the image has no use for. It may be
  // called again for the same path.
  Status Open(const std::string& path, VerifyMode verify, MapAdvice advice, const HashSecret* secret);
  // Opens an image that was made in memory.
  Status Take(ImageBytes bytes, const HashSecret* secret);

  const FilterView& view() const { return is_read_ ? view_ : file_.view(); }
  // view().image_bytes() bytes.
  const void* data() const { return is_read_ ? bytes_.data() : file_.data(); }

  // For an image that Open refused with kIncompatible: all of its bytes, or nothing if they cannot be read; and whether
  // they are undamaged, without progress.
  const uint8_t* AllBytes(size_t* size);
  Status VerifyBytes();

 private:
  Status Try(VerifyMode verify, MapAdvice advice, const HashSecret* secret);

  std::string path_;
  bool is_read_ = false;
  ImageBytes bytes_;
  FilterView view_;  // of bytes_
  FilterFile file_;
  void* raw_ = nullptr;  // the file of one that was refused
  size_t raw_size_ = 0;
};

// Opens an image and verifies all of it, with progress. It is false after saying why.
bool OpenImage(const std::string& path, const HashSecret* secret, Image* image);

// This is FilterView::Verify, with progress on a terminal.
Status VerifyBody(const FilterView& view);

// This is FilterBase::KeyStatus, in the words of the program.
Status CanBeAsked(const FilterView& view);

// The state of an image that Open refused with kIncompatible: "secret missing" or "another secret".
const char* SecretState(const HashSecret* given);

// Says "ok", "damaged", or "unknown" for what could not be read or is of a kind that this version does not know.
const char* ChecksumState(const Status& verified);

// Says why an image is no good; returns kExitBad.
int FailImage(const std::string& path, const Status& status);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_IMAGE_H_
