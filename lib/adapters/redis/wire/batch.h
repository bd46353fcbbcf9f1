// A batch writes commands for Redis as RESP into one buffer while they are added: thousands of them, without a malloc
// for each. A reply lies in the buffer that it was read into.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_BATCH_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {

// The most bytes of a reply, unless it is known better: no header record and no list of ours is so large. The server at
// the address may be no sound Redis.
inline constexpr uint32_t kMostReplyBytes = uint32_t{1} << 20;
inline constexpr uint32_t kMostStringBytes = uint32_t{1} << 29;  // Redis' proto-max-bulk-len

// The router has to know this of a command.
enum class Kind : uint8_t {
  kRead,    // changes nothing
  kWrite,   // changes something, but brings no keys: steps of a filter are done without replicas, too
  kInsert,  // brings keys: WAIT covers it
  kOnce,    // changes something, and must not run twice: not sent again unless the server refused it
  kCheck,   // changes nothing; its reply is from after the final replies of all earlier commands of its slot
};

// Usage: Add(key, kind, n), then n times Arg: the command's name, then whatever follows, the key among it. (The key
// that is given to Add says only which server is asked: all keys of a command lie in its slot.)
//
// A command may run more than once, and a first run may come even after the second: after a lost connection or a
// time-out nobody knows whether it ran. So give only commands that may be repeated, in that order: bits set, a larger
// version written, "if it was this, then that". A kOnce alone runs once at most: where nobody knows whether it did,
// that is its error.
class Batch {
 public:
  // Returns the number of the command: 0, 1, 2... `most_bytes` are those of its reply, the strings of a list together;
  // integers and errors need none.
  size_t Add(const RedisKey& key, Kind kind, uint32_t num_args, uint32_t most_bytes = kMostReplyBytes) {
    return Add(key.slot, kind, num_args, most_bytes);
  }
  // Adds a command of these words.
  size_t Add(const RedisKey& key, Kind kind, std::initializer_list<std::string_view> words);
  void Arg(std::string_view text);
  void Arg(const char* text) { Arg(std::string_view(text)); }
  void Arg(const std::string& text) { Arg(std::string_view(text)); }
  void Arg(int64_t number);
  void Arg(uint64_t number);
  void Arg(int number) { Arg(static_cast<int64_t>(number)); }
  void Arg(uint32_t number) { Arg(static_cast<uint64_t>(number)); }

  // Adds EVAL of a script that touches this key alone, and answers a number or a word.
  size_t AddScript(const RedisKey& key, Kind kind, std::string_view script,
                   std::initializer_list<std::string_view> args);
  // Adds GETRANGE of `size` bytes, of which lookups consist. It is the same as Add and four Args, in one step.
  size_t AddGetRange(const RedisKey& key, Kind kind, uint64_t offset, uint64_t size);
  // Adds BITFIELD_RO that gets n bits, or BITFIELD that sets them, by their numbers as Redis counts. In one step, too:
  // With Arg for each word a pipeline had 0.85 of the insertions per second.
  size_t AddGetBits(const RedisKey& key, Kind kind, const uint64_t* bits, size_t n);
  size_t AddSetBits(const RedisKey& key, Kind kind, const uint64_t* bits, size_t n);

  size_t size() const noexcept { return commands_.size(); }
  // This counts the bytes of all commands, and of those replies whose size is known.
  uint64_t num_bytes() const noexcept { return buffer_.size() + num_reply_bytes_; }
  // Empties the batch, and keeps its memory.
  void Clear() noexcept;

  // These are for the router.
  uint16_t slot(size_t command) const noexcept { return commands_[command].slot; }
  Kind kind(size_t command) const noexcept { return commands_[command].kind; }
  // The most bytes of a reply; a longer one is no reply to this.
  size_t most_bytes(size_t command) const noexcept { return commands_[command].most_bytes; }
  std::string_view bytes(size_t command) const noexcept {
    const size_t end = command + 1 == commands_.size() ? buffer_.size() : commands_[command + 1].begin;
    return std::string_view(buffer_).substr(commands_[command].begin, end - commands_[command].begin);
  }

 private:
  struct Command {
    size_t begin;
    uint32_t most_bytes;
    uint16_t slot;
    Kind kind;
  };

  size_t Add(uint16_t slot, Kind kind, uint32_t num_args, uint32_t most_bytes);
  // Adds a command that has for each bit so many words: what stands before it, its number, and what stands behind it.
  size_t AddBits(const RedisKey& key, Kind kind, std::string_view name, size_t num_words, std::string_view before,
                 const uint64_t* bits, size_t n, std::string_view behind);

  std::string buffer_;
  std::vector<Command> commands_;
  uint64_t num_reply_bytes_ = 0;
};

// A reply, or an element of one. It points into the buffer of its connection: copy what is to stay.
class Reply {
 public:
  enum class Type : uint8_t { kNil, kString, kInteger, kArray, kError };

  Type type() const noexcept { return type_; }
  bool is_nil() const noexcept { return type_ == Type::kNil; }
  bool is_integer() const noexcept { return type_ == Type::kInteger; }
  bool is_array() const noexcept { return type_ == Type::kArray; }

  // The text of a string ("+OK" is one, too) or an error; else empty.
  std::string_view text() const noexcept { return text_; }
  // The value of an integer; else 0.
  int64_t integer() const noexcept { return integer_; }
  // The size of an array; else 0.
  size_t size() const noexcept { return num_elements_; }
  const Reply& operator[](size_t i) const noexcept { return elements_[i]; }

 private:
  friend class ReplyParser;

  Type type_ = Type::kNil;
  uint32_t num_elements_ = 0;
  int64_t integer_ = 0;
  std::string_view text_;
  const Reply* elements_ = nullptr;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_BATCH_H_
