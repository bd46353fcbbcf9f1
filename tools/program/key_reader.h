// A reader takes keys from files or standard input, in batches, through one buffer of fixed size.
#ifndef LINEFILTER_TOOLS_PROGRAM_KEY_READER_H_
#define LINEFILTER_TOOLS_PROGRAM_KEY_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linefilter/key.h"
#include "linefilter/status.h"

namespace linefilter::tools {

// Where keys are and how they are written. Arguments::Keys fills it in.
//
// A key is a line: all bytes up to the newline, a carriage return included. Empty lines are keys, and the last newline
// of a file may be missing.
struct KeysOption {
  std::vector<std::string> paths;  // "-" is standard input
  bool u64 = false;                // 8 bytes per key, little-endian, instead of lines
  bool null = false;               // lines end with the byte 0
  uint64_t field = 0;              // the key is this field of its line, from 1; 0: the line
  std::string delimiter;           // one byte between fields; none: a tab

  // Whether one of the files is `path`; "-" asks for standard input.
  bool Has(const std::string& path) const;
  KeyKind kind() const { return u64 ? KeyKind::kInteger : KeyKind::kText; }
  // What follows a line.
  char line_end() const { return null ? '\0' : '\n'; }
};

// It is a macro, so that it joins the other notes at compile time.
#define KEYS_NOTES                                                                                          \
  "A key is all bytes of its line up to the newline: a carriage return (CRLF files) is part of it, an\n"    \
  "empty line is the empty key, the last newline may be missing. Of --field N nothing is unquoted, and a\n" \
  "line with fewer fields ends the command.\n"

class KeyReader {
 public:
  static constexpr size_t kBatchKeys = 4096;

  KeyReader() = default;
  ~KeyReader();
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  // Opens the first file, and finds out whether the others can be.
  Status Open(const KeysOption& keys);
  // Takes 1 to kBatchKeys next keys: what there is, if that is no more than a part of them. It is false at the end, and
  // on an error (status() tells).
  bool Next();
  // `idle` is called with the file before a read that would wait for input. If it is false, Next() ends there.
  void WhenIdle(std::function<bool(int fd)> idle) { idle_ = std::move(idle); }

  // The keys that were taken last, valid until the next call. A u64 key comes as its 8 bytes: its hash is the same.
  const std::vector<std::string_view>& keys() const { return keys_; }
  // The lines that they stand in, without their ends: with --field they are more than the keys.
  const std::vector<std::string_view>& lines() const { return option_.field == 0 ? keys_ : lines_; }

  const Status& status() const { return status_; }
  // Bytes of the keys taken so far, and of all files; 0 where that is not known (a pipe).
  uint64_t bytes_done() const { return bytes_before_ + file_offset_ - (end_ - begin_); }
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  struct Free {
    void operator()(char* pointer) const { free(pointer); }
  };

  bool OpenNext();
  void Close();
  void TakeLines();
  void TakeShortLines();
  void TakeIntegers();
  void TakeRest();
  bool Finish();
  bool CutFields();
  void WarnOnce();
  bool Refill();
  bool RefuseCompressed();
  bool ReadMore();
  bool Resize(size_t capacity);

  KeysOption option_;
  std::function<bool(int fd)> idle_;
  std::vector<std::string_view> keys_, lines_;
  std::vector<std::string_view>* taken_ = &keys_;  // or lines_, of which keys are cut
  size_t next_path_ = 0;
  std::string path_, name_;  // of the file that is read
  Status status_;
  int fd_ = -1;
  std::unique_ptr<char, Free> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;  // of what was read and not yet taken
  size_t end_ = 0;
  size_t searched_ = 0;  // no end of a line before that
  bool end_of_file_ = false, told_of_crlf_ = false, told_of_quote_ = false;
  uint64_t file_offset_ = 0, file_lines_ = 0;  // of end_; of the lines taken
  uint64_t bytes_before_ = 0;                  // in the files before this one
  uint64_t bytes_total_ = 0;
};

using TakeKeys = std::function<bool(const std::vector<std::string_view>& keys)>;

// Hands over all keys, batch by batch, until `take` returns false. A terminal shows `what` as progress. An opened
// reader finds a wrong path before anything else is done.
Status ReadKeys(KeyReader* reader, const char* what, const TakeKeys& take);
// Opens the files and does the same with their keys.
Status ReadKeys(const KeysOption& keys, const char* what, const TakeKeys& take);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_KEY_READER_H_
