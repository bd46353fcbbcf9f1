#include "tests/testing/redis_client.h"

#include <sys/time.h>

#include <cstdlib>
#include <utility>

#include "gtest/gtest.h"
#include "hiredis/hiredis.h"

namespace linefilter::test {
namespace {

RedisReply Copy(const redisReply& reply) {
  RedisReply copy;
  switch (reply.type) {
    case REDIS_REPLY_ERROR:
      copy.kind = RedisReply::Kind::kError;
      copy.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING:
      copy.kind = RedisReply::Kind::kText;
      copy.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      copy.kind = RedisReply::Kind::kInteger;
      copy.integer = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      copy.kind = RedisReply::Kind::kList;
      for (size_t i = 0; i < reply.elements; ++i) copy.items.push_back(Copy(*reply.element[i]));
      break;
    default:
      copy.kind = RedisReply::Kind::kNil;
  }
  return copy;
}

}  // namespace

RedisClient::RedisClient(std::string address, std::string password)
    : address_(std::move(address)), password_(std::move(password)) {}

RedisClient::~RedisClient() {
  if (context_ != nullptr) redisFree(context_);
}

bool RedisClient::Connect(std::string* why) {
  if (context_ != nullptr && context_->err == 0) return true;
  if (context_ != nullptr) redisFree(context_);
  const timeval patience{60, 0};
  if (address_.compare(0, 5, "unix:") == 0) {
    context_ = redisConnectUnixWithTimeout(address_.c_str() + 5, patience);
  } else {
    const size_t colon = address_.rfind(':');
    context_ =
        redisConnectWithTimeout(address_.substr(0, colon).c_str(), std::atoi(address_.c_str() + colon + 1), patience);
  }
  if (context_ == nullptr || context_->err != 0) {
    *why = context_ == nullptr ? "no memory" : context_->errstr;
    return false;
  }
  redisSetTimeout(context_, patience);
  if (password_.empty()) return true;
  const char* words[] = {"AUTH", password_.c_str()};
  redisReply* const reply = static_cast<redisReply*>(redisCommandArgv(context_, 2, words, nullptr));
  if (reply == nullptr) {
    *why = context_->errstr;
    return false;
  }
  const bool welcome = reply->type != REDIS_REPLY_ERROR;
  if (!welcome) *why = reply->str;
  freeReplyObject(reply);
  return welcome;
}

RedisReply RedisClient::Ask(const std::vector<std::string>& words) {
  RedisReply lost;
  if (!Connect(&lost.text)) return lost;
  std::vector<const char*> parts;
  std::vector<size_t> sizes;
  for (const std::string& word : words) {
    parts.push_back(word.data());
    sizes.push_back(word.size());
  }
  auto* const reply =
      static_cast<redisReply*>(redisCommandArgv(context_, static_cast<int>(parts.size()), parts.data(), sizes.data()));
  if (reply == nullptr) {
    lost.text = context_->errstr;
    return lost;
  }
  RedisReply copy = Copy(*reply);
  freeReplyObject(reply);
  return copy;
}

RedisReply RedisClient::Do(const std::vector<std::string>& words) {
  RedisReply reply = Ask(words);
  EXPECT_TRUE(reply.ok()) << words.at(0) << " at " << address_ << ": " << reply.text;
  return reply;
}

std::string RedisClient::Fact(const std::vector<std::string>& words, const std::string& name) {
  const std::string text = "\r\n" + Ask(words).text;
  const size_t line = text.find("\n" + name + ":");
  if (line == std::string::npos) return "";
  const size_t value = line + name.size() + 2;
  return text.substr(value, text.find('\r', value) - value);
}

}  // namespace linefilter::test
