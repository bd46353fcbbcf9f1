// An address is where a server listens: host and port, or a Unix socket.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_ADDRESS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_ADDRESS_H_

#include <string>
#include <string_view>
#include <vector>

#include "linefilter/status.h"

namespace linefilter::redis_internal {

struct Address {
  std::string host;  // or the path of a socket
  int port = 0;      // 0: it is a path

  bool is_path() const { return port == 0; }
  bool operator==(const Address& other) const { return port == other.port && host == other.host; }
  std::string text() const;  // as RedisServers::addresses has it
};

// Parses RedisServers::addresses. kInvalidArgument says what is wrong.
Status ParseAddresses(std::string_view text, std::vector<Address>* addresses);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_ADDRESS_H_
