#include "tests/testing/redis_proxy.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/loopback.h"

namespace linefilter::test {
namespace {

// The length of the first command in `bytes`; 0: it is not all there. Commands are arrays of strings.
size_t LengthOfCommand(const std::string& bytes) {
  const auto number = [&bytes](size_t at, size_t* value) {
    const size_t end = bytes.find("\r\n", at);
    if (end == std::string::npos) return std::string::npos;
    *value = strtoul(bytes.c_str() + at + 1, nullptr, 10);
    return end + 2;
  };
  size_t num_words = 0;
  size_t at = number(0, &num_words);
  for (size_t i = 0; i < num_words && at != std::string::npos; ++i) {
    size_t length = 0;
    at = number(at, &length);
    if (at == std::string::npos || at + length + 2 > bytes.size()) return 0;
    at += length + 2;
  }
  return at == std::string::npos ? 0 : at;
}

bool SendAll(int fd, const char* data, size_t size) {
  while (size != 0) {
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

}  // namespace

class RedisProxy::Impl {
 public:
  explicit Impl(uint16_t server_port) : server_port_(server_port) {
    listener_ = ListenOnLoopback(&port);
    EXPECT_EQ(pipe(wake_), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~Impl() {
    EXPECT_EQ(write(wake_[1], "x", 1), 1);
    thread_.join();
    for (Way& way : ways_) Close(&way);
    if (listener_ >= 0) close(listener_);
    close(wake_[0]);
    close(wake_[1]);
  }

  void CutAfter(size_t commands, Last last) {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_ = true;
    holds_ = false;
    left_ = commands;
    last_ = last;
    if (left_ == 0) cut_ = true;
  }
  bool was_cut() const { return cut_; }

  void HoldAfter(size_t commands) {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_ = holds_ = true;
    left_ = commands;
    is_held_ = rests_ = false;
  }
  bool is_held() const { return rests_; }
  size_t ConnectionsThatSent(size_t commands) const {
    EXPECT_TRUE(rests_);
    size_t n = 0;
    for (const Way& way : ways_) n += way.num_commands >= commands ? 1 : 0;
    return n;
  }
  void Release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_ = holds_ = is_held_ = rests_ = false;
  }

  uint16_t port = 0;

 private:
  struct Way {
    int client = -1, server = -1;
    std::string from_client;
    size_t num_commands = 0;
  };

  static void Close(Way* way) {
    for (int* fd : {&way->client, &way->server}) {
      if (*fd >= 0) close(*fd);
      *fd = -1;
    }
  }

  void Accept() {
    Way way;
    way.client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    way.server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = Loopback(server_port_);
    const int one = 1;
    if (way.client < 0 || connect(way.server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      Close(&way);
      return;
    }
    for (const int fd : {way.client, way.server}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    ways_.push_back(way);
  }

  // False: the way ends.
  bool FromClient(Way* way) {
    char bytes[65536];
    const ssize_t size = recv(way->client, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    way->from_client.append(bytes, static_cast<size_t>(size));
    return Forward(way);
  }

  bool Forward(Way* way) {
    while (const size_t length = LengthOfCommand(way->from_client)) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (cut_) return false;
      if (is_held_) return true;
      if (!SendAll(way->server, way->from_client.data(), length)) return false;
      way->from_client.erase(0, length);
      ++way->num_commands;
      if (!counts_ || --left_ != 0) continue;
      if (holds_) {
        is_held_ = true;
        return true;
      }
      cut_ = true;
      shutdown(way->server, SHUT_WR);  // it runs what it got, answers and closes
      while (FromServer(way)) {
      }
      return false;
    }
    return true;
  }

  // What was kept while nothing went through.
  void ForwardKept() {
    for (auto way = ways_.begin(); way != ways_.end();) {
      if (Forward(&*way)) {
        ++way;
        continue;
      }
      Close(&*way);
      way = ways_.erase(way);
    }
  }

  bool FromServer(Way* way) {
    char bytes[65536];
    const ssize_t size = recv(way->server, bytes, sizeof(bytes), 0);
    const bool is_told = !cut_ || last_ == Last::kAnswered;
    return size > 0 && (!is_told || SendAll(way->client, bytes, static_cast<size_t>(size)));
  }

  // From then on `ways_` stay as they are.
  bool Rests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    rests_ = is_held_;
    return is_held_;
  }

  void Serve() {
    for (;;) {
      if (was_cut() && listener_ >= 0) {
        close(listener_);
        listener_ = -1;
      }
      if (Rests()) {
        was_held_ = true;
        pollfd wake = {wake_[0], POLLIN, 0};
        if (poll(&wake, 1, 1) != 0) return;
        continue;
      }
      if (was_held_) {
        was_held_ = false;
        ForwardKept();
      }
      std::vector<pollfd> fds = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const Way& way : ways_) {
        fds.push_back({way.client, POLLIN, 0});
        fds.push_back({way.server, POLLIN, 0});
      }
      poll(fds.data(), fds.size(), 20);
      if (fds[0].revents != 0) return;
      size_t i = 2;
      for (auto way = ways_.begin(); way != ways_.end(); i += 2) {
        bool lives = true;
        if (fds[i + 1].revents != 0) lives = FromServer(&*way);
        if (lives && fds[i].revents != 0) lives = FromClient(&*way);
        if (lives) {
          ++way;
          continue;
        }
        Close(&*way);
        way = ways_.erase(way);
      }
      if (listener_ >= 0 && fds[1].revents != 0) Accept();
    }
  }

  const uint16_t server_port_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::thread thread_;
  std::list<Way> ways_;
  bool was_held_ = false;
  std::mutex mutex_;  // of what follows
  bool counts_ = false;
  bool holds_ = false;  // and does not cut
  bool is_held_ = false;
  std::atomic<bool> rests_{false};
  std::atomic<bool> cut_{false};
  size_t left_ = 0;
  Last last_ = Last::kAnswered;
};

RedisProxy::RedisProxy(uint16_t server_port) : impl_(new Impl(server_port)) {}
RedisProxy::~RedisProxy() = default;
std::string RedisProxy::address() const { return "127.0.0.1:" + std::to_string(impl_->port); }
void RedisProxy::CutAfter(size_t commands, Last last) { impl_->CutAfter(commands, last); }
bool RedisProxy::was_cut() const { return impl_->was_cut(); }
void RedisProxy::HoldAfter(size_t commands) { impl_->HoldAfter(commands); }
bool RedisProxy::is_held() const { return impl_->is_held(); }
size_t RedisProxy::ConnectionsThatSent(size_t commands) const { return impl_->ConnectionsThatSent(commands); }
void RedisProxy::Release() { impl_->Release(); }

}  // namespace linefilter::test
