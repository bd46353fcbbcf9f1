#include "tools/program/image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "tools/program/command.h"
#include "tools/program/compressed.h"
#include "tools/program/images.h"
#include "tools/program/progress.h"
#include "tools/program/same_file.h"

namespace linefilter::tools {
namespace {

constexpr size_t kAlignment = 64, kStep = size_t{1} << 20;

// What is read, not mapped: a pipe, a socket, a terminal. For others FilterFile says what they are.
bool IsStream(const struct stat& info) {
  return S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISCHR(info.st_mode);
}

// Standard input by the name that maps it, if it is a file.
const char* FileOf(const std::string& path) { return path == "-" ? "/dev/stdin" : path.c_str(); }

Status ReadAll(const std::string& path, ImageBytes* bytes) {
  const int fd = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && isatty(fd) != 0) {
    return Status::Error(StatusCode::kIoError, "it is a terminal, and an image is no text: give a file or a pipe");
  }
  const uint64_t most = MemoryOfMachine() / 2;  // while it grows there are two of them
  ssize_t got = fd < 0 ? -1 : 1;
  while (got > 0) {
    uint8_t* const room = bytes->size() > most ? nullptr : bytes->Room(kStep);
    if (room == nullptr) {
      if (fd > STDIN_FILENO) close(fd);
      return Status::Error(StatusCode::kOutOfMemory,
                           "no memory for more than %zu bytes from a pipe: write them to a "
                           "file, which is mapped",
                           bytes->size());
    }
    do {
      got = read(fd, room, kStep);
    } while (got < 0 && errno == EINTR);
    if (got > 0) bytes->Added(static_cast<size_t>(got));
  }
  const int reason = errno;
  if (fd > STDIN_FILENO) close(fd);
  if (got < 0) return Status::Error(StatusCode::kIoError, "cannot be read: %s", strerror(reason));
  if (bytes->size() != 0) return Status();
  return Status::Error(StatusCode::kCorrupt, "nothing came: even the empty set has an image of 8 bytes");
}

// A compressed image is no image; its sentence says how to unpack it.
Status OrCompressed(const Status& status, const std::string& path, const uint8_t* data, size_t size) {
  const char* const first = reinterpret_cast<const char*>(data);
  const char* const compressor = status.ok() ? nullptr : CompressorOf(first, std::min(size, kCompressedBytes));
  if (compressor == nullptr) return status;
  return Status::Error(StatusCode::kCorrupt, "%s", CompressedSentence(compressor, path, "COMMAND -").c_str());
}

}  // namespace

uint8_t* ImageBytes::Room(size_t size) {
  if (size_ + size > capacity_) {
    const size_t capacity = std::max(2 * capacity_, (size_ + size + kAlignment - 1) / kAlignment * kAlignment);
    uint8_t* const grown = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, capacity));
    if (grown == nullptr) return nullptr;
    if (size_ != 0) memcpy(grown, bytes_.get(), size_);
    bytes_.reset(grown);
    capacity_ = capacity;
  }
  return bytes_.get() + size_;
}

Image::~Image() {
  if (raw_ != nullptr) munmap(raw_, raw_size_);
}

Status Image::Open(const std::string& path, VerifyMode verify, MapAdvice advice, const HashSecret* secret) {
  path_ = path;
  struct stat info;
  if (!is_read_ && StatOf(path, &info) && IsStream(info)) {
    const Status status = ReadAll(path, &bytes_);
    if (!status.ok()) return status;
    is_read_ = true;
  }
  const Status status = Try(verify, advice, secret);
  if (status.code() != StatusCode::kIncompatible) return status;
  if (secret == nullptr) {
    return Status::Error(StatusCode::kIncompatible, "it is of a keyed hash, to be asked with --secret PATH only");
  }
  if (Try(VerifyMode::kTrusted, MapAdvice::kRandom, nullptr).ok()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "its hash is %s, which has no secret: if it is the image that you mean, leave out --secret",
                         HashIdName(view().hash_id()));
  }
  return Status::Error(StatusCode::kIncompatible, "it was made with another secret than that of --secret");
}

