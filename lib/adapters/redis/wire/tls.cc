#include "lib/adapters/redis/wire/tls.h"

#include <errno.h>

#ifdef LINEFILTER_REDIS_TLS

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>

#include "lib/adapters/redis/wire/connection.h"

namespace linefilter::redis_internal {
namespace {

constexpr size_t kReadAheadBytes = size_t{1} << 16;  // records have 16 KiB: one system call for several

template <class T, void (*function)(T*)>
struct FreeBy {
  void operator()(T* object) const noexcept { function(object); }
};
using Context = std::unique_ptr<SSL_CTX, FreeBy<SSL_CTX, SSL_CTX_free>>;

// ---- The socket, as OpenSSL sees it: its own would raise SIGPIPE and needs one that does not block.

// A BIO knows the socket, and whether the handshake is done.
void SetSocket(BIO* bio, int fd, bool is_done) {
  BIO_set_data(bio, reinterpret_cast<void*>(2 * intptr_t{fd} + (is_done ? 1 : 0)));
}
int FdOf(BIO* bio) { return static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio)) / 2); }
bool IsDone(BIO* bio) { return reinterpret_cast<intptr_t>(BIO_get_data(bio)) % 2 != 0; }

bool IsForNow(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

int WriteSocket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = send(FdOf(bio), bytes, static_cast<size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  // A reader is told that the server has gone, after what the server said last: why. (In the handshake nobody reads.)
  const bool is_gone = sent < 0 && (errno == EPIPE || errno == ECONNRESET);
  if (sent < 0 && (IsForNow(errno) || (is_gone && IsDone(bio)))) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int ReadSocket(BIO* bio, char* to, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = recv(FdOf(bio), to, static_cast<size_t>(size), MSG_DONTWAIT);
  if (got < 0 && IsForNow(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long ControlSocket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

// It is never freed: a filter may live longer than anything that is made at the first connection.
const BIO_METHOD* SocketMethod() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
    if (made != nullptr) {
      BIO_meth_set_write(made, WriteSocket);
      BIO_meth_set_read(made, ReadSocket);
      BIO_meth_set_ctrl(made, ControlSocket);
    }
    return made;
  }();
  return method;
}

// This keeps OpenSSL's errors of this thread apart: ours must not be taken for the program's own, nor its for ours.
class NoErrors {
 public:
  NoErrors() { ERR_clear_error(); }
  NoErrors(const NoErrors&) = delete;
  NoErrors& operator=(const NoErrors&) = delete;
  ~NoErrors() {
    const int error = errno;
    ERR_clear_error();
    errno = error;
  }
};

// ---- Sentences.

// This stays so until somebody mends it.
template <class... Words>
Failure Refused(const char* format, const Words&... words) {
  return {Verdict::kFinal, Status::Error(StatusCode::kInvalidArgument, format, words.c_str()...)};
}

std::string Reason(unsigned long error) {
  if (ERR_GET_LIB(error) == ERR_LIB_SYS) return strerror(ERR_GET_REASON(error));
  const char* const text = ERR_reason_error_string(error);
  return text == nullptr ? "OpenSSL gives no reason" : text;
}

// The first error is the cause of the others.
Failure BadFile(const std::string& member, const std::string& file) {
  return Refused("RedisServers::%s: OpenSSL cannot use %.100s: %s", member, file, Reason(ERR_peek_error()));
}

Failure NoOpenSsl() {
  return {Verdict::kFinal, Status::Error(StatusCode::kOutOfMemory, "OpenSSL cannot start: is there memory?")};
}

Failure BadCertificate(long verdict, const std::string& server, const std::string& name) {
  switch (verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return Refused(
          "the certificate of Redis at %s is not of %s: if it is the right server, give a name that its certificate "
          "has "
          "in RedisServers::tls_server_name",
          server, name);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return Refused("the certificate of Redis at %s, or one that signed it, has expired: renew it", server);
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return Refused("the certificate of Redis at %s is not valid yet: is the clock right?", server);
    default:
      return Refused(
          "the certificate of Redis at %s is refused (%s): is RedisServers::tls_ca the file of its authority?", server,
          std::string(X509_verify_cert_error_string(verdict)));
  }
}

// The server sent an alert, or no TLS. What it says of us stays so; a fault of its own may pass.
Failure Judge(unsigned long error, const std::string& server) {
  const int reason = ERR_GET_REASON(error), alert = reason - SSL_AD_REASON_OFFSET;
  bool is_for_now =
      ERR_GET_LIB(error) != ERR_LIB_SSL || alert == SSL_AD_INTERNAL_ERROR || alert == SSL_AD_USER_CANCELLED;
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
  is_for_now |= reason == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#endif
  if (is_for_now) return Unreachable(server, ("TLS: " + Reason(error)).c_str(), Sign::kLost);
  if (alert >= 0 && alert < 256) {
    return Refused(
        "Redis at %s refuses our TLS (%s): if it wants a certificate, look at RedisServers::tls_certificate, else at "
        "its "
        "log",
        server, Reason(error));
  }
  return Refused(
      "what answers at %s speaks no TLS (%s): name the port that Redis has as tls-port, or leave RedisServers::tls off",
      server, Reason(error));
}

// ---- The handshake.

// No program may be asked for a passphrase on its terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

Failure MakeContext(const RedisServers& servers, Context* context) {
  context->reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const made = context->get();
  if (made == nullptr || SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION) != 1) return NoOpenSsl();
  (void)SSL_CTX_set_options(made, SSL_OP_NO_RENEGOTIATION);  // Send would have to read
  (void)SSL_CTX_set_mode(made, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(made, 1);
  SSL_CTX_set_default_read_buffer_len(made, kReadAheadBytes);
  SSL_CTX_set_default_passwd_cb(made, NoPassphrase);
  SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nullptr);
  if (servers.tls_ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(made) != 1) return BadFile("tls_ca", "the system's authorities");
  } else if (SSL_CTX_load_verify_locations(made, servers.tls_ca.c_str(), nullptr) != 1) {
    return BadFile("tls_ca", servers.tls_ca);
  } else {  // the one that signed, be it signed itself or not
    (void)X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(made), X509_V_FLAG_PARTIAL_CHAIN);
  }
  if (servers.tls_certificate.empty() != servers.tls_key.empty()) {
    return Refused("RedisServers::tls_certificate and tls_key go together: %s is empty",
                   std::string(servers.tls_key.empty() ? "tls_key" : "tls_certificate"));
  }
  if (servers.tls_certificate.empty()) return Failure();
  if (SSL_CTX_use_certificate_chain_file(made, servers.tls_certificate.c_str()) != 1) {
    return BadFile("tls_certificate", servers.tls_certificate);
  }
  // It also looks whether the two belong together.
  if (SSL_CTX_use_PrivateKey_file(made, servers.tls_key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return BadFile("tls_key", servers.tls_key);
  }
  return Failure();
}

// Sets whose certificate it must be; false means no memory.
bool SetName(SSL* ssl, const std::string& name) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1) return true;
  ERR_clear_error();
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, name.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

