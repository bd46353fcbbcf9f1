// A reader takes keys from a file or standard input, in batches, through one buffer of fixed size.
#ifndef LINEFILTER_TOOLS_PROGRAM_KEY_READER_H_
#define LINEFILTER_TOOLS_PROGRAM_KEY_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "linefilter/status.h"

namespace linefilter::tools {

enum class KeyFormat {
  kLines,  // one key per line: all bytes up to '\n', a '\r' included; empty lines are keys; the last '\n' may be
           // missing
  kU64,    // 8 bytes per key, little-endian
};
inline KeyFormat KeyFormatOf(bool u64) { return u64 ? KeyFormat::kU64 : KeyFormat::kLines; }

// --help says this about both.
inline constexpr char kKeysHelp[] = "File of the keys, one per line; - is standard input";
inline constexpr char kU64Help[] = "Keys are raw 8-byte little-endian integers instead of lines";
// It is a macro, so that it joins the other notes at compile time.
#define KEYS_NOTES                                                                                       \
  "A key is all bytes of its line up to the newline: a carriage return (CRLF files) is part of it, an\n" \
  "empty line is the empty key, the last newline may be missing.\n"

class KeyReader {
 public:
  static constexpr size_t kBatchKeys = 4096;

  KeyReader() = default;
  ~KeyReader();
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  // `path` "-" is standard input.
  Status Open(const std::string& path, KeyFormat format);
  // Gives 1 to kBatchKeys next keys, valid until the next call. It is false at the end, and on an error (status()
  // tells). A u64 key comes as its 8 bytes: its hash is the same.
  bool Next(std::vector<std::string_view>* keys);

  const Status& status() const { return status_; }
  // Bytes of the keys handed out so far, and of the whole file; 0 where that is not known (a pipe).
  uint64_t bytes_done() const { return file_offset_ - (end_ - begin_); }
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  struct Free {
    void operator()(char* pointer) const { free(pointer); }
  };

  void TakeLines(std::vector<std::string_view>* keys);
  void TakeIntegers(std::vector<std::string_view>* keys);
  bool TakeRest(std::vector<std::string_view>* keys);
  bool Refill();
  bool Resize(size_t capacity);

  std::string path_;
  KeyFormat format_ = KeyFormat::kLines;
  Status status_;
  int fd_ = -1;
  std::unique_ptr<char, Free> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;  // of what was read and not yet handed out
  size_t end_ = 0;
  size_t searched_ = 0;  // no newline before that
  bool end_of_file_ = false;
  uint64_t file_offset_ = 0;  // of end_
  uint64_t bytes_total_ = 0;
};

// Hands over all keys, batch by batch, until `take` returns false. A terminal shows `what` as progress. An opened
// reader finds a wrong path before anything else is done.
Status ReadKeys(KeyReader* reader, const char* what,
                const std::function<bool(const std::vector<std::string_view>& keys)>& take);
// Opens a file and does the same with its keys.
Status ReadKeys(const std::string& path, bool u64, const char* what,
                const std::function<bool(const std::vector<std::string_view>& keys)>& take);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_KEY_READER_H_
