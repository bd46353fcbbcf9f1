#include "tools/program/key_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/program/compressed.h"
#include "tools/program/progress.h"
#include "tools/program/same_file.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace linefilter::tools {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

// So many bytes are searched for ends of lines at once: a bit tells of each.
constexpr size_t kBlockBytes = 64;

// Bit i tells whether byte i of the block is `end`. Lines that are words are found and asked in 11.3 ns each so, and in
// 13.4 by the plain words of other CPUs.
uint64_t FindEnds(const char* block, char end) {
  uint64_t found = 0;
#if defined(__SSE2__)
  const __m128i ends = _mm_set1_epi8(end);
  for (size_t at = 0; at < kBlockBytes; at += sizeof(ends)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
    found |= uint64_t{static_cast<uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, ends)))} << at;
  }
#else
  constexpr uint64_t kEachByte = 0x0101010101010101u, kLow7 = 0x7f * kEachByte;
  for (size_t at = 0; at < kBlockBytes; at += 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i) word |= uint64_t{static_cast<uint8_t>(block[at + i])} << (8 * i);
    word ^= kEachByte * static_cast<uint8_t>(end);
    const uint64_t is_zero = ~(((word & kLow7) + kLow7) | word | kLow7) >> 7;  // a bit at the bottom of each such byte
    found |= (is_zero * 0x0102040810204080u >> 56) << at;                      // the bits come together at the top
  }
#endif
  return found;
}

// Whether a read would not wait; that it would fail does not count.
bool HasInput(int fd) {
  pollfd input = {fd, POLLIN, 0};
  return poll(&input, 1, 0) != 0;
}

}  // namespace

bool KeysOption::Has(const std::string& path) const {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& keys) { return SameFile(keys, path); });
}

KeyReader::~KeyReader() { Close(); }

void KeyReader::Close() {
  if (fd_ > STDIN_FILENO) close(fd_);
  fd_ = -1;
}

Status KeyReader::Open(const KeysOption& keys) {
  option_ = keys;
  if (option_.paths.empty()) option_.paths = {"-"};
  taken_ = option_.field == 0 ? &keys_ : &lines_;
  bool has_sizes = true;
  for (const std::string& path : option_.paths) {
    struct stat info;
    if (path == "-" ? fstat(STDIN_FILENO, &info) != 0 : stat(path.c_str(), &info) != 0 || access(path.c_str(), R_OK)) {
      return status_ = Status::Error(StatusCode::kIoError, "keys: cannot open %s: %s",
                                     path == "-" ? "standard input" : path.c_str(), strerror(errno));
    }
    has_sizes = has_sizes && S_ISREG(info.st_mode);
    bytes_total_ += static_cast<uint64_t>(info.st_size);
  }
  if (!has_sizes) bytes_total_ = 0;
  if (Resize(kBufferBytes)) OpenNext();
  return status_;
}

bool KeyReader::OpenNext() {
  Close();
  if (next_path_ == option_.paths.size()) return false;
  path_ = option_.paths[next_path_++];
  name_ = path_ == "-" ? "standard input" : path_;
  bytes_before_ += file_offset_;
  file_offset_ = file_lines_ = begin_ = end_ = searched_ = 0;
  end_of_file_ = false;
  fd_ = path_ == "-" ? STDIN_FILENO : open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) {
    status_ = Status::Error(StatusCode::kIoError, "keys: cannot open %s: %s", name_.c_str(), strerror(errno));
    return false;
  }
  if (fd_ == STDIN_FILENO && isatty(fd_) != 0) {
    fputs("linefilter: keys are read from this terminal (standard input); Ctrl-D ends them\n", stderr);
  }
#if defined(POSIX_FADV_SEQUENTIAL)
  (void)posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  return true;
}

bool KeyReader::Next() {
  keys_.clear();
  lines_.clear();
  while (status_.ok() && fd_ >= 0) {
    option_.u64 ? TakeIntegers() : TakeLines();
    if (taken_->empty() && end_of_file_) TakeRest();
    if (!taken_->empty()) return Finish();
    if (!(end_of_file_ ? status_.ok() && OpenNext() : Refill())) return false;
  }
  return false;
}

void KeyReader::TakeLines() {
  TakeShortLines();
  const char* const data = buffer_.get();
  const char line_end = option_.line_end();
  while (taken_->size() < kBatchKeys) {
    const char* found = static_cast<const char*>(memchr(data + searched_, line_end, end_ - searched_));
    if (found == nullptr) {
      searched_ = end_;
      return;
    }
    const size_t stop = static_cast<size_t>(found - data);
    taken_->emplace_back(data + begin_, stop - begin_);
    begin_ = searched_ = stop + 1;
  }
}

// Takes lines block by block while each block ends one; leaves long lines, and the last ones of a batch.
void KeyReader::TakeShortLines() {
  if (end_ - searched_ < kBlockBytes) return;
  const char* const data = buffer_.get();
  const char line_end = option_.line_end();
  size_t num_lines = taken_->size(), begin = begin_, searched = searched_;
  taken_->resize(kBatchKeys);  // to add lines one by one would take as long as to find them
  std::string_view* const lines = taken_->data();
  while (end_ - searched >= kBlockBytes && kBatchKeys - num_lines >= kBlockBytes) {
    uint64_t ends = FindEnds(data + searched, line_end);
    if (ends == 0) break;
    for (; ends != 0; ends &= ends - 1) {
      const size_t stop = searched + static_cast<size_t>(__builtin_ctzll(ends));
      lines[num_lines++] = std::string_view(data + begin, stop - begin);
      begin = stop + 1;
    }
    searched += kBlockBytes;
  }
  taken_->resize(num_lines);
  begin_ = begin;
  searched_ = searched;
}

