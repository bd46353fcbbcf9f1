#include "lib/adapters/redis/wire/batch.h"

#include <algorithm>
#include <charconv>

namespace linefilter::redis_internal {
namespace {

constexpr size_t kMostDigits = 20;  // for 64 bits, with a sign

char* WriteText(std::string_view text, char* to) { return std::copy(text.begin(), text.end(), to); }

// Writes "<prefix><number>\r\n" at `to`; returns the end.
template <class Number>
char* WriteLine(char prefix, Number number, char* to) {
  *to++ = prefix;
  return WriteText("\r\n", std::to_chars(to, to + kMostDigits, number).ptr);
}

// Writes a number as a bulk string: the digits first, because their count stands before them.
template <class Number>
char* WriteNumber(Number number, char* to) {
  char digits[kMostDigits];
  const size_t size = static_cast<size_t>(std::to_chars(digits, digits + kMostDigits, number).ptr - digits);
  return WriteText("\r\n", WriteText({digits, size}, WriteLine('$', size, to)));
}

constexpr size_t kMostNumberBytes = kMostDigits + 2 + 3 + kMostDigits;  // generously

}  // namespace

size_t Batch::Add(uint16_t slot, Kind kind, uint32_t num_args, uint32_t most_bytes) {
  commands_.push_back({buffer_.size(), most_bytes, slot, kind});
  num_reply_bytes_ += most_bytes < kMostReplyBytes ? most_bytes : 0;
  char line[kMostNumberBytes];
  buffer_.append(line, static_cast<size_t>(WriteLine('*', num_args, line) - line));
  return commands_.size() - 1;
}

void Batch::Arg(std::string_view text) {
  char line[kMostNumberBytes];
  buffer_.append(line, static_cast<size_t>(WriteLine('$', text.size(), line) - line));
  buffer_.append(text);
  buffer_.append("\r\n", 2);
}

void Batch::Arg(int64_t number) {
  char text[kMostNumberBytes];
  buffer_.append(text, static_cast<size_t>(WriteNumber(number, text) - text));
}

void Batch::Arg(uint64_t number) {
  char text[kMostNumberBytes];
  buffer_.append(text, static_cast<size_t>(WriteNumber(number, text) - text));
}

size_t Batch::Add(const RedisKey& key, Kind kind, std::initializer_list<std::string_view> words) {
  const size_t command = Add(key, kind, static_cast<uint32_t>(words.size()));
  for (const std::string_view word : words) Arg(word);
  return command;
}

size_t Batch::AddScript(const RedisKey& key, Kind kind, std::string_view script,
                        std::initializer_list<std::string_view> args) {
  constexpr uint32_t kWordBytes = 64;
  const size_t command = Add(key, kind, 4 + static_cast<uint32_t>(args.size()), kWordBytes);
  Arg("EVAL");
  Arg(script);
  Arg(1);
  Arg(key.name);
  for (const std::string_view arg : args) Arg(arg);
  return command;
}

size_t Batch::AddGetRange(const RedisKey& key, Kind kind, uint64_t offset, uint64_t size) {
  constexpr std::string_view kBegin = "*4\r\n$8\r\nGETRANGE\r\n";
  const size_t begin = buffer_.size();
  commands_.push_back({begin, static_cast<uint32_t>(std::min<uint64_t>(size, kMostStringBytes)), key.slot, kind});
  num_reply_bytes_ += commands_.back().most_bytes;
  buffer_.resize(begin + kBegin.size() + key.name.size() + 2 + 3 * kMostNumberBytes);
  char* to = WriteLine('$', key.name.size(), WriteText(kBegin, buffer_.data() + begin));
  to = WriteText("\r\n", WriteText(key.name, to));
  to = WriteNumber(offset + size - 1, WriteNumber(offset, to));
  buffer_.resize(static_cast<size_t>(to - buffer_.data()));
  return commands_.size() - 1;
}

size_t Batch::AddGetBits(const RedisKey& key, Kind kind, const uint64_t* bits, size_t n) {
  return AddBits(key, kind, "BITFIELD_RO", 3, "$3\r\nGET\r\n$2\r\nu1\r\n", bits, n, "");
}

size_t Batch::AddSetBits(const RedisKey& key, Kind kind, const uint64_t* bits, size_t n) {
  return AddBits(key, kind, "BITFIELD", 4, "$3\r\nSET\r\n$2\r\nu1\r\n", bits, n, "$1\r\n1\r\n");
}

size_t Batch::AddBits(const RedisKey& key, Kind kind, std::string_view name, size_t num_words, std::string_view before,
                      const uint64_t* bits, size_t n, std::string_view behind) {
  const size_t command = Add(key, kind, static_cast<uint32_t>(2 + num_words * n), 0);
  Arg(name);
  Arg(key.name);
  const size_t begin = buffer_.size();
  buffer_.resize(begin + n * (before.size() + kMostNumberBytes + behind.size()));
  char* to = buffer_.data() + begin;
  for (size_t i = 0; i < n; ++i) to = WriteText(behind, WriteNumber(bits[i], WriteText(before, to)));
  buffer_.resize(static_cast<size_t>(to - buffer_.data()));
  return command;
}

void Batch::Clear() noexcept {
  buffer_.clear();
  commands_.clear();
  num_reply_bytes_ = 0;
}

}  // namespace linefilter::redis_internal