// Waits for what the handshake wants; false means that `end` has come.
bool WaitFor(int fd, int wanted, Clock::time_point end) {
  pollfd polled = {};
  polled.fd = fd;
  polled.events = wanted == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
  (void)poll(&polled, 1, MsUntil(end));
  return Clock::now() < end;
}

}  // namespace

bool HasTls() noexcept { return true; }

void Tls::Free::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }

Failure Tls::Start(int fd, const Address& address, const RedisServers& servers, Clock::time_point end) {
  const std::string server = address.text();
  const std::string& name =
      servers.tls_server_name.empty() && !address.is_path() ? address.host : servers.tls_server_name;
  if (name.empty()) {
    return Refused("tls at %s: a path is in no certificate: set RedisServers::tls_server_name, or leave tls off",
                   server);
  }
  constexpr size_t kMostNameBytes = 255;  // DNS has no longer ones
  if (name.size() > kMostNameBytes || name[0] == '.' || name.find('\0') != std::string::npos) {
    return Refused("RedisServers::tls_server_name, or the host, is no name that a certificate may have: %.100s", name);
  }
  const auto begin = Clock::now();
  end_ = kOpen;
  must_write_ = false;
  const NoErrors guard;
  Context context;
  const Failure failure = MakeContext(servers, &context);
  if (!IsFine(failure)) return failure;
  ssl_.reset(SSL_new(context.get()));
  if (ssl_ == nullptr || SocketMethod() == nullptr || !SetName(ssl_.get(), name)) return NoOpenSsl();
  BIO* const bio = BIO_new(SocketMethod());
  if (bio == nullptr) return NoOpenSsl();
  SetSocket(bio, fd, false);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  for (;;) {
    ERR_clear_error();
    errno = 0;
    const int done = SSL_connect(ssl_.get());
    if (done == 1) {
      SetSocket(bio, fd, true);
      return Failure();
    }
    const int error = errno;
    const int wanted = SSL_get_error(ssl_.get(), done);
    if (wanted == SSL_ERROR_WANT_READ || wanted == SSL_ERROR_WANT_WRITE) {
      if (WaitFor(fd, wanted, end)) continue;
      const auto ms = std::chrono::round<std::chrono::milliseconds>(end - begin).count();
      return {Verdict::kRetry,
              Status::Error(StatusCode::kUnavailable,
                            "Redis at %s did not finish the TLS handshake within %lld ms (RedisServers::deadlines): is "
                            "its port the one of tls-port?",
                            server.c_str(), static_cast<long long>(ms)),
              Sign::kSilent};
    }
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK) return BadCertificate(verdict, server, name);
    const unsigned long first = ERR_peek_error();
    if (first != 0) return Judge(first, server);
    return Unreachable(server, error == 0 ? "the server closed it in the TLS handshake" : strerror(error), Sign::kLost);
  }
}