void KeyReader::TakeIntegers() {
  const size_t n = std::min(kBatchKeys, (end_ - begin_) / 8);
  for (size_t i = 0; i < n; ++i, begin_ += 8) keys_.emplace_back(buffer_.get() + begin_, 8);
}

// Takes what stands after the last end of a line, or after the last whole integer.
void KeyReader::TakeRest() {
  const size_t rest = end_ - begin_;
  if (rest == 0) return;
  if (option_.u64) {
    status_ = Status::Error(
        StatusCode::kInvalidArgument,
        "keys: %s ends with %zu bytes that are no whole 8-byte key (at byte %llu); if it holds lines, leave "
        "out --u64",
        name_.c_str(), rest, static_cast<unsigned long long>(file_offset_ - rest));
    return;
  }
  taken_->emplace_back(buffer_.get() + begin_, rest);
  begin_ = searched_ = end_;
}

// Ends a batch: lines become keys.
bool KeyReader::Finish() {
  if (option_.u64) return true;
  if (option_.field != 0 && !CutFields()) return false;
  file_lines_ += keys_.size();
  WarnOnce();
  return true;
}

bool KeyReader::CutFields() {
  const char delimiter = option_.delimiter.empty() ? '\t' : option_.delimiter[0];
  for (const std::string_view line : lines_) {
    std::string_view rest = line;
    uint64_t fields = 1;
    for (size_t cut; fields < option_.field && (cut = rest.find(delimiter)) != std::string_view::npos; ++fields) {
      rest.remove_prefix(cut + 1);
    }
    if (fields < option_.field) {
      status_ = Status::Error(
          StatusCode::kInvalidArgument, "keys: line %llu of %.100s ends before field %llu, with field %llu%s",
          static_cast<unsigned long long>(file_lines_ + keys_.size() + 1), name_.c_str(),
          static_cast<unsigned long long>(option_.field), static_cast<unsigned long long>(fields),
          option_.delimiter.empty() ? ": say what is between them by --delimiter, if it is no tab" : "");
      return false;
    }
    keys_.push_back(rest.substr(0, rest.find(delimiter)));
  }
  return true;
}

// Tells of bytes that are part of keys, where people may not expect them.
void KeyReader::WarnOnce() {
  for (size_t i = 0; i < keys_.size() && !told_of_crlf_ && !option_.null; ++i) {
    if (keys_[i].empty() || keys_[i].back() != '\r') continue;
    told_of_crlf_ = true;
    fprintf(stderr,
            "linefilter: warning: lines of %s end with CRLF, and the carriage return is part of the key. To remove "
            "it: tr -d '\\r' < FILE | linefilter ...\n",
            name_.c_str());
  }
  for (size_t i = 0; i < keys_.size() && !told_of_quote_ && option_.field != 0; ++i) {
    if (keys_[i].empty() || keys_[i].front() != '"') continue;
    told_of_quote_ = true;
    fprintf(stderr,
            "linefilter: warning: fields of %s begin with a quote. Nothing is unquoted: quotes are part of the key, "
            "and a delimiter between them ends the field\n",
            name_.c_str());
  }
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
  const bool is_first = file_offset_ == 0;
  return ReadMore() && (!is_first || !RefuseCompressed());
}

bool KeyReader::ReadMore() {
  if (idle_ && !HasInput(fd_) && !idle_(fd_)) return false;
  ssize_t got;
  do {
    got = read(fd_, buffer_.get() + end_, capacity_ - end_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    status_ = Status::Error(StatusCode::kIoError, "keys: cannot read %s (at byte %llu): %s", name_.c_str(),
                            static_cast<unsigned long long>(file_offset_), strerror(errno));
    return false;
  }
  end_of_file_ = got == 0;
  end_ += static_cast<size_t>(got);
  file_offset_ += static_cast<uint64_t>(got);
  return true;
}

// Looks at the first bytes of a file. A pipe may hand them over one by one.
bool KeyReader::RefuseCompressed() {
  while (!end_of_file_ && MayBeCompressed(buffer_.get(), end_)) {
    if (!ReadMore()) return true;
  }
  const char* const compressor = CompressorOf(buffer_.get(), end_);
  if (compressor == nullptr) return false;
  status_ =
      Status::Error(StatusCode::kInvalidArgument, "keys: %s", CompressedSentence(compressor, path_, "...").c_str());
  return true;
}

bool KeyReader::Resize(size_t capacity) {
  char* grown = static_cast<char*>(realloc(buffer_.get(), capacity));
  if (grown == nullptr) {
    status_ =
        Status::Error(StatusCode::kOutOfMemory, "keys: no memory for a key of more than %zu bytes in %s (at byte %llu)",
                      capacity_, name_.c_str(), static_cast<unsigned long long>(bytes_done()));
    return false;
  }
  (void)buffer_.release();
  buffer_.reset(grown);
  capacity_ = capacity;
  return true;
}

Status ReadKeys(KeyReader* reader, const char* what, const TakeKeys& take) {
  const bool by_bytes = reader->bytes_total() != 0;
  Progress progress(what, by_bytes ? "bytes" : "keys", reader->bytes_total());
  for (uint64_t num_keys = 0; reader->Next() && take(reader->keys());) {
    num_keys += reader->keys().size();
    progress.Update(by_bytes ? reader->bytes_done() : num_keys);
  }
  return reader->status();
}

Status ReadKeys(const KeysOption& keys, const char* what, const TakeKeys& take) {
  KeyReader reader;
  const Status opened = reader.Open(keys);
  return opened.ok() ? ReadKeys(&reader, what, take) : opened;
}

}  // namespace linefilter::tools
