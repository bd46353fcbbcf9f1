#include "tools/program/redis/script.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>

namespace linefilter::tools {
namespace {

constexpr char kLookup[] =
    "for i = 1, #ARGV do if redis.call('GETBIT', KEYS[1], ARGV[i]) == 0 then return 0 end end return 1";
constexpr char kInsert[] =
    "local new = 0 for i = 1, #ARGV do if redis.call('SETBIT', KEYS[1], ARGV[i], 1) == 0 then new = 1 end end "
    "return new";
constexpr size_t kPieceBytes = 1 << 20;  // a piece of an upload
constexpr char kTimeToLive[] = "3600";

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

timeval TimeOf(uint32_t ms) { return {static_cast<time_t>(ms / 1000), static_cast<suseconds_t>(ms % 1000 * 1000)}; }

Status Refused(const redisReply& reply) {
  return Status::Error(StatusCode::kIoError, "the server refused: %.*s", static_cast<int>(reply.len), reply.str);
}

std::string WordOf(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

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

void ScriptFilter::Free::operator()(redisContext* context) const { redisFree(context); }

Status ScriptFilter::Lost() {
  const std::string why = context_ == nullptr || context_->err == 0 ? "closed" : context_->errstr;
  return Status::Error(StatusCode::kIoError, "the connection of the comparison row was lost: %s", why.c_str());
}

Status ScriptFilter::Open(const RedisServers& servers, const std::string& address) {
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

Status ScriptFilter::Connect(const RedisServers& servers, const std::string& key) {
  key_ = key;
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
  const char* const words[] = {"EXISTS", key_.c_str()};
  const Reply reply(
      static_cast<redisReply*>(redisCommandArgv(context_.get(), 2, const_cast<const char**>(words), nullptr)));
  if (reply == nullptr) return Lost();
  const std::string moved = MovedTo(*reply);
  if (!moved.empty()) {
    status = Open(servers, moved);
  } else if (reply->type == REDIS_REPLY_ERROR) {
    status = Refused(*reply);
  }
  if (status.ok()) status = Do({"SCRIPT", "LOAD", kLookup}, &lookup_);
  if (status.ok()) status = Do({"SCRIPT", "LOAD", kInsert}, &insert_);
  return status;
}

Status ScriptFilter::Upload(const ClassicFilter& filter) {
  facts_.layout = Layout::kClassic;
  facts_.body_bytes = filter.body_bytes();
  facts_.num_probes = filter.num_probes();
  Status status = CheckBody(facts_);
  const char* const body = reinterpret_cast<const char*>(filter.body());
  const auto size = static_cast<size_t>(filter.body_bytes());
  for (size_t at = 0; status.ok() && at < size; at += kPieceBytes) {
    status = Do({"SETRANGE", key_, std::to_string(at), std::string(body + at, std::min(kPieceBytes, size - at))});
    // This comes at once, in case we are killed meanwhile; the pieces that follow leave it.
    if (status.ok() && at == 0) status = Do({"EXPIRE", key_, kTimeToLive});
  }
  return status;
}

Status ScriptFilter::Delete() { return Do({"UNLINK", key_}); }

Status ScriptFilter::Do(const std::vector<std::string>& words, std::string* text) {
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

ScriptFilter::Form ScriptFilter::FormOfScript(const std::string& script, bool inserts) const {
  return {4, "\r\n$7\r\nEVALSHA\r\n$40\r\n" + script + "\r\n$1\r\n1\r\n" + WordOf(key_), 1, "", "", inserts};
}

// The commands are written by hand, which costs the client a tenth of what hiredis' formatting does: the row stands for
// the server, not for a slow client. Redis numbers bits from the most significant: bit b of byte i is 8 i + (7 - b).
Status ScriptFilter::Run(const Form& form, const uint64_t* hashes, size_t n, uint8_t* answers) {
  uint64_t positions[kMaxPositions];
  buffer_.clear();
  for (size_t i = 0; i < n; ++i) {
    const size_t probes = PositionsOfHash(facts_, hashes[i], positions);
    char digits[24];
    const auto append = [this, &digits](const char* before, uint64_t number) {
      buffer_.append(before).append(digits, std::to_chars(digits, std::end(digits), number).ptr);
    };
    append("*", form.words + form.words_of_probe * probes);
    buffer_ += form.begin;
    for (size_t p = 0; p < probes; ++p) {
      const uint64_t offset = positions[p] ^ 7;
      buffer_ += form.before;
      append("$", static_cast<uint64_t>(std::to_chars(digits, std::end(digits), offset).ptr - digits));
      append("\r\n", offset);
      buffer_ += "\r\n";
      buffer_ += form.after;
    }
  }
  if (redisAppendFormattedCommand(context_.get(), buffer_.data(), buffer_.size()) != REDIS_OK) return Lost();
  Status status;
  for (size_t i = 0; i < n; ++i) {
    void* pointer = nullptr;
    if (redisGetReply(context_.get(), &pointer) != REDIS_OK) return Lost();
    const Reply reply(static_cast<redisReply*>(pointer));
    if (reply->type == REDIS_REPLY_ERROR && status.ok()) status = Refused(*reply);
    if (reply->type == REDIS_REPLY_ARRAY) {  // the bits, as they were
      const bool all = std::all_of(reply->element, reply->element + reply->elements,
                                   [](const redisReply* bit) { return bit->integer != 0; });
      answers[i] = all != form.inserts ? 1 : 0;
    } else {
      answers[i] = reply->type == REDIS_REPLY_INTEGER && reply->integer == 0 ? 0 : 1;
    }
  }
  return status;
}

Status ScriptFilter::MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) {
  return Run(FormOfScript(lookup_, false), hashes, n, answers);
}

Status ScriptFilter::InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new) {
  return Run(FormOfScript(insert_, true), hashes, n, were_new);
}

Status ScriptFilter::MayContainByBitfield(const uint64_t* hashes, size_t n, uint8_t* answers) {
  return Run({2, "\r\n$11\r\nBITFIELD_RO\r\n" + WordOf(key_), 3, "$3\r\nGET\r\n$2\r\nu1\r\n", "", false}, hashes, n,
             answers);
}

Status ScriptFilter::InsertByBitfield(const uint64_t* hashes, size_t n, uint8_t* were_new) {
  return Run({2, "\r\n$8\r\nBITFIELD\r\n" + WordOf(key_), 4, "$3\r\nSET\r\n$2\r\nu1\r\n", "$1\r\n1\r\n", true}, hashes,
             n, were_new);
}

std::string ScriptFilter::TextFact(const char* name) {
  std::string info;
  return Do({"INFO"}, &info).ok() ? FactOf(info, name) : "";
}

bool ScriptFilter::TellsTraffic() {
  if (is_cluster()) return false;
  return TextFact("connected_slaves") == "0" || !TextFact("total_net_repl_output_bytes").empty();
}

ServerTraffic ScriptFilter::Traffic() {
  std::string info;
  if (!Do({"INFO", "stats"}, &info).ok()) return ServerTraffic();
  const auto fact = [&info](const char* name) { return int64_t{atoll(FactOf(info, name).c_str())}; };
  // Traffic to replicas is no reply; before version 7 Redis does not tell it apart.
  return {fact("total_net_input_bytes"), fact("total_net_output_bytes") - fact("total_net_repl_output_bytes")};
}

}  // namespace linefilter::tools