int64_t Tls::Send(const char* bytes, size_t size) {
  const NoErrors guard;
  size_t sent = 0;
  errno = 0;
  if (SSL_write_ex(ssl_.get(), bytes, size, &sent) == 1) return static_cast<int64_t>(sent);
  const int error = errno, wanted = SSL_get_error(ssl_.get(), 0);
  error_ = ERR_peek_error();
  const bool is_for_now = wanted == SSL_ERROR_WANT_WRITE || wanted == SSL_ERROR_WANT_READ;
  errno = is_for_now ? EAGAIN : error_ == 0 && error != 0 ? error : EPROTO;
  return -1;
}

int64_t Tls::Receive(char* to, size_t size) {
  const NoErrors guard;
  size_t got = 0;
  must_write_ = false;
  for (size_t more = 0; end_ == kOpen && got < size; got += more) {  // a record a call
    more = 0;
    ERR_clear_error();
    errno = 0;
    if (SSL_read_ex(ssl_.get(), to + got, size - got, &more) == 1) continue;
    const int error = errno, wanted = SSL_get_error(ssl_.get(), 0);
    const bool is_gone = wanted == SSL_ERROR_WANT_WRITE && (error == EPIPE || error == ECONNRESET);
    must_write_ = wanted == SSL_ERROR_WANT_WRITE && !is_gone;
    if (must_write_ || wanted == SSL_ERROR_WANT_READ) {
      errno = EAGAIN;
      break;
    }
    // OpenSSL says it once.
    error_ = ERR_peek_error();
    end_ = wanted == SSL_ERROR_ZERO_RETURN ? 0 : error_ != 0 ? EPROTO : error;
  }
  if (got != 0) return static_cast<int64_t>(got);
  if (end_ == kOpen) return -1;
  errno = end_;
  return end_ == 0 ? 0 : -1;
}

Failure Tls::why(const std::string& server) const { return Judge(error_, server); }

}  // namespace linefilter::redis_internal

#else

namespace linefilter::redis_internal {

bool HasTls() noexcept { return false; }

void Tls::Free::operator()(ssl_st*) const noexcept {}

Failure Tls::Start(int, const Address&, const RedisServers&, std::chrono::steady_clock::time_point) {
  return {
      Verdict::kFinal,
      Status::Error(StatusCode::kUnsupported,
                    "tls: linefilter was built without OpenSSL: install it (Debian and Ubuntu: libssl-dev) and build "
                    "linefilter again, or use a Unix socket or a tunnel such as stunnel")};
}

int64_t Tls::Send(const char*, size_t) {
  errno = ENOTSUP;
  return -1;
}

int64_t Tls::Receive(char*, size_t) {
  errno = ENOTSUP;
  return -1;
}

Failure Tls::why(const std::string& server) const { return Unreachable(server, "no TLS", Sign::kNone); }

}  // namespace linefilter::redis_internal

#endif
