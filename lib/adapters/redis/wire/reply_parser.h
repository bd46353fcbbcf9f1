// This reads replies (RESP, version 2) out of the bytes of a connection, without a copy. It trusts nothing: what is no
// reply, or longer than the command's can be, is told apart from what has not come yet.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_REPLY_PARSER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_REPLY_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/adapters/redis/wire/batch.h"

namespace linefilter::redis_internal {

class ReplyParser {
 public:
  enum class Result : uint8_t { kReply, kMore, kGarbage };

  // These limit one reply: what is longer is garbage, so that nobody makes us collect it.
  struct Limits {
    size_t bytes =
        kMostReplyBytes;  // for all its strings; what stands around them, or an error, has kMostLineBytes more
    size_t elements = size_t{1} << 17;
  };
  static constexpr int kMostDepth = 8;                       // CLUSTER SLOTS has 4
  static constexpr size_t kMostLineBytes = size_t{1} << 16;  // for an error or a status

  ReplyParser() : nodes_(1) {}

  // Parses the reply that `bytes` begin with. After kReply it is in reply() until the next call, and *used bytes long.
  // After kMore call again with the same bytes and more (elsewhere, if need be); it goes on where it stopped.
  Result Parse(std::string_view bytes, const Limits& limits, size_t* used);
  const Reply& reply() const noexcept { return nodes_[0]; }
  // Forgets the reply that it stopped in.
  void Reset() noexcept { at_ = depth_ = 0; }

 private:
  // An array that has begun: the elements that are still to come.
  struct Array {
    size_t next, end;
  };

  Result ParseElement(const Limits& limits);
  Result ParseNode(size_t node, const Limits& limits);
  Result ParseLine(Reply* reply);
  Result ParseNumber(int64_t* number);
  void Finish();

  // These are the reply, then its elements, those of one array side by side. Until all is there, strings have their
  // place (integer_) and size (num_elements_), arrays their first element (integer_).
  std::vector<Reply> nodes_;
  std::string_view bytes_;
  size_t at_ = 0;
  size_t depth_ = 0;
  Array arrays_[kMostDepth];
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_REPLY_PARSER_H_
