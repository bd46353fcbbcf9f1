// Connections are encrypted where the library was built with OpenSSL: LINEFILTER_REDIS_TLS. Elsewhere that is refused
// with a sentence that says so. hiredis connects the socket, no more: its own TLS, which not all versions have, does
// not look whose certificate it is shown.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_TLS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_TLS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lib/adapters/redis/wire/address.h"
#include "lib/adapters/redis/wire/failure.h"
#include "linefilter/redis.h"

struct ssl_st;

namespace linefilter::redis_internal {

// Whether this build of the library can speak TLS.
bool HasTls() noexcept;

// This encrypts one connection. Nothing here blocks but Start, and nothing raises SIGPIPE.
class Tls {
 public:
  // Starts over a connected socket, which stays the caller's, before `end`. The server's certificate must be signed by
  // tls_ca, or else by an authority of the system, and be of tls_server_name, or else of the host.
  Failure Start(int fd, const Address& address, const RedisServers& servers, std::chrono::steady_clock::time_point end);
  // Forgets all, and sends nothing: after a fork the connection is another's, too.
  void Stop() noexcept { ssl_.reset(); }

  // These act like send and recv of what does not block: the number of bytes, or -1 and errno; Receive gives 0 at the
  // end. Bytes that were refused (EAGAIN) come first in the next call. After Receive poll tells whether there is more
  // only if it said EAGAIN.
  int64_t Send(const char* bytes, size_t size);
  int64_t Receive(char* to, size_t size);
  // Whether Receive goes on only when the socket takes bytes.
  bool must_write() const noexcept { return must_write_; }
  // After one of them said EPROTO this tells what the server, or OpenSSL, has against it.
  Failure why(const std::string& server) const;

 private:
  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };

  static constexpr int kOpen = -1;

  std::unique_ptr<ssl_st, Free> ssl_;
  int end_ = kOpen;          // what Receive will always say: 0, or errno
  unsigned long error_ = 0;  // OpenSSL's
  bool must_write_ = false;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_TLS_H_
