#include "tools/measure/relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

namespace linefilter::tools {
namespace {

constexpr char kUnix[] = "unix:";
constexpr int kMostSeconds = 3;  // of a connection to the server

Status Failed(const char* what) {
  return Status::Error(StatusCode::kIoError, "the relay before the server: %s: %s", what, strerror(errno));
}

void Close(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// Small messages go through at once.
void DoNotGather(int fd) {
  const int one = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

// Forwards what has come. False: nothing more will.
bool Forward(int from, int to) {
  char bytes[65536];
  const ssize_t size = recv(from, bytes, sizeof(bytes), 0);
  for (ssize_t sent = 0; sent < size;) {
    const ssize_t n = send(to, bytes + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += n;
  }
  return size > 0;
}

// Takes the descriptor. Returns -1 where it does not connect. What is sent waits no longer than the limit, either.
int Connected(int fd, const sockaddr* address, socklen_t size) {
  const timeval limit = {kMostSeconds, 0};
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));  // on Linux of connect, too
  if (fd >= 0 && connect(fd, address, size) != 0) Close(&fd);
  return fd;
}

}  // namespace

Relay::~Relay() {
  EndThread();
  CloseWays();
  for (int* const fd : {&listener_, &wake_[0], &wake_[1]}) Close(fd);
}

Status Relay::Start(const std::string& server) {
  if (server.compare(0, sizeof(kUnix) - 1, kUnix) == 0) {
    port_or_path_ = server.substr(sizeof(kUnix) - 1);
  } else {
    const size_t first = server.find_first_not_of(' '), last = server.find_last_not_of(' ');
    const std::string address = first == std::string::npos ? "" : server.substr(first, last + 1 - first);
    const bool is_ipv6 = !address.empty() && address[0] == '[';
    const size_t end = address.find(is_ipv6 ? ']' : ':'),
                 colon = address.find(':', is_ipv6 && end < address.size() ? end : 0);
    host_ = is_ipv6 ? address.substr(1, end - 1) : address.substr(0, end);
    port_or_path_ = colon == std::string::npos ? "6379" : address.substr(colon + 1);
  }
  if (pipe2(wake_, O_CLOEXEC) != 0) return Failed("pipe");
  const Status status = BindListener();
  return status.ok() ? Become(State::kWell) : status;
}

// A port that is bound and not listened at refuses connections, and is seldom taken by others meanwhile.
Status Relay::BindListener() {
  Close(&listener_);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0) return Failed("socket");
  const int one = 1;
  (void)setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port_);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || getsockname(listener_, generic, &size) != 0) return Failed("bind");
  port_ = ntohs(address.sin_port);
  return Status();
}

Status Relay::Become(State state) {
  EndThread();
  const bool refused = state_ == State::kRefuses;
  state_ = state;
  if (state == State::kRefuses) {
    CloseWays();
    return BindListener();
  }
  if (refused && listen(listener_, 64) != 0) return Failed("listen");
  for (Way& way : ways_) way.is_silent = state == State::kOldAreSilent;
  if (state != State::kSilent) thread_ = std::thread([this] { Serve(); });
  return Status();
}

void Relay::EndThread() {
  if (!thread_.joinable()) return;
  char byte = 0;
  (void)!write(wake_[1], &byte, 1);
  thread_.join();
  (void)!read(wake_[0], &byte, 1);
}

void Relay::CloseWays() {
  for (Way& way : ways_) Close(&way.client), Close(&way.server);
  ways_.clear();
}

// Until EndThread.
void Relay::Serve() {
  for (;;) {
    std::vector<pollfd> fds = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Way& way : ways_) {  // poll passes over what is below 0
      fds.push_back({way.is_silent ? -1 : way.client, POLLIN, 0});
      fds.push_back({way.is_silent ? -1 : way.server, POLLIN, 0});
    }
    if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[0].revents != 0) return;
    size_t i = 2;
    for (auto way = ways_.begin(); way != ways_.end(); i += 2) {
      const bool goes_on = (fds[i].revents == 0 || Forward(way->client, way->server)) &&
                           (fds[i + 1].revents == 0 || Forward(way->server, way->client));
      if (!goes_on) Close(&way->client), Close(&way->server);
      way = goes_on ? std::next(way) : ways_.erase(way);
    }
    if (fds[1].revents != 0) Accept();
  }
}

void Relay::Accept() {
  Way way;
  way.client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (way.client >= 0) way.server = ConnectToServer();
  if (way.server < 0) return Close(&way.client);
  DoNotGather(way.client);
  DoNotGather(way.server);
  ways_.push_back(way);
}

// Returns -1 if the server does not answer.
int Relay::ConnectToServer() const {
  if (host_.empty()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (port_or_path_.size() >= sizeof(address.sun_path)) return -1;
    memcpy(address.sun_path, port_or_path_.c_str(), port_or_path_.size() + 1);
    return Connected(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), reinterpret_cast<const sockaddr*>(&address),
                     sizeof(address));
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host_.c_str(), port_or_path_.c_str(), &hints, &found) != 0) return -1;
  int fd = -1;
  for (const addrinfo* each = found; each != nullptr && fd < 0; each = each->ai_next) {
    fd = Connected(socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), each->ai_addr, each->ai_addrlen);
  }
  freeaddrinfo(found);
  return fd;
}

}  // namespace linefilter::tools