Status Image::Try(VerifyMode verify, MapAdvice advice, const HashSecret* secret) {
  if (is_read_) {
    const VerifyMode mode = verify == VerifyMode::kTrusted ? verify : VerifyMode::kWhole;
    return OrCompressed(view_.Open(bytes_.data(), bytes_.size(), mode, secret), path_, bytes_.data(), bytes_.size());
  }
  const Status status = file_.Map(FileOf(path_), verify, advice, secret);
  if (status.code() != StatusCode::kCorrupt && status.code() != StatusCode::kUnsupported) return status;
  uint8_t first[kCompressedBytes] = {};
  std::ifstream file(FileOf(path_), std::ios::binary);
  file.read(reinterpret_cast<char*>(first), sizeof(first));
  return OrCompressed(status, path_, first, static_cast<size_t>(file.gcount()));
}

Status Image::Take(ImageBytes bytes, const HashSecret* secret) {
  path_ = "-";
  is_read_ = true;
  bytes_ = std::move(bytes);
  return view_.Open(bytes_.data(), bytes_.size(), VerifyMode::kTrusted, secret);
}

// A FilterFile does not keep what its view refuses, so the file is mapped anew.
const uint8_t* Image::AllBytes(size_t* size) {
  if (is_read_) {
    *size = bytes_.size();
    return bytes_.data();
  }
  if (raw_ == nullptr) {
    const int fd = open(FileOf(path_), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info = {};
    void* mapped = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &info) == 0) {
      mapped = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) close(fd);
    if (mapped == MAP_FAILED) return nullptr;
    raw_ = mapped;
    raw_size_ = static_cast<size_t>(info.st_size);
    (void)madvise(raw_, raw_size_, MADV_SEQUENTIAL);
  }
  *size = raw_size_;
  return static_cast<const uint8_t*>(raw_);
}

Status Image::VerifyBytes() {
  size_t size = 0;
  const uint8_t* const bytes = AllBytes(&size);
  if (bytes != nullptr) return VerifyImage(bytes, size);
  return Status::Error(StatusCode::kIoError, "cannot be mapped: %s", strerror(errno));
}

bool OpenImage(const std::string& path, const HashSecret* secret, Image* image) {
  Status status = image->Open(path, VerifyMode::kTrusted, MapAdvice::kWillNeed, secret);
  if (status.ok()) status = VerifyBody(image->view());
  if (!status.ok()) FailImage(path, status);
  return status.ok();
}

Status VerifyBody(const FilterView& view) {
  constexpr uint64_t kChunks = 256;  // 16 MiB
  Progress progress("verifying", "chunks", view.num_chunks());
  for (uint64_t first = 0; first < view.num_chunks(); first += kChunks) {
    const Status status = view.VerifyChunks(first, std::min(kChunks, view.num_chunks() - first));
    if (!status.ok()) return status;
    progress.Update(first);
  }
  return view.status();
}

Status CanBeAsked(const FilterView& view) {
  const Status status = view.KeyStatus();
  if (status.code() != StatusCode::kIncompatible) return status;
  return Status::Error(StatusCode::kIncompatible,
                       "it was made of its writer's own hashes, which this program does not know: only the writer can "
                       "ask it");
}

const char* SecretState(const HashSecret* given) { return given == nullptr ? "secret missing" : "another secret"; }

const char* ChecksumState(const Status& verified) {
  return verified.ok() ? "ok" : verified.code() == StatusCode::kCorrupt ? "damaged" : "unknown";
}

int FailImage(const std::string& path, const Status& status) {
  if (path == "-") return Fail("image of standard input: %s", status.message());
  // Messages of the file system name the file already. (Others may hold a short name by chance.)
  const bool is_named = status.code() == StatusCode::kIoError && strstr(status.message(), path.c_str()) != nullptr;
  if (is_named) return Fail("%s", status.message());
  return Fail("image %s: %s", path.c_str(), status.message());
}

}  // namespace linefilter::tools
