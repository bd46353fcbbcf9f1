#include "tests/testing/tls_tunnel.h"

#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace linefilter::test {
namespace {

bool SendAll(int fd, const char* bytes, size_t size) {
  while (size != 0) {
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

int ConnectTo(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

TlsTunnel::TlsTunnel(const std::string& server, const Certificate& certificate)
    : port_(static_cast<uint16_t>(std::atoi(server.c_str() + server.rfind(':') + 1))),
      context_(SSL_CTX_new(TLS_server_method())) {
  if (SSL_CTX_use_certificate_chain_file(context_, certificate.certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context_, certificate.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    std::abort();
  }
  listener_ = std::make_unique<LoopbackServer>([this](int fd) { Talk(fd); });
}

TlsTunnel::~TlsTunnel() {
  listener_.reset();
  SSL_CTX_free(context_);
}

void TlsTunnel::Talk(int fd) const {
  // OpenSSL's own socket raises it: of this thread alone it is not seen.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  const int on = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  SSL* const ssl = SSL_new(context_);
  SSL_set_fd(ssl, fd);
  const int server = SSL_accept(ssl) == 1 ? ConnectTo(port_) : -1;
  char bytes[16384];
  for (size_t said = 0; server >= 0;) {
    pollfd polled[] = {{fd, POLLIN, 0}, {server, POLLIN, 0}};
    if (SSL_pending(ssl) == 0 && poll(polled, 2, -1) <= 0) break;
    if (SSL_pending(ssl) != 0 || polled[0].revents != 0) {
      const int got = SSL_read(ssl, bytes, sizeof(bytes));
      if (got <= 0 || !SendAll(server, bytes, static_cast<size_t>(got))) break;
    }
    if (polled[1].revents != 0) {
      const ssize_t got = recv(server, bytes, sizeof(bytes), 0);
      const size_t left = most_ - said;
      if (got <= 0 || SSL_write(ssl, bytes, static_cast<int>(std::min(static_cast<size_t>(got), left))) <= 0) break;
      said += static_cast<size_t>(got);
      if (said >= most_) break;
    }
  }
  if (says_so_) SSL_shutdown(ssl);
  SSL_free(ssl);
  if (server >= 0) close(server);
}

}  // namespace linefilter::test
