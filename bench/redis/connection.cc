#include "bench/redis/connection.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <cstdlib>

namespace linefilter::bench {
namespace {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

Status Refused(const redisReply& reply) {
  return Status::Error(StatusCode::kIoError, "the server refused: %.*s", static_cast<int>(reply.len), reply.str);
}

timeval TimeOf(uint32_t ms) { return {static_cast<time_t>(ms / 1000), static_cast<suseconds_t>(ms % 1000 * 1000)}; }

}  // namespace

void RedisConnection::Free::operator()(redisContext* context) const { redisFree(context); }

Status RedisConnection::Lost() const {
  const std::string why = context_ == nullptr || context_->err == 0 ? "closed" : context_->errstr;
  return Status::Error(StatusCode::kIoError, "the connection was lost: %s", why.c_str());
}

Status RedisConnection::Connect(const RedisServers& servers) {
  const std::string& address = servers.addresses;
  const size_t colon = address.rfind(':');
  const int port = colon == std::string::npos ? 6379 : atoi(address.c_str() + colon + 1);
  context_.reset(redisConnectWithTimeout(address.substr(0, colon).c_str(), port, TimeOf(servers.deadlines.connect_ms)));
  if (context_ == nullptr || context_->err != 0) {
    return Status::Error(StatusCode::kIoError, "%s cannot be reached: %s", address.c_str(),
                         context_ == nullptr ? "no memory" : context_->errstr);
  }
  redisSetTimeout(context_.get(), TimeOf(servers.deadlines.reply_ms));
  return Status();
}

Status RedisConnection::Do(const std::vector<std::string>& words, std::string* text) {
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;
  for (const std::string& word : words) {
    pointers.push_back(word.data());
    sizes.push_back(word.size());
  }
  const Reply reply(static_cast<redisReply*>(
      redisCommandArgv(context_.get(), static_cast<int>(words.size()), pointers.data(), sizes.data())));
  if (reply == nullptr) return Lost();
  if (reply->type == REDIS_REPLY_ERROR) return Refused(*reply);
  if (text != nullptr && reply->str != nullptr) text->assign(reply->str, reply->len);
  return Status();
}

Status RedisConnection::Run(const std::string& commands, size_t n,
                            const std::function<void(size_t, const redisReply&)>& take) {
  if (redisAppendFormattedCommand(context_.get(), commands.data(), commands.size()) != REDIS_OK) return Lost();
  Status status;
  for (size_t i = 0; i < n; ++i) {
    void* pointer = nullptr;
    if (redisGetReply(context_.get(), &pointer) != REDIS_OK) return Lost();
    const Reply reply(static_cast<redisReply*>(pointer));
    if (reply->type == REDIS_REPLY_ERROR && status.ok()) status = Refused(*reply);
    take(i, *reply);
  }
  return status;
}

}  // namespace linefilter::bench
