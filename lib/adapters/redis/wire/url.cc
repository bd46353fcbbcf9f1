// RedisServers::SetUrl: redis://USER:PASSWORD@HOST:PORT,.../DATABASE?cluster, as other clients take it.
#include <charconv>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "lib/adapters/redis/wire/address.h"
#include "lib/adapters/redis/wire/cut.h"
#include "linefilter/redis_servers.h"
#include "linefilter/status.h"

namespace linefilter {
namespace {

using redis_internal::Cut;

// Sentences do not show the URL, which may have a password.
Status NoUrl(const char* what) {
  return Status::Error(
      StatusCode::kInvalidArgument,
      "the URL of Redis %s: write redis://[USER:PASSWORD@]HOST[:PORT][,HOST...][/DATABASE][?cluster], or "
      "rediss:// for TLS",
      what);
}

// Takes %XX for the byte XX.
bool Unescape(std::string_view text, std::string* bytes) {
  bytes->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes->push_back(text[i]);
      continue;
    }
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return false;
    bytes->push_back(static_cast<char>(byte));
    i += 2;
  }
  return true;
}

Status Parse(std::string_view url, RedisServers* servers) {
  constexpr std::string_view kPlain = "redis://", kTls = "rediss://";
  servers->tls = url.substr(0, kTls.size()) == kTls;
  if (!servers->tls && url.substr(0, kPlain.size()) != kPlain)
    return NoUrl("begins with neither redis:// nor rediss://");
  url.remove_prefix(servers->tls ? kTls.size() : kPlain.size());
  std::string_view parameters = url;
  url = Cut(&parameters, '?');
  if (!parameters.empty() && parameters != "cluster" && parameters != "cluster=true") {
    return NoUrl("has a parameter other than cluster");
  }
  std::string_view database = url;
  std::string_view place = Cut(&database, '/');
  const size_t at = place.rfind('@');
  servers->user.clear();
  servers->password.clear();
  if (at != std::string_view::npos) {
    std::string_view password = place.substr(0, at);
    const std::string_view user = Cut(&password, ':');
    if (!Unescape(user, &servers->user) || !Unescape(password, &servers->password)) {
      return NoUrl("has a % that two hexadecimal digits do not follow, in user or password");
    }
    place.remove_prefix(at + 1);
  }
  servers->database = 0;
  const char* const end = database.data() + database.size();
  if (!database.empty()) {
    const auto parsed = std::from_chars(database.data(), end, servers->database);
    if (parsed.ec != std::errc() || parsed.ptr != end || servers->database < 0) {
      return NoUrl("has a database that is no number");
    }
  }
  servers->addresses.assign(place);
  std::vector<redis_internal::Address> addresses;
  Status status = redis_internal::ParseAddresses(place, &addresses);
  if (!status.ok()) return status;
  for (const redis_internal::Address& address : addresses) {
    if (address.is_path()) return NoUrl("has the path of a socket");
  }
  return status;
}

}  // namespace

Status RedisServers::SetUrl(std::string_view url) noexcept {
  try {
    RedisServers changed = *this;
    const Status status = Parse(url, &changed);
    if (status.ok()) *this = static_cast<RedisServers&&>(changed);
    return status;
  } catch (const std::bad_alloc&) {
    return Status::Error(StatusCode::kOutOfMemory, "no memory for the URL of Redis");
  }
}

}  // namespace linefilter
