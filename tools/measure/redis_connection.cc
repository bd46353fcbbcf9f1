#include "tools/measure/redis_connection.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace linefilter::tools {
namespace {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

Status Refused(const redisReply& reply) {
  return Status::Error(StatusCode::kIoError, "the server refused: %.*s", static_cast<int>(reply.len), reply.str);
}

timeval TimeOf(uint32_t ms) { return {static_cast<time_t>(ms / 1000), static_cast<suseconds_t>(ms % 1000 * 1000)}; }

// Returns the address behind "MOVED slot host:port", if it is that.
std::string MovedTo(const redisReply& reply) {
  const std::string text = reply.type == REDIS_REPLY_ERROR ? std::string(reply.str, reply.len) : "";
  return text.compare(0, 6, "MOVED ") == 0 ? text.substr(text.rfind(' ') + 1) : "";
}

// Returns them one by one, without the blanks around them. The library has said before what is wrong with one.
std::vector<std::string> AddressesOf(const RedisServers& servers) {
  std::vector<std::string> addresses;
  std::istringstream all(servers.addresses);
  for (std::string one; std::getline(all, one, ',');) {
    one.erase(0, one.find_first_not_of(' '));
    one.erase(one.find_last_not_of(' ') + 1);
    addresses.push_back(one);
  }
  return addresses;
}

// Returns what stands behind "name:" in a reply to INFO.
std::string FactOf(const std::string& info, const char* name) {
  const size_t line = info.find(std::string("\n") + name + ":");
  if (line == std::string::npos) return "";
  const size_t begin = line + 2 + strlen(name);
  return info.substr(begin, info.find_first_of("\r\n", begin) - begin);
}

}  // namespace

void RedisConnection::Free::operator()(redisContext* context) const { redisFree(context); }

Status RedisConnection::Lost() const {
  const std::string why = context_ == nullptr || context_->err == 0 ? "closed" : context_->errstr;
  return Status::Error(StatusCode::kIoError, "the connection was lost: %s", why.c_str());
}

Status RedisConnection::Open(const RedisServers& servers, const std::string& address) {
  const timeval patience = TimeOf(servers.connect_timeout_ms);
  if (address.compare(0, 5, "unix:") == 0) {
    context_.reset(redisConnectUnixWithTimeout(address.c_str() + 5, patience));
  } else {
    // In [::1] no colon is that of a port.
    const size_t colon = !address.empty() && address.back() == ']' ? std::string::npos : address.rfind(':');
    std::string host = address.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    const int port = colon == std::string::npos ? 6379 : atoi(address.c_str() + colon + 1);
    context_.reset(redisConnectWithTimeout(host.c_str(), port, patience));
  }
  if (context_ == nullptr || context_->err != 0) {
    return Status::Error(StatusCode::kIoError, "%s cannot be reached: %s", address.c_str(),
                         context_ == nullptr ? "no memory" : context_->errstr);
  }
  redisSetTimeout(context_.get(), TimeOf(servers.timeout_ms));
  Status status;
  if (!servers.user.empty()) {  // a user may have no password
    status = Do({"AUTH", servers.user, servers.password});
  } else if (!servers.password.empty()) {
    status = Do({"AUTH", servers.password});
  }
  if (status.ok() && servers.database != 0) status = Do({"SELECT", std::to_string(servers.database)});
  return status;
}

Status RedisConnection::Connect(const RedisServers& servers, const std::string& key) {
  // This takes the first that answers and takes keys.
  Status status = Status::Error(StatusCode::kInvalidArgument, "no server is named");
  for (const std::string& address : AddressesOf(servers)) {
    status = Open(servers, address);
    // Any node of a cluster tells who has the key.
    if (status.ok() && !is_cluster() && TextFact("role") == "slave") {
      status = Status::Error(StatusCode::kUnavailable, "%s is a replica: name the master", address.c_str());
    }
    if (status.ok()) break;
  }
  if (!status.ok()) return status;
  const char* const words[] = {"EXISTS", key.c_str()};
  const Reply reply(
      static_cast<redisReply*>(redisCommandArgv(context_.get(), 2, const_cast<const char**>(words), nullptr)));
  if (reply == nullptr) return Lost();
  const std::string moved = MovedTo(*reply);
  if (!moved.empty()) {
    status = Open(servers, moved);
  } else if (reply->type == REDIS_REPLY_ERROR) {
    status = Refused(*reply);
  }
  return status;
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

std::string RedisConnection::TextFact(const char* name) {
  std::string info;
  return Do({"INFO"}, &info).ok() ? FactOf(info, name) : "";
}

bool RedisConnection::TellsTraffic() {
  if (is_cluster()) return false;
  return TextFact("connected_slaves") == "0" || !TextFact("total_net_repl_output_bytes").empty();
}

ServerTraffic RedisConnection::Traffic() {
  std::string info;
  if (!Do({"INFO", "stats"}, &info).ok()) return ServerTraffic();
  const auto fact = [&info](const char* name) { return int64_t{atoll(FactOf(info, name).c_str())}; };
  // Traffic to replicas is no reply; before version 7 Redis does not tell it apart.
  return {fact("total_net_input_bytes"), fact("total_net_output_bytes") - fact("total_net_repl_output_bytes")};
}

}  // namespace linefilter::tools
