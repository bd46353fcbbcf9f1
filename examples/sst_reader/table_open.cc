// Opening a table: nothing that the file says is believed before it was checked against the file's own size.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "examples/sst_reader/table.h"

namespace sst {

using linefilter::StatusCode;
using linefilter::VerifyMode;

Status TableReader::Open(const char* path, const ReadOptions& options) {
  Close();
  name_ = path;
  Status status = Map(path);
  if (status.ok()) status = ReadAll(options);
  if (!status.ok()) Close();
  return status;
}

Status TableReader::OpenBytes(const void* bytes, size_t size, const ReadOptions& options) {
  Close();
  name_ = "(in memory)";
  data_ = static_cast<const char*>(bytes);
  size_ = size;
  const Status status = ReadAll(options);
  if (!status.ok()) Close();
  return status;
}

void TableReader::Close() {
  if (mapped_) munmap(const_cast<char*>(data_), size_);
  data_ = nullptr;
  size_ = 0;
  mapped_ = open_ = false;
  footer_ = Footer();
  index_.clear();
  filter_ = linefilter::FilterView();
  filter_status_ = filter_.status();
  counters_.lookups = counters_.absent_by_filter = counters_.data_blocks_read = 0;
}

Status TableReader::Map(const char* path) {
  const auto failed = [path](const char* what) {
    return Status::Error(StatusCode::kIoError, "cannot %s '%.120s': %s", what, path, strerror(errno));
  };
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not hang us
  if (fd < 0) return failed("open");
  Status status;
  struct stat info;
  if (fstat(fd, &info) != 0) {
    status = failed("stat");
  } else if (!S_ISREG(info.st_mode)) {
    status = Status::Error(StatusCode::kIoError, "'%.120s' is not a regular file: a table must be one", path);
  } else if (static_cast<uint64_t>(info.st_size) < kFooterBytes) {
    status = Damaged("it is shorter than a footer");
  } else if (static_cast<uint64_t>(info.st_size) > SIZE_MAX / 2) {
    status = Status::Error(StatusCode::kOverLimit, "'%.120s' is too large for the addresses of this machine", path);
  } else {
    void* const data = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) {
      status = failed("map");
    } else {
      data_ = static_cast<const char*>(data);
      size_ = static_cast<size_t>(info.st_size);
      mapped_ = true;
    }
  }
  close(fd);  // the mapping stays
  return status;
}

Status TableReader::ReadAll(const ReadOptions& options) {
  Status status = ReadFooter();
  if (status.ok()) status = ReadIndex();
  if (!status.ok()) return status;
  filter_status_ = OpenFilter(options);
  // A filter that is damaged, or from the future, or of foreign hashes, saves nothing; but no key is lost with it.
  if (!filter_status_.ok()) filter_ = linefilter::FilterView();
  open_ = true;  // last: a reader whose Open threw answers nothing
  return status;
}

Status TableReader::ReadFooter() {
  if (size_ < kFooterBytes) return Damaged("it is shorter than a footer");
  const uint64_t at = size_ - kFooterBytes;
  const char* const p = data_ + at;
  const std::string_view magic(p + 56, kMagic.size());
  if (magic != kMagic && magic.substr(0, 7) == kMagic.substr(0, 7)) {
    return Status::Error(StatusCode::kUnsupported,
                         "'%.120s': the table is of version %.1s, and this reader reads version %.1s: write it again "
                         "from its source",
                         name_.c_str(), p + 63, kMagic.data() + 7);
  }
  if (magic != kMagic) return Damaged("it does not end as a table");
  if (Check({p, 52}, at) != LoadLE<uint32_t>(p + 52)) return Damaged("the footer does not match its check");
  footer_.index_offset = LoadLE<uint64_t>(p);
  footer_.index_bytes = LoadLE<uint64_t>(p + 8);
  footer_.filter_offset = LoadLE<uint64_t>(p + 16);
  footer_.filter_bytes = LoadLE<uint64_t>(p + 24);
  footer_.filter_end = LoadLE<uint64_t>(p + 32);
  footer_.num_keys = LoadLE<uint64_t>(p + 40);
  footer_.index_check = LoadLE<uint32_t>(p + 48);
  // Each region ends where the next begins. Compared so that no sum can wrap: at < 2^63.
  if (footer_.index_offset > at || footer_.index_bytes > at - footer_.index_offset ||
      footer_.filter_offset != AlignUp(footer_.index_offset + footer_.index_bytes) || footer_.filter_offset > at ||
      footer_.filter_bytes != at - footer_.filter_offset) {
    return Damaged("the regions of the footer do not fill the file");
  }
  return Status();
}

// The data blocks must follow each other from the first byte of the file to the index, their last keys ascending.
Status TableReader::ReadIndex() {
  std::string_view rest(data_ + footer_.index_offset, static_cast<size_t>(footer_.index_bytes));
  if (Check(rest, footer_.index_offset) != footer_.index_check) return Damaged("the index does not match its check");
  std::vector<IndexEntry> index;
  uint64_t end = 0;  // of the data blocks so far
  while (!rest.empty()) {
    if (rest.size() < kIndexHeader) return Damaged("the index ends within an entry");
    const uint32_t size = LoadLE<uint32_t>(rest.data() + 8), check = LoadLE<uint32_t>(rest.data() + 12);
    const uint32_t key_size = LoadLE<uint32_t>(rest.data() + 16);
    if (key_size > rest.size() - kIndexHeader) return Damaged("the index ends within a key");
    const IndexEntry entry{rest.substr(kIndexHeader, key_size), LoadLE<uint64_t>(rest.data()), size, check};
    if (entry.offset != end || size > footer_.index_offset - end) {
      return Damaged("a data block of the index lies where none can be");
    }
    if (!index.empty() && entry.last_key <= index.back().last_key) return Damaged("the index is not in order");
    end += size;
    index.push_back(entry);
    rest.remove_prefix(kIndexHeader + key_size);
  }
  if (end != footer_.index_offset) return Damaged("the index does not name all data blocks");
  index_ = std::move(index);
  return Status();
}

Status TableReader::OpenFilter(const ReadOptions& options) {
  if (!options.use_filter) return Status::Error(StatusCode::kInvalidArgument, "ReadOptions::use_filter is off");
  const VerifyMode verify = options.verify_filter ? VerifyMode::kWhole : VerifyMode::kTrusted;
  Status status = filter_.Open(data_ + footer_.filter_offset, static_cast<size_t>(footer_.filter_bytes), verify);
  if (status.ok() && LoadLE<uint64_t>(data_ + size_ - kFooterBytes - 8) != footer_.filter_end) {
    status = Status::Error(StatusCode::kCorrupt, "the filter is that of another table: take another copy of the file");
  }
  if (status.ok()) status = filter_.KeyStatus();
  if (status.ok() && filter_.empty_set() && !index_.empty()) {
    status = Status::Error(StatusCode::kCorrupt, "the filter is of no keys, the table has some: write the table again");
  }
  return status;
}

Status TableReader::Damaged(const char* what) const {
  return Status::Error(StatusCode::kCorrupt,
                       "'%.100s' is no table or damaged (%s): write it again or take another copy", name_.c_str(),
                       what);
}

}  // namespace sst
