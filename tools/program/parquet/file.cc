#include "tools/program/parquet/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace linefilter::tools {
namespace {

// A file is magic, pages and filters, footer, the footer's length (4 bytes), magic.
constexpr uint64_t kMagicBytes = 4, kTailBytes = 8, kLeastBytes = 12;
constexpr char kMagic[] = "PAR1", kEncrypted[] = "PARE";

using ull = unsigned long long;

Status WrongEnd(const std::string& begin, uint64_t size) {
  if (begin == kMagic || begin == kEncrypted) {
    return Status::Error(StatusCode::kCorrupt,
                         "it begins as a Parquet file and does not end as one: it is cut at %llu bytes, or still being "
                         "written",
                         static_cast<ull>(size));
  }
  return Status::Error(StatusCode::kCorrupt,
                       "it is no Parquet file, which begins and ends with PAR1: --at OFFSET reads a Bloom filter that "
                       "lies in another file");
}

Status Beyond(uint64_t offset, uint64_t length, uint64_t end, uint64_t size) {
  return Status::Error(StatusCode::kCorrupt,
                       "a Bloom filter from %llu to %llu cannot be, because %s at %llu: the offset is wrong, or the "
                       "file is cut",
                       static_cast<ull>(offset), static_cast<ull>(length > ~offset ? ~uint64_t{0} : offset + length),
                       end == size ? "the file ends" : "the footer begins", static_cast<ull>(end));
}

// Each of many filters may be told to be as large as the file. To read them all would take for ever.
Status TooMany(uint64_t end) {
  return Status::Error(
      StatusCode::kCorrupt,
      "its Bloom filters lie in one another: with this one they have more bytes than the %llu in front of "
      "the footer, so offsets or lengths are wrong",
      static_cast<ull>(end));
}

Status GoesOn(uint64_t needed, uint64_t most, bool is_told) {
  return Status::Error(StatusCode::kCorrupt,
                       "the header of the Bloom filter asks for %llu bytes, and there are %llu%s: the offset or the "
                       "length is wrong, or the file is cut",
                       static_cast<ull>(needed), static_cast<ull>(most), is_told ? " by its length" : "");
}

}  // namespace

ParquetFile::~ParquetFile() {
  if (fd_ >= 0) close(fd_);
}

Status ParquetFile::Open(const std::string& path) {
  if (path == "-") {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a Parquet file is read from its end, which standard input does not have: name a file");
  }
  fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {};
  if (fd_ < 0 || fstat(fd_, &info) != 0) {
    return Status::Error(StatusCode::kIoError, "it cannot be opened: %s", strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "it is no regular file, and a Parquet file is read from its end: copy it to a file first");
  }
  end_ = size_ = static_cast<uint64_t>(info.st_size);
  return Status();
}

Status ParquetFile::Read(uint64_t offset, uint64_t size, std::string* bytes) {
  bytes->resize(static_cast<size_t>(size));
  for (uint64_t done = 0; done < size;) {
    const ssize_t got = pread(fd_, &(*bytes)[static_cast<size_t>(done)], static_cast<size_t>(size - done),
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status::Error(StatusCode::kIoError, "it cannot be read: %s", strerror(errno));
    if (got == 0) return Status::Error(StatusCode::kIoError, "it became shorter while it was read: try again");
    done += static_cast<uint64_t>(got);
  }
  return Status();
}

Status ParquetFile::ReadFooter(ParquetFooter* footer) {
  if (size_ < kLeastBytes) {
    return Status::Error(StatusCode::kCorrupt, "it has %llu bytes, and a Parquet file has at least %llu",
                         static_cast<ull>(size_), static_cast<ull>(kLeastBytes));
  }
  std::string begin, tail;
  Status status = Read(0, kMagicBytes, &begin);
  if (status.ok()) status = Read(size_ - kTailBytes, kTailBytes, &tail);
  if (!status.ok()) return status;
  const std::string end = tail.substr(kMagicBytes);
  if (end == kEncrypted) {
    return Status::Error(StatusCode::kUnsupported,
                         "its footer is encrypted (magic PARE), and so is every Bloom filter that its key protects: "
                         "linefilter reads plain files alone");
  }
  if (end != kMagic) return WrongEnd(begin, size_);
  if (begin != kMagic) {
    return Status::Error(StatusCode::kCorrupt,
                         "it ends as a Parquet file and does not begin as one: its beginning is missing, so no offset "
                         "would be right");
  }
  uint64_t length = 0;
  for (uint32_t i = 0; i < 4; ++i) length |= uint64_t{static_cast<uint8_t>(tail[i])} << (8 * i);
  if (length > size_ - kLeastBytes) {
    return Status::Error(
        StatusCode::kCorrupt,
        "its footer is told to have %llu bytes, and the file has %llu in all: its beginning is cut, or "
        "its end is damaged",
        static_cast<ull>(length), static_cast<ull>(size_));
  }
  end_ = size_ - kTailBytes - length;
  std::string bytes;
  status = Read(end_, length, &bytes);
  if (!status.ok()) return status;
  return ReadParquetFooter(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), footer);
}

Status ParquetFile::ReadFilter(uint64_t offset, uint64_t length, std::string* bytes) {
  bytes->clear();
  if (offset >= end_ || length > end_ - offset) return Beyond(offset, length, end_, size_);
  const uint64_t most = length != 0 ? length : end_ - offset;
  uint64_t needed = length != 0 ? length : kParquetFirstRead;
  for (int i = 0; i < 3; ++i) {  // without a length the header tells it, a long one when it is read once more
    const uint64_t size = std::min(needed, most);
    if (size > kParquetFirstRead && size > end_ - read_) return TooMany(end_);
    const Status status = Read(offset, size, bytes);
    if (!status.ok()) return status;
    needed = ParquetBytesNeeded(bytes->data(), bytes->size());
    // A header that is cut asks for more than it may have.
    if (needed > most && (size == most || needed > kMaxParquetHeaderBytes)) return GoesOn(needed, most, length != 0);
    if (needed <= size) break;
  }
  return Status();
}

Status ParquetFile::OpenFilter(uint64_t offset, uint64_t length, std::string* bytes, ParquetFilterView* view) {
  Status status = ReadFilter(offset, length, bytes);
  if (status.ok()) status = view->Open(bytes->data(), bytes->size());
  const uint64_t size = status.ok() && length == 0 ? view->filter_bytes() : bytes->size();
  read_ += std::min(size, end_ - read_);
  return status;
}

Status ParquetFile::OpenFilter(const ParquetChunk& chunk, std::string* bytes, ParquetFilterView* view) {
  if (chunk.filter_offset < 0 || chunk.filter_length < 0) {
    return Status::Error(StatusCode::kCorrupt,
                         "the footer tells of a Bloom filter of %lld bytes at %lld: it is damaged, or its writer was "
                         "wrong",
                         static_cast<long long>(chunk.filter_length), static_cast<long long>(chunk.filter_offset));
  }
  return OpenFilter(static_cast<uint64_t>(chunk.filter_offset), static_cast<uint64_t>(chunk.filter_length), bytes,
                    view);
}

}  // namespace linefilter::tools
