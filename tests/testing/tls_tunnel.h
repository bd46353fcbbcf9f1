// TLS before any server of a test, as stunnel lays it, by OpenSSL with a socket that blocks: while bytes go one way,
// none go the other. It can end a connection after a number of bytes.
#ifndef LINEFILTER_TESTS_TESTING_TLS_TUNNEL_H_
#define LINEFILTER_TESTS_TESTING_TLS_TUNNEL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/testing/certificates.h"
#include "tests/testing/loopback_server.h"

struct ssl_ctx_st;

namespace linefilter::test {

class TlsTunnel {
 public:
  // To 127.0.0.1:port.
  TlsTunnel(const std::string& server, const Certificate& certificate);
  TlsTunnel(const TlsTunnel&) = delete;
  TlsTunnel& operator=(const TlsTunnel&) = delete;
  ~TlsTunnel();

  std::string address() const { return listener_->address(); }
  // Each connection ends when the server has said so much: with the alert, or without any word.
  void CutAfter(size_t bytes, bool says_so) {
    says_so_ = says_so;
    most_ = bytes;
  }

 private:
  void Talk(int fd) const;

  uint16_t port_ = 0;
  ssl_ctx_st* context_ = nullptr;
  std::atomic<size_t> most_{SIZE_MAX};
  std::atomic<bool> says_so_{false};
  std::unique_ptr<LoopbackServer> listener_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_TLS_TUNNEL_H_
