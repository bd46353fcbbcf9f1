#include "lib/adapters/redis/wire/reply_parser.h"

#include <cstring>

namespace linefilter::redis_internal {

ReplyParser::Result ReplyParser::Parse(std::string_view bytes, const Limits& limits, size_t* used) {
  bytes_ = bytes;
  if (at_ == 0 && nodes_.size() != 1) nodes_.resize(1);
  Result result = ParseElement(limits);
  const size_t size = result == Result::kMore ? bytes.size() : at_;  // what has come so far is all of this reply
  if (size > limits.bytes + kMostLineBytes) result = Result::kGarbage;
  if (result == Result::kMore) return result;
  if (result == Result::kReply) {
    *used = at_;
    Finish();
  }
  Reset();
  return result;
}

// Goes element after element, until the outermost is done.
ReplyParser::Result ReplyParser::ParseElement(const Limits& limits) {
  for (;;) {
    const size_t begin = at_, depth = depth_;
    const Result result = ParseNode(depth == 0 ? 0 : arrays_[depth - 1].next, limits);
    if (result == Result::kMore) at_ = begin;
    if (result != Result::kReply) return result;
    if (depth_ > depth) continue;  // its elements first
    while (depth_ > 0 && ++arrays_[depth_ - 1].next == arrays_[depth_ - 1].end) --depth_;
    if (depth_ == 0) return Result::kReply;
  }
}

// Parses from the type byte on.
ReplyParser::Result ReplyParser::ParseNode(size_t node, const Limits& limits) {
  if (at_ == bytes_.size()) return Result::kMore;
  const char type = bytes_[at_++];
  Reply reply;
  int64_t number = 0;
  Result result;
  switch (type) {
    case '$': {
      result = ParseNumber(&number);
      if (result != Result::kReply) return result;
      if (number == -1) break;  // nil
      if (number < 0 || static_cast<uint64_t>(number) > limits.bytes) return Result::kGarbage;
      const size_t size = static_cast<size_t>(number);
      if (bytes_.size() - at_ < size + 2) return Result::kMore;
      if (bytes_[at_ + size] != '\r' || bytes_[at_ + size + 1] != '\n') return Result::kGarbage;
      reply.type_ = Reply::Type::kString;
      reply.integer_ = static_cast<int64_t>(at_);
      reply.num_elements_ = static_cast<uint32_t>(size);
      at_ += size + 2;
      break;
    }
    case ':':
      result = ParseNumber(&reply.integer_);
      if (result != Result::kReply) return result;
      reply.type_ = Reply::Type::kInteger;
      break;
    case '+':
    case '-':
      result = ParseLine(&reply);
      if (result != Result::kReply) return result;
      reply.type_ = type == '+' ? Reply::Type::kString : Reply::Type::kError;
      break;
    case '*': {
      result = ParseNumber(&number);
      if (result != Result::kReply) return result;
      if (number == -1) break;
      const size_t first = nodes_.size();
      if (number < 0 || depth_ == kMostDepth || static_cast<uint64_t>(number) > limits.elements ||
          first > limits.elements - static_cast<size_t>(number)) {
        return Result::kGarbage;
      }
      const size_t end = first + static_cast<size_t>(number);
      reply.type_ = Reply::Type::kArray;
      reply.num_elements_ = static_cast<uint32_t>(number);
      reply.integer_ = static_cast<int64_t>(first);
      nodes_.resize(end);
      if (first != end) arrays_[depth_++] = {first, end};
      break;
    }
    default:
      return Result::kGarbage;
  }
  nodes_[node] = reply;
  return Result::kReply;
}

// Only now does all stay where it is.
void ReplyParser::Finish() {
  for (Reply& node : nodes_) {
    if (node.is_integer()) continue;
    if (node.is_array()) {
      node.elements_ = nodes_.data() + node.integer_;
    } else {
      node.text_ = bytes_.substr(static_cast<size_t>(node.integer_), node.num_elements_);
      node.num_elements_ = 0;
    }
    node.integer_ = 0;
  }
}

ReplyParser::Result ReplyParser::ParseLine(Reply* reply) {
  const size_t left = bytes_.size() - at_;
  const char* const begin = bytes_.data() + at_;
  const void* const found = left == 0 ? nullptr : memchr(begin, '\r', left);
  if (found == nullptr) return left > kMostLineBytes ? Result::kGarbage : Result::kMore;
  const size_t size = static_cast<size_t>(static_cast<const char*>(found) - begin);
  if (left - size < 2) return Result::kMore;
  if (begin[size + 1] != '\n') return Result::kGarbage;
  reply->integer_ = static_cast<int64_t>(at_);
  reply->num_elements_ = static_cast<uint32_t>(size);
  at_ += size + 2;
  return Result::kReply;
}

// Up to 18 digits cannot overflow; Redis' numbers may have 19.
ReplyParser::Result ReplyParser::ParseNumber(int64_t* number) {
  const char* at = bytes_.data() + at_;
  const char* const end = bytes_.data() + bytes_.size();
  const bool is_negative = at != end && *at == '-';
  if (is_negative) ++at;
  const char* const first = at;
  uint64_t value = 0;
  for (; at != end && *at >= '0' && *at <= '9'; ++at) {
    if (at - first == 19) return Result::kGarbage;
    value = 10 * value + static_cast<uint64_t>(*at - '0');
  }
  if (at == end) return Result::kMore;
  if (at == first || *at != '\r' || value > uint64_t{INT64_MAX} + (is_negative ? 1 : 0)) return Result::kGarbage;
  if (++at == end) return Result::kMore;
  if (*at != '\n') return Result::kGarbage;
  *number = static_cast<int64_t>(is_negative ? 0 - value : value);
  at_ = static_cast<size_t>(at + 1 - bytes_.data());
  return Result::kReply;
}

}  // namespace linefilter::redis_internal
