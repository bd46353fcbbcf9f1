#include "lib/adapters/redis/wire/address.h"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace linefilter::redis_internal {
namespace {

constexpr int kDefaultPort = 6379;
constexpr std::string_view kUnix = "unix:";

bool ParseAddress(std::string_view text, Address* address) {
  if (text.substr(0, kUnix.size()) == kUnix) {
    address->host = text.substr(kUnix.size());
    address->port = 0;
    return !address->host.empty() && address->host.size() < sizeof(sockaddr_un::sun_path);
  }
  size_t colon = text.rfind(':');
  if (!text.empty() && text[0] == '[') {  // [IPv6]:port
    const size_t close = text.find(']');
    if (close == std::string_view::npos || (close + 1 != text.size() && text[close + 1] != ':')) return false;
    address->host = text.substr(1, close - 1);
    colon = close + 1 == text.size() ? std::string_view::npos : close + 1;
  } else {
    address->host = text.substr(0, colon);
    if (address->host.find(':') != std::string::npos) return false;  // IPv6 without brackets: which part is the port?
  }
  address->port = kDefaultPort;
  if (colon != std::string_view::npos) {
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, address->port);
    if (parsed.ec != std::errc() || parsed.ptr != end || address->port < 1 || address->port > 65535) return false;
  }
  return !address->host.empty();
}

// In "redis://user:password@host" what is before the '@' may have commas, too, and is in no sentence.
bool HasPassword(std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view one = text.substr(begin, end - begin);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    if (one.substr(0, kUnix.size()) != kUnix && one.find('@') != std::string_view::npos) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::string Address::text() const {
  if (is_path()) return std::string(kUnix) + host;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Status ParseAddresses(std::string_view text, std::vector<Address>* addresses) {
  addresses->clear();
  if (HasPassword(text)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "RedisServers::addresses has something before an '@': user and password belong into "
                         "RedisServers::user and password, and an address is host:port");
  }
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = text.find(',', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view one = text.substr(begin, end - begin);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    Address address;
    if (!ParseAddress(one, &address) || address.host.find('\0') != std::string::npos) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "'%.60s%s' is no address of a server: RedisServers::addresses is host:port[,host:port...], "
                           "[IPv6]:port or unix:/path (of at most %u bytes)",
                           std::string(one).c_str(), one.size() > 60 ? "..." : "",
                           static_cast<unsigned>(sizeof(sockaddr_un::sun_path) - 1));
    }
    addresses->push_back(std::move(address));
    begin = end + 1;
  }
  return Status();
}

}  // namespace linefilter::redis_internal
