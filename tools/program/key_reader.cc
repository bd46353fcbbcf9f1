#include "tools/program/key_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/program/progress.h"

namespace linefilter::tools {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

}  // namespace

KeyReader::~KeyReader() {
  if (fd_ > STDIN_FILENO) close(fd_);
}

Status KeyReader::Open(const std::string& path, KeyFormat format) {
  path_ = path == "-" ? "standard input" : path;
  format_ = format;
  fd_ = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd_ < 0 || fstat(fd_, &info) != 0) {
    return status_ = Status::Error(StatusCode::kIoError, "keys: cannot open %s: %s", path_.c_str(), strerror(errno));
  }
  if (S_ISREG(info.st_mode)) {
    bytes_total_ = static_cast<uint64_t>(info.st_size);
#if defined(POSIX_FADV_SEQUENTIAL)
    (void)posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  }
  Resize(kBufferBytes);
  return status_;
}

bool KeyReader::Next(std::vector<std::string_view>* keys) {
  keys->clear();
  while (status_.ok() && fd_ >= 0) {
    format_ == KeyFormat::kU64 ? TakeIntegers(keys) : TakeLines(keys);
    if (!keys->empty()) return true;
    if (end_of_file_) return TakeRest(keys);
    if (!Refill()) return false;
  }
  return false;
}

void KeyReader::TakeLines(std::vector<std::string_view>* keys) {
  const char* data = buffer_.get();
  while (keys->size() < kBatchKeys) {
    const char* newline = static_cast<const char*>(memchr(data + searched_, '\n', end_ - searched_));
    if (newline == nullptr) {
      searched_ = end_;
      return;
    }
    const size_t stop = static_cast<size_t>(newline - data);
    keys->emplace_back(data + begin_, stop - begin_);
    begin_ = searched_ = stop + 1;
  }
}

void KeyReader::TakeIntegers(std::vector<std::string_view>* keys) {
  const size_t n = std::min(kBatchKeys, (end_ - begin_) / 8);
  for (size_t i = 0; i < n; ++i, begin_ += 8) keys->emplace_back(buffer_.get() + begin_, 8);
}

// Takes what stands after the last newline, or after the last whole integer.
bool KeyReader::TakeRest(std::vector<std::string_view>* keys) {
  const size_t rest = end_ - begin_;
  if (rest == 0) return false;
  if (format_ == KeyFormat::kU64) {
    status_ = Status::Error(
        StatusCode::kInvalidArgument,
        "keys: %s ends with %zu bytes that are no whole 8-byte key (at byte %llu); if it holds lines, leave "
        "out --u64",
        path_.c_str(), rest, static_cast<unsigned long long>(file_offset_ - rest));
    return false;
  }
  keys->emplace_back(buffer_.get() + begin_, rest);
  begin_ = searched_ = end_;
  return true;
}

// Moves the unfinished key to the front and reads on behind it. Grows only for a key that fills the whole buffer, and
// returns to the fixed size after it.
bool KeyReader::Refill() {
  const size_t rest = end_ - begin_;
  memmove(buffer_.get(), buffer_.get() + begin_, rest);
  searched_ -= std::min(searched_, begin_);
  begin_ = 0;
  end_ = rest;
  if (rest == capacity_) {
    if (!Resize(2 * capacity_)) return false;
  } else if (capacity_ > kBufferBytes && rest < kBufferBytes / 2) {
    if (!Resize(kBufferBytes)) return false;
  }
  ssize_t got;
  do {
    got = read(fd_, buffer_.get() + end_, capacity_ - end_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    status_ = Status::Error(StatusCode::kIoError, "keys: cannot read %s (at byte %llu): %s", path_.c_str(),
                            static_cast<unsigned long long>(file_offset_), strerror(errno));
    return false;
  }
  end_of_file_ = got == 0;
  end_ += static_cast<size_t>(got);
  file_offset_ += static_cast<uint64_t>(got);
  return true;
}

bool KeyReader::Resize(size_t capacity) {
  char* grown = static_cast<char*>(realloc(buffer_.get(), capacity));
  if (grown == nullptr) {
    status_ =
        Status::Error(StatusCode::kOutOfMemory, "keys: no memory for a key of more than %zu bytes in %s (at byte %llu)",
                      capacity_, path_.c_str(), static_cast<unsigned long long>(bytes_done()));
    return false;
  }
  (void)buffer_.release();
  buffer_.reset(grown);
  capacity_ = capacity;
  return true;
}

Status ReadKeys(KeyReader* reader, const char* what,
                const std::function<bool(const std::vector<std::string_view>& keys)>& take) {
  const bool by_bytes = reader->bytes_total() != 0;
  Progress progress(what, by_bytes ? "bytes" : "keys", reader->bytes_total());
  std::vector<std::string_view> keys;
  for (uint64_t num_keys = 0; reader->Next(&keys) && take(keys);) {
    num_keys += keys.size();
    progress.Update(by_bytes ? reader->bytes_done() : num_keys);
  }
  return reader->status();
}

Status ReadKeys(const std::string& path, bool u64, const char* what,
                const std::function<bool(const std::vector<std::string_view>& keys)>& take) {
  KeyReader reader;
  const Status opened = reader.Open(path, KeyFormatOf(u64));
  return opened.ok() ? ReadKeys(&reader, what, take) : opened;
}

}  // namespace linefilter::tools
